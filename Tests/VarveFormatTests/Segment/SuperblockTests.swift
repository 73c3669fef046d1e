// Slots of the superblock: read back, and every damaged byte is noticed.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Superblock slots")
struct SuperblockTests {
  static func random(_ random: inout FormatRandom) -> Superblock {
    var block = Superblock(store: random.store(), replica: random.replica())
    block.counter = max(random.number(), 1)
    block.isClean = random.chance(50)
    block.openOrdinal = random.number()
    block.durableMark = random.number()
    block.lastAcceptedLength = random.number()
    block.lastSequence = random.number()
    block.chain = random.hash()
    block.maxStamp = random.stamp()
    block.inode = random.number()
    block.host = random.number()
    block.baselineHash = random.number()
    block.baselineBytes = random.number()
    return block
  }

  private func code(_ bytes: [UInt8], slot: Int) -> FormatError.Code? {
    do throws(FormatError) {
      _ = try Superblock(Bytes(bytes), slot: slot)
      return nil
    } catch { return error.code }
  }

  @Test("random slots read back, in their own slot only")
  func roundTrip() throws {
    var random = TestRun.random()
    for _ in 0..<200 * TestRun.scale {
      let block = SuperblockTests.random(&random)
      let bytes = block.encoded
      #expect(bytes.count == 4_096)
      #expect(try Superblock(bytes, slot: block.slot) == block)
      #expect(code(bytes.array, slot: 1 - block.slot) == .badHeader)
    }
  }

  @Test("every flipped bit, every cut and every torn half is noticed")
  func damage() {
    var random = TestRun.random()
    let block = SuperblockTests.random(&random)
    let bytes = block.encoded.array
    var codes: [FormatError.Code: Int] = [:]
    for bit in 0..<bytes.count * 8 {
      var flipped = bytes
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      let found = code(flipped, slot: block.slot)
      #expect(found != nil, "bit \(bit)")
      if let found { codes[found, default: 0] += 1 }
    }
    print("superblock bit flips: \(codes)")
    for length in stride(from: 0, to: 4_096, by: 1) {
      #expect(code(Array(bytes[..<length]), slot: block.slot) == .truncated)
    }
    // A torn write: one sector old, the others new.
    var newer = block
    newer.counter &+= 2
    newer.durableMark &+= 1
    let torn = Array(newer.encoded.array[..<128] + bytes[128...])
    #expect(code(torn, slot: block.slot) == .badHeader)
    for fill: UInt8 in [0, 0xFF] {
      for sector in 0..<8 {
        var spoiled = bytes
        spoiled.replaceSubrange(
          sector * 512..<sector * 512 + 512, with: [UInt8](repeating: fill, count: 512))
        #expect(spoiled == bytes || code(spoiled, slot: block.slot) != nil)
      }
    }
  }

  @Test("a newer version is refused although the check matches, a newer minor version is read")
  func versions() {
    var random = TestRun.random()
    let block = SuperblockTests.random(&random)
    func changed(_ offset: Int, _ value: UInt8) -> [UInt8] {
      var bytes = block.encoded.array
      bytes[offset] = value
      return Reseal.superblock(bytes, slot: block.slot)
    }
    #expect(code(changed(8, 1), slot: block.slot) == .unknownVersion)
    #expect(code(changed(12, 4), slot: block.slot) == .unknownVersion)
    #expect(code(changed(10, 9), slot: block.slot) == nil)
    #expect(code(changed(16, 9), slot: block.slot) == nil)
    #expect(code(changed(20, 2), slot: block.slot) == .badPadding)
    #expect(code(changed(200, 1), slot: block.slot) == .badPadding)
    #expect(code(changed(4_095, 1), slot: block.slot) == .badPadding)
  }
}
