// What a tidy rule reports, and how a test turns reports into a failure that names file and line.

import Testing

/// One place that breaks a rule.
struct Finding: Equatable, CustomStringConvertible {
  /// The path from the root of the repository.
  var path: String
  /// Counted from 1; 0 means the file as a whole.
  var line: Int
  var message: String

  var description: String { line == 0 ? "\(path): \(message)" : "\(path):\(line): \(message)" }
}

/// Fails with every finding on a line of its own.
func expectNone(_ findings: [Finding], sourceLocation: SourceLocation = #_sourceLocation) {
  let count = findings.count
  let list = findings.map(\.description).joined(separator: "\n")
  #expect(count == 0, "\(list)", sourceLocation: sourceLocation)
}
