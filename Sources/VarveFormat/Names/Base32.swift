// RFC 4648 base32 in lower case without padding: 16 bytes are 26 characters.

/// Spells identifiers so that they survive case-folding file systems.
enum Base32 {
  private static let alphabet: [UInt8] = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

  static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    var buffer: UInt32 = 0
    var filled = 0
    for byte in bytes {
      buffer = buffer << 8 | UInt32(byte)
      filled += 8
      while filled >= 5 {
        text.append(alphabet[Int(buffer >> UInt32(filled - 5) & 31)])
        filled -= 5
      }
    }
    if filled > 0 { text.append(alphabet[Int(buffer << UInt32(5 - filled) & 31)]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// The 16 bytes that exactly 26 characters spell; nil for anything else, set padding bits
  /// included.
  static func decode(_ text: [UInt8]) -> [UInt8]? {
    guard text.count == 26 else { return nil }
    var bytes: [UInt8] = []
    var buffer: UInt32 = 0
    var filled = 0
    for character in text {
      let value: UInt32
      switch character {
      case UInt8(ascii: "a")...UInt8(ascii: "z"): value = UInt32(character - 97)
      case UInt8(ascii: "2")...UInt8(ascii: "7"): value = UInt32(character - 24)
      default: return nil
      }
      buffer = buffer << 5 | value
      filled += 5
      if filled >= 8 {
        bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(filled - 8)))
        filled -= 8
      }
    }
    let padding = buffer & ((1 << UInt32(filled)) - 1)
    return padding == 0 ? bytes : nil
  }
}
