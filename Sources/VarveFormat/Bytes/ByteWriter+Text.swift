// Appends numbers and strings as text, without strings in between.

private let digits: [16 of UInt8] = [
  0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66,
]

extension ByteWriter {
  /// Appends the UTF-8 of a text, without a count in front.
  @inline(__always)
  package mutating func characters(_ text: String) {
    var copy = text
    copy.withUTF8 { bytes(UnsafeRawBufferPointer($0)) }
  }

  /// Appends one ASCII character.
  @inline(__always)
  package mutating func character(_ scalar: Unicode.Scalar) { uint8(UInt8(ascii: scalar)) }

  /// Appends a number in decimal.
  package mutating func decimal(_ value: UInt64) {
    if value < 10 {
      uint8(0x30 | UInt8(truncatingIfNeeded: value))
      return
    }
    var length = 1
    var rest = value / 10
    while rest != 0 {
      length &+= 1
      rest /= 10
    }
    let target = extend(length)
    rest = value
    // SAFETY: exactly `length` digits go into the room for `length` bytes.
    for index in stride(from: length &- 1, through: 0, by: -1) {
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      target.storeBytes(
        of: 0x30 | UInt8(truncatingIfNeeded: digit), toByteOffset: index, as: UInt8.self)
      rest = quotient
    }
  }

  /// Appends a signed number in decimal.
  package mutating func decimal(_ value: Int64) {
    if value < 0 { character("-") }
    decimal(value.magnitude)
  }

  /// Appends a number in decimal, padded with zeros to `width` digits at least.
  package mutating func decimal(_ value: UInt64, width: Int) {
    var threshold: UInt64 = 10
    for _ in 1..<max(width, 1) {
      if value < threshold { character("0") }
      threshold &*= 10
    }
    // A number with fewer digits got its zeros above, in any order.
    decimal(value)
  }

  /// Appends 16 hexadecimal digits.
  package mutating func hexadecimal(_ value: UInt64) {
    let target = extend(16)
    // SAFETY: 16 digits go into the room for 16 bytes.
    for index in 0..<16 {
      let digit = Int(truncatingIfNeeded: value &>> UInt64(60 &- 4 &* index)) & 15
      target.storeBytes(of: digits[digit], toByteOffset: index, as: UInt8.self)
    }
  }

  /// Appends a hash as one number, most significant digit first.
  package mutating func hexadecimal(_ value: Hash128) {
    hexadecimal(value.high)
    hexadecimal(value.low)
  }

  /// Appends two hexadecimal digits for every byte, in order.
  package mutating func hexadecimal(_ value: UnsafeRawBufferPointer) {
    let target = extend(value.count &* 2)
    // SAFETY: two digits for each byte go into the room for twice as many bytes.
    for (index, byte) in value.enumerated() {
      target.storeBytes(
        of: digits[Int(byte &>> 4)], toByteOffset: index &* 2, as: UInt8.self)
      target.storeBytes(
        of: digits[Int(byte & 15)], toByteOffset: index &* 2 &+ 1, as: UInt8.self)
    }
  }

  package mutating func hexadecimal(_ value: [UInt8]) { value.withUnsafeBytes { hexadecimal($0) } }

  /// Appends a string in quotes.
  ///
  /// `\"`, `\\`, `\n`, `\r`, `\t`, `\u00xx` for other scalars below U+0020 and U+007F, all else as
  /// it is.
  package mutating func quoted(_ text: UnsafeRawBufferPointer) {
    character("\"")
    var start = 0
    for (index, byte) in text.enumerated() where ByteWriter.isEscaped(byte) {
      bytes(UnsafeRawBufferPointer(rebasing: text[start..<index]))
      escape(byte)
      start = index &+ 1
    }
    bytes(UnsafeRawBufferPointer(rebasing: text[start...]))
    character("\"")
  }

  package mutating func quoted(_ text: String) {
    var copy = text
    copy.withUTF8 { quoted(UnsafeRawBufferPointer($0)) }
  }

  /// Puts everything from `start` on, which was appended before, in quotes and escapes it.
  package mutating func quote(from start: Int) {
    precondition(start <= count, "only bytes that were appended")
    let raw = withUnsafeBytes { Bytes(copying: UnsafeRawBufferPointer(rebasing: $0[start...])) }
    truncate(to: start)
    raw.withUnsafeBytes { quoted($0) }
  }

  /// Puts everything from `start` on in quotes; it must hold nothing to escape.
  package mutating func quotePlain(from start: Int) {
    precondition(start <= count, "only bytes that were appended")
    let length = count &- start
    _ = extend(2)
    // SAFETY: `extend` made room for two more bytes, and `copyMemory` allows for overlapping bytes.
    let target = base + start
    target.storeBytes(of: UInt8(ascii: "\""), toByteOffset: length &+ 1, as: UInt8.self)
    (target + 1).copyMemory(from: target, byteCount: length)
    target.storeBytes(of: UInt8(ascii: "\""), as: UInt8.self)
  }

  @inline(__always)
  private static func isEscaped(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == 0x22 || byte == 0x5C || byte == 0x7F
  }

  private mutating func escape(_ byte: UInt8) {
    character("\\")
    switch byte {
    case 0x22, 0x5C: uint8(byte)
    case 0x0A: character("n")
    case 0x0D: character("r")
    case 0x09: character("t")
    default:
      characters("u00")
      uint8(digits[Int(byte &>> 4)])
      uint8(digits[Int(byte & 15)])
    }
  }
}
