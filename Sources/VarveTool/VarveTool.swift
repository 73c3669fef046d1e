// The command `varve`: reads the command line, runs the command, reports errors, ends with its exit
// code.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The entry point.
@main
package struct VarveTool {
  package static func main() {
    ignoreSignals()
    let table = CommandTable.varve
    let code = run(
      table: table, arguments: Array(CommandLine.arguments.dropFirst()),
      environment: SystemText.environment(environmentNames(table)),
      output: OutputWriter(descriptor: 1), errors: OutputWriter(descriptor: 2))
    exit(code.rawValue)
  }

  /// A closed pipe and a limit on the size of files are noticed by write(2).
  static func ignoreSignals() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
  }

  /// One whole run of the tool, without a process.
  static func run(
    table: CommandTable, arguments: [String], environment: [String: String],
    output: OutputWriter, errors: OutputWriter
  ) -> ExitCode {
    // A command line that is wrong is answered in the form that it asks for.
    let words = arguments.prefix { $0 != "--" }
    let isJSON = words.contains("--json") || words.contains("--jsonl")
    let command: ParsedCommand
    do {
      command = try CommandLineParser.parse(
        table: table, arguments: arguments, environment: environment)
    } catch {
      return report(FailureReport(error), isJSON: isJSON, to: errors)
    }
    let context = CommandContext(
      table: table, command: command, environment: environment, output: output, errors: errors)
    context.asksForJSON = isJSON
    do {
      let code = try perform(context)
      try context.finish()
      return code
    } catch {
      // What was printed before the error is worth having; a second failure adds nothing.
      try? context.finish()
      return report(
        FailureReport(error, after: context.lasting), isJSON: isJSON, to: errors)
    }
  }

  /// What one run prints, and its exit code; for transcripts in tests.
  package static func transcript(
    _ arguments: [String], environment: [String: String] = ["COLUMNS": "80"]
  ) -> (output: String, errors: String, code: Int32) {
    let output = OutputWriter.memory()
    let errors = OutputWriter.memory()
    let code = run(
      table: .varve, arguments: arguments, environment: environment, output: output,
      errors: errors)
    return (output.memoryText, errors.memoryText, code.rawValue)
  }

  private static func perform(_ context: CommandContext) throws -> ExitCode {
    switch context.command.action {
    case .run(let command): return try command.run(context)
    case .help(let command):
      let width = Terminal.width(environment: context.environment)
      try HelpPage.print(command, context, width: width)
    case .version:
      let isJSON = context.globals.format != .human
      try context.output.line(isJSON ? ToolVersion.json.text : ToolVersion.text)
    case .exitMap: try context.output.line(ExitCode.map.text)
    }
    return .done
  }

  private static func report(
    _ failure: FailureReport, isJSON: Bool, to errors: OutputWriter
  ) -> ExitCode {
    // When standard error cannot be written either, the exit code still tells.
    try? errors.write(isJSON ? failure.json : failure.text)
    try? errors.flush()
    return failure.code
  }

  private static func environmentNames(_ table: CommandTable) -> [String] {
    let options = table.globalOptions + table.commands.flatMap(\.options)
    return options.compactMap(\.environment)
      + ["NO_COLOR", "CLICOLOR_FORCE", "TERM", "COLUMNS", "PAGER"]
  }
}
