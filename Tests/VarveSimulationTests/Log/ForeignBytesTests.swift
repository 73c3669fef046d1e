// Bytes put in, taken out and written over anywhere: reading ends, with a report (P76, U36, U37).

import Testing
import Varve
import VarveFormat
import VarveTestSupport

@Suite("Foreign bytes in a store")
struct ForeignBytesTests {
  @Test("random edits of any file end in a report, never in a trap (P76, U36)")
  func edits() throws {
    var generator = SplitMix64(seed: TestScale.seed)
    let fixtures = [try DamageFixture.closed(), try DamageFixture.killed()]
    var tally = DamageTally()
    for round in 0..<(1_500 * TestScale.factor) {
      let fixture = fixtures[round % 2]
      let path = fixture.files[Int.random(in: 0..<fixture.files.count, using: &generator)]
      var bytes = try #require(fixture.disk.bytes(of: path))
      for _ in 0..<Int.random(in: 1...4, using: &generator) { Self.edit(&bytes, &generator) }
      // An edit of the newest segment may look like a crash.
      tally.look(
        fixture.with(path, bytes), fixture, mayBeBlind: path == fixture.openSegment,
        writes: round % 4 == 0, "round \(round), \(path), \(TestScale.note)")
    }
    print("random edits: \(tally), \(TestScale.note)")
    #expect(tally.problems.prefix(3) == [])
    #expect(tally.reported > 100)
  }

  private static func edit(_ bytes: inout [UInt8], _ generator: inout SplitMix64) {
    let place = Int.random(in: 0...bytes.count, using: &generator)
    let count = Int.random(in: 1...64, using: &generator)
    let end = min(place + count, bytes.count)
    switch Int.random(in: 0..<5, using: &generator) {
    case 0:
      bytes.insert(
        contentsOf: (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }, at: place
      )
    case 1: bytes.removeSubrange(place..<end)
    case 2: for index in place..<end { bytes[index] = 0 }
    case 3: for index in place..<end { bytes[index] = .random(in: 0...255, using: &generator) }
    default:
      // A piece of the file itself, somewhere else: whole frames, sometimes.
      bytes.insert(contentsOf: Array(bytes[place..<end]), at: min(place / 8 * 8, bytes.count))
    }
  }

  @Test("whole frames in other places are found: moved, doubled, left out, from elsewhere (P76)")
  func frames() throws {
    let fixture = try DamageFixture.killed()
    let other = try DamageFixture.killed(seed: 7)
    var tally = DamageTally()
    for path in fixture.segments {
      let bytes = try #require(fixture.disk.bytes(of: path))
      let bounds = try Self.frameBounds(bytes)
      let foreign = try #require(other.disk.bytes(of: other.segments[0]))
      let foreignBounds = try Self.frameBounds(foreign)
      for index in bounds.indices {
        let frame = Array(bytes[bounds[index]])
        let rest = Array(bytes[bounds[index].upperBound...])
        let before = Array(bytes[..<bounds[index].lowerBound])
        let alien = Array(foreign[foreignBounds[min(index, foreignBounds.count - 1)]])
        let variants = [
          before + rest, before + frame + frame + rest, before + alien + rest,
          before + rest + frame, before + [UInt8](repeating: 0, count: frame.count) + rest,
        ]
        for (number, variant) in variants.enumerated() {
          tally.look(
            fixture.with(path, variant), fixture, mayBeBlind: path == fixture.openSegment,
            writes: true, "frame \(index) of \(path), variant \(number)")
        }
      }
    }
    print("frames in other places: \(tally)")
    #expect(tally.problems.prefix(3) == [])
    #expect(tally.reported > 10)
  }

  private static func frameBounds(_ bytes: [UInt8]) throws -> [Range<Int>] {
    let copy = bytes.withUnsafeBytes { Bytes(copying: $0) }
    var scanner = try SegmentScanner(MemorySource(copy))
    var bounds: [Range<Int>] = []
    while scanner.position + 40 <= UInt64(bytes.count), let step = try? scanner.next(),
      case .frame(let frame) = step
    {
      bounds.append(Int(frame.offset)..<Int(frame.end))
    }
    return bounds
  }
}
