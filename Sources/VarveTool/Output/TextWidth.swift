// How many columns text takes in a terminal.

/// Column widths of scalars: a subset of Unicode's tables that is right for nearly all text.
enum TextWidth {
  /// The columns of a text without control characters.
  static func columns(_ text: some StringProtocol) -> Int {
    var count = 0
    for scalar in text.unicodeScalars { count += columns(scalar) }
    return count
  }

  static func columns(_ scalar: Unicode.Scalar) -> Int {
    let value = scalar.value
    if value < 0x20 || (0x7F...0x9F).contains(value) { return 0 }
    if value < 0x300 { return value == 0xAD ? 0 : 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
      0xA000...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
      0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }

  /// The text, cut to `limit` columns with `…` as its last when it is longer.
  static func truncated(_ text: String, to limit: Int) -> String {
    if columns(text) <= limit { return text }
    var result = ""
    var used = 0
    for character in text {
      let width = columns(String(character))
      if used + width > limit - 1 { break }
      result.append(character)
      used += width
    }
    return limit > 0 ? result + "…" : ""
  }
}
