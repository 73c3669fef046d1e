// What an import did, for people and scripts.

import VarveFormat
import VarveImport

/// Counts of an import.
struct ImportReport {
  /// One source.
  struct Table {
    var source: String
    var entity: String
    var tag: UInt32 = 0
    var read = 0
    var kept = 0
    var rejected = 0
    var columns: [PlannedColumn] = []
    var firstSerial: UInt64 = 0
    var sequences: [UInt64] = []
    var operations = 0
  }

  /// A row that was left out.
  struct Problem {
    var source: String
    var row: RowProblem
  }

  /// Rejected rows that are explained; the file of `--rejects` has all of them.
  static let problemsMax = 10

  var store: String
  var isDryRun: Bool
  /// The file that has all rejected rows.
  var rejects: String?
  /// The first rejected rows.
  private(set) var problems: [Problem] = []
  var tables: [Table] = []
  var warnings: [String] = []
  var logBytes: UInt64 = 0
  var replica = ""
  var elapsed = Duration.zero
  /// Why the import ended early.
  var stopped: String?

  var read: Int { tables.reduce(0) { $0 + $1.read } }
  var kept: Int { tables.reduce(0) { $0 + $1.kept } }
  var rejected: Int { tables.reduce(0) { $0 + $1.rejected } }
  var transactions: Int { tables.reduce(0) { $0 + $1.sequences.count } }

  /// How the import ends when all of it was read and reported.
  var exitCode: ExitCode { rejected > 0 ? .partialSuccess : .done }

  private var seconds: Double {
    Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
  }

  private var bytesPerRow: Double { kept > 0 ? Double(logBytes) / Double(kept) : 0 }

  private var rowsPerSecond: Double { seconds > 0 ? Double(read) / seconds : 0 }

  init(store: String, isDryRun: Bool) {
    self.store = store
    self.isDryRun = isDryRun
  }

  /// Remembers a rejected row as long as there is room.
  mutating func note(_ problem: RowProblem, _ source: String) {
    if problems.count < ImportReport.problemsMax {
      problems.append(Problem(source: source, row: problem))
    }
  }

  /// The first rejected rows, a line each.
  private var reasons: String {
    var text = ""
    for problem in problems {
      text += TablePrinter.visible("rejected \(problem.source): \(problem.row)") + "\n"
    }
    if rejected > problems.count {
      let place = rejects.map { "\($0) has them all" } ?? "--rejects FILE keeps them all"
      text += TablePrinter.visible(
        "and \(HumanText.grouped(rejected - problems.count)) more; \(place)")
      text += "\n"
    }
    return text
  }

  /// The summary that goes to standard error.
  var text: String {
    var table = TablePrinter([
      .init("ENTITY"), .init("ROWS", .right), .init("REJECTED", .right), .init("COLUMNS", .right),
      .init("TRANSACTIONS"), .init("SOURCE"),
    ])
    for entry in tables {
      let sequences =
        entry.sequences.isEmpty
        ? "none"
        : entry.sequences.count == 1
          ? "\(entry.sequences[0])"
          : "\(entry.sequences[0]) to \(entry.sequences[entry.sequences.count - 1])"
      table.add([
        entry.entity, HumanText.grouped(entry.kept), HumanText.grouped(entry.rejected),
        "\(entry.columns.count)", isDryRun ? "dry run" : sequences, entry.source,
      ])
    }
    var text = reasons + table.render()
    let rows = "\(HumanText.grouped(read)) rows read"
    text += "\(rows) = \(HumanText.grouped(kept)) kept + \(HumanText.grouped(rejected)) rejected"
    if isDryRun { return text + "; dry run, nothing was written\n" }
    text += "; \(HumanText.bytes(logBytes)) of log"
    if kept > 0 { text += ", \(HumanText.decimal(bytesPerRow, digits: 1)) bytes a row" }
    text += "; \(HumanText.duration(elapsed))"
    if seconds > 0 { text += ", \(HumanText.grouped(Int(rowsPerSecond))) rows/s" }
    return text + "\n"
  }

  var json: JSONValue {
    .object([
      ("schema", "varve.import/1"), ("store", .string(store)), ("replica", .string(replica)),
      ("dryRun", .bool(isDryRun)), ("read", .integer(Int64(read))),
      ("kept", .integer(Int64(kept))), ("rejected", .integer(Int64(rejected))),
      ("transactions", .integer(Int64(transactions))), ("bytes", .unsigned(logBytes)),
      ("bytesPerRow", .double(bytesPerRow)), ("seconds", .double(seconds)),
      ("rowsPerSecond", .double(rowsPerSecond)),
      ("stopped", stopped.map(JSONValue.string) ?? .null),
      ("warnings", .array(warnings.map(JSONValue.string))),
      ("problems", .array(problems.map { .object($0.row.members($0.source)) })),
      ("entities", .array(tables.map(ImportReport.json))),
    ])
  }

  private static func json(_ table: Table) -> JSONValue {
    let columns = table.columns.map { column in
      JSONValue.object([
        ("name", .string(column.name)), ("tag", .integer(Int64(column.tag))),
        ("type", .string(column.type.name)), ("optional", .bool(column.isOptional)),
        ("new", .bool(column.isNew)),
      ])
    }
    return .object([
      ("entity", .string(table.entity)), ("tag", .integer(Int64(table.tag))),
      ("source", .string(table.source)), ("read", .integer(Int64(table.read))),
      ("kept", .integer(Int64(table.kept))), ("rejected", .integer(Int64(table.rejected))),
      ("firstSerial", .unsigned(table.firstSerial)),
      ("sequences", .array(table.sequences.map(JSONValue.unsigned))),
      ("columns", .array(columns)),
    ])
  }
}

extension RowProblem {
  /// The stable members of a rejected row, apart from its text.
  func members(_ source: String) -> [(String, JSONValue)] {
    [
      ("source", .string(source)), ("row", .integer(Int64(row))), ("offset", .unsigned(offset)),
      ("column", column.map(JSONValue.string) ?? .null), ("code", .string(code.rawValue)),
      ("message", .string(message)),
    ]
  }
}
