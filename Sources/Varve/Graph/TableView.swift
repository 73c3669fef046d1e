// A table that does not change any more, for readers. Layer: Graph.

import VarveFormat

/// The rows of one entity in a snapshot.
///
/// A constant of an object: reading a field counts no other references of the table.
final class TableView: Sendable {
  private let table: Table

  init(_ table: Table) { self.table = table }

  @inline(__always)
  func position(_ key: ColumnKey) -> Int? { table.position(key) }

  @inline(__always)
  func linkColumn(_ tag: UInt32) -> Int? { table.linkColumn(tag) }

  /// The entity that links of a column point to.
  func target(_ column: Int) -> UInt32 { table.columns[column].target }

  /// Whether an object can be seen.
  @inline(__always)
  func isVisible(creator: UInt16, serial: UInt64) -> Bool {
    table.isVisible(creator: creator, serial: serial)
  }

  /// The word of an object's cell, or nil.
  @inline(__always)
  func word(_ column: Int, _ handle: Handle) -> UInt64? {
    guard let run = table.locate(creator: handle.creator, serial: handle.serial) else { return nil }
    return table.word(column, run: run, row: Int(handle.serial) &- 1)
  }

  /// The bytes of an object's cell, or nil.
  func bytes(_ column: Int, _ handle: Handle) -> [UInt8]? {
    guard let run = table.locate(creator: handle.creator, serial: handle.serial) else { return nil }
    let row = Int(handle.serial) - 1
    return table.runs[run].groups[row >> 12].bytes(column, row & (Limits.groupRows - 1))
      .map { [UInt8]($0) }
  }
}
