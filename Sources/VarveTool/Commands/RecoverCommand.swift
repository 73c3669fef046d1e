// `varve recover`: saves what can still be read of a damaged store.

import Varve
import VarveFormat

extension CommandSpec {
  static let recover = CommandSpec(
    name: "recover", section: "Health", summary: "copy what can still be read into a new store",
    discussion: """
      BAD is a damaged store or loose segment files; it is only read, and neither its superblock \
      nor its lock is needed, though a superblock tells how far the log went. -o names the new \
      store, outside of BAD.

      Every transaction in valid frames is kept, byte for byte. Those that follow each other from \
      the first one on become the log of the new store, with the same hashes and digests. Those \
      behind a gap cannot be applied, since what they build on is missing: they go to \
      quarantine/REPLICA/ as segment files of their own, which varve log and show read. Damaged \
      bytes are copied to quarantine/bytes/. recovery-report.jsonl in the new store lists what \
      was kept, lost and quarantined, a line each.
      """,
    options: [OptionSpec("dry-run", help: "report what would be kept, write nothing")],
    arguments: [ArgumentSpec("BAD", .atLeastOne, help: "a store directory, or segment files")],
    examples: [
      ExampleSpec("varve recover damaged.varve -o rescued.varve", "a new store beside the old"),
      ExampleSpec("varve recover found/*.vlog -o rescued.varve", "from loose files"),
    ],
    exits: [
      ExitSpec(.done, "nothing was lost"),
      ExitSpec(.operationalFailure, "there is nothing to recover, or -o exists already"),
      ExitSpec(.corruption, "no file can be read at all"),
      ExitSpec(.partialSuccess, "something is or may be lost or not chained; or the report failed"),
    ]
  ) { context in
    let disk = PosixDisk()
    let isDryRun = context.options.flag("dry-run")
    guard let target = context.globals.output ?? (isDryRun ? "" : nil) else {
      throw UsageError(
        .missingArgument, "where to? Name the new store with -o NEW",
        hint: "BAD is never changed; NEW must not exist.")
    }
    if !isDryRun, try disk.status(target) != nil {
      throw LogError(.exists, "something is there already", path: target)
    }
    if !isDryRun { try RecoveryEnd.checkTarget(target, context.command.list("BAD"), disk) }
    try RecoveryEnd.warnOfRetired(context.command.list("BAD"), context, disk)
    let salvager = Salvager(disk: disk, target: isDryRun ? nil : StorePaths(target).root)
    let store = try salvager.run(context.command.list("BAD"))
    let code = salvager.outcome.isComplete ? ExitCode.done : .partialSuccess
    if !isDryRun {
      context.lasting = LastingWork(text: "the recovered store is complete: \(target)", code: code)
      try RecoveryEnd.finish(salvager.outcome, store, target)
    }
    try RecoveryEnd.print(salvager.outcome, store, isDryRun ? nil : target, context)
    return code
  }
}

/// What happens after all files were read.
private enum RecoveryEnd {
  /// A recovery reads segments only: what retired history led to is in baselines.
  static func warnOfRetired(
    _ sources: [String], _ context: CommandContext, _ disk: PosixDisk
  ) throws {
    for path in sources where try disk.status(path)?.isDirectory == true {
      guard let set = try? LogSet.open(.store(StorePaths(path)), disk: disk),
        set.findings.contains(where: { $0.code == "historyRetired" })
      else { continue }
      try context.note(
        "history of \(path) was retired: a recovery reads segments only, so keep this store with "
          + "its baselines, which hold what the history led to")
    }
  }

  /// The new store must not lie in a directory that is only read.
  static func checkTarget(_ target: String, _ sources: [String], _ disk: PosixDisk) throws {
    var ancestor = StorePaths.parent(StorePaths(target).root)
    while let status = try disk.status(ancestor) {
      for source in sources {
        guard let other = try disk.status(source), other.isDirectory else { continue }
        guard (other.device, other.inode) != (status.device, status.inode) else {
          throw UsageError(
            .badValue, "\(target) lies inside \(source), which is only read",
            hint: "Name a NEW outside of BAD.")
        }
      }
      let above = "\(ancestor)/.."
      guard let next = try disk.status(above),
        (next.device, next.inode) != (status.device, status.inode)
      else { return }
      ancestor = above
    }
  }

  /// Writes the report.
  static func finish(
    _ outcome: RecoveryOutcome, _ store: StoreID, _ target: String
  ) throws {
    let report = try OutputWriter(creating: "\(target)/recovery-report.jsonl")
    for line in outcome.lines { try report.line(line.text) }
    try report.line(JSONValue.object(members(outcome, store, target)).text)
    try report.close()
  }

  private static func members(
    _ outcome: RecoveryOutcome, _ store: StoreID, _ target: String?
  ) -> [(String, JSONValue)] {
    [
      ("schema", "varve.recovery/1"), ("kind", "total"), ("store", .string(store.description)),
      ("target", target.map(JSONValue.string) ?? .null),
      ("files", .integer(Int64(outcome.files))),
      ("rejectedFiles", .integer(Int64(outcome.rejectedFiles))),
      ("kept", .unsigned(outcome.keptTransactions)),
      ("orphans", .unsigned(outcome.orphanTransactions)),
      ("lost", .unsigned(outcome.lostTransactions)),
      ("suspects", .integer(Int64(outcome.suspects))),
      ("damagedRanges", .integer(Int64(outcome.damagedRanges))),
      ("quarantinedBytes", .unsigned(outcome.quarantinedBytes)),
      ("complete", .bool(outcome.isComplete)),
    ]
  }

  static func print(
    _ outcome: RecoveryOutcome, _ store: StoreID, _ target: String?, _ context: CommandContext
  ) throws {
    let writer = context.output
    guard context.globals.format == .human else {
      if context.globals.format == .jsonLines {
        for line in outcome.lines { try writer.line(line.text) }
      }
      try writer.line(JSONValue.object(members(outcome, store, target)).text)
      return
    }
    var lost = "\(HumanText.grouped(outcome.lostTransactions)) transactions"
    if outcome.suspects > 0 { lost += ", and perhaps more: the end of a log cannot be read" }
    let lines: [(String, String)] = [
      ("files", "\(outcome.files) read, \(outcome.rejectedFiles) of no use"),
      ("kept", "\(HumanText.grouped(outcome.keptTransactions)) transactions"),
      ("orphans", "\(HumanText.grouped(outcome.orphanTransactions)) behind a gap"),
      ("lost", lost),
      (
        "damage",
        "\(outcome.damagedRanges) places, \(HumanText.bytes(outcome.quarantinedBytes))"
      ),
    ]
    for (key, value) in lines {
      try writer.line(key + String(repeating: " ", count: 9 - key.count) + value)
    }
    guard let target else {
      try writer.line("dry run: nothing was written")
      return
    }
    try writer.line("store    \(TablePrinter.visible(target))")
    try writer.line("report   \(TablePrinter.visible(target))/recovery-report.jsonl")
    let next =
      outcome.orphanTransactions > 0
      ? "varve log \(target)/quarantine/*/*.vlog" : "varve verify \(target)"
    try context.note("try \"\(next)\"")
  }
}
