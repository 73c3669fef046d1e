// Bytes changed behind checksums that were made right again: every parser behind the hash is
// reached.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Changed bytes with matching checksums")
struct ResealedTests {
  private func samples() throws -> [(String, [UInt8])] {
    var random = FormatRandom(seed: 3)
    var operations = SegmentSpec(DamageSamples.header())
    operations.append(.replicas([DictionaryEntry(index: 1, .replica(ReplicaID([UInt8](1...16))))]))
    for opcode in FormatRandom.opcodes {
      operations.append(
        .group([TransactionSpec(stamp: .zero, operations: [random.operation(opcode)])]))
    }
    operations.seal(
      vector: [Seal.VectorEntry(index: 1, sequence: 2)],
      dictionary: [DictionaryEntry(index: 1, .replica(ReplicaID([UInt8](1...16))))])
    var lists = SegmentSpec(DamageSamples.header())
    lists.append(.group((0..<6).map { _ in random.transaction(operationsMax: 2) }))
    return [
      ("rows", try DamageSamples.rows(sealed: true).encoded().array),
      ("columns", try DamageSamples.columns(sealed: true).encoded().array),
      ("operations", try operations.encoded().array), ("lists", try lists.encoded().array),
    ]
  }

  /// Values that a byte is changed to: edges of varints, signs, one more, one less, one bit; at
  /// scale 1 two of them.
  private func values(_ byte: UInt8, _ random: inout FormatRandom) -> [UInt8] {
    let all = [
      0, 1, 0x7F, 0x80, 0xFF, byte &+ 1, byte &- 1, byte ^ 1 << UInt8(random.below(8)),
      UInt8(truncatingIfNeeded: random.word()),
    ]
    return TestRun.scale > 1 ? all : all.shuffled(using: &random.generator).prefix(2) + []
  }

  @Test("every byte of every frame takes other values, and nothing traps")
  func everyByte() throws {
    var random = TestRun.random()
    for (name, bytes) in try samples() {
      let salt = Reseal.salt(bytes)
      var counts = OutcomeCounts()
      var undecoded = 0
      for frame in try FrameMap(bytes).frames {
        for place in frame.range {
          for value in values(bytes[place], &random) where value != bytes[place] {
            var changed = bytes
            changed[place] = value
            Reseal.frame(&changed, at: frame.range.lowerBound, salt: salt)
            let outcome = SegmentOutcome(reading: changed)
            counts.add(outcome)
            undecoded += outcome.undecoded.isEmpty ? 0 : 1
          }
        }
      }
      print("resealed, \(name): \(counts); \(undecoded) with transactions that do not decode")
      #expect(counts["corrupt"] > 0)
    }
  }

  @Test("several bytes at once, cut and repeated pieces, and nothing traps")
  func pieces() throws {
    var random = TestRun.random()
    for (name, bytes) in try samples() {
      let salt = Reseal.salt(bytes)
      let frames = try FrameMap(bytes).frames
      var counts = OutcomeCounts()
      for _ in 0..<500 * TestRun.scale {
        let frame = random.pick(frames).range
        var changed = bytes
        for _ in 0..<random.within(1...4) {
          let place = frame.lowerBound + 4 + random.below(frame.count - 4)
          switch random.below(3) {
          case 0: changed[place] = UInt8(truncatingIfNeeded: random.word())
          case 1:
            // A number that is too large for whatever stands there.
            let length = min(random.pick([1, 2, 4, 8]), frame.upperBound - place)
            changed.replaceSubrange(
              place..<place + length, with: [UInt8](repeating: 255, count: length))
          default:
            let from = frame.lowerBound + random.below(frame.count)
            let length = min(frame.upperBound - max(place, from), random.within(1...16))
            changed.replaceSubrange(
              place..<place + length, with: Array(changed[from..<from + length]))
          }
        }
        Reseal.frame(&changed, at: frame.lowerBound, salt: salt)
        counts.add(SegmentOutcome(reading: changed))
      }
      print("resealed pieces, \(name): \(counts)")
      #expect(counts.total == 500 * TestRun.scale)
    }
  }

  @Test("every byte of a file header takes other values behind a matching check")
  func fileHeader() throws {
    var random = TestRun.random()
    let bytes = try DamageSamples.rows().encoded().array
    var counts = OutcomeCounts()
    for place in 0..<120 {
      for value in values(bytes[place], &random) where value != bytes[place] {
        var changed = bytes
        changed[place] = value
        let header = Reseal.fileHeader(Array(changed[..<128])).array
        let outcome = SegmentOutcome(reading: header + changed[128...])
        counts.add(outcome)
        if place == 20 { continue }  // Other kinds of files are made of frames, too.
        // Ids, ordinal, stamp and lengths are for others to check; the rest is noticed here.
        let isFree = 10..<12 ~= place || 16..<20 ~= place || 24..<64 ~= place || 96..<112 ~= place
        #expect((outcome.verdict == .clean) == isFree || outcome.error != nil, "byte \(place)")
      }
    }
    print("resealed file headers: \(counts)")
  }
}
