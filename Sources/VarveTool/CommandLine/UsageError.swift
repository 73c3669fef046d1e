// What is wrong with a command line, and what to write instead.

/// A command line that cannot be understood.
///
/// Ends the tool with exit code 64.
struct UsageError: Error, Sendable, Equatable {
  /// The kind of mistake.
  enum Code: String, Sendable {
    case missingCommand, unknownCommand
    case unknownOption, missingValue, unexpectedValue, badValue, repeatedOption, conflictingOptions
    case missingArgument, extraArgument, badArgument
  }

  /// The kind of mistake.
  var code: Code
  /// The mistake, in one line.
  var message: String
  /// What to do, in one line.
  var hint: String

  init(_ code: Code, _ message: String, hint: String) {
    self.code = code
    self.message = message
    self.hint = hint
  }

  /// The two lines that go to standard error.
  var text: String { "varve: \(message)\n\(hint)\n" }
}
