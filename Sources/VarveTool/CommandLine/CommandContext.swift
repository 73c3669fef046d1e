// What a running command has at hand.

/// What a run has done that stays done, whatever becomes of its output.
struct LastingWork: Sendable, Equatable {
  /// What was done, in one line.
  var text: String
  /// How the command ends when nothing more goes wrong.
  var code: ExitCode
}

/// The command line and the streams of one run.
final class CommandContext {
  let table: CommandTable
  let command: ParsedCommand
  let environment: [String: String]
  /// Standard output: data only.
  let output: OutputWriter
  /// Standard error: progress, warnings, summaries.
  let errors: OutputWriter
  /// Set by commands that write, as soon as something is durable.
  ///
  /// An error behind it then tells of it, and is at most a partial success.
  var lasting: LastingWork?
  /// Whether the command line asks for JSON, wherever it says so.
  ///
  /// What stands behind `--help` is not parsed.
  var asksForJSON = false
  private var result: OutputWriter?

  init(
    table: CommandTable, command: ParsedCommand, environment: [String: String],
    output: OutputWriter, errors: OutputWriter
  ) {
    self.table = table
    self.command = command
    self.environment = environment
    self.output = output
    self.errors = errors
  }

  var globals: GlobalOptions { command.globals }
  var options: OptionValues { command.options }

  /// Whether results are coloured.
  var usesColor: Bool {
    globals.output == nil
      && globals.usesColor(isTerminal: output.isTerminal, environment: environment)
  }

  /// Where the result goes: the new file named by `--output`, else standard output.
  func resultWriter() throws(OutputError) -> OutputWriter {
    if let result { return result }
    let writer: OutputWriter
    if let path = globals.output, path != "-" {
      writer = try OutputWriter(creating: path)
    } else {
      writer = output
    }
    result = writer
    return writer
  }

  /// Writes what is still buffered.
  ///
  /// Called by the tool when the command is done.
  func finish() throws(OutputError) {
    if let result, result !== output { try result.close() }
    try output.flush()
    try errors.flush()
  }

  /// A remark for people, unless `--quiet`.
  func note(_ text: String) throws(OutputError) {
    guard !globals.isQuiet else { return }
    try errors.write("varve: \(text)\n")
    try errors.flush()
  }

  /// A line of progress on standard error: silent unless that is a terminal.
  func progress() -> ProgressLine {
    ProgressLine(errors, isEnabled: errors.isTerminal && !globals.isQuiet)
  }
}
