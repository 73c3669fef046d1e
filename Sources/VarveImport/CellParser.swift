// The text of a cell -> its value. Pure functions over the bytes of one field.

private let zero = UInt8(ascii: "0")
private let minus = UInt8(ascii: "-")
private let plus = UInt8(ascii: "+")
private let point = UInt8(ascii: ".")

/// Parses numbers and words.
///
/// Nil when the whole field is not exactly one value.
enum CellParser {
  /// The bytes of the only NaN.
  static let canonicalNaN: UInt64 = 0x7FF8_0000_0000_0000

  /// `true`, `false`, `t`, `f`, `yes`, `no`, `y`, `n`, `1`, `0` in any case.
  static func bool(_ field: FieldBytes) -> Bool? {
    switch field.count {
    case 1:
      switch field[0] | 0x20 {
      case UInt8(ascii: "t"), UInt8(ascii: "y"): return true
      case UInt8(ascii: "f"), UInt8(ascii: "n"): return false
      default: return field[0] == zero ? false : field[0] == zero + 1 ? true : nil
      }
    case 2: return field.equalsIgnoringCase("no") ? false : nil
    case 3: return field.equalsIgnoringCase("yes") ? true : nil
    default: return plainBool(field)
    }
  }

  /// `true` or `false` in any case: what inference takes for a bool.
  static func plainBool(_ field: FieldBytes) -> Bool? {
    if field.count == 4, field.equalsIgnoringCase("true") { return true }
    if field.count == 5, field.equalsIgnoringCase("false") { return false }
    return nil
  }

  /// Digits only, from `start`.
  @inline(__always)
  private static func magnitude(_ field: FieldBytes, from start: Int) -> UInt64? {
    let digits = field.count &- start
    guard digits > 0 else { return nil }
    var value: UInt64 = 0
    if digits <= 19 {
      // 19 digits are below 2^64.
      for index in start..<field.count {
        let digit = field[index] &- zero
        guard digit <= 9 else { return nil }
        value = value &* 10 &+ UInt64(digit)
      }
      return value
    }
    for index in start..<field.count {
      let digit = field[index] &- zero
      guard digit <= 9 else { return nil }
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, overflow2) = product.addingReportingOverflow(UInt64(digit))
      if overflow || overflow2 { return nil }
      value = sum
    }
    return value
  }

  /// An optional sign and digits, within Int64.
  @inline(__always)
  static func integer(_ field: FieldBytes) -> Int64? {
    guard field.count > 0 else { return nil }
    let first = field[0]
    guard let value = magnitude(field, from: first == minus || first == plus ? 1 : 0) else {
      return nil
    }
    if first == minus {
      // -2^63 has no positive counterpart.
      return value <= 1 << 63 ? Int64(truncatingIfNeeded: 0 &- value) : nil
    }
    return Int64(exactly: value)
  }

  /// An optional plus and digits, within UInt64.
  ///
  /// `-0` is refused.
  static func unsigned(_ field: FieldBytes) -> UInt64? {
    guard field.count > 0 else { return nil }
    return magnitude(field, from: field[0] == plus ? 1 : 0)
  }

  /// The powers of ten that doubles hold exactly.
  private static let exactPowers: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]

  /// A decimal number, `nan`, `inf` or `infinity`, correctly rounded.
  ///
  /// A number that is too large is refused.
  static func double(_ field: FieldBytes) -> Double? {
    guard let number = DecimalNumber(field) else { return special(field) }
    if !number.isCut, number.mantissa <= 1 << 53, number.exponent.magnitude <= 22 {
      // Both factors are exact, so that the only rounding is the correct one.
      let power = exactPowers[Int(number.exponent.magnitude)]
      let whole = Double(number.mantissa)
      let value = number.exponent < 0 ? whole / power : whole * power
      return number.isNegative ? -value : value
    }
    let value = SlowDouble.parse(field)
    return value.isFinite ? value : nil
  }

  private static func special(_ field: FieldBytes) -> Double? {
    guard field.count >= 3, field.count <= 9 else { return nil }
    if field.equalsIgnoringCase("nan") { return .nan }
    let isNegative = field[0] == minus
    let word = isNegative || field[0] == plus ? field.dropping(1) : field
    guard word.equalsIgnoringCase("inf") || word.equalsIgnoringCase("infinity") else { return nil }
    return isNegative ? -.infinity : .infinity
  }

  /// The stored bits of a double.
  @inline(__always)
  static func bits(_ value: Double) -> UInt64 { value.isNaN ? canonicalNaN : value.bitPattern }

  /// 32 hexadecimal digits, in one piece or as 8-4-4-4-12; appends 16 bytes.
  static func uuid(_ field: FieldBytes, into heap: inout [UInt8]) -> Bool {
    let isHyphenated = field.count == 36
    guard isHyphenated || field.count == 32 else { return false }
    let start = heap.count
    var index = 0
    while index < field.count {
      if isHyphenated, index == 8 || index == 13 || index == 18 || index == 23 {
        guard field[index] == minus else {
          heap.removeLast(heap.count - start)
          return false
        }
        index += 1
      }
      guard let high = hexadecimalDigit(field[index]), let low = hexadecimalDigit(field[index + 1])
      else {
        heap.removeLast(heap.count - start)
        return false
      }
      heap.append(high << 4 | low)
      index += 2
    }
    return true
  }

  @inline(__always)
  static func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - zero
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

/// A decimal number in text: `[+-] digits [. digits] [e [+-] digits]`, with a digit before or
/// behind the point.
struct DecimalNumber {
  private(set) var isNegative = false
  /// The first 19 significant digits.
  private(set) var mantissa: UInt64 = 0
  /// The power of ten of the mantissa's last digit, at least when nothing was cut.
  private(set) var exponent = 0
  /// Whether digits were left out of the mantissa.
  private(set) var isCut = false
  /// Where the significant digits are: up to the exponent letter.
  private(set) var digitsStart = 0
  private(set) var digitsEnd = 0
  private(set) var hasPoint = false
  private(set) var hasExponent = false
  /// Digits before the point.
  private(set) var wholeDigits = 0
  /// The number behind the letter, 0 without one.
  private(set) var writtenPower = 0

  @inline(__always)
  init?(_ field: FieldBytes) {
    var index = 0
    let count = field.count
    guard count > 0 else { return nil }
    if field[0] == minus || field[0] == plus {
      isNegative = field[0] == minus
      index = 1
    }
    digitsStart = index
    var digits = 0
    while index < count {
      let byte = field[index]
      let digit = byte &- zero
      if digit <= 9 {
        digits &+= 1
        if mantissa < 922_337_203_685_477_580 {
          mantissa = mantissa &* 10 &+ UInt64(digit)
          if hasPoint { exponent &-= 1 }
        } else {
          isCut = true
          if !hasPoint { exponent &+= 1 }
        }
      } else if byte == point, !hasPoint {
        hasPoint = true
        wholeDigits = digits
      } else {
        break
      }
      index &+= 1
    }
    if !hasPoint { wholeDigits = digits }
    digitsEnd = index
    guard digits > 0 else { return nil }
    if index < count {
      guard field[index] | 0x20 == UInt8(ascii: "e") else { return nil }
      hasExponent = true
      guard let power = DecimalNumber.power(field, from: index + 1) else { return nil }
      writtenPower = power
      exponent &+= power
    }
  }

  /// The number behind the letter, at most a million either way: far beyond what any type holds.
  private static func power(_ field: FieldBytes, from start: Int) -> Int? {
    var index = start
    var isNegative = false
    if index < field.count, field[index] == minus || field[index] == plus {
      isNegative = field[index] == minus
      index += 1
    }
    guard index < field.count else { return nil }
    var value = 0
    while index < field.count {
      let digit = field[index] &- zero
      guard digit <= 9 else { return nil }
      value = min(value * 10 + Int(digit), 1_000_000)
      index += 1
    }
    return isNegative ? -value : value
  }
}
