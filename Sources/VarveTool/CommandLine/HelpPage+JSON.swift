// Help pages as JSON, made from the same table as the text.

extension HelpPage {
  /// Prints a page as text or, with `--json` and `--jsonl`, as one line.
  static func print(
    _ command: CommandSpec?, _ context: CommandContext, width: Int
  ) throws(OutputError) {
    if context.asksForJSON {
      try context.output.line(json(context.table, command).text)
    } else {
      try context.output.write(render(context.table, command, width: width))
    }
  }

  /// The page of a command, or the overview when `command` is nil.
  static func json(_ table: CommandTable, _ command: CommandSpec?) -> JSONValue {
    guard let command else { return overview(table) }
    return .object([
      ("schema", "varve.help/1"), ("command", .string(command.name)),
      ("summary", .string(command.summary)), ("usage", .string(usageLine(table, command))),
      ("aliases", .array(command.aliases.map(JSONValue.string))),
      ("discussion", .string(command.discussion)),
      (
        "arguments",
        .array(
          command.arguments.map { argument in
            .object([
              ("name", .string(argument.name)), ("required", .bool(argument.count.isRequired)),
              ("list", .bool(argument.count.isList)), ("help", .string(argument.help)),
            ])
          })
      ),
      ("options", options(command.options)), ("globalOptions", options(table.globalOptions)),
      (
        "examples",
        .array(
          command.examples.map { example in
            .object([("line", .string(example.line)), ("meaning", .string(example.meaning))])
          })
      ),
      (
        "exits",
        .array(
          command.exits.map { exit in
            .object([
              ("code", .integer(Int64(exit.code.rawValue))), ("meaning", .string(exit.meaning)),
            ])
          })
      ),
    ])
  }

  private static func overview(_ table: CommandTable) -> JSONValue {
    let commands = table.commands.filter { !$0.isHidden }.map { command in
      JSONValue.object([
        ("command", .string(command.name)), ("section", .string(command.section)),
        ("summary", .string(command.summary)),
      ])
    }
    return .object([
      ("schema", "varve.help/1"), ("command", .null), ("summary", .string(table.summary)),
      ("version", .string(table.version)), ("commands", .array(commands)),
      ("globalOptions", options(table.globalOptions)),
    ])
  }

  private static func options(_ options: [OptionSpec]) -> JSONValue {
    .array(
      options.map { option in
        .object([
          ("name", .string("--\(option.long)")),
          ("short", option.short.map { .string("-\($0)") } ?? .null),
          ("value", option.valueName.map(JSONValue.string) ?? .null),
          ("repeatable", .bool(option.isRepeatable)),
          ("negatable", .bool(option.isNegatable)),
          ("environment", option.environment.map(JSONValue.string) ?? .null),
          ("help", .string(option.help)),
        ])
      })
  }
}
