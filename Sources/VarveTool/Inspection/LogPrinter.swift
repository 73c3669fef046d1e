// Prints transactions for people and as JSON.

import Varve
import VarveFormat

/// Prints what `varve log` walks over.
struct LogPrinter {
  private let context: CommandContext
  private let writer: OutputWriter
  private let style: TextStyle
  private let isLoose: Bool
  private var document: DocumentWriter?
  private var isFirst = true
  private let operations: Bool
  private let stat: Bool
  private let oneline: Bool
  /// What is wrong with transactions that were printed.
  private(set) var findings: [Finding] = []

  init(_ context: CommandContext, isLoose: Bool) throws {
    self.context = context
    self.isLoose = isLoose
    writer = try context.resultWriter()
    style = TextStyle(isEnabled: context.usesColor)
    operations = context.options.flag("ops")
    stat = context.options.flag("stat")
    oneline = context.options.flag("oneline")
    if context.globals.format != .human, !context.options.flag("count") {
      document = try DocumentWriter(
        writer, schema: "varve.log/1", list: "transactions",
        isLines: context.globals.format == .jsonLines)
    }
  }

  // MARK: events

  mutating func transaction(_ logged: LoggedTransaction, _ names: NameBook) throws {
    let facts: TransactionFacts
    do throws(FormatError) {
      facts = try TransactionFacts(logged, checksParts: operations)
    } catch {
      let finding = Finding(
        error.code.description, .corruption, file: logged.path, offset: logged.frameOffset,
        sequence: logged.transaction.sequence, error.message)
      findings.append(finding)
      try damage(nil, finding)
      return
    }
    let problem = facts.finding(logged)
    if let problem { findings.append(problem) }
    if document != nil {
      if let problem { try damage(nil, problem) }
      try document?.add(LogPrinter.members(logged, facts, names))
      if operations { try addOperations(logged, names) }
      return
    }
    if oneline {
      try writer.line(LogPrinter.oneline(logged, facts, style))
    } else {
      try block(logged, facts, names)
    }
    if stat { try statistics(facts, names) }
    if operations { try addOperations(logged, names) }
    if let problem = facts.problem {
      try writer.line("  " + style.red("! \(problem.code): \(problem.message)"))
    }
  }

  mutating func unknown(_ path: String, _ frame: ScannedFrame) throws {
    let type = frame.header.type.rawValue
    let bytes = frame.header.storedLength
    if document != nil {
      try document?.add(
        [
          ("type", .integer(Int64(type))), ("bytes", .integer(Int64(bytes))),
          ("file", .string(path)), ("offset", .unsigned(frame.offset)),
        ], schema: "varve.unknown/1")
      return
    }
    separate()
    let kind = hexadecimal(UInt64(type), width: 2)
    try writer.line(
      style.yellow("unknown(kind=0x\(kind), \(bytes) bytes)")
        + " at \(TablePrinter.visible(path))@\(frame.offset)")
  }

  mutating func damage(_ range: DamagedRange?, _ finding: Finding) throws {
    if document != nil {
      var members = finding.members
      if let range { members += LogPrinter.members(range) }
      try document?.add(members, schema: "varve.damage/1")
      return
    }
    separate()
    let isHarmless = finding.severity <= .blemish
    let mark = isHarmless ? style.yellow("!! torn tail") : style.red("!! \(finding.severity.name)")
    var text =
      "\(mark) \(finding.code) at \(TablePrinter.visible(finding.file))@\(finding.offset ?? 0): "
      + TablePrinter.visible(finding.detail)
    if let range, !range.lost.isEmpty {
      text += "; sequences \(range.lost.lowerBound) to \(range.lost.upperBound - 1) are lost"
    }
    if let range, range.isResumed { text += "; reading goes on at \(range.end)" }
    try writer.line(text)
    for lost in range?.incomplete ?? [] {
      let header = try? lost.transaction.decoded().header
      let label = header?.metadata.label.map { " " + ReadableValue.quoted($0) } ?? ""
      try writer.line(
        "   transaction \(lost.transaction.sequence)\(label) lacks "
          + "\(lost.missingParts.count) of \(lost.transaction.partCount) parts")
    }
  }

  private mutating func separate() {
    if !isFirst, !oneline { try? writer.line() }
    isFirst = false
  }

  func count(_ count: Int) throws {
    if context.globals.format == .human {
      try writer.line("\(count)")
    } else {
      try writer.line(
        JSONValue.object([
          ("schema", "varve.count/1"), ("transactions", .integer(Int64(count))),
        ]).text)
    }
  }

  func finish(_ count: Int) throws {
    if let document {
      try document.finish([("count", .integer(Int64(count)))])
    } else if count == 0 {
      try context.note("no transactions")
    }
  }

  // MARK: for people

  /// A transaction in one line.
  static func oneline(
    _ logged: LoggedTransaction, _ facts: TransactionFacts, _ style: TextStyle
  ) -> String {
    let hash = "#" + logged.transaction.hash.description.prefix(Revision.hashDigitsMin)
    let label = facts.header.metadata.label.map { "  " + ReadableValue.quoted($0) } ?? ""
    let origin = facts.header.metadata.origin?.name ?? "-"
    var text = style.yellow(hash) + "  " + style.cyan(logged.shortName)
    text += "  \(ReadableTime.short(logged.transaction.stamp))  \(origin)\(label)  \(facts.changes)"
    text += "  \(HumanText.bytes(logged.storedBytes))\(ratio(logged))"
    return text + marks(logged, style)
  }

  private mutating func block(
    _ logged: LoggedTransaction, _ facts: TransactionFacts, _ names: NameBook
  ) throws {
    separate()
    let hash = "#" + logged.transaction.hash.description.prefix(12)
    try writer.line(
      style.bold("transaction \(logged.shortName)") + "  " + style.yellow(hash)
        + LogPrinter.marks(logged, style))
    let metadata = facts.header.metadata
    try writer.line("  time     \(ReadableTime.rfc3339(logged.transaction.stamp))")
    if let label = metadata.label { try writer.line("  label    \(ReadableValue.quoted(label))") }
    if let author = metadata.author {
      try writer.line("  author   \(ReadableValue.quoted(author))")
    }
    if let origin = metadata.origin { try writer.line("  origin   \(origin.name)") }
    try writer.line("  changes  \(TablePrinter.visible(changes(facts, names)))")
    let place = isLoose ? logged.path : LogPrinter.tail(logged.path)
    let size = HumanText.bytes(logged.storedBytes) + LogPrinter.ratio(logged)
    try writer.line("  place    \(TablePrinter.visible(place))@\(logged.start), \(size)")
  }

  private func changes(_ facts: TransactionFacts, _ names: NameBook) -> String {
    let created = facts.created.map { "+\(HumanText.grouped($0.rows)) \(names.name($0.entity))" }
    let others = facts.operations.filter { $0.name != "create" }
      .map { "\(HumanText.grouped($0.count)) \($0.name)" }
    let all = created + others
    return all.isEmpty ? "none" : all.joined(separator: ", ")
  }

  static func ratio(_ logged: LoggedTransaction) -> String {
    guard logged.storedBytes > 0 else { return "" }
    let ratio = Double(logged.rawBytes) / Double(logged.storedBytes)
    return ratio < 1.05 ? "" : " (\(HumanText.decimal(ratio, digits: 1))x)"
  }

  static func marks(_ logged: LoggedTransaction, _ style: TextStyle) -> String {
    var marks = ""
    if logged.isBehindGap { marks += "  " + style.red("! behind a gap") }
    if !logged.isDurable { marks += "  " + style.yellow("? not known durable") }
    return marks
  }

  private func statistics(_ facts: TransactionFacts, _ names: NameBook) throws {
    var table = TablePrinter([.init(""), .init("", .right), .init("")])
    for (name, count) in facts.operations { table.add(["  ", HumanText.grouped(count), name]) }
    for (entity, rows) in facts.created {
      table.add(["  ", HumanText.grouped(rows), "new in \(names.name(entity))"])
    }
    try writer.write(table.render(showsTitles: false))
  }

  private mutating func addOperations(_ logged: LoggedTransaction, _ names: NameBook) throws {
    var index: Int64 = 0
    var failure: OutputError?
    // What cannot be decoded is said once, with the transaction.
    try? OperationStream.forEach(logged.transaction, parts: logged.parts) { operation in
      guard failure == nil else { return }
      let text = NamedOperation(operation, names: names)
      do throws(OutputError) {
        if document != nil {
          let place: [(String, JSONValue)] = [
            ("tx", .string(logged.name)), ("index", .integer(index)),
          ]
          try document?.add(place + text.members, schema: "varve.op/1")
        } else {
          try writer.line("    " + TablePrinter.visible(text.line))
        }
      } catch { failure = error }
      index += 1
    }
    if let failure { throw failure }
  }

  /// The last two components of a path: replica and file.
  static func tail(_ path: String) -> String {
    path.split(separator: "/").suffix(2).joined(separator: "/")
  }

  // MARK: JSON

  /// The stable members of a transaction.
  static func members(
    _ logged: LoggedTransaction, _ facts: TransactionFacts, _ names: NameBook
  ) -> [(String, JSONValue)] {
    let header = facts.header
    let metadata = header.metadata
    let text = { (text: String?) in text.map(JSONValue.string) ?? .null }
    let ops = facts.operations.map { ($0.name, JSONValue.unsigned($0.count)) }
    let types = facts.created.map { (names.name($0.entity), JSONValue.unsigned($0.rows)) }
    let parents = header.dependencies.map {
      JSONValue.object([
        ("index", .integer(Int64($0.index))), ("sequence", .unsigned($0.sequence)),
      ])
    }
    return [
      ("tx", .string(logged.name)), ("replica", .string(logged.replica.description)),
      ("sequence", .unsigned(logged.transaction.sequence)),
      ("hash", .string(logged.transaction.hash.description)),
      ("chain", .string(logged.transaction.chain.description)),
      ("stamp", .string(logged.transaction.stamp.description)),
      ("time", .string(ReadableTime.rfc3339(logged.transaction.stamp))),
      ("label", text(metadata.label)), ("author", text(metadata.author)),
      ("origin", text(metadata.origin?.name)), ("operations", .integer(Int64(header.operations))),
      ("ops", .object(ops)), ("types", .object(types)), ("parents", .array(parents)),
      ("file", .string(logged.path)), ("offset", .unsigned(logged.start)),
      ("frame", .unsigned(logged.frameOffset)), ("end", .unsigned(logged.end)),
      ("stored", .unsigned(logged.storedBytes)), ("raw", .unsigned(logged.rawBytes)),
      ("durable", .bool(logged.isDurable)), ("behindGap", .bool(logged.isBehindGap)),
    ]
  }

  static func members(_ range: DamagedRange) -> [(String, JSONValue)] {
    let incomplete = range.incomplete.map { lost in
      JSONValue.object([
        ("sequence", .unsigned(lost.transaction.sequence)),
        ("hash", .string(lost.transaction.hash.description)),
        ("missingParts", .array(lost.missingParts.map { .integer(Int64($0)) })),
      ])
    }
    return [
      ("end", .unsigned(range.end)), ("resumed", .bool(range.isResumed)),
      ("firstLost", .unsigned(range.lost.lowerBound)),
      ("lost", .integer(Int64(range.lost.count))), ("incomplete", .array(incomplete)),
    ]
  }
}
