// `varve help [COMMAND]`.

extension CommandSpec {
  static let help = CommandSpec(
    name: "help", section: "Help", summary: "print the page of a command, or the list of commands",
    arguments: [ArgumentSpec("COMMAND", .any, help: "the command, of one word or two")],
    examples: [ExampleSpec("varve help explain", "print the page of explain")],
    exits: [ExitSpec(.done), ExitSpec(.usage, "there is no such command")]
  ) { context in
    let width = Terminal.width(environment: context.environment)
    let words = context.command.arguments
    guard !words.isEmpty else {
      try HelpPage.print(nil, context, width: width)
      return .done
    }
    let name = words.joined(separator: " ")
    if let command = context.table.command(named: name) {
      try HelpPage.print(command, context, width: width)
      return .done
    }
    let names = context.table.commands.filter { !$0.isHidden }.flatMap(\.names)
    let suggestion = Suggestion.closest(to: name, among: names)
    throw UsageError(
      .unknownCommand, "unknown command \"\(name)\"\(Suggestion.question(suggestion))",
      hint: "Try \"varve --help\" for a list of commands.")
  }
}
