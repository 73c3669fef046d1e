// A row that was not imported, and why.

/// One rejected row.
package struct RowProblem: Sendable, Equatable {
  /// Why a row is rejected.
  package enum Code: String, Sendable, CaseIterable {
    /// A cell does not fit the type of its column.
    case cast = "E-CAST"
    /// Fewer fields than columns.
    case missing = "E-MISSING"
    /// More fields than columns.
    case extra = "E-EXTRA"
    /// Quotes that do not match.
    case quote = "E-QUOTE"
    /// Bytes that are not UTF-8, or a NUL byte.
    case utf8 = "E-UTF8"
    /// A cell or row that is too long.
    case long = "E-LONG"
  }

  /// The number of the row, from 1, without the header, comments and empty lines.
  package var row: Int
  /// The offset of the row's first byte in the (decompressed) text.
  package var offset: UInt64
  /// Why.
  package var code: Code
  /// The column, when it is one column's fault.
  package var column: String?
  /// What was found, in one line.
  package var message: String
  /// The row as it stands in the input, without its line end; at most `ImportLimits.rawBytesMax`
  /// bytes of it.
  package var raw: [UInt8]

  package init(
    row: Int, offset: UInt64, code: Code, column: String? = nil, message: String, raw: [UInt8] = []
  ) {
    self.row = row
    self.offset = offset
    self.code = code
    self.column = column
    self.message = message
    self.raw = raw
  }
}

extension RowProblem: CustomStringConvertible {
  package var description: String {
    let place = column.map { ", column \"\($0)\"" } ?? ""
    return "row \(row) at byte \(offset)\(place): \(code.rawValue): \(message)"
  }
}
