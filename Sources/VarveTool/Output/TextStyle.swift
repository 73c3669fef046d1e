// Colours and weights of terminal text.

/// Wraps text in escape sequences, or leaves it alone.
struct TextStyle: Sendable {
  var isEnabled: Bool

  init(isEnabled: Bool) { self.isEnabled = isEnabled }

  func bold(_ text: String) -> String { wrap(text, "1") }
  func faint(_ text: String) -> String { wrap(text, "2") }
  func red(_ text: String) -> String { wrap(text, "31") }
  func green(_ text: String) -> String { wrap(text, "32") }
  func yellow(_ text: String) -> String { wrap(text, "33") }
  func cyan(_ text: String) -> String { wrap(text, "36") }

  private func wrap(_ text: String, _ code: String) -> String {
    isEnabled ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
