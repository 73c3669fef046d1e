// A small table of commands for the tests of the parser and of the help pages.

@testable import VarveTool

enum SampleTable {
  static let table = CommandTable(
    summary: "a tool for tests", version: "1.2.3",
    commands: [
      CommandSpec(
        name: "info", aliases: ["identity"], section: "Inspection",
        summary: "print what a store is",
        discussion: """
          Reads the headers only, so that it is fast, and wraps a discussion that is longer \
          than one line of \
          the page.

            varve info is not wrapped here
          """,
        options: [
          OptionSpec(
            "sort", .choice("KEY", ["size", "seq", "time"]), help: "sort by size, seq or time"),
          OptionSpec("check", .negatableFlag, help: "verify checks while reading"),
          OptionSpec("count", short: "n", .integer("N", 1...100), help: "print N lines"),
          OptionSpec("type", short: "t", .text("TYPE"), repeatable: true, help: "only these types"),
          OptionSpec("all", short: "a", environment: "SAMPLE_ALL", help: "print everything"),
        ],
        arguments: [
          ArgumentSpec("STORE", help: "the store"),
          ArgumentSpec("RANGE", .optional, help: "the transactions"),
        ],
        examples: [ExampleSpec("varve info x.vlog -n 3", "print three lines")],
        exits: [ExitSpec(.done), ExitSpec(.corruption, "the header is damaged")]
      ) { _ in .done },
      CommandSpec(
        name: "import csv", section: "Data", summary: "import delimited text",
        options: [OptionSpec("into", .text("STORE"), help: "the store to write to")],
        arguments: [ArgumentSpec("SOURCE", .atLeastOne, help: "the files")]
      ) { _ in .partialSuccess },
      CommandSpec(name: "import jsonl", section: "Data", summary: "import JSON lines") { _ in .done
      },
      CommandSpec(
        name: "schema", section: "Inspection", summary: "print the schema",
        arguments: [ArgumentSpec("STORE", .any, help: "the stores")]
      ) { _ in .done },
      CommandSpec(name: "schema diff", section: "Inspection", summary: "compare schemas") { _ in
        .done
      },
      CommandSpec(name: "secret", summary: "is not listed", isHidden: true) { _ in .done },
    ])

  /// What a command line means, in one line; or the two lines of its error.
  static func show(_ line: String, environment: [String: String] = [:]) -> String {
    show(line.split(separator: " ").map(String.init), environment: environment)
  }

  static func show(_ words: [String], environment: [String: String] = [:]) -> String {
    do {
      let parsed = try CommandLineParser.parse(
        table: table, arguments: words, environment: environment)
      return describe(parsed)
    } catch {
      return "\(error.code): \(error.message)\n\(error.hint)"
    }
  }

  private static func describe(_ parsed: ParsedCommand) -> String {
    var parts: [String]
    switch parsed.action {
    case .run(let command):
      parts = [command.name]
      for option in command.options {
        let name = option.long
        if option.takesValue {
          if parsed.options.has(name) { parts.append("\(name)=\(parsed.options.values(name))") }
        } else if parsed.options.has(name) {
          parts.append("\(name)=\(parsed.options.flag(name))")
        }
      }
    case .help(let command): parts = ["help(\(command?.name ?? ""))"]
    case .version: parts = ["version"]
    case .exitMap: parts = ["exit map"]
    }
    let globals = parsed.globals
    if let store = globals.store { parts.append("store=\(store)") }
    if let output = globals.output { parts.append("output=\(output)") }
    if globals.format != .human { parts.append("\(globals.format)") }
    if globals.color != .auto { parts.append("color=\(globals.color)") }
    if globals.isQuiet { parts.append("quiet") }
    if globals.verbosity > 0 { parts.append("verbosity=\(globals.verbosity)") }
    if let threads = globals.threads { parts.append("threads=\(threads)") }
    if globals.isStrict { parts.append("strict") }
    if !parsed.arguments.isEmpty { parts.append("\(parsed.arguments)") }
    return parts.joined(separator: " ")
  }
}
