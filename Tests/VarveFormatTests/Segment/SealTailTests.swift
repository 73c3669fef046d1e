// How a SEAL without its trailer is judged: both are one write, which a crash can cut.

import Testing
import VarveFormat

@Suite("Segment: tails of sealed files")
struct SealTailTests {
  private func reading(_ bytes: [UInt8]) throws -> SegmentReading {
    var scanner = try SegmentScanner(MemorySource(Bytes(bytes)))
    return try scanner.readAll()
  }

  private func sealed() throws -> (bytes: [UInt8], sealOffset: UInt64) {
    let bytes = try DumpSample.tiny(seal: true).array
    return (bytes, 352)
  }

  @Test("a sealed segment is accepted up to the end of its trailer")
  func whole() throws {
    let (bytes, _) = try sealed()
    for padding in [0, 8, 4_000] {
      let reading = try reading(bytes + [UInt8](repeating: 0, count: padding))
      #expect(reading.verdict == .sealed)
      #expect(reading.accepted == UInt64(bytes.count))
    }
  }

  @Test("a SEAL whose trailer is missing, cut or zero is torn, and not accepted")
  func torn() throws {
    let (bytes, sealOffset) = try sealed()
    var tails = (bytes.count - 48..<bytes.count).map { Array(bytes[..<$0]) }
    tails.append(bytes[..<(bytes.count - 48)] + [UInt8](repeating: 0, count: 600))
    for tail in tails {
      let reading = try reading(tail)
      #expect(reading.verdict == .torn)
      #expect(reading.accepted == sealOffset)
      #expect(reading.problem?.code == .badTrailer)
      #expect(reading.droppedBytes > 0)
    }
  }

  @Test("a rotten trailer is corruption")
  func rotten() throws {
    let (bytes, sealOffset) = try sealed()
    for place in bytes.count - 48..<bytes.count {
      var damaged = bytes
      damaged[place] ^= 4
      let reading = try reading(damaged)
      #expect(reading.verdict == .corrupt)
      #expect(reading.accepted == sealOffset)
      #expect(reading.problem?.code == .badTrailer)
    }
  }

  @Test("a rotten SEAL in front of a valid trailer is corruption, a torn one is not")
  func rottenSeal() throws {
    let (bytes, sealOffset) = try sealed()
    for place in Int(sealOffset)..<bytes.count - 48 {
      var damaged = bytes
      damaged[place] ^= 4
      #expect(try reading(damaged).verdict == .corrupt, "byte \(place)")
    }
    var torn = bytes
    for place in Int(sealOffset)..<512 { torn[place] = 0 }
    let result = try reading(torn)
    #expect(result.verdict == .torn)
    #expect(result.accepted == sealOffset)
  }
}
