// Crashes a scenario at every call that changes the disk, and the recovery after it. Layer: test
// support.

import Varve
import VarveFormat

/// What a sweep did.
package struct CrashCounts: Sendable, CustomStringConvertible {
  /// Calls at which the machine stopped.
  package var points = 0
  /// Images that were looked at, by depth, each once.
  package var images: [Int] = []

  package init() {}

  package static func + (a: CrashCounts, b: CrashCounts) -> CrashCounts {
    var sum = a
    sum.points += b.points
    for (depth, count) in b.images.enumerated() {
      if depth < sum.images.count { sum.images[depth] += count } else { sum.images.append(count) }
    }
    return sum
  }

  package var description: String {
    "\(points) crash points, images by depth \(images), in all \(images.reduce(0, +))"
  }
}

/// Crashes at every point.
package struct CrashSweep {
  private let scenario: LogScenario
  private let seed: UInt64
  /// Images looked at for each crash point, by depth.
  private let limits: [Int]
  /// Every how many calls the machine stops, by depth.
  private let strides: [Int]
  package private(set) var counts = CrashCounts()
  package private(set) var problems: [String] = []
  private var seen: Set<Int> = []

  /// Steps after a crash: a recovery, then the first writes and an orderly end.
  private static let recovery: [LogStep] = [
    .commit(padding: 10), .relaxed(padding: 600), .tick, .commit(padding: 100), .close,
  ]

  package init(
    _ scenario: LogScenario, limits: [Int], strides: [Int] = [], seed: UInt64 = TestScale.seed
  ) {
    self.scenario = scenario
    self.limits = limits
    self.strides = strides + limits.dropFirst(strides.count).map { _ in 1 }
    self.seed = seed
    counts.images = limits.map { _ in 0 }
  }

  /// Runs the scenario once for every crash point.
  package mutating func run() throws {
    let whole = LogRun(scenario.options)
    try whole.run(scenario.steps)
    whole.kill()
    problems += whole.problems
    for point in stride(from: 1, through: whole.disk.changeCallCount, by: strides[0]) {
      let run = LogRun(scenario.options)
      run.disk.freezeAfter(calls: point)
      try run.run(scenario.steps)
      try explore(run, depth: 0, "\(scenario.name), stopped at call \(point)")
    }
  }

  /// Looks at the images that a stopped machine can leave.
  private mutating func explore(_ run: LogRun, depth: Int, _ place: String) throws {
    run.kill()
    counts.points += 1
    var promise = run.promise
    // Without power, nothing but durable data counts.
    promise.acknowledged = promise.certain
    problems += run.problems.map { "\(place): \($0)" }
    let choices = run.disk.crashChoices(limit: limits[depth], seed: seed &+ UInt64(counts.points))
    for choice in choices {
      let image = run.disk.crash(keeping: choice)
      guard seen.insert(Self.fingerprint(image, promise)).inserted else { continue }
      counts.images[depth] += 1
      let here = "\(place), kept \(choice)"
      inspect(image, promise, here)
      try recover(image, promise, depth: depth, here)
    }
  }

  /// Reads an image without writing: what was promised is there, and nothing is damaged.
  private mutating func inspect(_ image: SimulatedDisk, _ promise: LogPromise, _ place: String) {
    do throws(LogError) {
      let contents = try LogContents(image, at: LogRun.path)
      if !promise.allows(contents.numbers) {
        problems.append("\(place): found \(contents.numbers), promised \(promise)")
      }
      let kinds = Set(contents.findingKinds).subtracting(["tornTail", "unclean", "superblock"])
      if !kinds.isEmpty || !contents.problems.isEmpty {
        problems.append("\(place): \(contents.report.findings) \(contents.problems)")
      }
      if contents.entries.count > 1 || !contents.report.continuesReplica {
        problems.append("\(place): the replica does not go on")
      }
      if image.changeCallCount > 0 { problems.append("\(place): reading changed the disk") }
    } catch { problems.append("\(place): \(error)") }
  }

  /// Recovers, then crashes the recovery at every point, one level deeper.
  private mutating func recover(
    _ image: SimulatedDisk, _ promise: LogPromise, depth: Int, _ place: String
  ) throws {
    let next = 1_000 * (depth + 1)
    let whole = LogRun(
      scenario.options, disk: image.clone(), promise: promise, nextNumber: next)
    try whole.run(Self.recovery)
    problems += whole.problems.map { "\(place): \($0)" }
    problems += whole.errors.map { "\(place): recovery failed: \($0)" }
    let after = try LogContents(whole.disk, at: LogRun.path)
    if after.numbers != whole.promise.certain || !after.problems.isEmpty {
      problems.append(
        """
        \(place): after recovery \(after.numbers), not \(whole.promise.certain), \
        \(after.problems)
        """)
    }
    guard depth + 1 < limits.count, limits[depth + 1] > 0 else { return }
    for point in stride(from: 1, through: whole.disk.changeCallCount, by: strides[depth + 1]) {
      let run = LogRun(
        scenario.options, disk: image.clone(), promise: promise, nextNumber: next)
      run.disk.freezeAfter(calls: point)
      try run.run(Self.recovery)
      try explore(run, depth: depth + 1, "\(place); again at call \(point)")
    }
  }

  private static func fingerprint(_ image: SimulatedDisk, _ promise: LogPromise) -> Int {
    var hasher = Hasher()
    for path in image.paths {
      hasher.combine(path)
      hasher.combine(image.bytes(of: path))
    }
    hasher.combine(promise)
    return hasher.finalize()
  }
}
