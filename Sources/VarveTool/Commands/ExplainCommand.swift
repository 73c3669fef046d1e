// `varve explain CODE`: the manual of error codes.

extension CommandSpec {
  static let explain = CommandSpec(
    name: "explain", section: "Help", summary: "explain an error code or an exit code",
    discussion: """
      CODE is a word as in error messages (badFrameHash), the code of a rejected row (E-CAST), \
      or the number of an exit code. \
      Without CODE, all of them are listed.
      """,
    arguments: [ArgumentSpec("CODE", .optional, help: "the code")],
    examples: [
      ExampleSpec("varve explain badFrameHash", "what it means and what to do"),
      ExampleSpec("varve explain 4", "what exit code 4 says"),
    ],
    exits: [ExitSpec(.done), ExitSpec(.usage, "there is no such code")]
  ) { context in
    let isJSON = context.globals.format != .human
    guard let word = context.command.argument("CODE") else {
      try list(context, isJSON: isJSON)
      return .done
    }
    guard let page = ErrorPage.page(for: word) else {
      let suggestion = Suggestion.closest(to: word, among: ErrorPage.all.map(\.code))
      throw UsageError(
        .badArgument, "unknown code \"\(word)\"\(Suggestion.question(suggestion))",
        hint: "Try \"varve explain\" for a list of codes.")
    }
    let width = Terminal.width(environment: context.environment)
    try context.output.write(isJSON ? page.json.text + "\n" : page.text(width: width))
    return .done
  }

  private static func list(_ context: CommandContext, isJSON: Bool) throws(OutputError) {
    if isJSON {
      var document = try DocumentWriter(
        context.output, schema: "varve.explain/1", list: "codes",
        isLines: context.globals.format == .jsonLines)
      for page in ErrorPage.all { try document.add(page.members) }
      try document.finish([("count", .integer(Int64(ErrorPage.all.count)))])
      return
    }
    var table = TablePrinter([.init("CODE"), .init("MEANING")])
    for page in ErrorPage.all { table.add([page.code, page.meaning]) }
    let isTerminal = context.output.isTerminal
    let width = isTerminal ? Terminal.width(environment: context.environment) : nil
    try context.output.write(table.render(width: width))
  }
}
