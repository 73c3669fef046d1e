// Cuts columns into blocks and puts them into a transaction.

import Dispatch

/// A column to be written.
package struct ColumnInput: Sendable {
  package var attribute: UInt32
  package var type: PhysicalType
  package var cells: ColumnCells
  package var hasExplicitNil = false
  package var target: UInt32 = 0

  package init(_ attribute: UInt32, _ type: PhysicalType, _ cells: ColumnCells) {
    self.attribute = attribute
    self.type = type
    self.cells = cells
  }
}

extension TransactionBuilder {
  /// Adds a columns operation and its parts.
  ///
  /// Blocks are encoded on all cores.
  ///
  /// - Throws: `badLength` when a cell is longer than a column may hold, or there are too many
  ///   rows, columns or parts.
  package mutating func addColumns(
    form: ColumnsOperation.Form, entity: UInt32, rows: Int,
    identifiers: ColumnsOperation.Identifiers, columns: [ColumnInput]
  ) throws(FormatError) {
    precondition(columns.allSatisfy { $0.cells.rows == rows }, "all columns have all rows")
    guard rows >= 1, rows <= Limits.columnsRowsMax, columns.count <= Limits.columnsMax else {
      throw FormatError(.badLength, "\(rows) rows of \(columns.count) columns in one operation")
    }
    let blockRows = try ColumnsCutter.blockRows(columns)
    var list: [ColumnsOperation.Column] = []
    for (index, input) in columns.enumerated() {
      let isKey = index < ColumnsCutter.leadingColumns(form, identifiers)
      guard !isKey else { continue }
      var column = ColumnsOperation.Column(attribute: input.attribute, type: input.type)
      column.hasExplicitNil = input.hasExplicitNil
      column.target = input.target
      list.append(column)
    }
    let operation = ColumnsOperation(
      form: form, entity: entity, rows: rows, blockRows: blockRows, identifiers: identifiers,
      firstPart: nextPart, columns: list)
    guard nextPart + operation.partCount <= Limits.partsMax else {
      throw FormatError(.badLength, "\(operation.partCount) parts in one transaction")
    }
    let parts = ColumnsCutter.encode(operation, columns)
    add(.columns(operation))
    for part in parts { add(part: part) }
  }
}

/// How rows are cut into blocks.
enum ColumnsCutter {
  /// Columns in front that are not attributes: ids and keys.
  static func leadingColumns(
    _ form: ColumnsOperation.Form, _ identifiers: ColumnsOperation.Identifiers
  ) -> Int {
    switch identifiers {
    case .run: 0
    case .references: 1
    case .identities: form == .create ? 2 : 1
    }
  }

  /// The largest number of rows a block with which every block fits a frame.
  static func blockRows(_ columns: [ColumnInput]) throws(FormatError) -> Int {
    for column in columns { try checkCells(column) }
    for candidate in [Limits.blockRowsMax, Limits.groupRows, 64] {
      var fits = true
      for column in columns where fits {
        fits = try self.fits(column, candidate)
      }
      if fits { return candidate }
    }
    throw FormatError(.badLength, "cells are too long for columns")
  }

  private static func checkCells(_ column: ColumnInput) throws(FormatError) {
    guard case .bytes(let offsets, _, _) = column.cells else { return }
    for row in 0..<column.cells.rows
    where Int(offsets[row + 1]) - Int(offsets[row]) > Limits.cellBytesMax {
      throw FormatError(
        .badLength,
        "row \(row) has a cell of \(offsets[row + 1] - offsets[row]) bytes; columns hold cells of "
          + "at most \(Limits.cellBytesMax) bytes")
    }
  }

  private static func fits(_ column: ColumnInput, _ blockRows: Int) throws(FormatError) -> Bool {
    guard case .bytes(let offsets, _, _) = column.cells else { return true }
    // Room for lengths and codes at their widest.
    let heapMax = Limits.frameRawBytesMax - blockRows * 9 - (16 << 10)
    var start = 0
    while start < column.cells.rows {
      let end = min(start + blockRows, column.cells.rows)
      if Int(offsets[end]) - Int(offsets[start]) > heapMax {
        guard blockRows > 64 else {
          throw FormatError(.badLength, "rows \(start)..<\(end) are too long for a column")
        }
        return false
      }
      start = end
    }
    return true
  }

  /// Encodes all blocks, block by block and column by column, on all cores.
  static func encode(_ operation: ColumnsOperation, _ columns: [ColumnInput]) -> [EncodedPart] {
    let partColumns = operation.partColumns
    let count = operation.partCount
    let results = PartResults(count: count)
    let body: @Sendable (Int) -> Void = { index in
      let column = index % columns.count
      let start = index / columns.count * operation.blockRows
      let end = min(start + operation.blockRows, operation.rows)
      let raw = ColumnBlockEncoder.encode(
        columns[column].cells, rows: start..<end, entity: operation.entity,
        attribute: partColumns[column].attribute, type: partColumns[column].type)
      let header = try? ColumnBlockDecoder.header(of: raw)
      results.set(index, EncodedPart(frameType: .columnBlock, raw: raw, column: header))
    }
    if count == 1 {
      body(0)
    } else {
      DispatchQueue.concurrentPerform(iterations: count, execute: body)
    }
    return results.all
  }
}

/// Slots that threads fill, each its own.
private final class PartResults: @unchecked Sendable {
  private let slots: UnsafeMutableBufferPointer<EncodedPart?>

  init(count: Int) {
    slots = .allocate(capacity: count)
    slots.initialize(repeating: nil)
  }

  deinit {
    slots.deinitialize()
    slots.deallocate()
  }

  // SAFETY: every index is written by one thread only, and read after all have finished.
  func set(_ index: Int, _ part: EncodedPart) { slots[index] = part }
  var all: [EncodedPart] { slots.compactMap { $0 } }
}
