// `varve verify`: looks for damage.

import Varve
import VarveFormat

extension CommandSpec {
  static let verify = CommandSpec(
    name: "verify", section: "Health", summary: "look for damage in a store or file",
    discussion: """
      quick reads headers, seals, sizes and the directories of baselines. normal, the default, \
      reads everything: the hash of every frame and of every part, sequences, the chain of each \
      replica, the order of stamps, every cell of every baseline. full also decodes every \
      operation and column, replays the log, prints the digests and compares them with what the \
      baseline gives.

      Each finding is a line: severity, code, file and offset, what it is, what to do. Severities \
      are note, blemish (usable as it is), unknown (of a newer version), gap (something is \
      missing) and corruption. varve explain CODE says more.
      """,
    options: [
      OptionSpec(
        "level", .choice("LEVEL", VerifyLevel.allCases.map(\.rawValue)),
        help: "quick, normal (the default) or full")
    ],
    arguments: [ArgumentSpec("STORE", .optional, help: "a store directory or a segment file")],
    examples: [
      ExampleSpec("varve verify my.store", "read every byte"),
      ExampleSpec("varve verify --level quick --json my.store", "for a health check"),
    ],
    exits: ExitSpec.inspection
  ) { context in
    let disk = PosixDisk()
    let target = try StoreTarget.resolve(
      context.command.argument("STORE"), context, disk: disk)
    let level =
      context.options.value("level").flatMap(VerifyLevel.init(rawValue:)) ?? .normal
    let (set, report) = try ReadAgain.run {
      let set = try LogSet.open(target, disk: disk)
      let verifier = Verifier(
        set: set, disk: disk, level: level, threads: context.globals.threads)
      return (set, try verifier.run())
    }
    try VerifyText.print(report, set, context)
    return report.findings.exitCode(strict: context.globals.isStrict)
  }
}

/// Prints what a verification found.
enum VerifyText {
  static func print(_ report: VerifyReport, _ set: LogSet, _ context: CommandContext) throws {
    let writer = try context.resultWriter()
    switch context.globals.format {
    case .human:
      for finding in report.findings.sorted(by: { $0.severity > $1.severity }) {
        try writer.line(finding.line)
      }
      if let digest = report.digest { try writer.write(digest.text) }
      try writer.line(summary(report))
    case .jsonLines:
      for finding in report.findings {
        try writer.line(
          JSONValue.object([("schema", "varve.finding/1")] + finding.members).text)
      }
      try writer.line(json(report, set).text)
    case .json: try writer.line(json(report, set).text)
    }
  }

  /// `clean: 2 segments, 10 transactions, 1.2 MiB read ...`.
  static func summary(_ report: VerifyReport) -> String {
    var text = "\(report.verdict): level \(report.level.rawValue), "
    text += "\(HumanText.grouped(report.segments)) segments, "
    if report.baselines > 0 { text += "\(HumanText.grouped(report.baselines)) baselines, " }
    text += "\(HumanText.grouped(report.transactions)) transactions, "
    text += "\(HumanText.bytes(report.bytes)) read in \(HumanText.duration(report.elapsed))"
    return text
  }

  private static func json(_ report: VerifyReport, _ set: LogSet) -> JSONValue {
    .object([
      ("schema", "varve.verify/1"), ("path", .string(set.path)),
      ("store", .string(set.store.description)), ("level", .string(report.level.rawValue)),
      ("verdict", .string(report.verdict)), ("segments", .integer(Int64(report.segments))),
      ("baselines", .integer(Int64(report.baselines))),
      ("transactions", .unsigned(report.transactions)), ("bytes", .unsigned(report.bytes)),
      ("seconds", .double(report.seconds)),
      ("digest", report.digest.map { .object($0.members) } ?? .null),
      ("findings", .array(report.findings.map(\.json))),
    ])
  }
}
