// `varve compact`: writes the state as a baseline.

import Varve
import VarveFormat

extension CommandSpec {
  static let compact = CommandSpec(
    name: "compact", section: "Maintenance",
    summary: "write the state as a baseline, so that opening is quick",
    discussion: """
      Opens the store for writing, so no other program may write to it meanwhile; readers may go \
      on. The new baseline is read again and verified before the store relies on it, and the \
      previous one stays. The log stays too, unless --keep says how much of it is wanted.

      --keep takes a size (64MiB) or an age (30d, 12h) and retires whole segments from the \
      beginning of the log, as far as two baselines cover them: transactions in them can then be \
      neither listed nor followed any more. What was retired cannot be brought back. The state \
      does not change.
      """,
    options: [
      OptionSpec("dry-run", short: "n", help: "say what would be done and change nothing"),
      OptionSpec(
        "keep", .text("SIZE|AGE"), help: "retire older history; without it everything is kept"),
    ],
    arguments: [ArgumentSpec("STORE", .optional, help: "a store directory")],
    examples: [
      ExampleSpec("varve compact my.store", "keeps all history"),
      ExampleSpec("varve compact my.store --keep 30d --dry-run", "what a month of history saves"),
    ],
    exits: [
      ExitSpec(.done), ExitSpec(.operationalFailure), ExitSpec(.corruption, "the store is damaged"),
      ExitSpec(.busy),
    ]
  ) { context in
    let disk = PosixDisk()
    let target = try StoreTarget.resolve(context.command.argument("STORE"), context, disk: disk)
    let paths = try DigestReport.store(target, command: "compact")
    let retention = try context.options.value("keep").map { try KeepText.parse($0) } ?? .everything
    let run = CompactRun(
      disk: disk, paths: paths, retention: retention, isDryRun: context.options.flag("dry-run"))
    return try run.run(context)
  }
}

/// One run of `varve compact`.
private struct CompactRun {
  let disk: PosixDisk
  let paths: StorePaths
  let retention: HistoryRetention
  let isDryRun: Bool

  /// What is on disk.
  struct Sizes {
    var baseline: String?
    var baselineBytes: UInt64 = 0
    /// Transactions that opening replays.
    var replayed: UInt64 = 0
    var logBytes: UInt64 = 0

    var json: JSONValue {
      .object([
        ("baseline", baseline.map { .string($0) } ?? .null),
        ("baselineBytes", .unsigned(baselineBytes)), ("transactionsBehind", .unsigned(replayed)),
        ("logBytes", .unsigned(logBytes)),
      ])
    }

    var text: String {
      let log = "log \(HumanText.bytes(logBytes))"
      guard baseline != nil else {
        return "no baseline, \(HumanText.grouped(replayed)) transactions to replay, \(log)"
      }
      return "baseline \(HumanText.bytes(baselineBytes)), \(HumanText.grouped(replayed)) "
        + "transactions to replay, \(log)"
    }
  }

  func run(_ context: CommandContext) throws -> ExitCode {
    let clock = ContinuousClock()
    let start = clock.now
    // Never creates a store: that is checked before one is opened for writing.
    try requireSound()
    let reading = try Store.openReadOnly(at: paths.root, disk: disk)
    var before = Sizes(replayed: reading.report.replayedTransactions)
    before.baseline = reading.report.baseline
    before.baselineBytes = try baselineBytes(reading.report.baseline)
    before.logBytes = try logBytes()
    var report: CompactionReport
    var after = before
    if isDryRun {
      report = try reading.compactionPreview(retention)
      after.logBytes -= min(after.logBytes, report.retiredBytes)
    } else {
      report = try compact()
      context.lasting = LastingWork(
        text: "baseline \(report.baseline) is written; \(report.retiredSegments) segments were "
          + "retired", code: .done)
      after.logBytes = try logBytes()
    }
    after.baseline = report.baseline
    after.baselineBytes = report.baselineBytes
    after.replayed = 0
    try print(context, before, after, report, clock.now - start)
    guard let problem = report.problem else { return .done }
    try context.errors.line("varve: history stayed that should be retired: \(problem)")
    return .partialSuccess
  }

  private func compact() throws -> CompactionReport {
    var options = StoreOptions()
    options.retention = retention
    options.compactsAutomatically = false
    let store = try Store.open(at: paths.root, options: options)
    do {
      let report = try store.compact()
      try store.close()
      return report
    } catch {
      try? store.close()
      throw error
    }
  }

  /// A baseline of a state with losses would hide them, and retiring damaged segments too.
  private func requireSound() throws {
    let set = try LogSet.open(.store(paths), disk: disk)
    let report = try Verifier(set: set, disk: disk, level: .normal).run()
    let worst = report.findings.max { $0.severity < $1.severity }
    guard let worst, worst.severity >= .gap else { return }
    throw RefusedStore(
      kind: worst.severity == .gap ? .gap : .corrupt, path: worst.file,
      remedy: "a baseline would hide that, so nothing was compacted")
  }

  private func baselineBytes(_ name: String?) throws -> UInt64 {
    guard let name else { return 0 }
    return try disk.status("\(paths.baselines)/\(name)")?.length ?? 0
  }

  private func logBytes() throws -> UInt64 {
    guard try disk.status(paths.log) != nil else { return 0 }
    return try FileTree.files(paths.log, disk: disk).reduce(0) { sum, path in
      sum + (try disk.status(path)?.length ?? 0)
    }
  }

  private func print(
    _ context: CommandContext, _ before: Sizes, _ after: Sizes, _ report: CompactionReport,
    _ elapsed: Duration
  ) throws {
    let writer = try context.resultWriter()
    guard context.globals.format == .human else {
      let seconds =
        Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
      let members: [(String, JSONValue)] = [
        ("schema", "varve.compact/1"), ("path", .string(paths.root)), ("dryRun", .bool(isDryRun)),
        ("before", before.json), ("after", after.json),
        ("retiredSegments", .integer(Int64(report.retiredSegments))),
        ("retiredBytes", .unsigned(report.retiredBytes)), ("seconds", .double(seconds)),
      ]
      return try writer.line(JSONValue.object(members).text)
    }
    try writer.line("before   \(before.text)")
    try writer.line("\(isDryRun ? "would be" : "after   ") \(after.text)")
    try writer.line("history  \(history(report))")
    try writer.line("time     \(HumanText.duration(elapsed))")
  }

  private func history(_ report: CompactionReport) -> String {
    if retention == .everything { return "all of it is kept" }
    let verb = isDryRun ? "would be retired" : "retired"
    if report.retiredSegments == 0 {
      return "nothing \(verb): no segment is old enough and covered by two baselines"
    }
    let segments = HumanText.grouped(report.retiredSegments)
    return "\(segments) segments \(verb), \(HumanText.bytes(report.retiredBytes))"
  }
}

/// How much history is kept, as a word.
enum KeepText {
  private static let sizes: [(String, UInt64)] = [
    ("kib", 1 << 10), ("mib", 1 << 20), ("gib", 1 << 30), ("tib", 1 << 40), ("k", 1_000),
    ("kb", 1_000), ("mb", 1_000_000), ("gb", 1_000_000_000), ("tb", 1_000_000_000_000), ("b", 1),
  ]
  private static let ages: [(String, UInt64)] = [("s", 1), ("m", 60), ("h", 3_600), ("d", 86_400)]

  /// `64MiB`, `500 kB`, `30d`, `12h`.
  ///
  /// - Throws: `UsageError` for anything else.
  static func parse(_ text: String) throws(UsageError) -> HistoryRetention {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let unit = text.dropFirst(digits.count).filter { $0 != " " }.lowercased()
    guard let number = UInt64(digits) else { throw complaint(text) }
    if let (_, factor) = ages.first(where: { $0.0 == unit }) {
      let (seconds, overflows) = number.multipliedReportingOverflow(by: factor)
      guard !overflows, seconds <= 1 << 40 else { throw complaint(text) }
      return .recent(.seconds(Int64(seconds)))
    }
    guard let (_, factor) = sizes.first(where: { $0.0 == unit }) else { throw complaint(text) }
    let (bytes, overflows) = number.multipliedReportingOverflow(by: factor)
    guard !overflows else { throw complaint(text) }
    return .newest(bytes: bytes)
  }

  private static func complaint(_ text: String) -> UsageError {
    UsageError(
      .badValue, "\"\(text)\" is neither a size nor an age",
      hint: "Write a size as 64MiB or 500kB, an age as 30d, 12h, 5m or 60s.")
  }
}
