// Writes imported tables into a store as columnar transactions.

import Varve
import VarveFormat
import VarveImport

/// More rows were rejected than allowed.
struct TooManyRejects: Error {
  var message: String
}

/// Imports sources one after the other.
final class StoreImporter {
  /// What holds for all sources.
  struct Settings {
    var label: String?
    var author: String?
    /// Rows of a transaction; nil puts a whole source into one.
    var batchRows: Int?
    var maxErrors = 100
  }

  /// Rows that are read and encoded at a time when a source is one transaction.
  private static let pieceRows = 1 << 20
  /// Parts from which on a source needs another transaction.
  private static let partsMax = Limits.partsMax / 2

  private let target: ImportTarget?
  private let settings: Settings
  private var knowledge: StoreKnowledge
  private var registry = InferredTagRegistry()
  private var builder: TransactionBuilder? = TransactionBuilder()
  private(set) var report: ImportReport
  /// Sees the rows that were left out.
  var onReject: ((RowProblem, String) throws -> Void)?
  /// Sees the report after each commit.
  var onCommit: ((ImportReport) -> Void)?
  /// Sees how many rows were read so far.
  var onProgress: ((UInt64) -> Void)?

  /// Without a target nothing is written: a dry run.
  init(
    target: ImportTarget?, knowledge: StoreKnowledge, settings: Settings, report: ImportReport
  ) {
    self.target = target
    self.knowledge = knowledge
    self.settings = settings
    self.report = report
  }

  /// Reads a source and commits it.
  ///
  /// - Throws: `TooManyRejects` after the limit; what was committed before stays.
  func read(_ source: ImportSource, name: String?, options: DelimitedOptions) throws {
    let importer = DelimitedImport(source, name: name, options: options)
    report.tables.append(ImportReport.Table(source: source.name, entity: importer.name))
    builder = TransactionBuilder()
    let names = knowledge.names
    let rows = min(settings.batchRows ?? StoreImporter.pieceRows, Limits.columnsRowsMax)
    try importer.forEachBatch(ofRows: rows) { table in
      try self.add(table)
      // Declarations wait for rows that need them.
      let hasRows = self.report.tables[self.current].kept > 0
      if self.settings.batchRows != nil, hasRows { try self.commit() }
    }
    if report.tables[current].kept == 0, report.tables[current].rejected > 0 {
      // What nobody could use is not declared.
      builder = TransactionBuilder()
      knowledge.names = names
      return
    }
    try commit()
  }

  private var current: Int { report.tables.count - 1 }

  private func add(_ table: ImportedTable) throws {
    let next = try EntityPlan(table, names: knowledge.names, registry: &registry)
    report.tables[current].tag = next.tag
    report.tables[current].read += table.rowsRead
    report.tables[current].rejected += table.problems.count
    try reject(table.problems)
    let hints = table.columns.compactMap { StoreImporter.typeHint($0.name) }
    for warning in next.warnings + hints where !report.warnings.contains(warning) {
      report.warnings.append(warning)
    }
    mergeColumns(next)
    for schema in next.schema {
      knowledge.names.learn(schema)
      if target != nil { builder?.add(.schema(schema)) }
    }
    report.tables[current].kept += table.rowsKept
    onProgress?(UInt64(report.read))
    guard table.rowsKept > 0, let target else { return }
    if let parts = builder?.nextPart, parts > StoreImporter.partsMax { try commit() }
    let first = knowledge.lastSerial(target.replica, next.tag) + 1
    if report.tables[current].firstSerial == 0 { report.tables[current].firstSerial = first }
    let columns = zip(table.columns, next.columns).map { column, planned in
      ColumnInput(planned.tag, column.type, column.cells)
    }
    try builder?.addColumns(
      form: .create, entity: next.tag, rows: table.rowsKept,
      identifiers: .run(index: 0, firstSerial: first), columns: columns)
    report.tables[current].operations += 1
    knowledge.note(target.replica, next.tag, first + UInt64(table.rowsKept) - 1)
  }

  /// A column whose name looks as if it should have given a type.
  private static func typeHint(_ name: String) -> String? {
    guard let colon = name.lastIndex(of: ":") else { return nil }
    let word = name[name.index(after: colon)...]
    guard !word.isEmpty, word.allSatisfy({ $0.isASCII && $0.isLetter }),
      ColumnType(named: String(word)) == nil
    else { return nil }
    let suggestion = Suggestion.closest(to: String(word), among: ColumnType.words)
    return "\"\(word)\" in the header \"\(name)\" is no type, so it is part of the name"
      + Suggestion.question(suggestion)
  }

  /// The columns of the report: what an earlier batch declared stays new.
  private func mergeColumns(_ plan: EntityPlan) {
    let before = report.tables[current].columns
    guard !before.isEmpty else {
      report.tables[current].columns = plan.columns
      return
    }
    for index in plan.columns.indices {
      report.tables[current].columns[index].isOptional =
        before[index].isOptional || plan.columns[index].isOptional
    }
  }

  private func reject(_ problems: [RowProblem]) throws {
    for problem in problems {
      report.note(problem, report.tables[current].source)
      try onReject?(problem, report.tables[current].source)
    }
    guard report.rejected > settings.maxErrors else { return }
    let committed = report.tables.last?.sequences.count ?? 0
    let kept =
      committed > 0
      ? "\(committed) transactions of it were committed before"
      : "nothing of it was committed"
    throw TooManyRejects(
      message: "more than \(settings.maxErrors) rows were rejected; stopped in "
        + "\(report.tables[current].source): \(kept)")
  }

  /// Commits what was collected.
  private func commit() throws {
    guard var finished = builder.take() else { return }
    builder = TransactionBuilder()
    guard let target, !finished.isEmpty else { return }
    finished.metadata = Metadata(
      author: settings.author,
      label: settings.label ?? "import \(report.tables[current].source.lastPathComponent)",
      origin: .imported)
    let before = target.bytes
    let position = try target.commit(try finished.finish())
    report.tables[current].sequences.append(position.sequence)
    report.logBytes += target.bytes - before
    report.replica = position.replica.description
    onCommit?(report)
  }

  /// Ends the report.
  func finish(elapsed: Duration, stopped: String?) -> ImportReport {
    report.elapsed = elapsed
    report.stopped = stopped
    return report
  }
}

extension String {
  /// What stands behind the last slash.
  var lastPathComponent: String { split(separator: "/").last.map(String.init) ?? self }
}
