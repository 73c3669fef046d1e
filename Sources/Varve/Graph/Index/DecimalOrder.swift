// The order of decimals. Layer: Graph.

import VarveFormat

/// Compares decimals without losing digits.
enum DecimalOrder {
  static func precedes(_ a: DecimalValue, _ b: DecimalValue) -> Bool {
    if a == b { return false }
    let (left, right) = (sign(a), sign(b))
    if left != right { return left < right }
    let isSmaller = magnitude(a, precedes: b)
    return left < 0 ? !isSmaller : isSmaller
  }

  private static func sign(_ value: DecimalValue) -> Int {
    value.magnitude == 0 ? 0 : value.isNegative ? -1 : 1
  }

  /// Both are not zero and not equal.
  private static func magnitude(_ a: DecimalValue, precedes b: DecimalValue) -> Bool {
    let (left, right) = (digits(a.magnitude), digits(b.magnitude))
    // Where the first digit stands; exponents of files can be anything, so this must not trap.
    let top = a.exponent.addingReportingOverflow(Int64(left.count))
    let other = b.exponent.addingReportingOverflow(Int64(right.count))
    if top.overflow || other.overflow { return a.exponent < b.exponent }
    if top.partialValue != other.partialValue { return top.partialValue < other.partialValue }
    return left.lexicographicallyPrecedes(right)
  }

  /// The decimal digits, the first one first; the canonical form has no zeros at the end.
  private static func digits(_ magnitude: UInt128) -> [UInt8] {
    var digits: [UInt8] = []
    var rest = magnitude
    while rest != 0 {
      digits.append(UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    }
    return digits.reversed()
  }
}
