// The header of a text: names and types of its columns.

@_spi(_Unicode) import Swift
import VarveFormat

/// A column before its cells are read.
package struct ColumnPlan: Sendable, Equatable {
  package var name: String
  /// Nil until it is inferred.
  package var type: ColumnType?

  package init(name: String, type: ColumnType? = nil) {
    self.name = name
    self.type = type
  }

  /// A header field: a name, or `name:Type` when what follows the last colon is a type.
  init(header text: String) {
    if let colon = text.lastIndex(of: ":"),
      let type = ColumnType(named: String(text[text.index(after: colon)...]))
    {
      self.init(name: String(text[..<colon]), type: type)
    } else {
      self.init(name: text)
    }
  }

  /// The columns of a text with these header fields, or with `count` fields and no header.
  static func columns(
    header: [String]?, count: Int, options: DelimitedOptions, path: String?
  ) throws(ImportError) -> [ColumnPlan] {
    var plans: [ColumnPlan] = []
    if let names = options.columnNames {
      guard names.count == count else {
        throw ImportError(
          .badHeader, "\(names.count) column names are given and the first row has \(count) fields",
          path: path)
      }
      plans = names.map(ColumnPlan.init(header:))
    } else if let header {
      plans = header.map(ColumnPlan.init(header:))
    } else {
      plans = [ColumnPlan](repeating: ColumnPlan(name: ""), count: count)
    }
    guard plans.count <= Limits.columnsMax else {
      throw ImportError(
        .badHeader, "\(plans.count) columns are more than \(Limits.columnsMax)", path: path)
    }
    // Equality of strings is canonical equivalence, as for tags.
    var numbers: [String: Int] = [:]
    for index in plans.indices {
      if plans[index].name.isEmpty { plans[index].name = "column\(index + 1)" }
      let name = plans[index].name
      guard name.utf8.count <= Limits.labelBytesMax else {
        throw ImportError(
          .badHeader,
          "the name of column \(index + 1) is longer than \(Limits.labelBytesMax) bytes",
          path: path)
      }
      if let other = numbers[name] {
        throw ImportError(
          .badHeader,
          "columns \(other) and \(index + 1) are both named \"\(name)\"; name the columns "
            + "yourself", path: path)
      }
      numbers[name] = index + 1
    }
    for name in options.types.keys.sorted() {
      guard let number = numbers[name] else {
        let known = plans.map(\.name).joined(separator: ", ")
        throw ImportError(
          .badType,
          "a type is given for the column \"\(name)\", which is not there; the columns are "
            + known, path: path)
      }
      plans[number - 1].type = options.types[name]
    }
    if !options.infersTypes {
      for index in plans.indices where plans[index].type == nil { plans[index].type = .string }
    }
    return plans
  }
}
