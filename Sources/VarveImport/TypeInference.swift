// Finds the narrowest type that fits all values of a column.

/// What is known of a column's values so far.
///
/// The order is bool, integer, double, decimal, date, uuid, string. A type is given up at the first
/// value that it does not hold exactly, in favour of the next that holds this value and all before
/// it; only numbers turn into other numbers, everything else into strings. Numbers are taken for
/// numbers only in the spelling that a program would print: `007`, `+1` and `1.` are strings, and
/// so are whole numbers that 64 bits do not hold. A double holds a number when it prints as the
/// same value: 0.1, but neither 0.12345678901234567890 nor 1e-400, which are decimals.
struct TypeInference: Sendable {
  private enum State: Sendable {
    case empty, bool, integer, wideInteger, double, specialDouble, decimal, date, uuid, string
  }

  /// `wideInteger` is an integer beyond 2^53, which doubles do not hold; `specialDouble` is a NaN
  /// or infinity, which alone makes no column of doubles.
  private var state = State.empty
  /// Whether a value was seen that doubles hold and decimals do not: NaN, infinity, -0.
  private var needsDouble = false

  /// The narrowest type.
  ///
  /// A column without values is a column of strings.
  var type: ColumnType {
    switch state {
    case .bool: .bool
    case .integer, .wideInteger: .integer
    case .double: .double
    case .decimal: .decimal
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
    case .date: if CellParser.rfc3339(field) != nil { return }
    default: break
    }
    join(TypeInference.classify(field, &needsDouble))
  }

  private mutating func join(_ other: State) {
    switch (state, other) {
    case (.empty, _): state = other
    case (_, _) where state == other: break
    case (.integer, .wideInteger), (.wideInteger, .integer): state = .wideInteger
    case (.integer, .double), (.integer, .specialDouble): state = .double
    case (.specialDouble, .integer), (.double, .integer): state = .double
    case (.specialDouble, .double), (.double, .specialDouble): state = .double
    case (.wideInteger, .double), (.double, .wideInteger): state = .decimal
    case (.integer, .decimal), (.wideInteger, .decimal), (.double, .decimal): state = .decimal
    case (.decimal, .integer), (.decimal, .wideInteger), (.decimal, .double): break
    default: state = .string
    }
    if state == .decimal, needsDouble { state = .string }
  }

  @inline(__always)
  private static func isWide(_ value: Int64) -> Bool { value.magnitude > 1 << 53 }

  private static func classify(_ field: FieldBytes, _ needsDouble: inout Bool) -> State {
    if field.count == 0 { return .string }
    if let value = plainInteger(field) { return isWide(value) ? .wideInteger : .integer }
    if let number = plainNumber(field, &needsDouble) { return number }
    if CellParser.plainBool(field) != nil { return .bool }
    if field.count >= 10, CellParser.rfc3339(field) != nil { return .date }
    if field.count == 36 {
      var bytes: [UInt8] = []
      if CellParser.uuid(field, into: &bytes) { return .uuid }
    }
    if field.count <= 9, DecimalNumber(field) == nil, CellParser.double(field) != nil {
      needsDouble = true
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

  /// A number with point or exponent, as programs print them, or a whole number that doubles hold
  /// exactly.
  private static func plainNumber(_ field: FieldBytes, _ needsDouble: inout Bool) -> State? {
    guard let number = DecimalNumber(field) else { return nil }
    let first = field[0]
    if first == UInt8(ascii: "+") { return nil }
    let start = first == UInt8(ascii: "-") ? 1 : 0
    let hasLeadingZero = number.wholeDigits > 1 && field[start] == UInt8(ascii: "0")
    if hasLeadingZero { return nil }
    let isNegativeZero = number.isNegative && number.mantissa == 0
    if !number.hasPoint && !number.hasExponent {
      guard !number.isCut && number.mantissa <= 1 << 53 else { return nil }
    } else if field[number.digitsEnd - 1] == UInt8(ascii: ".") {
      return nil
    }
    if isNegativeZero { needsDouble = true }
    if CellParser.isHeldByDouble(field, number) { return .double }
    return CellParser.exactDigits(field, number) == nil ? nil : .decimal
  }
}
