// Help pages, made from the table.

/// Prints commands and options the way people read them.
enum HelpPage {
  /// The page of a command, or the overview when `command` is nil.
  static func render(_ table: CommandTable, _ command: CommandSpec?, width: Int = 80) -> String {
    let width = min(max(width, 40), 120)
    guard let command else { return overview(table, width) }
    var page = TextLayout(width: width)
    page.wrapped("\(table.name) \(command.name) - \(command.summary)", indent: 0, hanging: 2)
    page.line()
    page.wrapped("Usage: \(usageLine(table, command))", indent: 0, hanging: 7)
    if !command.aliases.isEmpty {
      page.wrapped("Alias: \(command.aliases.joined(separator: ", "))", indent: 0, hanging: 7)
    }
    if !command.discussion.isEmpty {
      page.line()
      page.paragraphs(command.discussion)
    }
    page.section("Arguments", command.arguments.map { ($0.name, sentence($0.help)) })
    page.section("Options", command.options.map(row))
    page.section("Global options", (table.globalOptions + [GlobalOptions.specialSpecs[0]]).map(row))
    if !command.examples.isEmpty {
      page.line()
      page.line("Examples:")
      for example in command.examples {
        page.line("  \(example.line)")
        page.wrapped(sentence(example.meaning), indent: 6, hanging: 6)
      }
    }
    page.section("Exit codes", command.exits.map { ("\($0.code.rawValue)", $0.meaning) })
    return page.text
  }

  /// `varve info [OPTIONS] [STORE]`.
  static func usageLine(_ table: CommandTable, _ command: CommandSpec) -> String {
    ([table.name, command.name, "[OPTIONS]"] + command.arguments.map(\.usage)).joined(
      separator: " ")
  }

  private static func overview(_ table: CommandTable, _ width: Int) -> String {
    var page = TextLayout(width: width)
    page.wrapped("\(table.name) \(table.version) - \(table.summary)", indent: 0, hanging: 0)
    page.line()
    page.wrapped("Usage: \(table.name) [OPTIONS] COMMAND [ARGUMENTS]", indent: 0, hanging: 7)
    var sections: [String] = []
    for command in table.commands where !command.isHidden && !sections.contains(command.section) {
      sections.append(command.section)
    }
    let shown = table.commands.filter { !$0.isHidden }
    let column = TextLayout.column(for: shown.map(\.name), width: width)
    for section in sections {
      let rows = shown.filter { $0.section == section }.map { ($0.name, sentence($0.summary)) }
      page.section(section, rows, column: column)
    }
    page.section("Options", (table.globalOptions + GlobalOptions.specialSpecs).map(row))
    page.line()
    page.wrapped(
      "Try \"\(table.name) help COMMAND\" for the page of a command.", indent: 0, hanging: 0)
    return page.text
  }

  private static func row(_ option: OptionSpec) -> (String, String) {
    var left = option.short.map { "-\($0), " } ?? "    "
    left += option.isNegatable ? "--[no-]\(option.long)" : "--\(option.long)"
    if let name = option.valueName { left += " \(name)" }
    var right = sentence(option.help)
    if let variable = option.environment { right += " (default: $\(variable))" }
    return (left, right)
  }

  private static func sentence(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst()
  }
}
