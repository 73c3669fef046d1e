// Shows imported tables as text, so that tests read like transcripts.

import Testing
import VarveFormat

@testable import VarveImport

enum ImportText {
  /// Imports a text and shows the result.
  static func show(
    _ text: String, _ options: DelimitedOptions = DelimitedOptions(), windowBytes: Int? = nil
  ) throws -> String {
    try show(bytes: Array(text.utf8), options, windowBytes: windowBytes)
  }

  static func show(
    bytes: [UInt8], _ options: DelimitedOptions = DelimitedOptions(), windowBytes: Int? = nil
  ) throws -> String {
    show(try table(bytes: bytes, options, windowBytes: windowBytes))
  }

  static func table(
    bytes: [UInt8], _ options: DelimitedOptions = DelimitedOptions(), windowBytes: Int? = nil
  ) throws -> ImportedTable {
    var run = DelimitedImport(.bytes(bytes, name: "t.csv"), options: options)
    if let windowBytes { run.sizes.windowBytes = windowBytes }
    let table = try run.table()
    check(table)
    return table
  }

  /// What must hold for every table.
  static func check(_ table: ImportedTable) {
    #expect(table.rowsRead == table.rowsKept + table.problems.count)
    for column in table.columns {
      #expect(column.cells.rows == table.rowsKept)
      if case .bytes(let offsets, let heap, _) = column.cells {
        #expect(offsets.first == 0 && offsets.last.map(Int.init) == heap.count)
        #expect(zip(offsets, offsets.dropFirst()).allSatisfy { $0 <= $1 })
        if column.type == .string { #expect(String(validating: heap, as: UTF8.self) != nil) }
      }
      if let present = column.cells.present { #expect(present.count == table.rowsKept) }
    }
  }

  static func show(_ table: ImportedTable) -> String {
    var lines = [table.columns.map { "\($0.name):\($0.type.name)" }.joined(separator: " ")]
    for row in 0..<table.rowsKept {
      lines.append(table.columns.map { cell($0, row) }.joined(separator: " "))
    }
    lines += table.problems.map(\.description)
    return lines.joined(separator: "\n")
  }

  static func cell(_ column: ImportedColumn, _ row: Int) -> String {
    if let present = column.cells.present, !present[row] { return "nil" }
    switch column.cells {
    case .words(let words, _):
      let word = words[row]
      switch column.type {
      case .bool: return word == 0 ? "false" : word == 1 ? "true" : "bad bool"
      case .double: return "\(Double(bitPattern: word))"
      case .unsigned: return "\(word)"
      default: return "\(Int64(bitPattern: word))"
      }
    case .bytes(let offsets, let heap, _):
      let bytes = heap[Int(offsets[row])..<Int(offsets[row + 1])]
      if column.type == .string { return "\"\(String(decoding: bytes, as: UTF8.self))\"" }
      return hexadecimal(bytes)
    }
  }
}

/// Values that tests write in one expression.
func options(_ change: (inout DelimitedOptions) -> Void) -> DelimitedOptions {
  var options = DelimitedOptions()
  change(&options)
  return options
}

/// The bytes of a text as a field.
func withField<R>(_ text: String, isQuoted: Bool = false, _ body: (FieldBytes) -> R) -> R {
  // One byte more, so that there is an address even for an empty text.
  (Array(text.utf8) + [0]).withUnsafeBufferPointer { bytes in
    guard let base = bytes.baseAddress else { preconditionFailure("the array is not empty") }
    return body(FieldBytes(base: base, count: bytes.count - 1, isQuoted: isQuoted))
  }
}
