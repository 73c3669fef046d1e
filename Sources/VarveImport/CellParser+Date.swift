// Dates and times -> nanoseconds since 1970.

extension CellParser {
  /// The date in a field.
  ///
  /// When `exact`, a time that nanoseconds since 1970 do not hold is refused: a leap second, and
  /// digits behind the ninth.
  static func date(_ field: FieldBytes, _ format: DateFormat, exact: Bool = true) -> Int64? {
    switch format {
    case .rfc3339: rfc3339(field, exact: exact)
    case .pattern(let pieces): pattern(field, pieces, exact: exact)
    }
  }

  /// The number that `count` digits from `start` spell.
  @inline(__always)
  private static func digits(_ field: FieldBytes, _ start: Int, _ count: Int) -> Int? {
    guard start + count <= field.count else { return nil }
    var value = 0
    for index in start..<start + count {
      let digit = field[index] &- UInt8(ascii: "0")
      guard digit <= 9 else { return nil }
      value = value &* 10 &+ Int(digit)
    }
    return value
  }

  /// A day, or a day and a time.
  ///
  /// `exact` is that of `date`.
  static func rfc3339(_ field: FieldBytes, exact: Bool = true) -> Int64? {
    let dash = UInt8(ascii: "-")
    let colon = UInt8(ascii: ":")
    guard field.count >= 10, field[4] == dash, field[7] == dash, let year = digits(field, 0, 4),
      let month = digits(field, 5, 2), let day = digits(field, 8, 2)
    else { return nil }
    if field.count == 10 { return CivilTime.nanoseconds(year: year, month: month, day: day) }
    let separator = field[10]
    guard separator | 0x20 == UInt8(ascii: "t") || separator == UInt8(ascii: " "),
      field.count >= 16, let hour = digits(field, 11, 2), field[13] == colon,
      let minute = digits(field, 14, 2)
    else { return nil }
    var index = 16
    var second = 0
    var nanosecond: Int64 = 0
    if index < field.count, field[index] == colon {
      guard let value = digits(field, 17, 2), !exact || value < 60 else { return nil }
      second = value
      index = 19
      if index < field.count, field[index] == UInt8(ascii: ".") {
        guard let fraction = self.fraction(field, from: &index, exact: exact) else {
          return nil
        }
        nanosecond = fraction
      }
    }
    guard let offset = zone(field, from: index) else { return nil }
    return CivilTime.nanoseconds(
      year: year, month: month, day: day, hour: hour, minute: minute, second: second,
      nanosecond: nanosecond, offsetMinutes: offset)
  }

  /// `.25` as nanoseconds; digits beyond the ninth are dropped unless `exact`.
  private static func fraction(
    _ field: FieldBytes, from index: inout Int, exact: Bool
  ) -> Int64? {
    var value: Int64 = 0
    var count = 0
    index += 1
    while index < field.count, field[index] &- UInt8(ascii: "0") <= 9 {
      if count < 9 {
        value = value * 10 + Int64(field[index] - UInt8(ascii: "0"))
      } else if exact, field[index] != UInt8(ascii: "0") {
        return nil
      }
      count += 1
      index += 1
    }
    guard count > 0 else { return nil }
    for _ in min(count, 9)..<9 { value *= 10 }
    return value
  }

  /// Nothing, `Z`, `+01:00`, `-0330` or `+01` as minutes east of UTC.
  private static func zone(_ field: FieldBytes, from start: Int) -> Int? {
    if start == field.count { return 0 }
    let sign = field[start]
    if sign | 0x20 == UInt8(ascii: "z") { return start + 1 == field.count ? 0 : nil }
    guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
      let hours = digits(field, start + 1, 2), hours <= 23
    else { return nil }
    var minutes = 0
    let rest = start + 3
    if rest < field.count {
      let skipped = field[rest] == UInt8(ascii: ":") ? 1 : 0
      guard rest + skipped + 2 == field.count, let value = digits(field, rest + skipped, 2),
        value <= 59
      else { return nil }
      minutes = value
    }
    let total = hours * 60 + minutes
    return sign == UInt8(ascii: "-") ? -total : total
  }

  private static func pattern(
    _ field: FieldBytes, _ pieces: [DateFormat.Piece], exact: Bool
  ) -> Int64? {
    var index = 0
    var year = 1970
    var (month, day, hour, minute, second) = (1, 1, 0, 0, 0)
    for piece in pieces {
      if case .literal(let byte) = piece {
        guard index < field.count, field[index] == byte else { return nil }
        index += 1
        continue
      }
      let count = piece == .year ? 4 : 2
      guard let value = digits(field, index, count) else { return nil }
      index += count
      switch piece {
      case .year: year = value
      case .month: month = value
      case .day: day = value
      case .hour: hour = value
      case .minute: minute = value
      case .second: second = value
      case .literal: break
      }
    }
    guard index == field.count, !exact || second < 60 else { return nil }
    return CivilTime.nanoseconds(
      year: year, month: month, day: day, hour: hour, minute: minute, second: second)
  }
}
