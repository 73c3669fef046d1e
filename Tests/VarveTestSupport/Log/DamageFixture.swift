// Small stores to damage, and what may be said about them afterwards. Layer: test support.

import Varve
import VarveFormat

/// A store on a simulated disk with all that can be damaged in it.
package struct DamageFixture: Sendable {
  package let name: String
  package let disk: SimulatedDisk
  /// The numbers of all transactions, in order.
  package let numbers: [Int]
  /// The open segment; nil when all are sealed.
  package let openSegment: String?

  package static let options = LogFixture.options(
    segmentBytes: 700, firstBytes: 0, reserveBytes: 0)

  /// Three sealed segments and a superblock that says so.
  package static func closed(seed: UInt64 = 1) throws -> DamageFixture {
    let (disk, log) = try filled("closed", seed)
    try log.close()
    return try DamageFixture("closed", disk)
  }

  /// Two sealed segments and an open one with a MARK between its transactions.
  package static func killed(seed: UInt64 = 1) throws -> DamageFixture {
    let (disk, log) = try filled("killed", seed)
    _ = log
    return try DamageFixture("killed", disk.crash(keeping: .everything))
  }

  private static func filled(_ name: String, _ seed: UInt64) throws -> (SimulatedDisk, Log) {
    let disk = SimulatedDisk(seed: seed)
    let clock = ManualClock(stepMilliseconds: 1)
    let log = try Log.create(
      at: LogRun.path, disk: disk, clock: clock, entropy: SeededEntropy(seed: seed),
      options: options)
    for number in 0..<8 {
      _ = try log.commit(try LogFixture.draft(number, padding: 150))
      if number == 6 {
        clock.advance(milliseconds: 1_000)
        _ = log.tick()
      }
    }
    return (disk, log)
  }

  private init(_ name: String, _ disk: SimulatedDisk) throws {
    self.name = name
    self.disk = disk
    numbers = try LogContents(disk, at: LogRun.path).numbers
    openSegment = disk.paths.first { $0.contains("/open-") }
  }

  /// The files that hold something.
  package var files: [String] { disk.paths.filter { disk.bytes(of: $0)?.isEmpty == false } }

  /// The segments of the writing replica, oldest first.
  package var segments: [String] {
    let names = disk.paths.filter { $0.hasSuffix(".vlog") }
    return names.filter { !$0.contains("/open-") } + names.filter { $0.contains("/open-") }
  }

  /// A copy whose file has other bytes; nil removes it.
  package func with(_ path: String, _ bytes: [UInt8]?) -> SimulatedDisk {
    let copy = disk.clone()
    if let bytes {
      copy.setBytes(of: path, to: bytes)
    } else {
      try? copy.remove(path)
    }
    copy.forgetCalls()
    return copy
  }
}

/// What looking at many damaged stores gave.
package struct DamageTally: Sendable, CustomStringConvertible {
  package var cases = 0
  /// Nothing is missing.
  package var whole = 0
  /// Something is missing, and it is said.
  package var reported = 0
  /// Refused with an error.
  package var refused = 0
  /// Something is missing, and it looks like a crash: the blind spots of `Segment.md`.
  package var blind = 0
  package var problems: [String] = []

  package init() {}

  package var description: String {
    "\(cases) cases: \(whole) whole, \(reported) reported, \(refused) refused, \(blind) blind spots"
  }

  /// Reads a damaged store, and on request writes to it.
  ///
  /// `mayBeBlind` says whether the damage lies where the format cannot see it.
  package mutating func look(
    _ disk: SimulatedDisk, _ fixture: DamageFixture, mayBeBlind: Bool, writes: Bool,
    _ place: @autoclosure () -> String
  ) {
    cases += 1
    let before = disk.paths.map { disk.bytes(of: $0) }
    do throws(LogError) {
      let contents = try LogContents(disk, at: LogRun.path)
      let numbers = contents.numbers
      if numbers == fixture.numbers {
        whole += 1
      } else if contents.isDamaged {
        reported += 1
      } else if mayBeBlind, fixture.numbers.starts(with: numbers) {
        blind += 1
      } else {
        problems.append("\(fixture.name), \(place()): silently \(numbers)")
      }
      if !Set(numbers).isSubset(of: fixture.numbers) {
        problems.append("\(fixture.name), \(place()): invented \(numbers)")
      }
    } catch {
      refused += 1
      // Only a newer version is refused; everything else can be read around.
      if error.code != .tooNew { problems.append("\(fixture.name), \(place()): \(error)") }
    }
    if disk.paths.map({ disk.bytes(of: $0) }) != before || disk.changeCallCount > 0 {
      problems.append("\(fixture.name), \(place()): reading changed the disk")
    }
    if writes { write(disk, fixture, place()) }
  }

  /// Goes on writing: what was accepted stays, and the next opening finds all of it.
  private mutating func write(_ disk: SimulatedDisk, _ fixture: DamageFixture, _ place: String) {
    do throws(LogError) {
      let accepted = try LogContents(disk, at: LogRun.path)
      for number in [1_000, 1_001] {
        let log = try Log.open(
          at: LogRun.path, disk: disk, entropy: SeededEntropy(seed: UInt64(number)),
          options: DamageFixture.options)
        guard let draft = try? LogFixture.draft(number) else { return }
        let position = try log.commit(draft)
        let isOld = accepted.entries[position.replica] != nil
        if number == 1_000, isOld, !log.report.continuesReplica {
          problems.append("\(fixture.name), \(place): the same replica goes on")
        }
        try log.close()
      }
      let after = try LogContents(disk, at: LogRun.path)
      let missing = Set(accepted.numbers + [1_000, 1_001]).subtracting(after.numbers)
      if !missing.isEmpty {
        problems.append("\(fixture.name), \(place): \(missing.sorted()) vanished after writing")
      }
      for (replica, entries) in accepted.entries
      where after.entries[replica]?.starts(with: entries) != true {
        problems.append("\(fixture.name), \(place): the past of \(replica) has changed")
      }
    } catch  where error.code == .tooNew {
      // Nothing may be written to a store of a newer version.
    } catch { problems.append("\(fixture.name), \(place), writing: \(error)") }
  }
}
