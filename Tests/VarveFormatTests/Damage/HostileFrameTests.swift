// Frames whose checksums are right and whose contents are not: lengths, counts, types and offsets
// that only somebody who wants to do harm writes.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Hostile frames")
struct HostileFrameTests {
  /// A segment with one raw frame behind its header; the frame's fields are free.
  private func file(
    type: UInt8 = 3, flags: UInt8 = 0, stored: [UInt8], rawLength: UInt32? = nil,
    storedLength: UInt32? = nil, sequence: UInt64 = 5, synced: UInt64 = 128, reserved: UInt8 = 0
  ) -> [UInt8] {
    var bytes = DamageSamples.header().encoded.array
    bytes += [0, 0, 0, 0, type, flags, reserved, 0]
    bytes += number(UInt64(storedLength ?? UInt32(stored.count)), 4)
    bytes += number(UInt64(rawLength ?? UInt32(stored.count)), 4)
    bytes += number(sequence, 8) + number(synced, 8) + number(0, 8) + stored
    bytes += [UInt8](repeating: 0, count: (8 - stored.count % 8) % 8)
    Reseal.frame(&bytes, at: 128, salt: Reseal.salt(bytes))
    return bytes
  }

  private func number(_ value: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
  }

  /// What the first frame says when it is read with its payload.
  private func code(_ bytes: [UInt8]) -> FormatError.Code? {
    do throws(FormatError) {
      var scanner = try SegmentScanner(MemorySource(Bytes(bytes)))
      guard case .frame(let frame) = try scanner.next() else { return nil }
      _ = try frame.payload()
      return nil
    } catch { return error.code }
  }

  @Test("lengths are refused before anything is allocated for them (L50)")
  func lengths() {
    #expect(code(file(stored: [1, 2, 3])) == nil)
    // 13 bytes that claim 4 MiB, and a claim just above what 13 bytes can hold.
    let thirteen = [UInt8](repeating: 0x1F, count: 13)
    #expect(code(file(flags: 1, stored: thirteen, rawLength: 4 << 20)) == .badLength)
    #expect(code(file(flags: 1, stored: thirteen, rawLength: 255 * 13 + 65)) == .badLength)
    #expect(code(file(flags: 1, stored: thirteen, rawLength: 255 * 13 + 64)) == .badCompression)
    // Above the limit of a frame, with enough stored bytes to hold it.
    let large = [UInt8](repeating: 0x1F, count: 20_000)
    #expect(code(file(flags: 1, stored: large, rawLength: (4 << 20) + 1)) == .badLength)
    #expect(code(file(flags: 1, stored: large, rawLength: 4 << 20)) == .badCompression)
    #expect(code(file(flags: 1, stored: large, rawLength: .max)) == .badLength)
    // Raw length without compression, and shorter than what is stored.
    #expect(code(file(stored: [1, 2, 3], rawLength: 4)) == .badLength)
    #expect(code(file(flags: 1, stored: [1, 2, 3], rawLength: 2)) == .badLength)
    for claim: UInt32 in [4, 8, 4 << 20, (4 << 20) + 1, 1 << 31, .max] {
      let bytes = file(stored: [1, 2, 3], rawLength: claim, storedLength: claim)
      let expected: FormatError.Code =
        claim > 8 ? (claim > 4 << 20 ? .badLength : .truncated) : .badPadding
      let found = code(bytes)
      #expect(found == expected || (claim <= 8 && found != .unreadable), "claim \(claim)")
    }
  }

  @Test("a synced offset above the frame itself and reserved bits are refused")
  func reserved() {
    #expect(code(file(stored: [1], synced: 129)) == .badLength)
    #expect(code(file(stored: [1], synced: .max)) == .badLength)
    #expect(code(file(stored: [1], reserved: 1)) == .badPadding)
    for bit in 3..<8 { #expect(code(file(flags: 1 << UInt8(bit), stored: [1])) == .badPadding) }
  }

  @Test("padding behind a payload must be zero")
  func padding() {
    var bytes = file(stored: [1, 2, 3])
    bytes[bytes.count - 1] = 1
    #expect(code(bytes) == .badPadding)
    #expect(SegmentOutcome(reading: bytes).verdict == .suspect)
  }

  @Test("compressed payloads decode to exactly their raw length or are refused (L48)")
  func compression() throws {
    var random = TestRun.random()
    let raw = [UInt8](repeating: 7, count: 1_000)
    let packed = try #require(Bytes(raw).withUnsafeBytes { Compression.compressed($0) }).array
    #expect(code(file(flags: 1, stored: packed, rawLength: 1_000)) == nil)
    for length: UInt32 in [0, 1, 999, 1_001, 2_000] where length >= UInt32(packed.count) {
      #expect(code(file(flags: 1, stored: packed, rawLength: length)) == .badCompression)
    }
    var (decoded, refused) = (0, 0)
    for _ in 0..<3_000 * TestRun.scale {
      let stored = random.bytes(random.within(0...60))
      let claim = UInt32(random.within(stored.count...stored.count * 255 + 64))
      switch code(file(flags: 1, stored: stored, rawLength: claim)) {
      case nil: decoded += 1
      case .badCompression?: refused += 1
      case let code?: Issue.record("\(code)")
      }
    }
    print("random LZ4 blocks: \(decoded) decoded, \(refused) refused")
  }

  @Test("a match at distance 0 shows nothing of earlier payloads (L49)")
  func leak() throws {
    let secret = Bytes([UInt8](repeating: 0xA5, count: 4_096))
    // One literal, then a match of 19 + 255 * n bytes at distance 0, then the last literals.
    for length in [1, 3] {
      let stored: [UInt8] =
        [0x1F, 0x42, 0, 0] + [UInt8](repeating: 255, count: length) + [0]
        + [0x50, 1, 2, 3, 4, 5]
      let rawLength = 1 + 19 + 255 * length + 5
      for _ in 0..<20 {
        // Memory that held something else may be given out again.
        for _ in 0..<4 { _ = Bytes(copying: secret.withUnsafeBytes { $0 }) }
        guard let raw = try? Compression.decompressed(Bytes(stored), rawLength: rawLength) else {
          continue
        }
        #expect(!raw.array.contains(0xA5))
      }
    }
  }

  @Test("an unknown frame type stops the reader without bit 7 and is skipped with it")
  func unknownTypes() throws {
    for type in 0...255 {
      var spec = DamageSamples.rows(groups: 2, seed: 4)
      spec.items[0].content = .ignorable(type: 0x80, Bytes([1, 2, 3]))
      var bytes = try spec.encoded().array
      bytes[128 + 4] = UInt8(type)
      Reseal.frame(&bytes, at: 128, salt: Reseal.salt(bytes))
      let outcome = SegmentOutcome(reading: bytes)
      if type >= 128 {
        #expect(outcome.verdict == .clean && outcome.content.count == spec.transactions.count)
      } else if type == 0 || type > 9 {
        #expect(outcome.error == .unknownFrame)
      } else {
        #expect(outcome.error == nil, "type \(type)")
      }
    }
  }

  @Test("a frame that may be skipped does not interrupt a transaction")
  func insideUnit() throws {
    var spec = DamageSamples.columns(sealed: false)
    let bytes = try spec.encoded().array
    let block = try #require(try FrameMap(bytes).frames.first { $0.type == .columnBlock }).range
    var changed = bytes
    changed[block.lowerBound + 4] = 0x90
    Reseal.frame(&changed, at: block.lowerBound, salt: Reseal.salt(bytes))
    let outcome = SegmentOutcome(reading: changed)
    #expect(outcome.verdict == .corrupt && outcome.content.count == 1)
    spec.items[1].content = .ignorable(type: 0x90, Bytes([UInt8](repeating: 1, count: 100)))
    let between = SegmentOutcome(reading: try spec.encoded().array)
    #expect(between.verdict == .clean && between.content.count == 2)
  }

  @Test("a segment that starts at the largest sequence is no reason to trap")
  func sequenceOverflow() throws {
    var spec = SegmentSpec(DamageSamples.header())
    spec.append(.group([TransactionSpec(stamp: .zero)]))
    var bytes = try spec.encoded().array
    for offset in [64, 128 + 16, 128 + 40 + 24 + 16] {
      bytes.replaceSubrange(offset..<offset + 8, with: [UInt8](repeating: 255, count: 8))
    }
    bytes = Reseal.fileHeader(bytes[..<128] + []).array + bytes[128...]
    Reseal.frame(&bytes, at: 128, salt: Reseal.salt(bytes))
    #expect(SegmentOutcome(reading: bytes).verdict == .corrupt)
  }
}
