// Options as command lines spell them.

extension DelimitedOptions {
  /// Sets the type of a column from `column=Type`.
  ///
  /// Both sides may hold equals signs: the first one with a type behind it counts.
  package mutating func setType(_ assignment: String) throws(ImportError) {
    var rest = assignment[...]
    while let equals = rest.firstIndex(of: "=") {
      rest = rest[rest.index(after: equals)...]
      if let type = ColumnType(named: String(rest)) {
        types[String(assignment[..<equals])] = type
        return
      }
    }
    throw ImportError(
      .badType,
      "\"\(assignment)\" is not column=Type with one of the types "
        + ColumnType.words.joined(separator: ", "))
  }

  /// The byte that `text` spells: one ASCII character, or `\t` or `tab`.
  package static func byte(_ text: String) throws(ImportError) -> UInt8 {
    if text == "\\t" || text.lowercased() == "tab" { return UInt8(ascii: "\t") }
    guard text.utf8.count == 1, let byte = text.utf8.first, byte < 0x80 else {
      throw ImportError(.badOption, "\"\(text)\" is not one ASCII character or \\t")
    }
    return byte
  }
}
