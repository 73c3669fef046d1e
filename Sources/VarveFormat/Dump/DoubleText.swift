// How doubles print: the shortest digits that read back as the same number. See Formats/Dump.md.

/// Spells doubles in decimal.
package enum DoubleText {
  /// Appends the decimal of a double: `0.1`, `1e+16`, `1.5e-07`, `nan`, `-inf`, `-0.0`.
  package static func write(_ bits: UInt64, into writer: inout ByteWriter) {
    let value = Double(bitPattern: bits)
    if value.isNaN {
      writer.characters("nan")
      return
    }
    if value.sign == .minus { writer.character("-") }
    if value.isInfinite {
      writer.characters("inf")
    } else if value.isZero {
      writer.characters("0.0")
    } else {
      write(Digits(value.magnitude), into: &writer)
    }
  }

  /// The decimal of a double as a string.
  package static func text(_ value: Double) -> String {
    var writer = ByteWriter(capacity: 32)
    write(value.bitPattern, into: &writer)
    return writer.text
  }

  /// Digits `d1 d2 d3...` and the exponent of `d1.d2d3...`.
  private struct Digits {
    /// A double has at most 17 digits.
    var digits: [17 of UInt8] = .init(repeating: 0)
    var count = 0
    var exponent = 0

    /// Takes the digits from the description, which has the shortest ones in another layout.
    init(_ value: Double) {
      var text = value.description
      var pointAt: Int?
      var seen = 0
      var written = 0
      var power = 0
      var isNegative = false
      var isExponent = false
      text.withUTF8 { bytes in
        for byte in bytes {
          switch byte {
          case UInt8(ascii: "."): pointAt = seen
          case UInt8(ascii: "e"): isExponent = true
          case UInt8(ascii: "-"): isNegative = true
          case UInt8(ascii: "+"): break
          case _ where isExponent: power = power * 10 + Int(byte & 15)
          default:
            if written > 0 || byte != 0x30 {
              // Zeros behind the last digit of a large number are no digits of ours.
              if written < 17 { digits[written] = byte }
              written += 1
            }
            seen += 1
          }
        }
      }
      let integerDigits = pointAt ?? seen
      exponent = integerDigits - 1 - (seen - written) + (isNegative ? -power : power)
      count = min(written, 17)
      while count > 1, digits[count - 1] == 0x30 { count -= 1 }
    }
  }

  private static func write(_ number: Digits, into writer: inout ByteWriter) {
    let exponent = number.exponent
    if exponent >= -4, exponent <= 15 {
      writePlain(number, into: &writer)
      return
    }
    writer.uint8(number.digits[0])
    if number.count > 1 {
      writer.character(".")
      for index in 1..<number.count { writer.uint8(number.digits[index]) }
    }
    writer.characters(exponent < 0 ? "e-" : "e+")
    writer.decimal(UInt64(exponent.magnitude), width: 2)
  }

  private static func writePlain(_ number: Digits, into writer: inout ByteWriter) {
    let exponent = number.exponent
    guard exponent >= 0 else {
      writer.characters("0.")
      for _ in 0..<(-exponent - 1) { writer.character("0") }
      for index in 0..<number.count { writer.uint8(number.digits[index]) }
      return
    }
    for index in 0...exponent {
      writer.uint8(index < number.count ? number.digits[index] : 0x30)
    }
    writer.character(".")
    if number.count <= exponent + 1 { writer.character("0") }
    for index in min(exponent + 1, number.count)..<number.count {
      writer.uint8(number.digits[index])
    }
  }
}

extension ByteWriter {
  /// The bytes so far as a string.
  package var text: String { withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
}
