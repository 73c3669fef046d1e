// Finds the narrowest type that fits all values of a column.

/// What is known of a column's values so far.
///
/// The order is bool, integer, double, date, uuid, string. A type is given up at the first value
/// that it does not fit, in favour of the next that fits this value and all before it; only
/// integers turn into doubles, everything else into strings. Numbers are taken for numbers only in
/// the spelling that a program would print: `007`, `+1` and `1.` are strings, and so are digits
/// that no number of 64 bits holds.
struct TypeInference: Sendable {
  private enum State: Sendable {
    case empty, bool, integer, wideInteger, double, specialDouble, date, uuid, string
  }

  /// `wideInteger` is an integer beyond 2^53, which doubles do not hold; `specialDouble` is a NaN
  /// or infinity, which alone makes no column of doubles.
  private var state = State.empty

  /// The narrowest type.
  ///
  /// A column without values is a column of strings.
  var type: ColumnType {
    switch state {
    case .bool: .bool
    case .integer, .wideInteger: .integer
    case .double: .double
    case .date: .date(.rfc3339)
    case .uuid: .uuid
    case .empty, .specialDouble, .string: .string
    }
  }

  /// Takes a value into account.
  @inline(__always)
  mutating func add(_ field: FieldBytes) {
    switch state {
    case .string: return
    case .integer:
      if let value = TypeInference.plainInteger(field), !TypeInference.isWide(value) { return }
    case .wideInteger: if TypeInference.plainInteger(field) != nil { return }
    case .double: if TypeInference.isPlainDouble(field) { return }
    case .date: if CellParser.rfc3339(field) != nil { return }
    default: break
    }
    join(TypeInference.classify(field))
  }

  private mutating func join(_ other: State) {
    switch (state, other) {
    case (.empty, _): state = other
    case (_, _) where state == other: break
    case (.integer, .wideInteger), (.wideInteger, .integer): state = .wideInteger
    case (.integer, .double), (.integer, .specialDouble): state = .double
    case (.specialDouble, .integer), (.double, .integer): state = .double
    case (.specialDouble, .double), (.double, .specialDouble): state = .double
    default: state = .string
    }
  }

  @inline(__always)
  private static func isWide(_ value: Int64) -> Bool { value.magnitude > 1 << 53 }

  private static func classify(_ field: FieldBytes) -> State {
    if field.count == 0 { return .string }
    if let value = plainInteger(field) { return isWide(value) ? .wideInteger : .integer }
    if isPlainDouble(field) { return .double }
    if CellParser.plainBool(field) != nil { return .bool }
    if field.count >= 10, CellParser.rfc3339(field) != nil { return .date }
    if field.count == 36 {
      var bytes: [UInt8] = []
      if CellParser.uuid(field, into: &bytes) { return .uuid }
    }
    if field.count <= 9, DecimalNumber(field) == nil, CellParser.double(field) != nil {
      return .specialDouble
    }
    return .string
  }

  /// `0`, or digits without a leading zero, with an optional minus.
  @inline(__always)
  private static func plainInteger(_ field: FieldBytes) -> Int64? {
    guard field.count > 0, field.count <= 20 else { return nil }
    let first = field[0]
    if first == UInt8(ascii: "0") { return field.count == 1 ? 0 : nil }
    if first == UInt8(ascii: "+") { return nil }
    if first == UInt8(ascii: "-"), field.count > 1, field[1] == UInt8(ascii: "0") { return nil }
    return CellParser.integer(field)
  }

  /// A number as programs print doubles.
  ///
  /// One without point and exponent must be an integer that doubles hold exactly.
  private static func isPlainDouble(_ field: FieldBytes) -> Bool {
    guard let number = DecimalNumber(field) else { return false }
    let first = field[0]
    if first == UInt8(ascii: "+") { return false }
    let start = first == UInt8(ascii: "-") ? 1 : 0
    let hasLeadingZero = number.wholeDigits > 1 && field[start] == UInt8(ascii: "0")
    if hasLeadingZero { return false }
    if !number.hasPoint && !number.hasExponent {
      return !number.isCut && number.mantissa <= 1 << 53
    }
    let endsWithPoint = field[number.digitsEnd - 1] == UInt8(ascii: ".")
    return !endsWithPoint && CellParser.double(field) != nil
  }
}
