// Exact decimals, in their stored form. See Formats/README.md section 4, type 5.

extension CellParser {
  /// Appends the stored form: sign, zigzag exponent, count and bytes of the mantissa without
  /// trailing zeros.
  ///
  /// At most 38 significant digits (16 bytes of mantissa).
  static func decimal(_ field: FieldBytes, into heap: inout [UInt8]) -> Bool {
    guard let number = DecimalNumber(field), let (digits, exponent) = exactDigits(field, number)
    else { return false }
    if digits == 0 {
      heap.append(contentsOf: [0, 0, 0])
      return true
    }
    var mantissa = digits
    heap.append(number.isNegative ? 1 : 0)
    appendVarint(UInt64(bitPattern: Int64((exponent << 1) ^ (exponent >> 63))), to: &heap)
    let countIndex = heap.count
    heap.append(0)
    while mantissa != 0 {
      heap.append(UInt8(truncatingIfNeeded: mantissa))
      mantissa >>= 8
      heap[countIndex] += 1
    }
    return true
  }

  /// The value as `digits * 10^exponent` without trailing zeros; zero is 0 and 0.
  ///
  /// Nil when no decimal holds it.
  static func exactDigits(_ field: FieldBytes, _ number: DecimalNumber) -> (UInt128, Int)? {
    var mantissa = UInt128(number.mantissa)
    var exponent = number.exponent
    if number.isCut {
      guard let whole = allDigits(field, number) else { return nil }
      (mantissa, exponent) = whole
    }
    if mantissa == 0 { return (0, 0) }
    while mantissa % 10 == 0 {
      mantissa /= 10
      exponent += 1
    }
    // Powers are clamped when they are read, so beyond the clamp nothing is known.
    return exponent.magnitude < 900_000 ? (mantissa, exponent) : nil
  }

  /// All digits as one number and the power of ten of the last one that is not a trailing zero.
  private static func allDigits(_ field: FieldBytes, _ number: DecimalNumber) -> (UInt128, Int)? {
    var mantissa: UInt128 = 0
    var pendingZeros = 0
    var digitsBehind = 0
    var isBehindPoint = false
    for index in number.digitsStart..<number.digitsEnd {
      let byte = field[index]
      if byte == UInt8(ascii: ".") {
        isBehindPoint = true
        continue
      }
      if isBehindPoint { digitsBehind += 1 }
      if byte == UInt8(ascii: "0") {
        pendingZeros += 1
        continue
      }
      for _ in 0...pendingZeros where mantissa != 0 {
        let (product, overflow) = mantissa.multipliedReportingOverflow(by: 10)
        if overflow { return nil }
        mantissa = product
      }
      pendingZeros = 0
      let (sum, overflow) = mantissa.addingReportingOverflow(UInt128(byte - UInt8(ascii: "0")))
      if overflow { return nil }
      mantissa = sum
    }
    // The power as written, without what the cut mantissa made of it.
    let written = number.writtenPower
    return (mantissa, written - digitsBehind + pendingZeros)
  }

  /// As `double`, but a number that the double does not give back is refused: its shortest digits
  /// must be the same number.
  static func exactDouble(_ field: FieldBytes) -> Double? {
    guard let number = DecimalNumber(field) else { return double(field) }
    return isHeldByDouble(field, number) ? double(field) : nil
  }

  /// Whether the double nearest to the number prints as the same value.
  static func isHeldByDouble(_ field: FieldBytes, _ number: DecimalNumber) -> Bool {
    if number.mantissa == 0 { return true }
    // Doubles that are not subnormal give back 15 digits, whatever they are.
    if !number.isCut, number.mantissa < 1_000_000_000_000_000, number.exponent.magnitude <= 280 {
      return true
    }
    guard let digits = exactDigits(field, number), let value = double(field), value != 0
    else { return false }
    let printed = SlowDouble.withShortest(value) { text in
      DecimalNumber(text).flatMap { exactDigits(text, $0) }
    }
    return printed.flatMap { $0 }.map { $0 == digits } ?? false
  }

  private static func appendVarint(_ value: UInt64, to heap: inout [UInt8]) {
    var rest = value
    while rest >= 0x80 {
      heap.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    heap.append(UInt8(truncatingIfNeeded: rest))
  }
}
