// Limits of imports. See Formats/README.md section 6.

import VarveFormat

/// Limits that bound the memory of an import.
package enum ImportLimits {
  /// A cell of a column.
  package static let cellBytesMax = 60_000
  /// A row of text.
  ///
  /// Quotes that are not closed are noticed here at the latest.
  package static let rowBytesMax = 16 << 20
  /// Bytes that are read at once.
  package static let chunkBytes = 1 << 20
  /// Bytes of standard input (compressed, if it is) that are kept in memory to be read twice.
  package static let spoolBytesMax = 256 << 20
  /// Bytes of a rejected row that a `RowProblem` keeps.
  package static let rawBytesMax = 64 << 10
  /// Bytes of the start of a text that are looked at to tell its encoding.
  package static let sampleBytes = 64 << 10
  /// Bytes of text after which a batch ends early.
  package static let batchBytesMax = 64 << 20
  /// Bytes of one column's cells in one table, since offsets have 32 bits.
  package static let heapBytesMax = Int(UInt32.max)

  /// Traps when the limits contradict each other.
  package static func checkRelations() {
    precondition(cellBytesMax < rowBytesMax, "a row holds a cell")
    precondition(rowBytesMax + 2 * chunkBytes < Int(UInt32.max), "fields have 32-bit offsets")
    precondition(batchBytesMax + rowBytesMax < heapBytesMax, "a batch fits its columns")
    precondition(sampleBytes <= chunkBytes, "the first chunk holds the sample")
    precondition(Limits.columnsMax < rowBytesMax, "a header row holds all columns")
  }
}
