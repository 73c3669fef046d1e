// Turns the words of a command line into a command, by the table alone. Pure: no process, no
// terminal.

/// Parses command lines.
///
/// Options may stand anywhere; those of a command only after its name. `--x=y`, `--x y`, `-xy`,
/// `-x=y` and `-x y` give values; `-abc` bundles flags; `--` ends the options; `-` is an argument.
enum CommandLineParser {
  /// The command that `arguments` (without the program's name) spell.
  static func parse(
    table: CommandTable, arguments: [String], environment: [String: String]
  ) throws(UsageError) -> ParsedCommand {
    var run = ParserRun(table: table, words: arguments)
    return try run.parse(environment: environment)
  }
}

/// The state of one run of the parser.
private struct ParserRun {
  let table: CommandTable
  let words: [String]
  var position = 0
  var command: CommandSpec?
  /// The first word of a family of commands whose second word is still to come.
  var family: String?
  var special: ParsedCommand.Action?
  var isEnded = false
  var options = OptionValues()
  var arguments: [String] = []

  init(table: CommandTable, words: [String]) {
    self.table = table
    self.words = words
  }

  mutating func parse(environment: [String: String]) throws(UsageError) -> ParsedCommand {
    while position < words.count {
      let word = words[position]
      position += 1
      if isEnded || word == "-" || !word.hasPrefix("-") {
        try takeWord(word)
      } else if word == "--" {
        isEnded = true
      } else if word.hasPrefix("--") {
        try takeLong(word)
      } else {
        try takeShorts(word)
      }
      if case .help = special { break }
    }
    try takeEnvironment(environment)
    if let special {
      return ParsedCommand(action: special, globals: try GlobalOptions.read(options))
    }
    guard let command else { throw missingCommand() }
    try checkArguments(of: command)
    return ParsedCommand(
      action: .run(command), globals: try GlobalOptions.read(options), options: options,
      arguments: arguments)
  }

  // MARK: Words

  private mutating func takeWord(_ word: String) throws(UsageError) {
    if command != nil {
      arguments.append(word)
    } else if let first = family {
      guard let found = table.command(named: "\(first) \(word)") else {
        throw unknownCommand("\(first) \(word)", word, among: table.secondWords(of: first))
      }
      command = found
    } else if position < words.count,
      let found = table.command(named: "\(word) \(words[position])")
    {
      position += 1
      command = found
    } else if let found = table.command(named: word) {
      command = found
    } else if !table.secondWords(of: word).isEmpty {
      family = word
    } else {
      throw unknownCommand(word, word, among: table.firstWords)
    }
  }

  private func unknownCommand(_ full: String, _ word: String, among words: [String]) -> UsageError {
    let suggestion = Suggestion.closest(to: word, among: words)
    return UsageError(
      .unknownCommand, "unknown command \"\(full)\"\(Suggestion.question(suggestion))",
      hint: "Try \"varve --help\" for a list of commands.")
  }

  private func missingCommand() -> UsageError {
    guard let family else {
      return UsageError(
        .missingCommand, "a command is missing",
        hint: "Try \"varve --help\" for a list of commands.")
    }
    let words = table.secondWords(of: family).joined(separator: ", ")
    return UsageError(
      .missingCommand, "\"varve \(family)\" needs one of \(words)",
      hint: "Try \"varve --help\" for a list of commands.")
  }

  private var helpHint: String {
    let name = command.map { "varve \($0.name) --help" } ?? "varve --help"
    return "Try \"\(name)\" for the options."
  }

  // MARK: Options

  private var knownOptions: [OptionSpec] { (command?.options ?? []) + table.globalOptions }

  private mutating func takeLong(_ word: String) throws(UsageError) {
    let body = word.dropFirst(2)
    let name: String
    let attached: String?
    if let equals = body.firstIndex(of: "=") {
      name = String(body[..<equals])
      attached = String(body[body.index(after: equals)...])
    } else {
      name = String(body)
      attached = nil
    }
    if takeSpecial(name) {
      guard attached == nil else { throw unexpectedValue("--\(name)") }
      return
    }
    if let option = knownOptions.first(where: { $0.long == name }) {
      try take(option, spelled: "--\(name)", attached: attached)
    } else if name.hasPrefix("no-"),
      let option = knownOptions.first(where: { $0.isNegatable && $0.long == name.dropFirst(3) })
    {
      guard attached == nil else { throw unexpectedValue("--\(name)") }
      options.set(option.long, to: false)
    } else {
      throw unknownOption("--\(name)")
    }
  }

  private mutating func takeSpecial(_ name: String) -> Bool {
    switch name {
    case "help": special = .help(command)
    case "version" where command == nil: special = .version
    case "exit-map" where command == nil: special = .exitMap
    default: return false
    }
    return true
  }

  private mutating func takeShorts(_ word: String) throws(UsageError) {
    var rest = word.dropFirst()
    while let letter = rest.popFirst() {
      guard let option = knownOptions.first(where: { $0.short == letter }) else {
        if letter == "h" {
          special = .help(command)
          return
        }
        throw unknownOption("-\(letter)")
      }
      guard option.takesValue else {
        if rest.first == "=" { throw unexpectedValue("-\(letter)") }
        try take(option, spelled: "-\(letter)", attached: nil)
        continue
      }
      let attached = rest.isEmpty ? nil : String(rest.first == "=" ? rest.dropFirst() : rest)
      try take(option, spelled: "-\(letter)", attached: attached)
      return
    }
  }

  private mutating func take(
    _ option: OptionSpec, spelled: String, attached: String?
  ) throws(UsageError) {
    guard let valueName = option.valueName else {
      guard attached == nil else { throw unexpectedValue(spelled) }
      options.set(option.long, to: true)
      return
    }
    guard option.isRepeatable || !options.has(option.long) else {
      throw UsageError(
        .repeatedOption, "option \(spelled) is given twice", hint: "Give it once.")
    }
    let value = if let attached { attached } else { try nextValue(spelled, valueName) }
    if let wanted = option.complaint(about: value) {
      throw UsageError(
        .badValue, "option \(spelled) cannot be \"\(value)\": it needs \(wanted)", hint: helpHint)
    }
    options.add(value, to: option.long)
  }

  /// The next word as the value of an option.
  ///
  /// A word that is itself a known option is taken for a forgotten value.
  private mutating func nextValue(
    _ spelled: String, _ valueName: String
  ) throws(UsageError) -> String {
    guard position < words.count else {
      throw UsageError(
        .missingValue, "option \(spelled) needs a value \(valueName)", hint: helpHint)
    }
    let word = words[position]
    if isKnownOption(word) {
      throw UsageError(
        .missingValue, "option \(spelled) needs a value \(valueName), not the option \(word)",
        hint: "Write \(spelled)=\(word) if that is the value.")
    }
    position += 1
    return word
  }

  private func isKnownOption(_ word: String) -> Bool {
    if word == "--" { return true }
    return (knownOptions + GlobalOptions.specialSpecs).contains { option in
      word == "--\(option.long)" || (option.short.map { word == "-\($0)" } ?? false)
    }
  }

  private func unexpectedValue(_ spelled: String) -> UsageError {
    UsageError(.unexpectedValue, "option \(spelled) takes no value", hint: helpHint)
  }

  private func unknownOption(_ spelled: String) -> UsageError {
    if command == nil, isOptionOfSomeCommand(spelled) {
      return UsageError(
        .unknownOption, "option \(spelled) stands before the command that it belongs to",
        hint: "Write options of a command after its name.")
    }
    var names = (knownOptions + GlobalOptions.specialSpecs).map(\.long)
    names += knownOptions.filter(\.isNegatable).map { "no-\($0.long)" }
    let isLong = spelled.hasPrefix("--")
    let nearest = isLong ? Suggestion.closest(to: String(spelled.dropFirst(2)), among: names) : nil
    let suggestion = nearest.map { "--\($0)" }
    let owner = command.map { " of \"varve \($0.name)\"" } ?? ""
    return UsageError(
      .unknownOption, "unknown option \(spelled)\(owner)\(Suggestion.question(suggestion))",
      hint: helpHint)
  }

  private func isOptionOfSomeCommand(_ spelled: String) -> Bool {
    table.commands.flatMap(\.options).contains { option in
      spelled == "--\(option.long)" || (option.short.map { spelled == "-\($0)" } ?? false)
    }
  }

  // MARK: The end

  private mutating func takeEnvironment(_ environment: [String: String]) throws(UsageError) {
    for option in knownOptions {
      guard let variable = option.environment, !options.has(option.long),
        let text = environment[variable], !text.isEmpty
      else { continue }
      guard option.takesValue else {
        options.set(option.long, to: text != "0" && text != "false" && text != "no")
        continue
      }
      if let wanted = option.complaint(about: text) {
        throw UsageError(
          .badValue, "environment variable \(variable) cannot be \"\(text)\": it needs \(wanted)",
          hint: "Unset it or give --\(option.long).")
      }
      options.add(text, to: option.long)
    }
  }

  private func checkArguments(of command: CommandSpec) throws(UsageError) {
    let required = command.arguments.filter(\.count.isRequired)
    if arguments.count < required.count {
      let missing = required[arguments.count]
      throw UsageError(
        .missingArgument, "argument \(missing.name) of \"varve \(command.name)\" is missing",
        hint: "Usage: \(HelpPage.usageLine(table, command))")
    }
    let isList = command.arguments.last?.count.isList ?? false
    if !isList, arguments.count > command.arguments.count {
      let extra = arguments[command.arguments.count]
      throw UsageError(
        .extraArgument, "\"varve \(command.name)\" does not take the argument \"\(extra)\"",
        hint: "Usage: \(HelpPage.usageLine(table, command))")
    }
  }
}
