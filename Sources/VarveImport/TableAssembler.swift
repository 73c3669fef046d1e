// Rows -> columns: a row is kept whole or not at all.

/// Collects the rows of one pass.
struct TableAssembler {
  private let reader: RowReader
  private let nilMarkers: NilMarkers
  private let name: String
  private let columns: [ColumnPlan]
  private var builders: [ColumnBuilder]
  private var problems: [RowProblem] = []
  private var rowsKept = 0
  /// The offset behind the last row of the batch before.
  private var startOffset: UInt64

  init(_ reader: RowReader, name: String, columns: [ColumnPlan], heapBytesMax: Int? = nil) {
    self.reader = reader
    nilMarkers = reader.nilMarkers
    startOffset = reader.tokenizer.nextOffset
    self.name = name
    self.columns = columns
    builders = columns.map {
      ColumnBuilder($0.type ?? .string, heapBytesMax: heapBytesMax ?? ImportLimits.heapBytesMax)
    }
  }

  /// Rows since the last `take`, problems included.
  var batchRows: Int { rowsKept + problems.count }

  /// Bytes of text since the last `take`.
  var batchBytes: Int { Int(reader.tokenizer.nextOffset - startOffset) }

  /// Reads one row.
  ///
  /// False at the end.
  @inline(__always)
  mutating func step() throws(ImportError) -> Bool {
    switch try reader.advance() {
    case .end: return false
    case .problem(let problem): problems.append(problem)
    case .row: takeRow()
    }
    return true
  }

  private mutating func takeRow() {
    let row = reader.tokenizer.row
    for index in builders.indices {
      let field = row.field(index)
      if nilMarkers.isNil(field) {
        builders[index].appendNil()
        continue
      }
      let outcome = builders[index].append(field)
      if outcome != .kept {
        problems.append(refusal(of: field, outcome, at: index))
        for earlier in 0..<index { builders[earlier].removeLast() }
        return
      }
    }
    rowsKept &+= 1
  }

  @inline(never)
  private func refusal(of field: FieldBytes, _ outcome: CellOutcome, at index: Int) -> RowProblem {
    if outcome == .tooLong {
      return reader.problem(
        .long,
        field.count > ImportLimits.cellBytesMax
          ? "the cell has \(field.count) bytes; at most \(ImportLimits.cellBytesMax) can be stored"
          : "the column has no room for more in one table", column: index)
    }
    let type = columns[index].type?.physical.name ?? "string"
    let inexact = columns[index].type.flatMap { TableAssembler.inexact(field, $0) }
    return reader.problem(
      .cast, "\"\(field.excerpt)\" is no value of type \(type)" + (inexact ?? ""), column: index)
  }

  /// Why a value near to the text is not taken for it; nil when there is none.
  private static func inexact(_ field: FieldBytes, _ type: ColumnType) -> String? {
    switch type {
    case .double where CellParser.double(field) != nil:
      " without rounding; type decimal keeps it, double(round) rounds it"
    case .date(let format) where CellParser.date(field, format, exact: false) != nil:
      ": it has no leap seconds and nine digits of a second; type string keeps it"
    default: nil
    }
  }

  /// The rows so far; collecting starts again.
  mutating func take() -> ImportedTable {
    var imported: [ImportedColumn] = []
    for index in builders.indices {
      imported.append(
        ImportedColumn(
          name: columns[index].name, type: builders[index].type.physical,
          cells: builders[index].take()))
    }
    let table = ImportedTable(
      name: name, columns: imported, rowsRead: batchRows, rowsKept: rowsKept, problems: problems,
      endOffset: reader.tokenizer.nextOffset, fileOffset: reader.tokenizer.fileOffset)
    startOffset = reader.tokenizer.nextOffset
    problems = []
    rowsKept = 0
    return table
  }
}
