// Segments cut at every length.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Cut segments")
struct TruncationTests {
  @Test("a segment cut anywhere gives whole units, and misses what was promised")
  func everyLength() throws {
    for (name, spec) in [
      ("rows", DamageSamples.rows(mark: true)), ("rows, sealed", DamageSamples.rows(sealed: true)),
      ("columns", DamageSamples.columns(sealed: false)),
      ("columns, sealed", DamageSamples.columns(sealed: true)),
    ] {
      let bytes = try spec.encoded().array
      let whole = SegmentOutcome(reading: bytes)
      let ends = Set(try FrameMap(bytes).frames.map(\.range.upperBound) + [128])
      var (counts, promised) = (OutcomeCounts(), OutcomeCounts())
      for length in 0..<bytes.count {
        let cut = Array(bytes[..<length])
        let outcome = SegmentOutcome(reading: cut)
        counts.add(outcome)
        #expect(outcome.isPrefix(of: whole))
        #expect((outcome.error != nil) == (length < 128))
        if length >= 128 {
          // SEAL and trailer are one write, which a crash can cut like any other.
          let isCrash = outcome.verdict == .clean || outcome.verdict == .torn
          #expect(isCrash, "\(name), \(length)")
          if outcome.verdict == .clean { #expect(ends.contains(length), "\(name), \(length)") }
        }
        let strict = SegmentOutcome(reading: cut, durableMark: UInt64(bytes.count))
        promised.add(strict)
        #expect(strict.error != nil || strict.verdict == .corrupt || outcome.verdict == .sealed)
      }
      print("cut, \(name): \(counts); below the durable mark: \(promised)")
    }
  }

  @Test("a cut in a preallocated segment changes nothing but its zeros")
  func zeros() throws {
    let spec = DamageSamples.rows(zeros: 700)
    let bytes = try spec.encoded().array
    let whole = SegmentOutcome(reading: bytes)
    for length in bytes.count - 700...bytes.count {
      let outcome = SegmentOutcome(reading: Array(bytes[..<length]))
      #expect(outcome.verdict == .clean && outcome.content == whole.content)
    }
  }
}
