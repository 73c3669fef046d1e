// Delimited text -> typed columns, whole or in batches.

/// An import of one delimited text.
///
/// Types that are not given are inferred from *all* values, in a pass of its own: a regular file is
/// read twice; what cannot be read twice (standard input, a pipe) is kept in memory, at most
/// `spoolBytesMax` bytes of it as they come (compressed bytes stay compressed), and refused beyond.
/// When all types are given, everything is read once.
package struct DelimitedImport: Sendable {
  private let source: ImportSource
  /// The name of the entity.
  package let name: String
  private let options: DelimitedOptions
  private let spoolBytesMax: Int
  /// Sizes of the tokenizer's memory; tests make them small.
  var sizes = TokenizerSizes()
  var batchBytesMax = ImportLimits.batchBytesMax

  /// An import of `source`.
  ///
  /// Without a name, the entity is named after the file.
  package init(
    _ source: ImportSource, name: String? = nil, options: DelimitedOptions = DelimitedOptions(),
    spoolBytesMax: Int = ImportLimits.spoolBytesMax
  ) {
    self.source = source
    self.name = name ?? EntityName.infer(fromPath: source.path)
    self.options = options
    self.spoolBytesMax = spoolBytesMax
  }

  /// The columns with their types, given or inferred.
  ///
  /// Standard input is used up.
  package func inferredColumns() throws(ImportError) -> [ColumnPlan] {
    let reader = try RowReader(TextSource(source), options, sizes: sizes)
    guard reader.columns.contains(where: { $0.type == nil }) else { return reader.columns }
    return try DelimitedImport.inferTypes(reader)
  }

  /// Reads everything.
  package func table() throws(ImportError) -> ImportedTable {
    var assembler = try start()
    while try assembler.step() {}
    return assembler.take()
  }

  /// Reads everything in tables of at most `rows` rows, problems included.
  ///
  /// Memory is bounded by the batch, which ends early after `ImportLimits.batchBytesMax` bytes of
  /// text. There is one batch at least, so that the columns of a text without rows are known.
  ///
  /// - Throws: `ImportError`, and what `body` throws, at once.
  package func forEachBatch(
    ofRows rows: Int, _ body: (ImportedTable) throws -> Void
  ) throws {
    precondition(rows > 0, "a batch has rows")
    var assembler = try start()
    var isFirst = true
    while true {
      var hasMore = true
      while hasMore, assembler.batchRows < rows, assembler.batchBytes < batchBytesMax {
        hasMore = try assembler.step()
      }
      if isFirst || assembler.batchRows > 0 { try body(assembler.take()) }
      isFirst = false
      if !hasMore { return }
    }
  }

  /// Opens the text for the pass that keeps values, with all types known.
  private func start() throws(ImportError) -> TableAssembler {
    let input = try source.open()
    if !source.isRepeatable { input.beginRecord() }
    let reader = try RowReader(TextSource(input), options, sizes: sizes)
    guard reader.columns.contains(where: { $0.type == nil }) else {
      input.endRecord()
      return TableAssembler(reader, name: name, columns: reader.columns)
    }
    if source.isRepeatable { return try repeated(source, DelimitedImport.inferTypes(reader)) }
    guard let bytes = try input.readAll(limit: spoolBytesMax) else {
      throw ImportError(
        .spoolExceeded,
        "more than \(spoolBytesMax) bytes cannot be read twice to infer types; save them "
          + "to a file, or give all columns a type", path: source.name)
    }
    let copy = ImportSource.bytes(bytes, name: source.name)
    let first = try RowReader(TextSource(copy), options, sizes: sizes)
    return try repeated(copy, DelimitedImport.inferTypes(first))
  }

  private func repeated(
    _ source: ImportSource, _ columns: [ColumnPlan]
  ) throws(ImportError) -> TableAssembler {
    let reader = try RowReader(TextSource(source), options, sizes: sizes)
    guard reader.columns.map(\.name) == columns.map(\.name) else {
      throw ImportError(
        .badHeader, "the file changed between the two passes over it", path: source.name)
    }
    return TableAssembler(reader, name: name, columns: columns)
  }

  /// Reads all rows for their types only.
  ///
  /// Rows that cannot be cut into the right number of fields do not count.
  private static func inferTypes(_ reader: RowReader) throws(ImportError) -> [ColumnPlan] {
    var columns = reader.columns
    let open = columns.indices.filter { columns[$0].type == nil }
    var inferences = [TypeInference](repeating: TypeInference(), count: open.count)
    while true {
      switch try reader.advance() {
      case .end:
        for (position, index) in open.enumerated() {
          columns[index].type = inferences[position].type
        }
        return columns
      case .problem: continue
      case .row:
        let row = reader.tokenizer.row
        for position in open.indices {
          let field = row.field(open[position])
          if !reader.nilMarkers.isNil(field) { inferences[position].add(field) }
        }
      }
    }
  }
}
