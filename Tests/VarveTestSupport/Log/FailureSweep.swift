// Lets every disk call of a scenario fail, one after the other. Layer: test support.

import Varve
import VarveFormat

/// Fails the n-th call of each kind.
package struct FailureSweep {
  private let scenario: LogScenario
  /// Failure points that were tried.
  package private(set) var points = 0
  package private(set) var problems: [String] = []

  package init(_ scenario: LogScenario) { self.scenario = scenario }

  /// Runs the scenario once for each call and each way to fail.
  package mutating func run() throws {
    let whole = LogRun(scenario.options)
    try whole.run(scenario.steps)
    problems += whole.problems
    let calls = whole.disk.calls
    var turn = Int(truncatingIfNeeded: TestScale.seed % 4)
    for call in DiskCall.allCases {
      let count = calls.filter { $0.call == call }.count
      for ordinal in stride(from: turn % TestScale.stride, to: count, by: TestScale.stride) {
        turn += 1
        let records = calls.filter { $0.call == call }
        for effect in Self.effects(records[ordinal]) {
          // What only looks is tried once, unless there is time.
          let isShort = !call.changesDisk && call != .close && TestScale.factor == 1
          for isLasting in isShort ? [false] : [false, true] {
            let fault = DiskFault(effect, on: call, ordinal: ordinal + 1, isLasting: isLasting)
            try run(fault)
          }
        }
      }
    }
  }

  private static func effects(_ record: DiskCallRecord) -> [DiskFault.Effect] {
    var effects: [DiskFault.Effect] = [.fail(.inputOutput), .fail(.noSpace)]
    // To the log this is one more error that is not a full disk.
    if TestScale.factor > 1 { effects.append(.fail(.noPermission)) }
    switch record.call {
    case .write:
      for bytes in sectorCuts(record) {
        effects.append(.shortWrite(bytes: bytes, .inputOutput))
        effects.append(.shortWrite(bytes: bytes, .noSpace))
      }
    case .sync, .close: effects.append(.failAndForget(.inputOutput))
    default: break
    }
    return effects
  }

  /// Systems cut writes at sectors.
  ///
  /// A cut inside one looks like rot: a false alarm that `Segment.md` allows.
  private static func sectorCuts(_ record: DiskCallRecord) -> [Int] {
    let numbers = record.detail.split(separator: " ").compactMap { Int($0.dropFirst()) }
    guard numbers.count == 2 else { return [0] }
    let (offset, count) = (numbers[0], numbers[1])
    let first = (offset / 512 + 1) * 512 - offset
    let last = (offset + count) / 512 * 512 - offset
    return Array(Set([0, first, last, count].filter { (0...count).contains($0) })).sorted()
  }

  private mutating func run(_ fault: DiskFault) throws {
    points += 1
    let call = fault.call.map { "\($0)" } ?? ""
    let place =
      "\(scenario.name), \(call) \(fault.ordinal): \(fault.effect)\(fault.isLasting ? " on" : "")"
    let tracing = TraceHolder()
    let run = LogRun(scenario.options)
    run.expectsFaults = true
    run.wrap = { tracing.wrap($0) }
    run.disk.inject(fault)
    try run.run(scenario.steps)
    run.log.map { log in try? log.close() }
    problems += run.problems.map { "\(place): \($0)" }
    problems += Self.writesBehindFailures(tracing.lines).map { "\(place): \($0)" }
    try checkLock(run, place)
    run.disk.clearFaults()
    let more: [CrashChoice?] =
      TestScale.factor > 1 ? [.everything, .random(TestScale.seed)] : []
    for choice in [nil, .nothingUnsynced] + more {
      let image = choice.map { run.disk.crash(keeping: $0) } ?? run.disk.clone()
      try check(image, run.promise, "\(place), then \(choice.map { "\($0)" } ?? "no crash")")
    }
  }

  /// Closing released the lock, whatever failed.
  private mutating func checkLock(_ run: LogRun, _ place: String) throws {
    run.disk.clearFaults()
    guard run.disk.directories.contains(LogRun.path) else { return }
    do throws(DiskError) { try run.disk.lock("\(LogRun.path)/lock").release() } catch {
      problems.append("\(place): the lock is still held")
    }
  }

  /// Everything acknowledged is there or its loss is reported; writing goes on, also after a crash.
  private mutating func check(
    _ image: SimulatedDisk, _ promise: LogPromise, _ place: String
  ) throws {
    var expected = promise
    expected.acknowledged = promise.certain
    let contents = try LogContents(image, at: LogRun.path)
    if !expected.allows(contents.numbers) {
      problems.append("\(place): found \(contents.numbers), promised \(promise)")
    }
    if contents.isDamaged {
      problems.append("\(place): \(contents.report.findings) \(contents.problems)")
    }
    let next = LogRun(scenario.options, disk: image, promise: expected, nextNumber: 1_000)
    try next.run([.commit(padding: 10), .crash(.nothingUnsynced), .commit(padding: 10), .close])
    problems += next.problems.map { "\(place), next: \($0)" }
    problems += next.errors.map { "\(place), next: \($0)" }
    let after = try LogContents(next.disk, at: LogRun.path)
    if after.numbers != next.promise.certain || after.isDamaged {
      problems.append("\(place), next: \(after.numbers), \(after.report.findings)")
    }
  }

  /// No segment is written to after a failed write or sync of it (D6, L20, L26).
  private static func writesBehindFailures(_ lines: [String]) -> [String] {
    var failed: Set<Substring> = []
    var found: [String] = []
    for line in lines {
      let words = line.split(separator: " ")
      guard words.count >= 2 else { continue }
      let path = words[0] == "sync" ? words[2] : words[1]
      switch words[0] {
      case "unlock": failed = []
      case "write", "sync", "truncate":
        if path.hasSuffix(".vlog"), words[0] != "sync", failed.contains(path) {
          found.append("`\(line)` after a failure of that file")
        }
        if line.contains(" -> ") { failed.insert(path) }
      default: break
      }
    }
    return found
  }
}

/// Traces the calls of all logs of a run.
private final class TraceHolder {
  private var disks: [TracingDisk] = []

  func wrap(_ disk: SimulatedDisk) -> any Disk {
    let tracing = TracingDisk(disk)
    disks.append(tracing)
    return tracing
  }

  var lines: [String] { disks.flatMap { $0.lines } }
}
