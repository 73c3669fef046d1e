// Points in time as text: RFC 3339 in universal time, and what people may write instead.

import VarveFormat

/// Dates and times as text.
enum ReadableTime {
  /// `2013-01-01T05:00:00.123Z`.
  static func rfc3339(_ stamp: Stamp) -> String {
    rfc3339(milliseconds: Int64(stamp.milliseconds))
  }

  /// `2013-01-01T05:00:00.123Z`.
  static func rfc3339(milliseconds: Int64) -> String {
    let (seconds, rest) = floorDivision(milliseconds, 1_000)
    return "\(day(seconds))T\(clock(seconds)).\(padded(rest, 3))Z"
  }

  /// `2013-01-01 05:00:00.123`, for tables.
  static func short(_ stamp: Stamp) -> String {
    let (seconds, rest) = floorDivision(Int64(stamp.milliseconds), 1_000)
    return "\(day(seconds)) \(clock(seconds)).\(padded(rest, 3))"
  }

  /// Nanoseconds since 1970 with as many digits as there are: a day alone stays a full time.
  static func rfc3339(nanoseconds: Int64) -> String {
    let (seconds, rest) = floorDivision(nanoseconds, 1_000_000_000)
    var fraction = ""
    if rest > 0 {
      fraction = "." + padded(rest, 9)
      while fraction.last == "0" { fraction.removeLast() }
    }
    return "\(day(seconds))T\(clock(seconds))\(fraction)Z"
  }

  private static func floorDivision(_ value: Int64, _ divisor: Int64) -> (Int64, Int64) {
    let quotient = value >= 0 ? value / divisor : (value - divisor + 1) / divisor
    return (quotient, value - quotient * divisor)
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(width - digits.count, 0)) + digits
  }

  private static func clock(_ seconds: Int64) -> String {
    let (_, second) = floorDivision(seconds, 86_400)
    return
      "\(padded(second / 3_600, 2)):\(padded(second % 3_600 / 60, 2)):\(padded(second % 60, 2))"
  }

  /// The date in the proleptic Gregorian calendar, with years that start in March inside.
  private static func day(_ seconds: Int64) -> String {
    let (days, _) = floorDivision(seconds, 86_400)
    let (era, dayOfEra) = floorDivision(days + 719_468, 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    let sign = year < 0 ? "-" : ""
    let day = dayOfYear - (153 * shifted + 2) / 5 + 1
    return "\(sign)\(padded(year < 0 ? -year : year, 4))-\(padded(month, 2))-\(padded(day, 2))"
  }

  // MARK: reading

  /// Milliseconds since 1970 of `2026-03-01`, `2026-03-01T10:00:00+01:00`, `@1772359200`, or `-2h`
  /// before `now`; nil for
  /// anything else.
  static func milliseconds(_ text: String, now: UInt64) -> Int64? {
    if text.hasPrefix("@") { return Int64(text.dropFirst()).flatMap { scaled($0, 1_000) } }
    if text.hasPrefix("-"), let unit = text.last {
      let factors: [Character: Int64] = ["s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000]
      guard let factor = factors[unit], let count = Int64(text.dropFirst().dropLast()),
        let length = scaled(count, factor)
      else { return nil }
      return Int64(now) - length
    }
    var scanner = TimeScanner(text)
    return scanner.read()
  }

  private static func scaled(_ value: Int64, _ factor: Int64) -> Int64? {
    let (product, overflow) = value.multipliedReportingOverflow(by: factor)
    return overflow ? nil : product
  }
}

/// Reads RFC 3339.
private struct TimeScanner {
  private let bytes: [UInt8]
  private var position = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  mutating func read() -> Int64? {
    guard let year = number(4), take("-"), let month = number(2), take("-"), let day = number(2),
      (1...12).contains(month), day >= 1,
      days(year, month, day) < days(month < 12 ? year : year + 1, month % 12 + 1, 1)
    else { return nil }
    var milliseconds = days(year, month, day) * 86_400_000
    if position == bytes.count { return milliseconds }
    guard take("T") || take("t") || take(" "), let hour = number(2), take(":"),
      let minute = number(2), hour < 24, minute < 60
    else { return nil }
    milliseconds += (hour * 60 + minute) * 60_000
    if take(":") {
      guard let second = number(2), second <= 60 else { return nil }
      milliseconds += second * 1_000
      if take(".") {
        var scale: Int64 = 100
        var digits = 0
        while let digit = number(1) {
          milliseconds += digit * scale
          scale /= 10
          digits += 1
        }
        guard digits > 0 else { return nil }
      }
    }
    return zone().flatMap { position == bytes.count ? milliseconds - $0 : nil }
  }

  /// Milliseconds that the zone is ahead; universal time when none is given.
  private mutating func zone() -> Int64? {
    if position == bytes.count || take("Z") || take("z") { return 0 }
    let sign: Int64 = take("+") ? 1 : take("-") ? -1 : 0
    guard sign != 0, let hours = number(2), take(":"), let minutes = number(2) else { return nil }
    return sign * (hours * 60 + minutes) * 60_000
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func number(_ width: Int) -> Int64? {
    guard position + width <= bytes.count else { return nil }
    var value: Int64 = 0
    for byte in bytes[position..<position + width] {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      value = value * 10 + Int64(byte - UInt8(ascii: "0"))
    }
    position += width
    return value
  }

  private func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }
}
