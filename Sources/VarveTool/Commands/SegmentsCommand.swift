// `varve segments`: the files of a log.

import Varve
import VarveFormat

extension CommandSpec {
  static let segments = CommandSpec(
    name: "segments", aliases: ["ls"], section: "Inspection",
    summary: "list the segment files of a store",
    discussion: """
      Sealed segments are described by their SEAL, open ones are walked. With --check every frame \
      of every segment is read, and a verdict added: sealed, clean, torn (a crash cut the last \
      write short), suspect or corrupt.
      """,
    options: [
      OptionSpec("check", help: "read every frame and judge each segment"),
      OptionSpec("replica", .text("REPLICA"), help: "only segments of this replica"),
    ],
    arguments: [ArgumentSpec("STORE", .optional, help: "a store directory or a segment file")],
    examples: [ExampleSpec("varve segments --check my.store", "the files with a verdict each")],
    exits: ExitSpec.inspection
  ) { context in
    let disk = PosixDisk()
    let target = try StoreTarget.resolve(
      context.command.argument("STORE"), context, disk: disk)
    let set = try LogSet.open(target, disk: disk)
    let replica = try context.options.value("replica").map {
      try ReplicaText.find($0, among: set.logs.map(\.replica))
    }
    let places = set.logs.filter { replica == nil || $0.replica == replica }.flatMap(\.places)
    var rows: [SegmentRow] = []
    for place in places {
      let summary = try SegmentSummary(place, disk: disk)
      var verdict: SegmentVerdict?
      if context.options.flag("check") {
        verdict = try summary.verdict ?? SegmentVerdict.judge(place, disk: disk)
      }
      rows.append(SegmentRow(place: place, summary: summary, verdict: verdict))
    }
    let findings = set.findings + rows.compactMap { row in row.verdict?.finding(row.place.path) }
    try SegmentRow.print(rows, findings, context, isStore: set.isStore)
    return findings.exitCode(strict: context.globals.isStrict)
  }
}

/// One line of the table.
private struct SegmentRow {
  var place: SegmentPlace
  var summary: SegmentSummary
  var verdict: SegmentVerdict?

  private var word: String {
    if let verdict { return verdict.verdict.rawValue }
    return summary.damageOffset == nil ? "" : "damaged"
  }

  private func time(_ stamp: Stamp?) -> String { stamp.map(ReadableTime.short) ?? "-" }

  static func print(
    _ rows: [SegmentRow], _ findings: [Finding], _ context: CommandContext, isStore: Bool
  ) throws {
    let writer = try context.resultWriter()
    guard context.globals.format == .human else {
      var document = try DocumentWriter(
        writer, schema: "varve.segments/1", list: "segments",
        isLines: context.globals.format == .jsonLines)
      for row in rows { try document.add(row.members) }
      try document.finish([
        ("count", .integer(Int64(rows.count))), ("findings", .array(findings.map(\.json))),
      ])
      return
    }
    var table = TablePrinter([
      .init("REPLICA"), .init("ORDINAL", .right), .init("SEQUENCES", .right), .init("FROM"),
      .init("TO"), .init("FRAMES", .right), .init("TX", .right), .init("STORED", .right),
      .init("RAW", .right), .init("RATIO", .right), .init("STATE"), .init("VERDICT"),
      .init("FILE"),
    ])
    for row in rows { table.add(row.cells) }
    try writer.write(table.render())
    for finding in findings where finding.severity > .note { try writer.line(finding.line) }
    if isStore {
      let bytes = rows.reduce(UInt64(0)) { $0 + $1.summary.acceptedBytes }
      try context.note("\(rows.count) segments, \(HumanText.bytes(bytes))")
    }
  }

  private var cells: [String] {
    let range =
      summary.transactions == 0 ? "none" : "\(summary.firstSequence)-\(summary.lastSequence)"
    return [
      ReplicaText.short(place.header.replica), "\(place.header.ordinal)", range,
      time(summary.minStamp), time(summary.maxStamp), HumanText.grouped(summary.frames),
      HumanText.grouped(summary.transactions), HumanText.bytes(summary.acceptedBytes),
      HumanText.bytes(summary.rawBytes), HumanText.decimal(summary.ratio, digits: 1) + "x",
      summary.isSealed ? "sealed" : "open", word, place.path.lastPathComponent,
    ]
  }

  private var members: [(String, JSONValue)] {
    let stamp = { (stamp: Stamp?) -> JSONValue in
      stamp.map { .string(ReadableTime.rfc3339($0)) } ?? .null
    }
    return [
      ("file", .string(place.path)), ("replica", .string(place.header.replica.description)),
      ("ordinal", .unsigned(place.header.ordinal)),
      ("firstSequence", .unsigned(summary.firstSequence)),
      ("lastSequence", .unsigned(summary.lastSequence)), ("from", stamp(summary.minStamp)),
      ("to", stamp(summary.maxStamp)), ("frames", .unsigned(summary.frames)),
      ("transactions", .unsigned(summary.transactions)), ("bytes", .unsigned(place.length)),
      ("stored", .unsigned(summary.acceptedBytes)), ("raw", .unsigned(summary.rawBytes)),
      ("sealed", .bool(summary.isSealed)),
      ("verdict", verdict.map { .string($0.verdict.rawValue) } ?? .null),
    ]
  }
}
