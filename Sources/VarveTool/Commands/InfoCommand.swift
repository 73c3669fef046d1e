// `varve info`: a store or file on one screen.

import Varve
import VarveFormat

extension CommandSpec {
  static let info = CommandSpec(
    name: "info", section: "Inspection", summary: "describe a store or a segment on one screen",
    discussion: """
      Reads headers, seals and segments that are not sealed, and the newest segment of each \
      replica. The health that it prints is that of varve verify --level quick, and what the \
      frames of the newest segments say. Of a store it also counts the objects that can be seen; \
      without a baseline that takes a replay of the log.
      """,
    arguments: [ArgumentSpec("STORE", .optional, help: "a store directory or a segment file")],
    examples: [ExampleSpec("varve info my.store", "identity, replicas, sizes, health")],
    exits: ExitSpec.inspection
  ) { context in
    let disk = PosixDisk()
    let target = try StoreTarget.resolve(
      context.command.argument("STORE"), context, disk: disk)
    let set = try LogSet.open(target, disk: disk)
    let facts = try StoreFacts(set, disk: disk)
    let writer = try context.resultWriter()
    if context.globals.format == .human {
      try writer.write(facts.text)
    } else {
      try writer.line(facts.json.text)
    }
    return facts.findings.exitCode(strict: context.globals.isStrict)
  }
}

/// What `info` prints.
private struct StoreFacts {
  /// One replica in figures.
  struct Replica {
    var replica: ReplicaID
    var segments = 0
    var transactions: UInt64 = 0
    var lastSequence: UInt64 = 0
    var from: Stamp?
    var to: Stamp?
    var stored: UInt64 = 0
    var raw: UInt64 = 0
  }

  let set: LogSet
  var replicas: [Replica] = []
  var names = NameBook()
  var findings: [Finding]
  var openSegments = 0
  var version = ""
  var baselines: BaselineCheck
  /// Objects that can be seen, by entity; nil for a single segment.
  var counts: [UInt32: Int]?
  /// Transactions that opening replays.
  var replayed: UInt64 = 0

  init(_ set: LogSet, disk: PosixDisk) throws {
    self.set = set
    findings = try Verifier(set: set, disk: disk, level: .quick).run().findings
    baselines = try BaselineCheck(set, disk: disk)
    if set.isStore { try count(disk) }
    for log in set.logs {
      var facts = Replica(replica: log.replica)
      for place in log.places {
        let summary = try SegmentSummary(place, disk: disk)
        version = "\(place.header.major).\(place.header.minor)"
        facts.segments += 1
        facts.transactions += summary.transactions
        facts.lastSequence = max(facts.lastSequence, summary.lastSequence)
        facts.from = [facts.from, summary.minStamp].compactMap { $0 }.min()
        facts.to = [facts.to, summary.maxStamp].compactMap { $0 }.max()
        facts.stored += summary.acceptedBytes
        facts.raw += summary.rawBytes
        if !summary.isSealed { openSegments += 1 }
      }
      replicas.append(facts)
      if let newest = log.places.last { try read(newest, disk) }
    }
  }

  /// What somebody sees who opens the store now.
  private mutating func count(_ disk: PosixDisk) throws {
    let store = try Store.openReadOnly(at: set.path, disk: disk)
    let graph = store.snapshot().graph
    counts = Dictionary(
      graph.schema.entities.map { ($0.tag, graph.table($0.tag)?.visibleCount ?? 0) },
      uniquingKeysWith: { a, _ in a })
    replayed = store.report.replayedTransactions
  }

  private var current: BaselineEntry? { baselines.entries.first { $0.role == .current } }

  private var baselineText: String {
    guard set.isStore else { return "unknown: this is one segment" }
    guard let current else { return "none: opening replays the whole log" }
    let count = HumanText.grouped(replayed)
    let size = HumanText.bytes(current.file.length)
    return "\(current.file.path.lastPathComponent), \(size), \(count) transactions behind it"
  }

  /// Names and tail of the newest segment.
  private mutating func read(_ place: SegmentPlace, _ disk: any Disk) throws {
    let cursor = try SegmentWalk(place, disk: disk, keepsColumns: false)
    defer { cursor.close() }
    while let event = try cursor.next() {
      switch event {
      case .hint(let frame): names.learn(frame)
      case .unit(let unit, _):
        let schema = (try? SchemaHint.declarations(unit)) ?? []
        for operation in schema { names.learn(operation) }
      default: break
      }
    }
    let isKnown = findings.contains { $0.file == place.path && $0.severity == .corruption }
    if !isKnown, let finding = try cursor.verdict().finding(place.path),
      !findings.contains(finding)
    {
      findings.append(finding)
    }
  }

  private var stored: UInt64 { replicas.reduce(0) { $0 + $1.stored } }
  private var raw: UInt64 { replicas.reduce(0) { $0 + $1.raw } }
  private var transactions: UInt64 { replicas.reduce(0) { $0 + $1.transactions } }
  private var health: String {
    let worst = findings.map(\.severity).max() ?? .note
    return worst > .note ? worst.name : "clean"
  }

  var text: String {
    var lines: [(String, String)] = [
      (set.isStore ? "store" : "segment", TablePrinter.visible(set.path)),
      ("id", set.store.description), ("format", version.isEmpty ? "no segments yet" : version),
    ]
    let segments = replicas.reduce(0) { $0 + $1.segments }
    lines.append(("segments", "\(segments), \(openSegments) of them open"))
    lines.append(("transactions", HumanText.grouped(transactions)))
    lines.append(("log", "\(HumanText.bytes(stored)), \(HumanText.bytes(raw)) uncompressed"))
    lines.append(("baseline", baselineText))
    if let counts {
      let objects = HumanText.grouped(counts.values.reduce(0, +))
      lines.append(("objects", "\(objects) in \(HumanText.grouped(counts.count)) entities"))
    }
    if let superblock = set.superblock {
      lines.append(("writer", superblock.replica.description))
      lines.append(("closed", superblock.isClean ? "in order" : "not in order, or open now"))
    }
    for replica in replicas {
      let from = replica.from.map(ReadableTime.short) ?? "-"
      let to = replica.to.map(ReadableTime.short) ?? "-"
      lines.append(
        (
          "replica",
          "\(replica.replica): to sequence \(replica.lastSequence), \(from) to \(to)"
        ))
    }
    for entity in names.entities {
      let labels = entity.attributes.map(\.label).joined(separator: ", ")
      let count = counts.map { ": \(HumanText.grouped($0[entity.tag] ?? 0)) objects" } ?? ""
      lines.append(("entity", "\(names.name(entity.tag)) (\(labels))\(count)"))
    }
    lines.append(("health", health))
    var text = ""
    for (key, value) in lines {
      let padding = String(repeating: " ", count: 14 - key.count)
      text += "\(key)\(padding)\(TablePrinter.visible(value))\n"
    }
    for finding in findings { text += "  \(finding.line)\n" }
    return text
  }

  var json: JSONValue {
    .object([
      ("schema", "varve.info/1"), ("path", .string(set.path)),
      ("kind", set.isStore ? "store" : "segment"), ("store", .string(set.store.description)),
      ("format", .string(version)),
      ("segments", .integer(Int64(replicas.reduce(0) { $0 + $1.segments }))),
      ("openSegments", .integer(Int64(openSegments))), ("transactions", .unsigned(transactions)),
      ("stored", .unsigned(stored)), ("raw", .unsigned(raw)),
      (
        "baseline",
        current.map {
          .object([
            ("file", .string($0.file.path)), ("bytes", .unsigned($0.file.length)),
            ("rows", .unsigned($0.rows)), ("transactionsBehind", .unsigned(replayed)),
          ])
        } ?? .null
      ), ("objects", counts.map { .integer(Int64($0.values.reduce(0, +))) } ?? .null),
      ("writer", set.superblock.map { .string($0.replica.description) } ?? .null),
      ("clean", set.superblock.map { .bool($0.isClean) } ?? .null),
      ("replicas", .array(replicas.map(StoreFacts.json))),
      ("entities", .array(names.entities.map { entity in json(entity) })),
      ("health", .string(health)), ("findings", .array(findings.map(\.json))),
    ])
  }

  private func json(_ entity: NameBook.Entity) -> JSONValue {
    let attributes = entity.attributes.map { facts in
      JSONValue.object([
        ("name", .string(facts.label)), ("tag", .integer(Int64(facts.tag))),
        ("types", .array(facts.types.map { .string($0.name) })),
      ])
    }
    return .object([
      ("name", .string(entity.label)), ("tag", .integer(Int64(entity.tag))),
      ("objects", counts.map { .integer(Int64($0[entity.tag] ?? 0)) } ?? .null),
      ("attributes", .array(attributes)),
    ])
  }

  private static func json(_ replica: Replica) -> JSONValue {
    let time = { (stamp: Stamp?) -> JSONValue in
      stamp.map { .string(ReadableTime.rfc3339($0)) } ?? .null
    }
    return .object([
      ("replica", .string(replica.replica.description)),
      ("segments", .integer(Int64(replica.segments))),
      ("transactions", .unsigned(replica.transactions)),
      ("lastSequence", .unsigned(replica.lastSequence)), ("from", time(replica.from)),
      ("to", time(replica.to)), ("stored", .unsigned(replica.stored)),
      ("raw", .unsigned(replica.raw)),
    ])
  }
}
