// How the times of stamps print: UTC with milliseconds.

/// Spells milliseconds since 1970 as `YYYY-MM-DDTHH:MM:SS.mmmZ`.
package enum TimeText {
  /// The time of a stamp, whose 44 bits of milliseconds end in the year 2527.
  package static func text(_ stamp: Stamp) -> String {
    var writer = ByteWriter(capacity: 64)
    write(milliseconds: stamp.milliseconds, into: &writer)
    return writer.text
  }

  package static func write(milliseconds: UInt64, into writer: inout ByteWriter) {
    let (days, rest) = milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
    let (year, month, day) = civil(days)
    writer.decimal(year, width: 4)
    writer.character("-")
    writer.decimal(month, width: 2)
    writer.character("-")
    writer.decimal(day, width: 2)
    writer.character("T")
    writer.decimal(rest / 3_600_000, width: 2)
    writer.character(":")
    writer.decimal(rest / 60_000 % 60, width: 2)
    writer.character(":")
    writer.decimal(rest / 1_000 % 60, width: 2)
    writer.character(".")
    writer.decimal(rest % 1_000, width: 3)
    writer.character("Z")
  }

  /// The Gregorian date of a day since 1970, counted in years that begin on the first of March.
  private static func civil(_ days: UInt64) -> (year: UInt64, month: UInt64, day: UInt64) {
    let shifted = days + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }
}
