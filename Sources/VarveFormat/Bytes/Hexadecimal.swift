// Hexadecimal spelling of numbers and bytes.

private let digits: [UInt8] = Array("0123456789abcdef".utf8)

/// The number in lower-case hexadecimal, padded with zeros to `width` digits.
package func hexadecimal(_ value: UInt64, width: Int = 16) -> String {
  var text = [UInt8](repeating: 0, count: width)
  var rest = value
  for index in stride(from: width - 1, through: 0, by: -1) {
    text[index] = digits[Int(rest & 15)]
    rest >>= 4
  }
  return String(decoding: text, as: UTF8.self)
}

/// The bytes in lower-case hexadecimal, in order.
package func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
  var text: [UInt8] = []
  for byte in bytes {
    text.append(digits[Int(byte >> 4)])
    text.append(digits[Int(byte & 15)])
  }
  return String(decoding: text, as: UTF8.self)
}

/// The number that exactly these hexadecimal digits spell, or nil.
package func parseHexadecimal(_ text: Substring) -> UInt64? {
  guard !text.isEmpty, text.utf8.count <= 16 else { return nil }
  var value: UInt64 = 0
  for byte in text.utf8 {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt64(byte - 48)
    case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt64(byte - 87)
    default: return nil
    }
  }
  return value
}
