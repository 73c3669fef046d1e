// Damage of every kind to a small store: flipped bits, cuts, lost sectors, lost and foreign files
// (T3).

import Testing
import Varve
import VarveFormat
import VarveTestSupport

@Suite("Damaged stores")
struct DamageTests {
  private static func fixtures() throws -> [DamageFixture] { [try .closed(), try .killed()] }

  /// Behind this offset of the open segment nothing is promised: by a frame or by the superblock.
  private static func promised(_ fixture: DamageFixture, _ path: String) throws -> UInt64? {
    guard path == fixture.openSegment else { return nil }
    let opening = try LogOpening(fixture.disk, StorePaths(LogRun.path), syncsTails: false)
    let segment = try #require(opening.catalog.logs.first?.newest)
    let synced = try LogReader(fixture.disk).read(segment).reading.state.synced
    return max(synced, segment.durableMark)
  }

  @Test("every flipped bit is found, or lies in a blind spot (T3, L24, L40, U39)")
  func bits() throws {
    for fixture in try Self.fixtures() {
      var tally = DamageTally()
      let step = max(1, 7 / TestScale.factor)
      for path in fixture.files {
        let bytes = try #require(fixture.disk.bytes(of: path))
        let promised = try Self.promised(fixture, path)
        for bit in stride(from: 0, to: bytes.count * 8, by: step) {
          var damaged = bytes
          damaged[bit / 8] ^= 1 << UInt8(bit % 8)
          // The zeros at the end of a slot are all alike.
          if path.hasSuffix("super"), bit / 8 % 4_096 > 300, bit % 101 != 0 { continue }
          tally.look(
            fixture.with(path, damaged), fixture,
            mayBeBlind: promised.map { UInt64(bit / 8) >= $0 } ?? false, writes: bit % 11 == 0,
            "bit \(bit) of \(path)")
        }
      }
      print("bits of the \(fixture.name) store: \(tally), \(TestScale.note)")
      #expect(tally.problems.prefix(3) == [])
      #expect(tally.reported > 100)
    }
  }

  @Test("a file cut at any length is found, or the cut lies behind the durable mark (T3, L8)")
  func cuts() throws {
    for fixture in try Self.fixtures() {
      var tally = DamageTally()
      for path in fixture.files {
        let bytes = try #require(fixture.disk.bytes(of: path))
        let opening = try LogOpening(fixture.disk, StorePaths(LogRun.path), syncsTails: false)
        let mark = try #require(opening.superblock).durableMark
        for length in stride(from: 0, to: bytes.count, by: max(1, 3 / TestScale.factor)) {
          let isOpen = path == fixture.openSegment
          tally.look(
            fixture.with(path, Array(bytes.prefix(length))), fixture,
            mayBeBlind: isOpen && UInt64(length) >= mark, writes: length % 7 == 0,
            "\(path) cut at \(length)")
        }
      }
      print("cuts of the \(fixture.name) store: \(tally)")
      #expect(tally.problems.prefix(3) == [])
      #expect(tally.reported > 100)
    }
  }

  @Test("sectors of zeros, of ones and of noise are found, or lie in a blind spot (T3, U37)")
  func sectors() throws {
    for fixture in try Self.fixtures() {
      var tally = DamageTally()
      var generator = SplitMix64(seed: TestScale.seed)
      for path in fixture.files {
        let bytes = try #require(fixture.disk.bytes(of: path))
        let promised = try Self.promised(fixture, path)
        for start in stride(from: 0, to: bytes.count, by: 512) {
          let range = start..<min(start + 512, bytes.count)
          for filler: UInt8? in [0, 0xFF, nil] {
            var damaged = bytes
            for index in range {
              damaged[index] = filler ?? UInt8.random(in: 0...255, using: &generator)
            }
            tally.look(
              fixture.with(path, damaged), fixture,
              mayBeBlind: promised.map { UInt64(range.upperBound) > $0 } ?? false, writes: true,
              "sector \(start / 512) of \(path) is \(filler.map { "\($0)" } ?? "noise")")
          }
        }
      }
      print("sectors of the \(fixture.name) store: \(tally), \(TestScale.note)")
      #expect(tally.problems.prefix(3) == [])
      #expect(tally.reported > 5)
    }
  }

  @Test("a removed file is reported; without its superblock a store is rebuilt (T3, D5, L28, L40)")
  func removals() throws {
    for fixture in try Self.fixtures() {
      for path in fixture.files {
        var tally = DamageTally()
        let disk = fixture.with(path, nil)
        tally.look(disk, fixture, mayBeBlind: false, writes: true, "\(path) removed")
        #expect(tally.problems == [])
        #expect(tally.reported == (path.hasSuffix("super") ? 0 : 1), "\(path)")
      }
      // All segments of the replica, with their folder.
      let disk = fixture.disk.clone()
      for path in fixture.segments { try disk.remove(path) }
      try disk.rename(StorePaths.parent(fixture.segments[0]), to: "elsewhere")
      let contents = try LogContents(disk, at: LogRun.path)
      #expect(contents.isDamaged && !contents.report.continuesReplica)
    }
  }

  @Test("a wiped superblock costs the replica, one bad slot costs nothing (T3, D5)")
  func superblock() throws {
    let path = "\(LogRun.path)/super"
    for fixture in try Self.fixtures() {
      let bytes = try #require(fixture.disk.bytes(of: path))
      let current = try #require(
        try LogOpening(fixture.disk, StorePaths(LogRun.path), syncsTails: false).superblock)
      for slots in [[0], [1], [0, 1]] {
        for filler: UInt8 in [0, 0xFF] {
          var damaged = bytes
          for slot in slots {
            for index in slot * 4_096..<(slot + 1) * 4_096 { damaged[index] = filler }
          }
          var tally = DamageTally()
          tally.look(
            fixture.with(path, damaged), fixture, mayBeBlind: false, writes: true,
            "slots \(slots) are \(filler)")
          #expect(tally.problems == [] && tally.whole == 1)
          let disk = fixture.with(path, damaged)
          let log = try Log.open(at: LogRun.path, disk: disk, options: DamageFixture.options)
          #expect(log.store == current.store)
          #expect((log.replica == current.replica) == (slots.count == 1))
          if filler != 0 || slots.count == 2 {
            #expect(log.report.findings.contains { $0.kind == .superblock }, "\(slots)")
          }
        }
      }
    }
  }

  @Test("segments under each other's names are reported (T3, L9)")
  func swapped() throws {
    for fixture in try Self.fixtures() {
      let (a, b) = (fixture.segments[0], fixture.segments[1])
      let disk = fixture.with(a, fixture.disk.bytes(of: b))
      disk.setBytes(of: b, to: try #require(fixture.disk.bytes(of: a)))
      var tally = DamageTally()
      tally.look(disk, fixture, mayBeBlind: false, writes: true, "swapped")
      #expect(tally.problems == [] && tally.reported == 1)
    }
  }

  @Test("a segment of another store or replica is ignored and reported (T3)")
  func foreign() throws {
    let other = try DamageFixture.closed(seed: 9)
    for fixture in try Self.fixtures() {
      let directory = StorePaths.parent(fixture.segments[0])
      for path in other.segments {
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        let disk = fixture.with("\(directory)/\(name)", other.disk.bytes(of: path))
        let contents = try LogContents(disk, at: LogRun.path)
        #expect(contents.numbers == fixture.numbers)
        #expect(contents.report.findings.contains { $0.kind == .foreignFile })
        var tally = DamageTally()
        tally.look(disk, fixture, mayBeBlind: false, writes: true, "\(name) copied in")
        #expect(tally.problems == [])
        // In the place of the next segment: it must not be replaced.
        let next = fixture.with(
          "\(directory)/open-0000000004.vlog", other.disk.bytes(of: path))
        tally.look(next, fixture, mayBeBlind: false, writes: true, "\(name) in the way")
        #expect(tally.problems == [])
        #expect(
          next.bytes(of: "\(directory)/open-0000000004.vlog") == other.disk.bytes(of: path))
      }
    }
  }

  @Test("garbage behind the newest segment never costs a transaction (L2, L10)")
  func appended() throws {
    let size = (1 << 20) * min(4, TestScale.factor)
    for fixture in try Self.fixtures() {
      let path = try #require(fixture.segments.last)
      let bytes = try #require(fixture.disk.bytes(of: path))
      var generator = SplitMix64(seed: TestScale.seed)
      let noise = (0..<5_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let other = try #require(fixture.disk.bytes(of: fixture.segments[0]))
      for (name, tail) in [
        ("zeros", [UInt8](repeating: 0, count: size)),
        ("ones", [UInt8](repeating: 255, count: 4_096)),
        ("noise", noise), ("the tail of another segment", Array(other.suffix(500))),
      ] {
        let disk = fixture.with(path, bytes + tail)
        let contents = try LogContents(disk, at: LogRun.path)
        #expect(contents.numbers == fixture.numbers, "\(fixture.name), \(name)")
        var tally = DamageTally()
        tally.look(disk, fixture, mayBeBlind: false, writes: true, "\(name) appended")
        #expect(tally.problems == [])
      }
    }
  }
}
