// The laws of whole segments: decoding undoes encoding, and encoding undoes decoding.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Segments as values")
struct SegmentSpecTests {
  @Test("what was encoded is decoded, and encodes to the same bytes again")
  func roundTrip() throws {
    var random = TestRun.random()
    var (bytesRead, sealed) = (0, 0)
    for _ in 0..<200 * TestRun.scale {
      let spec = random.segment()
      let bytes = try spec.encoded()
      let read = try SegmentSpec(decoding: bytes)
      #expect(read == spec)
      #expect(try read.encoded() == bytes)
      bytesRead += bytes.count
      sealed += spec.seal == nil ? 0 : 1
    }
    print("segments read back: \(bytesRead) bytes, \(sealed) sealed")
    #expect(sealed > 0)
  }

  @Test("groups of many small transactions share frames of at most 64 KiB")
  func sharing() throws {
    var random = TestRun.random()
    var spec = SegmentSpec(random.header())
    spec.append(.group((0..<400).map { _ in random.transaction(operationsMax: 20) }))
    spec.append(
      .group(
        (0..<60).map { _ in
          var transaction = random.transaction()
          transaction.metadata.label = String(repeating: "l", count: 20_000)
          transaction.dependencies = (0..<2_000).map { _ in random.position() }
          return transaction
        }))
    spec.seal()
    let bytes = try spec.encoded()
    #expect(try SegmentSpec(decoding: bytes) == spec)
    var scanner = try SegmentScanner(MemorySource(bytes))
    var shared = 0
    _ = try scanner.readAll(unit: { (unit: Unit) throws(FormatError) in
      guard unit.transactions.count > 1 else { return }
      shared += 1
      #expect(unit.frame.header.rawLength <= Limits.sharedFrameBytesMax)
    })
    #expect(shared >= 2)
  }

  @Test("every group ends with the flag for its last frame, and no other frame has it")
  func lastFrames() throws {
    var random = TestRun.random()
    for _ in 0..<50 * TestRun.scale {
      let spec = random.segment()
      var scanner = try SegmentScanner(MemorySource(try spec.encoded()))
      var last = 0
      while case .frame(let frame) = try scanner.next() {
        if frame.header.flags.contains(.last) { last += 1 }
        if frame.header.type == .seal { break }
      }
      let groups = spec.items.filter {
        if case .group = $0.content { true } else { $0.content == .mark }
      }
      #expect(last == groups.count + (spec.seal == nil ? 0 : 1))
    }
  }

  @Test("a segment that no encoder writes is refused with a reason")
  func notCanonical() throws {
    var random = TestRun.random()
    var encoder = SegmentEncoder(random.header())
    encoder.append(try random.transaction().draft(), stamp: .zero)
    encoder.mark()
    let bytes = Bytes(encoder.header.encoded.array + encoder.output.bytes)
    #expect(throws: FormatError.self) { try SegmentSpec(decoding: bytes) }
    let torn = bytes.slice(0, bytes.count - 8)
    #expect(throws: FormatError.self) { try SegmentSpec(decoding: torn) }
  }
}
