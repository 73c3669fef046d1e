// Transactions whose operations do not fit a TX frame: they continue from parts.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Parted transactions")
struct PartedTransactionTests {
  private func operations(bytes: Int, _ random: inout FormatRandom) -> [Operation] {
    var list: [Operation] = []
    var total = 0
    while total < bytes {
      let data = random.bytes(random.within(1...50_000))
      let object = ObjectReference(entity: 1, serial: UInt64(list.count + 1))
      list.append(.set(object, [FieldValue(1, .data(data))]))
      total += data.count
    }
    return list
  }

  private func segment(_ spec: TransactionSpec, _ random: inout FormatRandom) -> SegmentSpec {
    var segment = SegmentSpec(random.header())
    segment.append(.group([random.transaction(), spec, random.transaction()]))
    segment.append(.mark)
    segment.seal()
    return segment
  }

  private func frames(_ bytes: Bytes) throws -> [ScannedFrame] {
    var scanner = try SegmentScanner(MemorySource(bytes))
    var frames: [ScannedFrame] = []
    while case .frame(let frame) = try scanner.next() {
      frames.append(frame)
      if frame.header.type == .seal { break }
    }
    return frames
  }

  @Test("an operation stream of more than 256 KiB, 4 MiB and 8 MiB reads back")
  func roundTrip() throws {
    var random = TestRun.random()
    for (size, parts) in [(300 << 10, 1), (5 << 20, 2), (9 << 20, 3)] {
      let spec = TransactionSpec(stamp: .zero, operations: operations(bytes: size, &random))
      let segment = segment(spec, &random)
      let bytes = try segment.encoded()
      let found = try frames(bytes).filter { $0.header.type == .transactionPart }
      #expect(found.count == parts)
      #expect(found.dropLast().allSatisfy { $0.header.rawLength == Limits.frameRawBytesMax })
      #expect(try SegmentSpec(decoding: bytes) == segment)
    }
  }

  @Test("exactly 256 KiB stay inside the frame, one byte more goes into a part")
  func border() throws {
    var random = TestRun.random()
    for extra in [0, 1] {
      let object = ObjectReference(entity: 1, serial: 1)
      func operation(_ count: Int) -> Operation {
        .set(object, [FieldValue(1, .data([UInt8](repeating: 7, count: count)))])
      }
      let overhead = OperationTests.encode(operation(200_000)).count - 200_000
      let count = Limits.inlineOperationBytesMax - overhead + extra
      #expect(OperationTests.encode(operation(count)).count == (256 << 10) + extra)
      let segment = segment(
        TransactionSpec(stamp: .zero, operations: [operation(count)]), &random)
      let bytes = try segment.encoded()
      let parts = try frames(bytes).filter { $0.header.type == .transactionPart }
      #expect(parts.count == extra)
      #expect(try SegmentSpec(decoding: bytes) == segment)
    }
  }

  @Test("column parts come first and operation parts behind them")
  func withColumns() throws {
    var random = TestRun.random()
    var spec = random.columnTransaction(rows: 5_000)
    spec.operations += operations(bytes: 400 << 10, &random)
    let segment = segment(spec, &random)
    let bytes = try segment.encoded()
    #expect(try SegmentSpec(decoding: bytes) == segment)
    let types = try frames(bytes).map(\.header.type)
    let firstPart = try #require(types.firstIndex(of: .transactionPart))
    let lastBlock = try #require(types.lastIndex(of: .columnBlock))
    #expect(lastBlock < firstPart)
  }

  @Test("the flag for columns is on the frames of columnar transactions and on no others")
  func columnarFlag() throws {
    var random = TestRun.random()
    let rows = TransactionSpec(stamp: .zero, operations: operations(bytes: 400 << 10, &random))
    for frame in try frames(try segment(rows, &random).encoded()) {
      #expect(!frame.header.flags.contains(.columnar), "\(frame.header.type.name)")
    }
    var both = random.columnTransaction(rows: 100)
    both.operations += operations(bytes: 400 << 10, &random)
    var segment = SegmentSpec(random.header())
    segment.append(.group([both]))
    for frame in try frames(try segment.encoded()) {
      #expect(frame.header.flags.contains(.columnar), "\(frame.header.type.name)")
    }
  }

  @Test("more operation bytes than a transaction may have are refused")
  func limit() {
    var builder = TransactionBuilder()
    let data = [UInt8](repeating: 1, count: 8 << 20)
    for serial in 1...8 {
      builder.add(
        .set(ObjectReference(entity: 1, serial: UInt64(serial)), [FieldValue(1, .data(data))]))
    }
    do throws(FormatError) {
      _ = try builder.finish()
      Issue.record("the builder took it")
    } catch { #expect(error.code == .badLength) }
  }
}
