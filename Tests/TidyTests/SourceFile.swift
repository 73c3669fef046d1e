// A file as the rules see it: its text, and for Swift its code apart from comments and strings.

/// A text file of the repository.
final class SourceFile: Sendable {
  /// The path from the root of the repository.
  let path: String
  /// Lines without their line feeds.
  let lines: [String]
  /// The bytes of the text.
  let bytes: [UInt8]
  /// Code and comments of a Swift file; empty for other files.
  let layers: SwiftLayers
  /// The tokens of a Swift file's code; empty for other files.
  let tokens: [Token]

  init(_ path: String, _ text: String) {
    self.path = path
    bytes = Array(text.utf8)
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    self.lines = lines
    layers = path.hasSuffix(".swift") ? SwiftLayers(bytes) : SwiftLayers([])
    tokens = tokenize(layers.code)
  }

  /// The text of a Swift file's comments, line by line; code and strings are blanks.
  var commentLines: [String] {
    layers.comments.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
  }

  func finding(_ line: Int, _ message: String) -> Finding {
    Finding(path: path, line: line, message: message)
  }

  /// The name of the folder right below `prefix`, or nil when the file is not in one.
  func folder(below prefix: String) -> String? {
    guard path.hasPrefix(prefix) else { return nil }
    let parts = path.dropFirst(prefix.count).split(separator: "/")
    return parts.count > 1 ? String(parts[0]) : nil
  }

  /// What stands between the quotes of the string literal that opens at token `index`.
  func stringLiteral(at index: Int) -> String? {
    guard index < tokens.count, tokens[index].text == "\"",
      let end = tokens[(index + 1)...].first(where: { $0.text == "\"" })
    else { return nil }
    return String(decoding: bytes[tokens[index].offset + 1..<end.offset], as: UTF8.self)
  }
}
