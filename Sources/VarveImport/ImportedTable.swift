// The result of an import: typed columns and the rows that were left out.

import VarveFormat

/// One column of an imported table.
package struct ImportedColumn: Sendable {
  package var name: String
  package var type: PhysicalType
  package var cells: ColumnCells

  package init(name: String, type: PhysicalType, cells: ColumnCells) {
    self.name = name
    self.type = type
    self.cells = cells
  }
}

/// A table, or one batch of its rows.
package struct ImportedTable: Sendable {
  /// The name of the entity.
  package var name: String
  package var columns: [ImportedColumn]
  /// Rows that were read, which is `rowsKept` and one for each problem.
  package var rowsRead: Int
  /// Rows that the columns hold.
  package var rowsKept: Int
  /// The other rows, in order.
  package var problems: [RowProblem]
  /// The offset behind the last row in the (decompressed) text.
  package var endOffset: UInt64
  /// Bytes of the (compressed) file that were read so far, for progress.
  package var fileOffset: UInt64
}
