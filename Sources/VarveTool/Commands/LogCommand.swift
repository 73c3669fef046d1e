// `varve log`: the transactions of a store or of one file.

import Varve
import VarveFormat

extension CommandSpec {
  static let log = CommandSpec(
    name: "log", section: "Inspection", summary: "list the transactions of a store or file",
    discussion: """
      Prints transactions in the order of their stamps, oldest first. The log is read as it lies \
      on disk: no lock is taken, nothing is written, and reading goes on behind damage, which \
      shows as a line of its own.

      RANGE is A..B, A.. or ..B: behind A, up to and with B. A and B are REPLICA:SEQUENCE, or a \
      SEQUENCE when there is one replica only. A replica is named by the start of its id.

      Filters come first, then --skip, then -n. Transactions of an open segment that are not \
      known to be durable are marked.
      """,
    options: [
      OptionSpec("max-count", short: "n", .integer("N", 0...Int.max), help: "stop after N"),
      OptionSpec("skip", .integer("N", 0...Int.max), help: "leave out the first N"),
      OptionSpec("reverse", help: "newest first"),
      OptionSpec("since", .text("TIME"), help: "not before TIME (RFC 3339, a day, @SECONDS, -2h)"),
      OptionSpec("until", .text("TIME"), help: "not after TIME"),
      OptionSpec("replica", .text("REPLICA"), help: "only transactions of this replica"),
      OptionSpec("oneline", help: "one line each"),
      OptionSpec("stat", help: "add counts by operation and entity"),
      OptionSpec("ops", help: "add every operation with its values"),
      OptionSpec("count", help: "print the number of transactions only"),
    ],
    arguments: [
      ArgumentSpec("STORE", .optional, help: "a store directory or a segment file"),
      ArgumentSpec("RANGE", .optional, help: "which transactions; may also stand before STORE"),
    ],
    examples: [
      ExampleSpec("varve log --oneline --reverse -n 10 my.store", "the ten newest"),
      ExampleSpec("varve log --ops copied-segment.vlog", "names and values of a single file"),
      ExampleSpec("varve log my.store 3..5 --jsonl", "transactions 4 and 5 for a script"),
    ],
    exits: ExitSpec.inspection
  ) { context in
    let disk = PosixDisk()
    var query = try LogQuery(context, disk: disk)
    return try query.run()
  }
}

extension ExitSpec {
  /// How commands end that read a log.
  static let inspection = [
    ExitSpec(.done), ExitSpec(.operationalFailure, "not a store, or the system cannot read it"),
    ExitSpec(.corruption), ExitSpec(.recoverableBlemish, "a torn tail, or another blemish"),
    ExitSpec(.incomplete, "segments are missing"),
    ExitSpec(.unknownFormat, "newer records, under --strict; or a newer major version"),
  ]
}

/// One run of `varve log`.
private struct LogQuery {
  let context: CommandContext
  let disk: PosixDisk
  let set: LogSet
  let target: StoreTarget
  var range: RevisionRange?
  var since: Int64?
  var until: Int64?
  var replica: ReplicaID?

  init(_ context: CommandContext, disk: PosixDisk) throws {
    self.context = context
    self.disk = disk
    let words = context.command.arguments
    let ranges = words.filter(RevisionRange.isRange)
    let paths = words.filter { !RevisionRange.isRange($0) }
    guard ranges.count <= 1, paths.count <= 1 else {
      throw UsageError(
        .extraArgument, "one STORE and one RANGE are possible",
        hint: "A RANGE looks like 3..5 or REPLICA:3..REPLICA:5.")
    }
    target = try StoreTarget.resolve(paths.first, context, disk: disk)
    set = try LogSet.open(target, disk: disk)
    let replicas = set.logs.map(\.replica)
    range = try ranges.first.map { try RevisionRange($0, replicas: replicas) }
    let now = SystemClock().wallMilliseconds()
    since = try LogQuery.time("since", context, now)
    until = try LogQuery.time("until", context, now)
    replica = try context.options.value("replica").map {
      try ReplicaText.find($0, among: replicas)
    }
  }

  private static func time(_ option: String, _ context: CommandContext, _ now: UInt64) throws
    -> Int64?
  {
    guard let text = context.options.value(option) else { return nil }
    guard let time = ReadableTime.milliseconds(text, now: now) else {
      throw UsageError(
        .badValue, "option --\(option) needs a time; \"\(text)\" is none",
        hint: "For example 2026-03-01, 2026-03-01T10:00:00Z, @1772359200 or -2h.")
    }
    return time
  }

  private func isWanted(_ logged: LoggedTransaction) -> Bool {
    let milliseconds = Int64(logged.transaction.stamp.milliseconds)
    if let since, milliseconds < since { return false }
    if let until, milliseconds > until { return false }
    if let replica, logged.replica != replica { return false }
    return range?.contains(logged.replica, logged.transaction.sequence) ?? true
  }

  mutating func run() throws -> ExitCode {
    let options = context.options
    let limit = options.integer("max-count") ?? .max
    var skip = options.integer("skip") ?? 0
    let counts = options.flag("count")
    let walk = LogWalk(
      set, disk: disk, isReversed: options.flag("reverse"), keepsColumns: options.flag("ops"))
    var printer = try LogPrinter(context, isLoose: !set.isStore)
    var count = 0
    while count < limit, let event = try walk.next() {
      switch event {
      case .transaction(let logged):
        guard isWanted(logged) else { continue }
        if skip > 0 {
          skip -= 1
          continue
        }
        count += 1
        if !counts { try printer.transaction(logged, walk.names) }
      case .unknown(let path, let frame): if !counts { try printer.unknown(path, frame) }
      case .damage(_, let range, let finding):
        if !counts { try printer.damage(range, finding) }
      }
    }
    if counts { try printer.count(count) } else { try printer.finish(count) }
    let findings = set.findings + walk.findings + printer.findings
    if findings.contains(where: { $0.severity > .note }) {
      try context.note("there are findings; try \"varve verify \(target.path)\"")
    }
    return findings.exitCode(strict: context.globals.isStrict)
  }
}
