// Declares one command, and the table of all of them.

/// One positional argument of a command.
struct ArgumentSpec: Sendable {
  /// How often it is given.
  enum Count: Sendable {
    case one, optional, any, atLeastOne

    var isRequired: Bool { self == .one || self == .atLeastOne }
    var isList: Bool { self == .any || self == .atLeastOne }
  }

  /// The name in help, in capitals.
  var name: String
  /// How often it is given.
  ///
  /// Only the last argument can be a list.
  var count: Count
  /// What it is.
  var help: String

  init(_ name: String, _ count: Count = .one, help: String) {
    self.name = name
    self.count = count
    self.help = help
  }

  /// The argument in a usage line.
  var usage: String {
    switch count {
    case .one: name
    case .optional: "[\(name)]"
    case .any: "[\(name)...]"
    case .atLeastOne: "\(name)..."
    }
  }
}

/// One command line to learn from.
struct ExampleSpec: Sendable {
  var line: String
  var meaning: String

  init(_ line: String, _ meaning: String) {
    self.line = line
    self.meaning = meaning
  }
}

/// One way in which a command ends.
struct ExitSpec: Sendable {
  var code: ExitCode
  var meaning: String

  init(_ code: ExitCode, _ meaning: String? = nil) {
    self.code = code
    self.meaning = meaning ?? code.meaning
  }
}

/// One command: what it is called, what it takes, and what it does.
struct CommandSpec: Sendable {
  /// One word, or two for a command of a family such as `import csv`.
  var name: String
  /// Other names, of as many words as they like (one or two).
  var aliases: [String] = []
  /// The heading under which `varve --help` lists it.
  var section = "Commands"
  /// One line without a full stop.
  var summary: String
  /// Paragraphs separated by empty lines; lines that start with two spaces are not wrapped.
  var discussion = ""
  var options: [OptionSpec] = []
  var arguments: [ArgumentSpec] = []
  var examples: [ExampleSpec] = []
  var exits: [ExitSpec] = [ExitSpec(.done), ExitSpec(.operationalFailure)]
  /// Whether `varve --help` leaves it out.
  var isHidden = false
  /// Does the work.
  ///
  /// Errors that it throws are reported by the tool.
  var run: @Sendable (CommandContext) throws -> ExitCode

  /// The name and all aliases.
  var names: [String] { [name] + aliases }
}

/// All commands and the options that they share.
struct CommandTable: Sendable {
  var name = "varve"
  var summary: String
  var version: String
  var globalOptions: [OptionSpec] = GlobalOptions.specs
  var commands: [CommandSpec]

  /// The command with exactly this name or alias.
  func command(named name: String) -> CommandSpec? {
    commands.first { $0.names.contains(name) }
  }

  /// The second words of a family of commands, for example `csv` and `jsonl` for `import`.
  func secondWords(of first: String) -> [String] {
    commands.filter { !$0.isHidden }.flatMap(\.names).compactMap { name in
      let words = name.split(separator: " ")
      return words.count == 2 && words[0] == first ? String(words[1]) : nil
    }
  }

  /// The first words of all visible commands, without repetition, in order.
  var firstWords: [String] {
    var words: [String] = []
    for name in commands.filter({ !$0.isHidden }).flatMap(\.names) {
      let word = String(name.split(separator: " ").first ?? "")
      if !words.contains(word) { words.append(word) }
    }
    return words
  }

  /// Traps when the table contradicts itself.
  ///
  /// Called by the tests.
  func checkInvariants() {
    var seen: Set<String> = []
    for name in commands.flatMap(\.names) {
      precondition(seen.insert(name).inserted, "two commands are named \(name)")
      precondition(
        (1...2).contains(name.split(separator: " ").count), "\(name) has no or many words")
    }
    for command in commands {
      var names: Set<String> = []
      for option in globalOptions + command.options {
        precondition(names.insert(option.long).inserted, "\(command.name): --\(option.long) twice")
        if let short = option.short {
          precondition(names.insert("-\(short)").inserted, "\(command.name): -\(short) twice")
        }
      }
      for (index, argument) in command.arguments.enumerated() {
        let isLast = index == command.arguments.count - 1
        precondition(isLast || !argument.count.isList, "\(command.name): a list is not last")
        let follows = index == 0 || command.arguments[index - 1].count.isRequired
        precondition(!argument.count.isRequired || follows, "\(command.name): required last")
      }
    }
  }
}
