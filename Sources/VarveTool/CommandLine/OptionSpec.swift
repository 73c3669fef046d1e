// Declares one option. The parser, the help pages and the error texts all read this.

/// One option of a command, or of all commands.
struct OptionSpec: Sendable {
  /// What an option takes.
  enum Value: Sendable {
    /// Nothing: the option is there or not.
    case flag
    /// Nothing, and `--no-x` says the opposite.
    case negatableFlag
    /// Any text, shown in help under this name.
    case text(String)
    /// A whole number in a range.
    case integer(String, ClosedRange<Int>)
    /// One of these words.
    case choice(String, [String])
  }

  /// The name without dashes, for example `output`.
  var long: String
  /// The letter of the short form.
  var short: Character?
  /// What it takes.
  var value: Value
  /// Whether it may be given several times.
  ///
  /// Flags that repeat are counted.
  var isRepeatable: Bool
  /// The environment variable that gives its value when the command line does not.
  var environment: String?
  /// What it does, for the help page.
  ///
  /// Starts in lower case, without a full stop.
  var help: String

  init(
    _ long: String, short: Character? = nil, _ value: Value = .flag, repeatable: Bool = false,
    environment: String? = nil, help: String
  ) {
    self.long = long
    self.short = short
    self.value = value
    self.isRepeatable = repeatable
    self.environment = environment
    self.help = help
  }

  /// Whether a value follows.
  var takesValue: Bool { valueName != nil }

  /// The name of the value in help and messages.
  var valueName: String? {
    switch value {
    case .flag, .negatableFlag: nil
    case .text(let name), .integer(let name, _), .choice(let name, _): name
    }
  }

  /// Whether `--no-x` exists.
  var isNegatable: Bool { if case .negatableFlag = value { true } else { false } }

  /// What is wrong with a value, or nil.
  func complaint(about text: String) -> String? {
    switch value {
    case .flag, .negatableFlag, .text: return nil
    case .integer(_, let range):
      if let number = Int(text), range.contains(number) { return nil }
      if range.upperBound == .max { return "a whole number of at least \(range.lowerBound)" }
      return "a whole number from \(range.lowerBound) to \(range.upperBound)"
    case .choice(_, let words):
      if words.contains(text) { return nil }
      let suggestion = Suggestion.closest(to: text, among: words)
      return "one of \(words.joined(separator: ", "))" + Suggestion.question(suggestion)
    }
  }
}
