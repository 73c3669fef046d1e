// The options of `varve import csv`, and what they mean.

import VarveFormat
import VarveImport

enum ImportOptions {
  static let specs: [OptionSpec] = [
    OptionSpec("into", .text("STORE"), help: "the store to write to; created when absent"),
    OptionSpec("entity", .text("NAME"), help: "the entity; by default the name of the file"),
    OptionSpec(
      "type", .text("COLUMN=TYPE"), repeatable: true,
      help: "the type of a column: " + ColumnType.words.joined(separator: ", ")),
    OptionSpec(
      "null", .text("TEXT"), repeatable: true, help: "an unquoted TEXT means no value"),
    OptionSpec("delimiter", .text("CHAR"), help: "between fields: a character or tab (default ,)"),
    OptionSpec("quote", .text("CHAR"), help: "around fields: a character or none (default \")"),
    OptionSpec("header", .choice("WORD", ["yes", "no"]), help: "whether the first row has names"),
    OptionSpec("comment", .text("CHAR"), help: "skip lines that start with CHAR"),
    OptionSpec("columns", .text("A,B,C"), help: "names of the columns, instead of the header's"),
    OptionSpec("trim", help: "drop spaces and tabs around fields"),
    OptionSpec(
      "batch", .integer("N", 1...Int.max),
      help: "N rows a transaction; by default a source is one transaction"),
    OptionSpec("label", .text("TEXT"), help: "the label of the transactions"),
    OptionSpec(
      "author", .text("NAME"), environment: "VARVE_AUTHOR", help: "the author of the transactions"),
    OptionSpec(
      "into-damaged", help: "write although transactions of the store may be missing"),
    OptionSpec("dry-run", help: "read everything, print the plan, write nothing"),
    OptionSpec("rejects", .text("FILE"), help: "write rejected rows to a new FILE as JSON lines"),
    OptionSpec(
      "max-errors", .integer("N", 0...Int.max), help: "stop after N rejected rows (default 100)"),
  ]

  /// Label and author must fit into the metadata of a transaction.
  static func checkMetadata(_ values: OptionValues) throws(UsageError) {
    // Keys and lengths, the origin, and the label that an import chooses itself.
    let reserve = 1_024
    let limit = Limits.metadataBytesMax - reserve
    var total = 0
    for option in ["label", "author"] {
      total += values.value(option)?.utf8.count ?? 0
      guard total <= limit else {
        throw UsageError(
          .badValue,
          "option --\(option) is too long: label and author have \(total) bytes together",
          hint: "At most \(limit) bytes fit into a transaction.")
      }
    }
  }

  /// How the text is spelled.
  static func dialect(_ values: OptionValues) throws(UsageError) -> DelimitedOptions {
    var options = DelimitedOptions()
    if let text = values.value("delimiter") {
      options.delimiter = try byte(text == "tab" || text == "\\t" ? "\t" : text, "delimiter")
    }
    if let text = values.value("quote") {
      options.quote = text == "none" ? nil : try byte(text, "quote")
    }
    options.comment = try values.value("comment").map { text throws(UsageError) in
      try byte(text, "comment")
    }
    options.hasHeader = values.value("header") != "no"
    options.columnNames = values.value("columns").map {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    options.nilMarkers = values.values("null")
    options.trims = values.flag("trim")
    for text in values.values("type") {
      guard let equals = text.lastIndex(of: "="), equals > text.startIndex else {
        throw UsageError(
          .badValue, "option --type needs COLUMN=TYPE; \"\(text)\" is not",
          hint: "For example --type dep_time=integer.")
      }
      let word = String(text[text.index(after: equals)...])
      guard let type = ColumnType(named: word) else {
        let suggestion = Suggestion.closest(to: word, among: ColumnType.words)
        throw UsageError(
          .badValue, "\"\(word)\" is no type\(Suggestion.question(suggestion))",
          hint: "Types are \(ColumnType.words.joined(separator: ", ")).")
      }
      options.types[String(text[..<equals])] = type
    }
    return options
  }

  private static func byte(_ text: String, _ option: String) throws(UsageError) -> UInt8 {
    let bytes = Array(text.utf8)
    guard bytes.count == 1 else {
      throw UsageError(
        .badValue, "option --\(option) needs one ASCII character; \"\(text)\" is not",
        hint: "For example --\(option)=';'.")
    }
    return bytes[0]
  }
}
