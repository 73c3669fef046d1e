// `varve baseline list` and `varve baseline verify`: the files in base/.

import Varve
import VarveFormat

extension CommandSpec {
  static let baselineList = CommandSpec(
    name: "baseline list", section: "Inspection", summary: "list the baselines of a store",
    discussion: """
      A baseline caches the state, so that opening need not replay the log. The current one is \
      what opening starts with, the previous one what it falls back to; old ones are removed by \
      the next compaction. Only headers and directories are read; varve baseline verify reads all.
      """,
    arguments: [
      ArgumentSpec("STORE", .optional, help: "a store directory or a baseline file")
    ],
    examples: [ExampleSpec("varve baseline list my.store", "files, sizes and how far they reach")],
    exits: ExitSpec.inspection
  ) { context in try BaselineReport(context).run(verifies: false) }

  static let baselineVerify = CommandSpec(
    name: "baseline verify", section: "Health", summary: "read every byte of the baselines",
    discussion: """
      Reads every frame of every baseline, decodes every cell and holds both to the rules of the \
      format. A damaged baseline loses nothing: opening falls back to the previous one, or to the \
      logs alone. varve verify does the same together with the logs, and varve verify --level full \
      also compares the states that both give.
      """,
    arguments: [
      ArgumentSpec("STORE", .optional, help: "a store directory or a baseline file")
    ],
    examples: [ExampleSpec("varve baseline verify my.store", "all baselines of a store")],
    exits: ExitSpec.inspection
  ) { context in try BaselineReport(context).run(verifies: true) }
}

/// One run of `varve baseline`.
private struct BaselineReport {
  let context: CommandContext
  var check: BaselineCheck

  init(_ context: CommandContext) throws {
    self.context = context
    let disk = PosixDisk()
    let target = try StoreTarget.resolve(context.command.argument("STORE"), context, disk: disk)
    switch target {
    case .store: check = try BaselineCheck(try LogSet.open(target, disk: disk), disk: disk)
    case .file(let path): check = try BaselineCheck(file: path, disk: disk)
    }
  }

  func run(verifies: Bool) throws -> ExitCode {
    var check = check
    if verifies { _ = check.verify() }
    let findings = check.allFindings
    let writer = try context.resultWriter()
    if context.globals.format == .human {
      try print(check, writer, verifies: verifies)
      for finding in findings where finding.severity > .note { try writer.line(finding.line) }
    } else {
      var document = try DocumentWriter(
        writer, schema: "varve.baselines/1", list: "baselines",
        isLines: context.globals.format == .jsonLines)
      for entry in check.entries { try document.add(members(entry, verifies: verifies)) }
      try document.finish([
        ("count", .integer(Int64(check.entries.count))),
        ("findings", .array(findings.map(\.json))),
      ])
    }
    return findings.exitCode(strict: context.globals.isStrict)
  }

  private func state(_ entry: BaselineEntry, verifies: Bool) -> String {
    entry.problem != nil ? "damaged" : verifies ? "sound" : "readable"
  }

  private func print(
    _ check: BaselineCheck, _ writer: OutputWriter, verifies: Bool
  ) throws {
    guard !check.entries.isEmpty else {
      try writer.line("no baselines: opening replays the whole log")
      return
    }
    var table = TablePrinter([
      .init("ROLE"), .init("BYTES", .right), .init("RAW", .right), .init("ROWS", .right),
      .init("BLOCKS", .right), .init("TO"), .init("REACHES"), .init("STATE"), .init("FILE"),
    ])
    for entry in check.entries {
      let heads = entry.heads.map { "\(ReplicaText.short($0.replica)):\($0.sequence)" }
      let blocks = entry.seal.map { HumanText.grouped($0.blocks) } ?? "-"
      table.add([
        entry.role.rawValue, HumanText.bytes(entry.file.length),
        entry.seal.map { HumanText.bytes($0.rawBytes) } ?? "-", HumanText.grouped(entry.rows),
        blocks, entry.directory.map { ReadableTime.short($0.maxStamp) } ?? "-",
        heads.joined(separator: " "), state(entry, verifies: verifies),
        entry.file.path.lastPathComponent,
      ])
    }
    try writer.write(table.render())
  }

  private func members(_ entry: BaselineEntry, verifies: Bool) -> [(String, JSONValue)] {
    let heads = entry.heads.map { head in
      JSONValue.object([
        ("replica", .string(head.replica.description)), ("sequence", .unsigned(head.sequence)),
      ])
    }
    return [
      ("file", .string(entry.file.path)), ("role", .string(entry.role.rawValue)),
      ("generation", entry.directory.map { .unsigned($0.generation) } ?? .null),
      ("hash", entry.seal.map { .string("\($0.contentHash)") } ?? .null),
      ("bytes", .unsigned(entry.file.length)),
      ("raw", entry.seal.map { .unsigned($0.rawBytes) } ?? .null),
      ("rows", .unsigned(entry.rows)),
      ("blocks", entry.seal.map { .unsigned(UInt64($0.blocks)) } ?? .null),
      ("sides", entry.seal.map { .unsigned(UInt64($0.sides)) } ?? .null),
      ("to", entry.directory.map { .string(ReadableTime.rfc3339($0.maxStamp)) } ?? .null),
      ("reaches", .array(heads)), ("state", .string(state(entry, verifies: verifies))),
    ]
  }
}
