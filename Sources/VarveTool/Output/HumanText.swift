// Numbers the way people read them.

/// Sizes, counts and durations as text.
enum HumanText {
  /// `999 B`, `1.0 KiB`, `118.2 KiB`, `4.0 GiB`.
  static func bytes(_ count: UInt64) -> String {
    if count < 1_024 { return "\(count) B" }
    let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
    var unit = 0
    var size = Double(count) / 1_024
    // 1023.95 would print as 1024.0.
    while size >= 1_023.95, unit < units.count - 1 {
      size /= 1_024
      unit += 1
    }
    return "\(decimal(size, digits: 1)) \(units[unit])"
  }

  /// `1,204` with a comma between groups of three digits.
  static func grouped(_ number: some BinaryInteger) -> String {
    var digits = String(number)
    let sign = digits.hasPrefix("-") ? "-" : ""
    digits.removeFirst(sign.count)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text += "," }
      text.append(digit)
    }
    return sign + text
  }

  /// `312 ns`, `1.2 ms`, `3.4 s`, `2 min 5 s`, `3 h 20 min`, `41 days`.
  static func duration(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    let nanoseconds = attoseconds / 1_000_000_000
    if seconds < 0 || nanoseconds < 0 { return "-" + self.duration(.zero - duration) }
    if seconds >= 2 * 86_400 { return "\(grouped(seconds / 86_400)) days" }
    if seconds >= 3_600 { return "\(seconds / 3_600) h \(seconds % 3_600 / 60) min" }
    if seconds >= 60 { return "\(seconds / 60) min \(seconds % 60) s" }
    if seconds >= 1 {
      return "\(decimal(Double(seconds) + Double(nanoseconds) / 1e9, digits: 1)) s"
    }
    if nanoseconds >= 1_000_000 { return "\(decimal(Double(nanoseconds) / 1e6, digits: 1)) ms" }
    if nanoseconds >= 1_000 { return "\(decimal(Double(nanoseconds) / 1e3, digits: 1)) us" }
    return "\(nanoseconds) ns"
  }

  /// A number below 10^15 with a fixed count of digits behind the point, halves rounded up.
  static func decimal(_ value: Double, digits: Int) -> String {
    var scale: UInt64 = 1
    for _ in 0..<digits { scale *= 10 }
    let scaled = UInt64((value.magnitude * Double(scale) + 0.5).rounded(.down))
    let sign = value < 0 && scaled > 0 ? "-" : ""
    guard digits > 0 else { return "\(sign)\(scaled)" }
    let fraction = String(scaled % scale)
    let zeros = String(repeating: "0", count: digits - fraction.count)
    return "\(sign)\(scaled / scale).\(zeros)\(fraction)"
  }
}
