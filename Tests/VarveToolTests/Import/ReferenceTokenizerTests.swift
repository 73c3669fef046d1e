// The tokenizer against a slow model, on all short texts over the bytes that matter.

import Testing

@testable import VarveImport

/// The rules of the tokenizer, written down as simply as possible.
private enum ReferenceTokenizer {
  enum Line: Equatable { case row([[UInt8]]), bad }

  static func lines(_ text: [UInt8]) -> [Line] {
    var lines: [Line] = []
    var index = 0
    while index < text.count {
      if isEnd(text[index]) {
        index += 1
        continue
      }
      if let (fields, next) = row(text, index) {
        lines.append(.row(fields))
        index = next
      } else {
        lines.append(.bad)
        while index < text.count, !isEnd(text[index]) { index += 1 }
        index = afterEnd(text, index)
      }
    }
    return lines
  }

  private static func isEnd(_ byte: UInt8) -> Bool { byte == 10 || byte == 13 }

  private static func afterEnd(_ text: [UInt8], _ index: Int) -> Int {
    if index + 1 < text.count, text[index] == 13, text[index + 1] == 10 { return index + 2 }
    return min(index + 1, text.count)
  }

  private static func row(_ text: [UInt8], _ start: Int) -> ([[UInt8]], Int)? {
    var fields: [[UInt8]] = []
    var index = start
    while true {
      var field: [UInt8] = []
      if index < text.count, text[index] == 34 {
        index += 1
        while true {
          guard index < text.count else { return nil }
          if text[index] != 34 {
            field.append(text[index])
            index += 1
          } else if index + 1 < text.count, text[index + 1] == 34 {
            field.append(34)
            index += 2
          } else {
            index += 1
            break
          }
        }
      } else {
        while index < text.count, text[index] != 44, !isEnd(text[index]) {
          if text[index] == 34 { return nil }
          field.append(text[index])
          index += 1
        }
      }
      fields.append(field)
      if index == text.count { return (fields, index) }
      if isEnd(text[index]) { return (fields, afterEnd(text, index)) }
      guard text[index] == 44 else { return nil }
      index += 1
    }
  }
}

@Suite("Delimited text: model")
struct ReferenceTokenizerTests {
  private func lines(_ text: [UInt8], windowBytes: Int) throws -> [ReferenceTokenizer.Line] {
    let tokenizer = try DelimitedTokenizer(
      TextSource(.bytes(text, name: "t")), DelimitedOptions(),
      sizes: TokenizerSizes(windowBytes: windowBytes))
    var lines: [ReferenceTokenizer.Line] = []
    while true {
      switch try tokenizer.advance() {
      case .end: return lines
      case .problem: lines.append(.bad)
      case .row:
        lines.append(.row((0..<tokenizer.fieldCount).map { tokenizer.row.field($0).array }))
      }
    }
  }

  @Test("all texts of up to six bytes of letters, delimiters, quotes and line ends")
  func allShortTexts() throws {
    let alphabet: [UInt8] = Array("a,\"\n\r".utf8)
    for length in 0...6 {
      var digits = [Int](repeating: 0, count: length)
      while true {
        let text = digits.map { alphabet[$0] }
        let expected = ReferenceTokenizer.lines(text)
        for windowBytes in [4, 64] where try lines(text, windowBytes: windowBytes) != expected {
          Issue.record("\(text.debugText) with a window of \(windowBytes) bytes")
          return
        }
        guard let position = digits.lastIndex(where: { $0 < alphabet.count - 1 }) else { break }
        digits[position] += 1
        for later in (position + 1)..<max(length, position + 1) { digits[later] = 0 }
      }
    }
  }

  @Test("random texts of up to two hundred bytes", arguments: [4, 7, 16, 33, 64])
  func randomTexts(windowBytes: Int) throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = TestRandom(seed: seed)
    let alphabet: [UInt8] = Array("abcdefgh,,,\"\"\"\n\n\r".utf8)
    for _ in 0..<2_000 {
      let text = (0..<Int.random(in: 0...200, using: &random)).map { _ in
        alphabet.randomElement(using: &random) ?? 0
      }
      let expected = ReferenceTokenizer.lines(text)
      let found = try lines(text, windowBytes: windowBytes)
      if found != expected {
        Issue.record("seed \(seed), window \(windowBytes): \(text.debugText)")
        return
      }
    }
  }
}

extension [UInt8] {
  var debugText: String { String(decoding: self, as: UTF8.self).debugDescription }
}

/// SplitMix64: the same numbers for the same seed everywhere.
struct TestRandom: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
