// A tokenizer with a header: rows of the right number of fields, or problems.

/// Reads the rows of one pass over a text.
final class RowReader {
  let tokenizer: DelimitedTokenizer
  let columns: [ColumnPlan]
  /// What cells without a value look like.
  let nilMarkers: NilMarkers
  /// Whether the first row was read to count its fields and is still to be handed out.
  private var isFirstPending = false
  /// Rows so far, problems included.
  private(set) var rowsRead = 0

  init(
    _ source: TextSource, _ options: DelimitedOptions, sizes: TokenizerSizes = TokenizerSizes()
  ) throws(ImportError) {
    nilMarkers = NilMarkers(options.nilMarkers)
    let tokenizer = try DelimitedTokenizer(source, options, sizes: sizes)
    self.tokenizer = tokenizer
    switch try tokenizer.advance() {
    case .end:
      throw ImportError(.empty, "there is nothing to import, not even a header", path: source.path)
    case .problem(_, let message):
      throw ImportError(
        .badHeader, "the first row cannot be read: \(message)", path: source.path,
        offset: tokenizer.rowOffset)
    case .row: break
    }
    let count = tokenizer.fieldCount
    var header: [String]?
    if options.hasHeader {
      let shown = min(count, DelimitedTokenizer.fieldsMax)
      header = (0..<shown).map { tokenizer.row.field($0).text }
    }
    columns = try ColumnPlan.columns(
      header: header, count: count, options: options, path: source.path)
    isFirstPending = !options.hasHeader
    tokenizer.skipsEmptyLines = columns.count > 1
  }

  /// What came next.
  enum Event {
    case row
    case problem(RowProblem)
    case end
  }

  /// Goes to the next row.
  @inline(__always)
  func advance() throws(ImportError) -> Event {
    let event = isFirstPending ? .row : try tokenizer.advance()
    isFirstPending = false
    switch event {
    case .row:
      rowsRead &+= 1
      let count = tokenizer.fieldCount
      if count == columns.count { return .row }
      return .problem(ragged(count))
    case .problem(let code, let message):
      rowsRead &+= 1
      return .problem(problem(code, message))
    case .end: return .end
    }
  }

  private func ragged(_ count: Int) -> RowProblem {
    problem(
      count < columns.count ? .missing : .extra,
      "\(count) \(count == 1 ? "field" : "fields") where the table has \(columns.count) columns")
  }

  /// A problem of the current row.
  func problem(_ code: RowProblem.Code, _ message: String, column: Int? = nil) -> RowProblem {
    RowProblem(
      row: rowsRead, offset: tokenizer.rowOffset, code: code,
      column: column.map { columns[$0].name },
      message: message, raw: tokenizer.rawRow)
  }
}
