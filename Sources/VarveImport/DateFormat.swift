// Dates and times in text.

/// How a date is spelled.
package enum DateFormat: Sendable, Equatable {
  /// A piece of a pattern.
  package enum Piece: Sendable, Equatable {
    case year, month, day, hour, minute, second, literal(UInt8)
  }

  /// `2013-01-01`, `2013-01-01T05:00:00Z`, `2013-01-01 05:00:00.25+01:00`; without a zone it is
  /// UTC.
  case rfc3339
  /// Fields of fixed width in UTC; what a pattern leaves out is the start of the day.
  case pattern([Piece])

  /// A pattern of `%Y` (4 digits), `%m`, `%d`, `%H`, `%M`, `%S` (2 digits), `%%` and literal ASCII;
  /// nil when it has other pieces or no year.
  package init?(pattern text: String) {
    var pieces: [Piece] = []
    var isEscape = false
    for byte in text.utf8 {
      guard byte < 0x80 else { return nil }
      if isEscape {
        isEscape = false
        switch byte {
        case UInt8(ascii: "Y"): pieces.append(.year)
        case UInt8(ascii: "m"): pieces.append(.month)
        case UInt8(ascii: "d"): pieces.append(.day)
        case UInt8(ascii: "H"): pieces.append(.hour)
        case UInt8(ascii: "M"): pieces.append(.minute)
        case UInt8(ascii: "S"): pieces.append(.second)
        case UInt8(ascii: "%"): pieces.append(.literal(byte))
        default: return nil
        }
      } else if byte == UInt8(ascii: "%") {
        isEscape = true
      } else {
        pieces.append(.literal(byte))
      }
    }
    guard !isEscape, pieces.contains(.year) else { return nil }
    self = .pattern(pieces)
  }
}

/// Calendar arithmetic without tables, in the proleptic Gregorian calendar.
enum CivilTime {
  private static let nanosecondsPerSecond: Int64 = 1_000_000_000

  static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

  static func daysInMonth(_ month: Int, _ year: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days since 1970-01-01.
  static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    // Years start in March, so that the leap day is the last.
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// Nanoseconds since 1970, or nil when a field or the sum is out of range.
  ///
  /// Second 60 is the next second; callers that want exact values refuse it.
  static func nanoseconds(
    year: Int, month: Int = 1, day: Int = 1, hour: Int = 0, minute: Int = 0, second: Int = 0,
    nanosecond: Int64 = 0, offsetMinutes: Int = 0
  ) -> Int64? {
    guard (1...12).contains(month), day >= 1, day <= daysInMonth(month, year),
      (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second)
    else { return nil }
    let dayStart = Int64(days(year, month, day)) * 86_400
    let seconds = dayStart + Int64(hour * 3_600 + minute * 60 + second - offsetMinutes * 60)
    // Before 1970 the fraction is borrowed from the next second, so that the ends of the range do
    // not overflow early.
    if seconds < 0, nanosecond > 0 {
      let (product, overflow) = (seconds + 1).multipliedReportingOverflow(by: nanosecondsPerSecond)
      let (sum, overflow2) = product.addingReportingOverflow(nanosecond - nanosecondsPerSecond)
      return overflow || overflow2 ? nil : sum
    }
    let (product, overflow) = seconds.multipliedReportingOverflow(by: nanosecondsPerSecond)
    let (sum, overflow2) = product.addingReportingOverflow(nanosecond)
    return overflow || overflow2 ? nil : sum
  }
}
