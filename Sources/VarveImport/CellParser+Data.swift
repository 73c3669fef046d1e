// Bytes that are spelled as text.

extension CellParser {
  /// Appends the bytes that hexadecimal digits spell.
  static func hexadecimal(_ field: FieldBytes, into heap: inout [UInt8]) -> Bool {
    guard field.count % 2 == 0 else { return false }
    let start = heap.count
    for index in stride(from: 0, to: field.count, by: 2) {
      guard let high = hexadecimalDigit(field[index]), let low = hexadecimalDigit(field[index + 1])
      else {
        heap.removeLast(heap.count - start)
        return false
      }
      heap.append(high << 4 | low)
    }
    return true
  }

  /// Appends the bytes that base64 spells (RFC 4648, with `+/` or `-_`, with or without padding;
  /// unused bits are 0).
  static func base64(_ field: FieldBytes, into heap: inout [UInt8]) -> Bool {
    let start = heap.count
    var length = field.count
    if length % 4 == 0 {
      // At most two signs of padding, and only to a multiple of four.
      for _ in 0..<2 where length > 0 && field[length - 1] == UInt8(ascii: "=") { length -= 1 }
    }
    var bits: UInt32 = 0
    var filled = 0
    for index in 0..<length {
      guard let value = base64Digit(field[index]) else {
        heap.removeLast(heap.count - start)
        return false
      }
      bits = bits << 6 | UInt32(value)
      filled += 6
      if filled >= 8 {
        filled -= 8
        heap.append(UInt8(truncatingIfNeeded: bits >> UInt32(filled)))
      }
    }
    let isWhole = filled < 6 && bits & (1 << UInt32(filled) - 1) == 0
    if !isWhole { heap.removeLast(heap.count - start) }
    return isWhole
  }

  private static func base64Digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
