// Sectors that were never written, were wiped, or belong to something else.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Damaged sectors")
struct SectorTests {
  private func specs() -> [(String, SegmentSpec)] {
    [
      ("rows", DamageSamples.rows(groups: 12, bytesMax: 200, mark: true, zeros: 600)),
      ("rows, sealed", DamageSamples.rows(groups: 12, bytesMax: 200, sealed: true)),
      ("columns", DamageSamples.columns(rows: 200, sealed: false)),
      ("columns, sealed", DamageSamples.columns(rows: 200, sealed: true)),
    ]
  }

  @Test("a sector of zeros, of ones or of random bytes is never taken for data")
  func wiped() throws {
    var random = TestRun.random()
    for (name, spec) in specs() {
      let bytes = try spec.encoded().array
      let whole = SegmentOutcome(reading: bytes)
      let end = UInt64(try FrameMap(bytes).end)
      var counts = OutcomeCounts()
      for start in stride(from: 0, to: bytes.count, by: 512) {
        for fill in 0..<3 {
          let range = start..<min(start + 512, bytes.count)
          var damaged = bytes
          switch fill {
          case 0: damaged.replaceSubrange(range, with: [UInt8](repeating: 0, count: range.count))
          case 1: damaged.replaceSubrange(range, with: [UInt8](repeating: 255, count: range.count))
          default: damaged.replaceSubrange(range, with: random.bytes(range.count))
          }
          guard damaged != bytes else { continue }
          let outcome = SegmentOutcome(reading: damaged, durableMark: end)
          counts.add(outcome)
          #expect(outcome.isPrefix(of: whole), "\(name), sector \(start), fill \(fill)")
          let isPromised = start < Int(end)
          if isPromised {
            #expect(
              outcome.error != nil || outcome.verdict == .corrupt,
              "\(name), sector \(start), fill \(fill)")
          }
        }
      }
      print("sectors, \(name): \(counts)")
    }
  }

  @Test("what is appended changes no unit; only zeros may follow without a word")
  func appended() throws {
    var random = TestRun.random()
    let foreign = try DamageSamples.rows(groups: 400, salt: 99, seed: 3).encoded().array
    for (name, spec) in specs() {
      var plain = spec
      plain.trailingZeros = 0
      let bytes = try plain.encoded().array
      let whole = SegmentOutcome(reading: bytes)
      var counts = OutcomeCounts()
      for length in [1, 7, 8, 39, 40, 41, 48, 511, 512, 513, 4_096, 65_536] {
        let tails: [(String, [UInt8])] = [
          ("zeros", [UInt8](repeating: 0, count: length)),
          ("ones", [UInt8](repeating: 255, count: length)),
          ("random", random.bytes(length).map { $0 | 1 }),
          ("foreign", Array(foreign[128...].prefix(length))),
        ]
        for (tail, added) in tails {
          let outcome = SegmentOutcome(reading: bytes + added)
          counts.add("\(tail) \(outcome.word)")
          #expect(outcome.content == whole.content, "\(name), \(length) \(tail)")
          if tail == "zeros" {
            #expect(outcome.verdict == whole.verdict, "\(name), \(length) \(tail)")
          } else if whole.verdict == .sealed {
            #expect(outcome.verdict == .corrupt, "\(name), \(length) \(tail)")
          } else {
            // Not enough for a frame header looks like a torn write, more of it does not.
            #expect(
              outcome.verdict == (length < 40 ? .torn : .suspect), "\(name), \(length) \(tail)")
          }
        }
      }
      print("appended, \(name): \(counts)")
    }
  }

  @Test("four mebibytes behind the data are judged as a few bytes are")
  func appendedMuch() throws {
    let bytes = try DamageSamples.rows().encoded().array
    let whole = SegmentOutcome(reading: bytes)
    for (fill, verdict) in [(UInt8(0), TailVerdict.clean), (255, .suspect)] {
      let outcome = SegmentOutcome(reading: bytes + [UInt8](repeating: fill, count: 4 << 20))
      #expect(outcome.verdict == verdict)
      #expect(outcome.content == whole.content)
    }
  }
}
