// One page per error code and exit code, for `varve explain`.

import VarveFormat

/// What a code means and what to do about it.
struct ErrorPage: Sendable {
  var code: String
  var meaning: String
  var cause: String
  var remedy: String

  init(_ code: String, _ meaning: String, cause: String, remedy: String) {
    self.code = code
    self.meaning = meaning
    self.cause = cause
    self.remedy = remedy
  }

  init(_ code: FormatError.Code, _ meaning: String, cause: String, remedy: String) {
    self.init(code.description, meaning, cause: cause, remedy: remedy)
  }

  /// The page as people read it.
  func text(width: Int) -> String {
    var page = TextLayout(width: min(max(width, 40), 120))
    page.wrapped("\(code): \(meaning).", indent: 0, hanging: 2)
    page.line()
    page.wrapped("Cause: \(cause)", indent: 0, hanging: 7)
    page.wrapped("What to do: \(remedy)", indent: 0, hanging: 12)
    return page.text
  }

  var json: JSONValue { .object([("schema", "varve.explain/1")] + members) }

  var members: [(String, JSONValue)] {
    [
      ("code", .string(code)), ("meaning", .string(meaning)), ("cause", .string(cause)),
      ("remedy", .string(remedy)),
    ]
  }

  /// The page of a code, whatever the case of its letters.
  static func page(for word: String) -> ErrorPage? {
    all.first { $0.code == word } ?? all.first { $0.code.lowercased() == word.lowercased() }
  }

  static let all: [ErrorPage] = formatPages + logPages + importPages + exitPages

  private static let exitPages: [ErrorPage] = ExitCode.allCases.map { code in
    ErrorPage(
      "\(code.rawValue)", "exit code \(code.rawValue), \(code.meaning)",
      cause: "for example: \(code.example).",
      remedy: code == .done ? "nothing." : "read what the command printed on standard error.")
  }

  private static let importPages: [ErrorPage] = [
    ErrorPage(
      "E-CAST", "a cell does not fit the type of its column",
      cause: "the text is not a number, date or other value of that type, or out of its range.",
      remedy: "correct the row, name the text with --null, or give the column another --type."),
    ErrorPage(
      "E-MISSING", "a row has fewer fields than the header", cause: "a delimiter is missing.",
      remedy: "correct the row; a line break inside a field needs quotes around the field."),
    ErrorPage(
      "E-EXTRA", "a row has more fields than the header",
      cause: "a field holds the delimiter and is not quoted, or --delimiter is another one.",
      remedy: "quote the field or give the right --delimiter."),
    ErrorPage(
      "E-QUOTE", "the quotes of a row do not match",
      cause: "a quote is not closed, or stands inside a field that is not quoted.",
      remedy: "double quotes inside a quoted field; other rows are not affected."),
    ErrorPage(
      "E-UTF8", "a row is not valid UTF-8 text",
      cause: "the row comes from another encoding or holds a NUL byte.",
      remedy: "convert the file, for example with iconv -f latin1 -t utf8."),
    ErrorPage(
      "E-LONG", "a cell or row is longer than can be stored",
      cause: "a cell has more than 60,000 bytes, or a quote that is not closed joins many rows.",
      remedy: "shorten the cell or keep large data in files beside the store."),
  ]
}
