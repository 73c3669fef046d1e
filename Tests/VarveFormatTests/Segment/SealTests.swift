// SEAL and trailer: read back, say the truth about their segment, and are checked.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Seal and trailer")
struct SealTests {
  private func seal(_ random: inout FormatRandom) -> Seal {
    var seal = Seal(firstSequence: random.number(), chain: random.hash())
    seal.lastSequence = random.number()
    seal.transactions = random.number()
    seal.minStamp = random.stamp()
    seal.maxStamp = random.stamp()
    seal.rawBytes = random.number()
    for type in 0..<10 { seal.typeCounts[type] = UInt32(truncatingIfNeeded: random.number()) }
    seal.index = random.list(max: 20) { .init(offset: $0.number(), sequence: $0.number()) }
    seal.vector = random.list(max: 9) { .init(index: $0.index(), sequence: $0.number()) }
    seal.dictionary = random.list(max: 9) { $0.dictionaryEntry() }
    return seal
  }

  private func decode(_ bytes: Bytes) throws(FormatError) -> Seal {
    try bytes.read { (reader: inout ByteReader) throws(FormatError) in try Seal(&reader) }
  }

  @Test("random SEALs read back, and no shorter or longer payload is one")
  func roundTrip() throws {
    var random = TestRun.random()
    for _ in 0..<100 * TestRun.scale {
      let seal = seal(&random)
      let bytes = seal.encoded
      #expect(bytes.count % 8 == 0)
      #expect(try decode(bytes) == seal)
      for length in stride(from: 0, to: bytes.count, by: 7) {
        #expect(throws: FormatError.self) { try decode(bytes.slice(0, length)) }
      }
      #expect(throws: FormatError.self) { try decode(Bytes(bytes.array + [0])) }
    }
  }

  @Test("lists that are longer than their limits or their bytes are refused")
  func hostileCounts() {
    var random = TestRun.random()
    let bytes = seal(&random).encoded.array
    for offset in [104, 108, 112, 116] {
      for value: UInt32 in [1_000, 4_097, 65_537, 1 << 31, .max] {
        var hostile = bytes
        for index in 0..<4 { hostile[offset + index] = UInt8(value >> UInt32(8 * index) & 255) }
        #expect(throws: FormatError.self) { try decode(Bytes(hostile)) }
      }
    }
  }

  @Test("a trailer reads back at its offset and with its salt only")
  func trailer() throws {
    var random = TestRun.random()
    let (offset, salt) = (UInt64(1_000), random.word())
    let trailer = Trailer(sealOffset: 900, fileLength: offset + 48, chain: random.hash())
    let bytes = trailer.encoded(salt: salt)
    #expect(bytes.count == 48)
    #expect(try Trailer(bytes, offset: offset, salt: salt) == trailer)
    #expect(throws: FormatError.self) { try Trailer(bytes, offset: offset, salt: salt ^ 1) }
    #expect(throws: FormatError.self) { try Trailer(bytes, offset: offset + 8, salt: salt) }
    for bit in 0..<48 * 8 {
      var flipped = bytes.array
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(throws: FormatError.self) { try Trailer(Bytes(flipped), offset: offset, salt: salt) }
    }
  }

  @Test("a SEAL says of its segment what a walk over it finds")
  func truth() throws {
    var random = TestRun.random()
    for _ in 0..<50 * TestRun.scale {
      var spec = random.segment(items: 8, columns: 40)
      spec.seal()
      var scanner = try SegmentScanner(MemorySource(try spec.encoded()))
      var counts = [UInt32](repeating: 0, count: 10)
      var rawBytes: UInt64 = 0
      var columns: [UInt64] = []
      while case .frame(let frame) = try scanner.next(), frame.header.type != .seal {
        counts[frame.header.type.isKnown(in: .segment) ? Int(frame.header.type.rawValue) : 0] += 1
        rawBytes += UInt64(frame.header.rawLength)
        if frame.header.type == .columnBlock { columns.append(frame.offset) }
      }
      var second = try SegmentScanner(MemorySource(try spec.encoded()))
      let reading = try second.readAll()
      let seal = try #require(reading.seal)
      #expect(seal.typeCounts == counts)
      #expect(seal.rawBytes == rawBytes)
      #expect(seal.columns.map(\.offset) == columns)
      #expect(seal.transactions == UInt64(spec.transactions.count))
      #expect(seal.minStamp == spec.transactions.map(\.stamp).min() ?? .zero)
      #expect(seal.maxStamp == spec.transactions.map(\.stamp).max() ?? .zero)
    }
  }

  @Test("the index names the first unit that starts in every 64 KiB of the file")
  func index() throws {
    var random = TestRun.random()
    var spec = SegmentSpec(random.header())
    for _ in 0..<60 {
      let data = random.bytes(random.within(1...30_000))
      let object = ObjectReference(entity: 1, serial: 1)
      spec.append(
        .group([
          TransactionSpec(stamp: .zero, operations: [.set(object, [FieldValue(1, .data(data))])])
        ]))
    }
    spec.seal()
    var scanner = try SegmentScanner(MemorySource(try spec.encoded()))
    var expected: [UInt64] = []
    let reading = try scanner.readAll(unit: { (unit: Unit) throws(FormatError) in
      if expected.last.map({ $0 >> 16 != unit.start >> 16 }) ?? true { expected.append(unit.start) }
    })
    #expect(try #require(reading.seal).index.map(\.offset) == expected)
    #expect(expected.count > 5)
  }
}
