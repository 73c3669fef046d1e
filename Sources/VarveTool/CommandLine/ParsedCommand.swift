// The result of parsing a command line.

/// The options that were given, under their long names.
struct OptionValues: Sendable, Equatable {
  private var texts: [String: [String]] = [:]
  private var switches: [String: Bool] = [:]
  private var counts: [String: Int] = [:]

  mutating func add(_ text: String, to long: String) { texts[long, default: []].append(text) }

  mutating func set(_ long: String, to isOn: Bool) {
    switches[long] = isOn
    counts[long, default: 0] += 1
  }

  /// Whether the option was given in any form.
  func has(_ long: String) -> Bool { texts[long] != nil || switches[long] != nil }

  /// Whether a flag is on; `otherwise` when it was not given.
  func flag(_ long: String, otherwise: Bool = false) -> Bool { switches[long] ?? otherwise }

  /// How often a flag was given.
  func count(_ long: String) -> Int { counts[long] ?? 0 }

  /// The last value of an option.
  func value(_ long: String) -> String? { texts[long]?.last }

  /// All values of an option in order.
  func values(_ long: String) -> [String] { texts[long] ?? [] }

  /// The value of an option that takes whole numbers.
  func integer(_ long: String) -> Int? { value(long).flatMap { Int($0) } }
}

/// A command line that was understood.
struct ParsedCommand: Sendable {
  /// What to do.
  enum Action: Sendable {
    /// Run the command.
    case run(CommandSpec)
    /// Print the help page of the command, or the overview.
    case help(CommandSpec?)
    /// Print the versions.
    case version
    /// Print the exit codes.
    case exitMap
  }

  var action: Action
  var globals = GlobalOptions()
  var options = OptionValues()
  /// The positional arguments in order.
  var arguments: [String] = []

  /// The argument that the command's table calls `name`, or nil when it was left out.
  func argument(_ name: String) -> String? {
    guard case .run(let command) = action,
      let index = command.arguments.firstIndex(where: { $0.name == name }),
      index < arguments.count
    else { return nil }
    return arguments[index]
  }

  /// All arguments of the list that the command's table calls `name`.
  func list(_ name: String) -> [String] {
    guard case .run(let command) = action,
      let index = command.arguments.firstIndex(where: { $0.name == name }),
      index < arguments.count
    else { return [] }
    return Array(arguments[index...])
  }
}
