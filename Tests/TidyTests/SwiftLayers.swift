// Splits Swift source into code and comments, so that a rule about one is not fooled by the other.
//
// Both layers are as long as the source, with blanks in place of what is not theirs and every line
// feed kept, so that an offset or line number in one layer is valid in all of them. Strings keep
// their quotes in the code layer and lose their contents; the code of an interpolation stays.
// Regular expression literals are not recognised: a quote inside one blanks the rest of its line.

/// The two layers of a Swift file.
struct SwiftLayers: Sendable {
  private(set) var code: [UInt8]
  private(set) var comments: [UInt8]
  private let source: [UInt8]
  private var position = 0

  init(_ source: [UInt8]) {
    self.source = source
    let blank = source.map { $0 == newline ? newline : space }
    code = blank
    comments = blank
    scanCode(inInterpolation: false)
  }

  private func at(_ offset: Int) -> UInt8 {
    position + offset < source.count ? source[position + offset] : 0
  }

  /// Copies code until the end, or until the parenthesis that closes an interpolation.
  private mutating func scanCode(inInterpolation: Bool) {
    var depth = 0
    while position < source.count {
      switch (at(0), at(1)) {
      case (slash, slash): scanLineComment()
      case (slash, star): scanBlockComment()
      case (quote, _): scanString(pounds: 0)
      case (pound, pound), (pound, quote): scanPounds()
      case (openParenthesis, _):
        depth += 1
        copyCode()
      case (closeParenthesis, _):
        copyCode()
        depth -= 1
        if inInterpolation && depth < 0 { return }
      default: copyCode()
      }
    }
  }

  private mutating func copyCode() {
    code[position] = source[position]
    position += 1
  }

  private mutating func scanLineComment() {
    while position < source.count, source[position] != newline {
      comments[position] = source[position]
      position += 1
    }
  }

  private mutating func scanBlockComment() {
    var depth = 0
    repeat {
      let step: Int
      switch (at(0), at(1)) {
      case (slash, star): (depth, step) = (depth + 1, 2)
      case (star, slash): (depth, step) = (depth - 1, 2)
      default: step = 1
      }
      for index in position..<min(position + step, source.count) {
        comments[index] = source[index]
      }
      position += step
    } while depth > 0 && position < source.count
  }

  /// Number signs: the start of a raw string, or plain code.
  private mutating func scanPounds() {
    var count = 0
    while at(count) == pound { count += 1 }
    position += count
    if at(0) == quote { scanString(pounds: count) }
  }

  private mutating func scanString(pounds: Int) {
    let quotes = at(1) == quote && at(2) == quote ? 3 : 1
    code[position] = quote
    position += quotes
    while position < source.count {
      if quotes == 1 && at(0) == newline { return }
      if at(0) == backslash && hasPounds(pounds, at: 1) {
        position += 1 + pounds
        if at(0) == openParenthesis {
          copyCode()
          scanCode(inInterpolation: true)
        } else {
          position += 1
        }
      } else if closes(quotes, pounds) {
        code[position] = quote
        position += quotes + pounds
        return
      } else {
        position += 1
      }
    }
  }

  private func closes(_ quotes: Int, _ pounds: Int) -> Bool {
    (0..<quotes).allSatisfy { at($0) == quote } && hasPounds(pounds, at: quotes)
  }

  private func hasPounds(_ count: Int, at offset: Int) -> Bool {
    (0..<count).allSatisfy { at(offset + $0) == pound }
  }
}

private let newline = UInt8(ascii: "\n")
private let space = UInt8(ascii: " ")
private let slash = UInt8(ascii: "/")
private let star = UInt8(ascii: "*")
private let quote = UInt8(ascii: "\"")
private let pound = UInt8(ascii: "#")
private let backslash = UInt8(ascii: "\\")
private let openParenthesis = UInt8(ascii: "(")
private let closeParenthesis = UInt8(ascii: ")")
