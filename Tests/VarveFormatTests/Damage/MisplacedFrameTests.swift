// Frames in wrong places: swapped, repeated, left out, or from another file.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Misplaced frames")
struct MisplacedFrameTests {
  private func check(
    _ image: [UInt8], _ whole: SegmentOutcome, _ counts: inout OutcomeCounts, end: Int
  ) {
    let outcome = SegmentOutcome(reading: image, durableMark: UInt64(end))
    counts.add(outcome)
    #expect(outcome.isPrefix(of: whole))
    #expect(outcome.verdict == .corrupt || outcome.content == whole.content)
  }

  @Test("no frame is accepted at another place or from another segment")
  func everyPlace() throws {
    for sealed in [false, true] {
      let bytes = try DamageSamples.rows(groups: 6, sealed: sealed).encoded().array
      let whole = SegmentOutcome(reading: bytes)
      let frames = try FrameMap(bytes)
      // Another salt, another replica's content; and the same salt with other content.
      let others = [
        bytes, try DamageSamples.rows(groups: 6, salt: 7, seed: 1).encoded().array,
        try DamageSamples.rows(groups: 6, salt: 7, seed: 9).encoded().array,
      ]
      var counts = OutcomeCounts()
      for target in frames.frames.map(\.range) {
        for other in others {
          for source in try FrameMap(other).frames.map(\.range) {
            var overwritten = bytes
            let length = min(source.count, bytes.count - target.lowerBound)
            overwritten.replaceSubrange(
              target.lowerBound..<target.lowerBound + length,
              with: other[source.lowerBound..<source.lowerBound + length])
            if overwritten != bytes { check(overwritten, whole, &counts, end: frames.end) }
            var replaced = bytes
            replaced.replaceSubrange(target, with: other[source])
            if replaced != bytes { check(replaced, whole, &counts, end: frames.end) }
            var inserted = bytes
            inserted.insert(contentsOf: other[source], at: target.lowerBound)
            check(inserted, whole, &counts, end: frames.end)
          }
        }
        var without = bytes
        without.removeSubrange(target)
        check(without, whole, &counts, end: frames.end)
      }
      print("misplaced frames, \(sealed ? "sealed" : "open"): \(counts)")
    }
  }

  @Test("frames swapped with their neighbours end the segment before them")
  func swapped() throws {
    let bytes = try DamageSamples.rows(groups: 6).encoded().array
    let whole = SegmentOutcome(reading: bytes)
    let frames = try FrameMap(bytes)
    var counts = OutcomeCounts()
    for (a, b) in zip(frames.frames.map(\.range), frames.frames.map(\.range).dropFirst()) {
      var image = bytes
      image.replaceSubrange(a.lowerBound..<b.upperBound, with: bytes[b] + bytes[a])
      check(image, whole, &counts, end: frames.end)
      let outcome = SegmentOutcome(reading: image, durableMark: UInt64(frames.end))
      #expect(outcome.accepted <= UInt64(a.lowerBound))
    }
    print("swapped frames: \(counts)")
  }

  @Test("the tail of an older file with the same salt does not continue a newer one")
  func staleTail() throws {
    // As if a file had been written again from the start: hashes match, the chain does not.
    let old = try DamageSamples.rows(groups: 8, bytesMax: 30, seed: 5).encoded().array
    let new = try DamageSamples.rows(groups: 8, bytesMax: 30, seed: 6).encoded().array
    let whole = SegmentOutcome(reading: new)
    var tried = 0
    // Behind the hint, which both have.
    for frame in try FrameMap(new).frames.map(\.range).dropFirst() {
      guard frame.upperBound < old.count else { continue }
      let image = Array(new[..<frame.upperBound] + old[frame.upperBound...])
      let outcome = SegmentOutcome(reading: image)
      #expect(outcome.isPrefix(of: whole))
      #expect(outcome.verdict != .clean)
      tried += 1
    }
    #expect(tried > 3)
  }
}
