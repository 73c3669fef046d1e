// A store that is driven step by step, with a record of what it promised. Layer: test support.

import Varve
import VarveFormat

/// One thing that a scenario does.
package enum LogStep: Sendable, Equatable, CustomStringConvertible {
  /// A commit with full durability, padded.
  case commit(padding: Int)
  /// The same with grouped durability.
  case grouped(padding: Int)
  /// A commit with columns, in several frames.
  case columns(rows: Int)
  /// A commit that is acknowledged before it is durable.
  case relaxed(padding: Int)
  case sync
  /// Time passes, and the log does what is due.
  case tick
  case close
  /// The process ends without closing, another one opens the store.
  case reopen
  /// The machine loses power and starts again.
  case crash(CrashChoice)

  package var description: String {
    switch self {
    case .commit(let padding): ".commit(padding: \(padding))"
    case .grouped(let padding): ".grouped(padding: \(padding))"
    case .columns(let rows): ".columns(rows: \(rows))"
    case .relaxed(let padding): ".relaxed(padding: \(padding))"
    case .sync: ".sync"
    case .tick: ".tick"
    case .close: ".close"
    case .reopen: ".reopen"
    case .crash(let choice): ".crash(.\(choice))"
    }
  }
}

/// What a crash must leave, and what it may leave besides.
package struct LogPromise: Sendable, Hashable {
  /// Numbers that must be found, in this order.
  package var certain: [Int] = []
  /// Numbers that may follow: any prefix of them.
  package var possible: [Int] = []
  /// Other continuations: those with a commit that was refused for lack of space.
  package var alternatives: [[Int]] = []
  /// Acknowledged numbers, durable or not: a process may end, they stay.
  package var acknowledged: [Int] = []

  package init() {}

  /// Whether a crash may leave these numbers.
  package func allows(_ numbers: [Int]) -> Bool {
    guard numbers.starts(with: certain) else { return false }
    let rest = Array(numbers.dropFirst(certain.count))
    return ([possible] + alternatives).contains { $0.starts(with: rest) }
  }

  mutating func settle(_ numbers: [Int]) {
    certain = numbers
    possible = []
    alternatives = []
    acknowledged = numbers
  }
}

/// A scenario: options and steps.
///
/// Creation comes first.
package struct LogScenario: Sendable {
  package var name: String
  package var options: LogOptions
  package var steps: [LogStep]

  package init(_ name: String, _ options: LogOptions, _ steps: [LogStep]) {
    self.name = name
    self.options = options
    self.steps = steps
  }
}

/// Runs steps on a simulated disk and keeps the promise up to date.
package final class LogRun {
  package static let path = "store"

  package private(set) var disk: SimulatedDisk
  package private(set) var log: Log?
  package private(set) var promise: LogPromise
  /// What was found wrong while running.
  package private(set) var problems: [String] = []
  /// The errors that commits, syncs and closes gave, in order.
  package private(set) var errors: [LogError] = []
  /// Whether faults other than crashes may hit: then damage that is reported is no problem.
  package var expectsFaults = false
  /// Wraps the disk for the log, for example to trace it.
  package var wrap: (SimulatedDisk) -> any Disk = { $0 }
  private let options: LogOptions
  private let clock = ManualClock(stepMilliseconds: 1)
  private var entropySeed: UInt64
  private var nextNumber: Int

  package init(
    _ options: LogOptions, disk: SimulatedDisk = SimulatedDisk(seed: 1),
    promise: LogPromise = LogPromise(), nextNumber: Int = 0
  ) {
    self.options = options
    self.disk = disk
    self.promise = promise
    self.nextNumber = nextNumber
    entropySeed = UInt64(nextNumber) &* 1_000 &+ 1
  }

  /// Creates or opens the store, then runs all steps until the machine stops.
  package func run(_ steps: [LogStep]) throws {
    open()
    for step in steps where !disk.isFrozen { try perform(step) }
  }

  /// Forgets the log without closing it, as a killed process does.
  package func kill() { log = nil }

  package func perform(_ step: LogStep) throws {
    switch step {
    case .commit(let padding):
      try commit(.full) { try LogFixture.draft($0, padding: padding) }
    case .grouped(let padding):
      try commit(.grouped(milliseconds: 0)) { try LogFixture.draft($0, padding: padding) }
    case .relaxed(let padding):
      try commit(.relaxed) { try LogFixture.draft($0, padding: padding) }
    case .columns(let rows):
      try commit(.full) { try LogFixture.numberedColumns($0, rows: rows) }
    case .sync:
      attempt { log throws(LogError) in
        try log.sync()
      } then: {
        $0.syncAll()
      }
    case .tick:
      clock.advance(milliseconds: 2_000)
      _ = log?.tick()
    case .close:
      attempt { log throws(LogError) in
        try log.close()
      } then: {
        $0.syncAll()
      }
    case .reopen:
      kill()
      open()
    case .crash(let choice):
      kill()
      disk = disk.crash(keeping: choice)
      promise.acknowledged = promise.certain
      open()
    }
  }

  private func attempt(
    _ body: (Log) throws(LogError) -> Void, then done: (inout LogPromise) -> Void
  ) {
    guard let log else { return }
    let wasOpen = log.state == "writable"
    do throws(LogError) {
      try body(log)
      if wasOpen { done(&promise) }
    } catch { errors.append(error) }
  }

  private func commit(
    _ durability: Durability, _ draft: (Int) throws -> TransactionDraft
  ) throws {
    guard let log else { return }
    let number = nextNumber
    nextNumber += 1
    let before = promise.possible
    promise.possible.append(number)
    let made = try draft(number)
    do throws(LogError) {
      _ = try log.commit(made, durability: durability)
      promise.alternatives = []
      promise.acknowledged.append(number)
      if durability != .relaxed { promise.syncAll() }
    } catch {
      errors.append(error)
      switch error.code {
      case .outcomeUnknown: break
      case .diskFull:
        promise.alternatives.append(promise.possible)
        promise.possible = before
      default:
        // Opening a segment may have failed at any point: nothing of the transaction was written.
        promise.possible = before
      }
    }
  }

  /// Opens the store or, when there is none, creates it; compares what is there with the promise.
  private func open() {
    guard !disk.isFrozen else { return }
    do throws(LogError) {
      let opened = try openOrCreate()
      log = opened
      guard !disk.isFrozen else { return }
      try check(opened)
    } catch {
      errors.append(error)
      if !disk.isFrozen, !expectsFaults { problems.append("opening failed: \(error)") }
    }
  }

  private func openOrCreate() throws(LogError) -> Log {
    entropySeed += 1
    let entropy = SeededEntropy(seed: entropySeed)
    let target = wrap(disk)
    do throws(LogError) {
      return try Log.open(
        at: Self.path, disk: target, clock: clock, entropy: entropy, options: options)
    } catch  where error.code == .notAStore && promise.certain.isEmpty {
      return try Log.create(
        at: Self.path, disk: target, clock: clock, entropy: entropy, options: options)
    }
  }

  private func check(_ opened: Log) throws(LogError) {
    let contents = try LogContents(disk, at: Self.path)
    let numbers = contents.numbers
    let isReported = expectsFaults && contents.isDamaged
    if !promise.allows(numbers), !isReported {
      problems.append("opening found \(numbers), promised \(promise)")
    }
    // A failed sync takes relaxed commits with it, as a crash of the system does.
    let missing = Set(promise.acknowledged).subtracting(numbers)
    if !missing.isEmpty, !expectsFaults {
      problems.append("a process ended and \(missing.sorted()) are gone")
    }
    promise.settle(numbers)
  }
}

extension LogPromise {
  fileprivate mutating func syncAll() {
    certain += possible
    possible = []
    alternatives = []
  }
}
