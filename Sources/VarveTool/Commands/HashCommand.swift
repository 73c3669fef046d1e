// `varve hash`: the digests of a store's state.

import Varve
import VarveFormat

extension CommandSpec {
  static let hash = CommandSpec(
    name: "hash", section: "Inspection", summary: "digest the state of a store",
    discussion: """
      Replays the log and prints two digests by entity and in total. The content digest covers \
      objects and values, the state digest their stamps and authors too. Two stores with the same \
      digest hold the same, whatever order, batches or segments it came in. Operations that this \
      version does not apply are counted, not hidden.
      """,
    arguments: [ArgumentSpec("STORE", .optional, help: "a store directory")],
    examples: [
      ExampleSpec("varve hash my.store", "digests by entity"),
      ExampleSpec("varve hash my.store --json", "for a script that compares stores"),
    ],
    exits: ExitSpec.inspection
  ) { context in
    let disk = PosixDisk()
    let target = try StoreTarget.resolve(
      context.command.argument("STORE"), context, disk: disk)
    let paths = try DigestReport.store(target, command: "hash")
    let (set, report) = try ReadAgain.run {
      let set = try LogSet.open(target, disk: disk)
      let catalog = try LogCatalog.settled(disk, paths, superblock: set.superblock)
      return (set, try DigestReport(disk, paths, catalog))
    }
    let findings = report.findings(set.findings)
    let writer = try context.resultWriter()
    if context.globals.format == .human {
      try writer.write(report.text)
      for finding in findings where finding.severity > .note { try writer.line(finding.line) }
    } else {
      let members: [(String, JSONValue)] =
        [("schema", "varve.hash/1"), ("store", .string(set.store.description))]
        + report.members + [("findings", .array(findings.map(\.json)))]
      try writer.line(JSONValue.object(members).text)
    }
    return findings.exitCode(strict: context.globals.isStrict)
  }
}
