// One line of progress that is rewritten in place, on a terminal only.

/// Shows how far a long command is.
final class ProgressLine {
  /// The shortest time between two updates: at most ten a second.
  static let interval = Duration.milliseconds(100)

  private let writer: OutputWriter
  private let isEnabled: Bool
  private let now: () -> ContinuousClock.Instant
  private let start: ContinuousClock.Instant
  private var last: ContinuousClock.Instant?
  private var shownColumns = 0

  init(
    _ writer: OutputWriter, isEnabled: Bool,
    now: @escaping () -> ContinuousClock.Instant = { ContinuousClock.now }
  ) {
    self.writer = writer
    self.isEnabled = isEnabled
    self.now = now
    start = now()
  }

  /// Shows the text unless another was shown less than a tenth of a second ago.
  func update(_ text: @autoclosure () -> String) {
    guard isEnabled else { return }
    let moment = now()
    if let last, moment - last < ProgressLine.interval { return }
    last = moment
    show(text())
  }

  /// Shows counts, rate and the time that is left when the total is known.
  func update(label: String, done: UInt64, total: UInt64?, unit: String) {
    guard isEnabled else { return }
    update(summary(label: label, done: done, total: total, unit: unit))
  }

  private func summary(label: String, done: UInt64, total: UInt64?, unit: String) -> String {
    let elapsed = now() - start
    let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
    let rate = seconds > 0 ? Double(done) / seconds : 0
    var text = "\(label): \(HumanText.grouped(done))"
    if let total { text += " of \(HumanText.grouped(total))" }
    text += " \(unit)"
    if rate >= 1, rate < 1e15 { text += ", \(HumanText.grouped(UInt64(rate)))/s" }
    if let total, total > done, rate >= 1 {
      let left = min(Double(total - done) / rate, 1e9)
      text += ", \(HumanText.duration(.seconds(Int64(left)))) left"
    }
    return text
  }

  /// Removes the line.
  func clear() {
    guard isEnabled, shownColumns > 0 else { return }
    emit("\r" + String(repeating: " ", count: shownColumns) + "\r")
    shownColumns = 0
  }

  private func show(_ text: String) {
    let columns = TextWidth.columns(text)
    let rest = String(repeating: " ", count: max(shownColumns - columns, 0))
    emit("\r" + text + rest)
    shownColumns = columns
  }

  /// Progress that cannot be shown is not worth a failure.
  private func emit(_ text: String) {
    try? writer.write(text)
    try? writer.flush()
  }
}
