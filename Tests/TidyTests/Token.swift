// The tokens of Swift code: words, and single punctuation marks.

/// A word (name, keyword or number) or one punctuation mark.
struct Token: Sendable, Equatable {
  var text: String
  var line: Int
  /// The offset of its first byte in the file.
  var offset: Int

  var isWord: Bool { text.utf8.first.map(isWordByte) ?? false }
}

/// Cuts code, from which comments and strings were blanked, into tokens.
func tokenize(_ code: [UInt8]) -> [Token] {
  var tokens: [Token] = []
  var line = 1
  var index = 0
  while index < code.count {
    let start = index
    let byte = code[index]
    index += 1
    if byte == UInt8(ascii: "\n") {
      line += 1
    } else if byte > UInt8(ascii: " ") {
      if isWordByte(byte) {
        while index < code.count, isWordByte(code[index]) { index += 1 }
      }
      let text = String(decoding: code[start..<index], as: UTF8.self)
      tokens.append(Token(text: text, line: line, offset: start))
    }
  }
  return tokens
}

/// Backticks count, so that a name in backticks differs from the keyword.
private func isWordByte(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
  case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "`"): true
  default: byte >= 0x80
  }
}

extension [Token] {
  /// The text of a token, empty outside the bounds.
  func text(_ index: Int) -> String { indices.contains(index) ? self[index].text : "" }
}
