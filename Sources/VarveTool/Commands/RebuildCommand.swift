// `varve rebuild`: proves that the state follows from the logs alone.

import Varve
import VarveFormat

extension CommandSpec {
  static let rebuild = CommandSpec(
    name: "rebuild", section: "Health", summary: "replay the logs alone and compare the result",
    discussion: """
      Computes the state twice: as opening the store does, from the baseline and the log behind \
      it, and from nothing but the segment files, without baseline and superblock. Both must have \
      the same digests. Nothing on disk is changed. Where history was retired, the oldest baseline \
      that reaches the log stands for what is not there any more.
      """,
    arguments: [ArgumentSpec("STORE", .optional, help: "a store directory")],
    examples: [ExampleSpec("varve rebuild my.store", "digests from the logs alone, compared")],
    exits: [
      ExitSpec(.done, "both digests are equal"), ExitSpec(.negativeAnswer, "they differ"),
    ] + ExitSpec.inspection.dropFirst()
  ) { context in
    let disk = PosixDisk()
    let target = try StoreTarget.resolve(
      context.command.argument("STORE"), context, disk: disk)
    let paths = try DigestReport.store(target, command: "rebuild")
    let (set, (normal, rebuilt)) = try ReadAgain.run {
      let set = try LogSet.open(target, disk: disk)
      return (set, try replayTwice(disk, paths, set))
    }
    let isEqual = normal.digest == rebuilt.digest
    let findings = rebuilt.findings(set.findings)
    let writer = try context.resultWriter()
    if context.globals.format == .human {
      try writer.write(RebuildText.text(set, normal, rebuilt, isEqual: isEqual))
      for finding in findings where finding.severity > .note { try writer.line(finding.line) }
    } else {
      try writer.line(RebuildText.json(set, normal, rebuilt, findings, isEqual: isEqual).text)
    }
    // Damage explains a difference and is the worse news.
    let isDamaged = findings.contains { $0.severity >= .gap }
    return isEqual || isDamaged
      ? findings.exitCode(strict: context.globals.isStrict) : .negativeAnswer
  }
}

extension CommandSpec {
  /// As opening does and from the logs alone; again when a writer added something in between.
  private static func replayTwice(
    _ disk: PosixDisk, _ paths: StorePaths, _ set: LogSet
  ) throws -> (normal: OpenedState, rebuilt: DigestReport) {
    var attempts = 0
    while true {
      let normal = try OpenedState(disk, paths)
      let rebuilt = try DigestReport(
        disk, paths, try LogCatalog.settled(disk, paths, superblock: nil, store: set.store))
      attempts += 1
      let isSettled = normal.heads == OpenedState.heads(rebuilt.result.state)
      if normal.digest == rebuilt.digest || isSettled || attempts == 16 {
        return (normal, rebuilt)
      }
    }
  }
}

/// What `rebuild` prints.
private enum RebuildText {
  static func text(
    _ set: LogSet, _ normal: OpenedState, _ rebuilt: DigestReport, isEqual: Bool
  ) -> String {
    let segments = HumanText.grouped(set.places.count)
    let bytes = HumanText.bytes(rebuilt.result.logBytes)
    let count = HumanText.grouped(rebuilt.result.transactions)
    var text = "read     \(segments) segments, \(bytes), \(count) transactions\n"
    if let baseline = rebuilt.baseline {
      text += "start    baseline \(baseline): the history before it was retired\n"
    }
    text += "not used superblock, lock, "
    text += normal.baseline.map { "baseline \($0)\n" } ?? "baseline (there is none)\n"
    text += "time     \(HumanText.duration(rebuilt.elapsed))\n"
    text += rebuilt.text
    if isEqual { return text + "equal: opening the store gives the same state\n" }
    return text
      + "DIFFERENT: opening the store gives content \(normal.digest.total.content), "
      + "state \(normal.digest.total.state)\n"
  }

  static func json(
    _ set: LogSet, _ normal: OpenedState, _ rebuilt: DigestReport, _ findings: [Finding],
    isEqual: Bool
  ) -> JSONValue {
    let seconds =
      Double(rebuilt.elapsed.components.seconds)
      + Double(rebuilt.elapsed.components.attoseconds) / 1e18
    return .object(
      [
        ("schema", "varve.rebuild/1"), ("store", .string(set.store.description)),
        ("equal", .bool(isEqual)), ("seconds", .double(seconds)),
        ("segments", .integer(Int64(set.places.count))),
      ] + rebuilt.members + [
        ("opened", .object(normal.members)), ("findings", .array(findings.map(\.json))),
      ])
  }
}
