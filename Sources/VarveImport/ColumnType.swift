// What the cells of a column are, and how types are spelled.

import VarveFormat

/// The type of a column of text.
package enum ColumnType: Sendable, Equatable {
  /// How bytes are spelled as text.
  package enum DataSpelling: String, Sendable { case hex, base64 }

  case bool, integer, unsigned, double, decimal, string, uuid
  /// Doubles that may round what the text says.
  case roundedDouble
  case data(DataSpelling)
  case date(DateFormat)

  /// How the values are stored.
  package var physical: PhysicalType {
    switch self {
    case .bool: .bool
    case .integer: .integer
    case .unsigned: .unsigned
    case .double, .roundedDouble: .double
    case .decimal: .decimal
    case .string: .string
    case .uuid: .uuid
    case .data: .data
    case .date: .date
    }
  }

  /// The words that name types, as suggestions.
  package static let words = [
    "bool", "integer", "unsigned", "double", "double(round)", "decimal", "string", "data(hex)",
    "data(base64)", "date", "date(%Y-%m-%d)", "uuid",
  ]

  /// The type that `text` names, whatever the case of its letters, or nil.
  ///
  /// `int`, `uint`, `float` and `text` are accepted too, and so is the pattern of a date in
  /// parentheses.
  package init?(named text: String) {
    let word: String
    var argument: String?
    if let open = text.firstIndex(of: "("), text.last == ")" {
      word = text[..<open].lowercased()
      argument = String(text[text.index(after: open)...].dropLast())
    } else {
      word = text.lowercased()
    }
    switch (word, argument) {
    case ("bool", nil), ("boolean", nil): self = .bool
    case ("integer", nil), ("int", nil): self = .integer
    case ("unsigned", nil), ("uint", nil): self = .unsigned
    case ("double", nil), ("float", nil): self = .double
    case ("double", let argument?), ("float", let argument?):
      guard argument.lowercased() == "round" else { return nil }
      self = .roundedDouble
    case ("decimal", nil): self = .decimal
    case ("string", nil), ("text", nil): self = .string
    case ("uuid", nil): self = .uuid
    case ("data", nil): self = .data(.hex)
    case ("data", let argument?):
      guard let spelling = DataSpelling(rawValue: argument.lowercased()) else { return nil }
      self = .data(spelling)
    case ("date", nil): self = .date(.rfc3339)
    case ("date", let argument?):
      guard let format = DateFormat(pattern: argument) else { return nil }
      self = .date(format)
    default: return nil
    }
  }
}
