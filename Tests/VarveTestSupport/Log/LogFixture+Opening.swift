// Logs at the usual place of the log's tests. Layer: test support.

import Varve
import VarveFormat

extension LogFixture {
  /// A new log on a simulated disk.
  package static func create(
    _ disk: any Disk, options: LogOptions = options(), clock: any Clock = ManualClock(),
    seed: UInt64 = 1
  ) throws -> Log {
    try Log.create(
      at: LogRun.path, disk: disk, clock: clock, entropy: SeededEntropy(seed: seed),
      options: options)
  }

  /// The log that is there.
  package static func open(
    _ disk: any Disk, options: LogOptions = options(), clock: any Clock = ManualClock(),
    seed: UInt64 = 100
  ) throws -> Log {
    try Log.open(
      at: LogRun.path, disk: disk, clock: clock, entropy: SeededEntropy(seed: seed),
      options: options)
  }

  /// The only file below `log` whose name contains this.
  package static func segment(_ disk: SimulatedDisk, _ part: String) -> String {
    let found = disk.paths.filter { $0.hasSuffix(".vlog") && $0.contains(part) }
    precondition(found.count == 1, "one segment is expected, not \(found)")
    return found[0]
  }
}

extension Log {
  /// Commits numbered transactions.
  package func commit(
    numbers: ClosedRange<Int>, padding: Int = 0, durability: Durability = .full
  ) throws {
    for number in numbers {
      _ = try commit(try LogFixture.draft(number, padding: padding), durability: durability)
    }
  }
}
