// Every bit of small segments flipped: nothing traps, nothing wrong is handed out, and what was
// promised durable is missed.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Flipped bits")
struct BitFlipTests {
  /// Flips every bit and checks what must hold for all files.
  private func flip(
    _ spec: SegmentSpec, durableMark: UInt64, _ check: (SegmentOutcome, Int) -> Void
  ) throws -> OutcomeCounts {
    let bytes = try spec.encoded().array
    let whole = SegmentOutcome(reading: bytes)
    #expect(whole.content.count == spec.transactions.count && whole.undecoded.isEmpty)
    var counts = OutcomeCounts()
    for bit in 0..<bytes.count * 8 {
      var flipped = bytes
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      let outcome = SegmentOutcome(reading: flipped, durableMark: durableMark)
      counts.add(outcome)
      #expect(outcome.isPrefix(of: whole), "bit \(bit)")
      #expect(outcome.undecoded.isEmpty, "bit \(bit)")
      if bit < 128 * 8 { #expect(outcome.error != nil, "bit \(bit)") }
      if bit >= 128 * 8 { #expect(outcome.error == nil, "bit \(bit)") }
      check(outcome, bit)
    }
    return counts
  }

  @Test("in a sealed segment every flipped bit is corruption, in SEAL and trailer too")
  func sealed() throws {
    for spec in [DamageSamples.rows(sealed: true), DamageSamples.columns(sealed: true)] {
      let counts = try flip(spec, durableMark: 0) { outcome, bit in
        // A rotten SEAL is no crash: the trailer behind it says that the file was sealed.
        let isExpected = outcome.verdict == .corrupt
        #expect(outcome.error != nil || isExpected, "bit \(bit)")
      }
      print("bit flips, sealed: \(counts)")
    }
  }

  @Test("below the durable mark of an open segment every flipped bit is corruption")
  func durable() throws {
    for spec in [DamageSamples.rows(), DamageSamples.columns(sealed: false)] {
      let end = UInt64(try spec.encoded().count)
      let counts = try flip(spec, durableMark: end) { outcome, bit in
        #expect(outcome.error != nil || outcome.verdict == .corrupt, "bit \(bit)")
      }
      print("bit flips, open, below the durable mark: \(counts)")
    }
  }

  @Test("data that a MARK promises are missed without any superblock")
  func marked() throws {
    let spec = DamageSamples.rows(mark: true, zeros: 100)
    let bytes = try spec.encoded().array
    let mark = try #require(try FrameMap(bytes).frames.last)
    let counts = try flip(spec, durableMark: 0) { outcome, bit in
      guard outcome.error == nil, bit / 8 < mark.range.lowerBound else { return }
      #expect(outcome.verdict == .corrupt, "bit \(bit)")
    }
    print("bit flips, open with a mark: \(counts)")
  }

  @Test(
    "without any promise a flipped bit of the last group is suspect, and no loss is called clean")
  func unpromised() throws {
    var random = TestRun.random()
    var counts = OutcomeCounts()
    var (lost, silent) = (0, 0)
    for round in 0..<2 * TestRun.scale {
      let spec = DamageSamples.rows(seed: round == 0 ? 1 : random.word())
      let frames = try FrameMap(try spec.encoded().array).frames
      let last = try #require(frames.last)
      _ = try flip(spec, durableMark: 0) { outcome, bit in
        counts.add(outcome)
        guard outcome.error == nil, outcome.accepted < UInt64(last.range.upperBound) else { return }
        lost += 1
        #expect(outcome.verdict != .clean, "bit \(bit)")
        if outcome.verdict == .torn { silent += 1 }
        if bit / 8 < Int(last.synced) { #expect(outcome.verdict == .corrupt, "bit \(bit)") }
      }
    }
    print("bit flips, open: \(counts); \(lost) lost a unit, \(silent) of them called torn")
    // Only a sector piece that is zero by chance, or a frame length that passes the end.
    #expect(silent * 100 <= lost)
  }
}
