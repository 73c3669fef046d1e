// `varve show`: one transaction in full.

import Varve
import VarveFormat

extension CommandSpec {
  static let show = CommandSpec(
    name: "show", section: "Inspection", summary: "print one transaction in full",
    discussion: """
      REV is REPLICA:SEQUENCE (the replica by the start of its id), a SEQUENCE when there is one \
      replica, #HASH with at least six hexadecimal digits, or HEAD for the newest transaction. \
      Columns of a bulk transaction are shown as rows.
      """,
    options: [
      OptionSpec("rows", .integer("N", 0...Int.max), help: "rows of columns to show (default 10)")
    ],
    arguments: [
      ArgumentSpec("REV", help: "which transaction"),
      ArgumentSpec("STORE", .optional, help: "a store directory or a segment file"),
    ],
    examples: [
      ExampleSpec("varve show HEAD my.store", "the newest transaction"),
      ExampleSpec("varve show '#9f31c0' my.store --rows 3", "one by its hash"),
    ],
    exits: [ExitSpec(.done), ExitSpec(.negativeAnswer, "there is no such transaction")]
      + ExitSpec.inspection.dropFirst()
  ) { context in
    let disk = PosixDisk()
    let target = try StoreTarget.resolve(
      context.command.argument("STORE"), context, disk: disk)
    let set = try LogSet.open(target, disk: disk)
    let word = context.command.argument("REV") ?? "HEAD"
    let finder = try TransactionFinder(set, disk: disk, word: word)
    guard let found = try finder.find() else {
      try context.errors.line("varve: there is no transaction \(word) in \(target.path)")
      let code = (set.findings + finder.findings).exitCode(strict: context.globals.isStrict)
      guard code == .corruption else { return .negativeAnswer }
      try context.note("but there is damage; try \"varve verify \(target.path)\"")
      return code
    }
    let problem = try TransactionPage(context, found.logged, found.names).print()
    let findings = set.findings + finder.findings + (problem.map { [$0] } ?? [])
    if findings.contains(where: { $0.severity > .note }) {
      try context.note("there are findings; try \"varve verify \(target.path)\"")
    }
    return findings.exitCode(strict: context.globals.isStrict)
  }
}

/// Looks for one transaction.
private final class TransactionFinder {
  private let set: LogSet
  private let disk: PosixDisk
  private let revision: Revision
  private let word: String
  private(set) var findings: [Finding] = []

  init(_ set: LogSet, disk: PosixDisk, word: String) throws {
    self.set = set
    self.disk = disk
    self.word = word
    let parsed = try Revision(word, replicas: set.logs.map(\.replica))
    if case .position(nil, let sequence) = parsed, set.logs.count == 1 {
      revision = .position(replica: set.logs[0].replica, sequence: sequence)
    } else {
      revision = parsed
    }
  }

  func find() throws -> (logged: LoggedTransaction, names: NameBook)? {
    var limited = set
    if case .position(let replica, let sequence) = revision {
      guard let replica else {
        throw UsageError(
          .badArgument, "there are several replicas; which one has sequence \(word)?",
          hint: "Write REPLICA:SEQUENCE.")
      }
      limited.logs = limited.logs.filter { $0.replica == replica }
      limited.logs = limited.logs.map { TransactionFinder.narrowed($0, to: sequence) }
    }
    let walk = LogWalk(limited, disk: disk, isReversed: revision == .head, keepsColumns: true)
    var found: (LoggedTransaction, NameBook)?
    while let event = try walk.next() {
      guard case .transaction(let logged) = event, matches(logged) else { continue }
      guard found == nil else {
        throw UsageError(
          .badArgument, "\(word) is the start of several hashes", hint: "Give more digits.")
      }
      found = (logged, walk.names)
      if case .hash = revision { continue }
      break
    }
    findings = walk.findings
    return found
  }

  /// Only the segment that can hold a sequence.
  private static func narrowed(_ log: ReplicaLog, to sequence: UInt64) -> ReplicaLog {
    let index = log.places.lastIndex { $0.header.firstSequence <= sequence }
    return ReplicaLog(replica: log.replica, places: index.map { [log.places[$0]] } ?? [])
  }

  private func matches(_ logged: LoggedTransaction) -> Bool {
    switch revision {
    case .head: true
    case .position(_, let sequence): logged.transaction.sequence == sequence
    case .hash(let prefix): logged.transaction.hash.description.hasPrefix(prefix)
    }
  }
}

/// A transaction with operations, values, columns and place.
private struct TransactionPage {
  let context: CommandContext
  let logged: LoggedTransaction
  let names: NameBook
  let rows: Int

  init(_ context: CommandContext, _ logged: LoggedTransaction, _ names: NameBook) {
    self.context = context
    self.logged = logged
    self.names = names
    rows = context.options.integer("rows") ?? 10
  }

  /// Prints it; what is wrong with it.
  func print() throws -> Finding? {
    let facts = try TransactionFacts(logged, checksParts: true)
    if context.globals.format == .human {
      try printText(facts)
    } else {
      try printJSON(facts)
    }
    return facts.finding(logged)
  }

  // MARK: for people

  private func printText(_ facts: TransactionFacts) throws {
    let writer = try context.resultWriter()
    let style = TextStyle(isEnabled: context.usesColor)
    try writer.line(style.bold("transaction \(logged.name)") + LogPrinter.marks(logged, style))
    for (key, value) in lines(facts) {
      let padding = String(repeating: " ", count: max(10 - key.count, 1))
      try writer.line("  \(key)\(padding)\(TablePrinter.visible(value))")
    }
    if let problem = facts.problem {
      try writer.line("  ! \(problem.code): \(problem.message)")
    }
    try writer.line()
    try operations { operation in
      try writer.line(TablePrinter.visible(NamedOperation(operation, names: names).line))
      if case .columns(let columns) = operation, rows > 0 {
        try writer.write(try ColumnRows(columns, logged, names).text(rows: rows))
      }
    }
  }

  private func lines(_ facts: TransactionFacts) -> [(String, String)] {
    let transaction = logged.transaction
    let header = facts.header
    var lines = [
      ("time", "\(ReadableTime.rfc3339(transaction.stamp)), stamp \(transaction.stamp)")
    ]
    if let label = header.metadata.label { lines.append(("label", ReadableValue.quoted(label))) }
    if let author = header.metadata.author {
      lines.append(("author", ReadableValue.quoted(author)))
    }
    if let origin = header.metadata.origin { lines.append(("origin", origin.name)) }
    lines.append(("hash", transaction.hash.description))
    lines.append(("chain", transaction.chain.description))
    let flags = TransactionFlags.names.filter { header.flags.contains($0.0) }.map(\.1)
    if !flags.isEmpty { lines.append(("flags", flags.joined(separator: ", "))) }
    for entry in header.dictionary {
      if case .replica(let replica) = entry.name {
        lines.append(("index \(entry.index)", replica.description))
      }
    }
    for position in header.dependencies {
      lines.append(("needs", "\(position.index):\(position.sequence)"))
    }
    let counts = facts.operations.map { "\(HumanText.grouped($0.count)) \($0.name)" }
    lines.append(("counts", counts.joined(separator: ", ")))
    lines.append(("file", logged.path))
    let parts = logged.parts.isEmpty ? "" : ", \(logged.parts.count) parts before it"
    lines.append(
      ("place", "bytes \(logged.start) to \(logged.end), TX frame at \(logged.frameOffset)\(parts)")
    )
    lines.append(
      (
        "size",
        "\(HumanText.bytes(logged.storedBytes)) stored, \(HumanText.bytes(logged.rawBytes)) raw"
      ))
    return lines
  }

  /// Operations one by one; what cannot be decoded is in the facts.
  private func operations(_ body: (Operation) throws -> Void) throws {
    var failure: (any Error)?
    try? OperationStream.forEach(logged.transaction, parts: logged.parts) { operation in
      guard failure == nil else { return }
      do { try body(operation) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  // MARK: JSON

  private func printJSON(_ facts: TransactionFacts) throws {
    let writer = try context.resultWriter()
    var list: [JSONValue] = []
    try operations { operation in
      var members = NamedOperation(operation, names: names).members
      if case .columns(let columns) = operation, rows > 0 {
        members.append(("sample", try ColumnRows(columns, logged, names).json(rows: rows)))
      }
      list.append(.object(members))
    }
    let members: [(String, JSONValue)] =
      [("schema", "varve.show/1")] + LogPrinter.members(logged, facts, names)
      + [
        ("problem", facts.problem.map { .string($0.description) } ?? .null),
        ("list", .array(list)),
      ]
    try writer.line(JSONValue.object(members).text)
  }
}
