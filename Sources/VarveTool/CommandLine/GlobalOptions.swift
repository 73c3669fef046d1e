// The options that every command takes.

/// The shared options of one command line.
struct GlobalOptions: Sendable, Equatable {
  /// How results are printed.
  enum Format: Sendable { case human, json, jsonLines }
  /// When colours are used.
  enum Color: String, Sendable { case auto, always, never }

  var store: String?
  var output: String?
  var format = Format.human
  var color = Color.auto
  var isQuiet = false
  /// How often `-v` was given.
  var verbosity = 0
  /// Worker threads; nil leaves the choice to the tool.
  var threads: Int?
  var isStrict = false

  static let specs: [OptionSpec] = [
    OptionSpec(
      "store", short: "S", .text("STORE"), environment: "VARVE_STORE",
      help: "the store, segment or container to work on"),
    OptionSpec(
      "output", short: "o", .text("FILE"), help: "write the result to FILE, not standard output"),
    OptionSpec("json", help: "print one JSON document"),
    OptionSpec("jsonl", help: "print JSON lines"),
    OptionSpec(
      "color", .choice("WHEN", ["auto", "always", "never"]),
      help: "use colours: auto (on a terminal; the default), always, never"),
    OptionSpec("quiet", short: "q", help: "print results and errors only"),
    OptionSpec(
      "verbose", short: "v", repeatable: true, help: "say more; repeat for still more"),
    OptionSpec(
      "threads", .integer("N", 1...1_024), environment: "VARVE_THREADS",
      help: "use N worker threads"),
    OptionSpec("strict", help: "treat unknown records and newer versions as failures (exit 6)"),
  ]

  /// Options that end the command line's work at once; listed in help only.
  static let specialSpecs: [OptionSpec] = [
    OptionSpec("help", short: "h", help: "print this page"),
    OptionSpec("version", help: "print the versions of the tool and of its formats"),
    OptionSpec("exit-map", help: "print the exit codes as JSON"),
  ]

  /// The shared options of `values`.
  static func read(_ values: OptionValues) throws(UsageError) -> GlobalOptions {
    var options = GlobalOptions()
    options.store = values.value("store")
    options.output = values.value("output")
    let isJSON = values.flag("json")
    let isLines = values.flag("jsonl")
    if isJSON && isLines {
      throw UsageError(
        .conflictingOptions, "--json and --jsonl exclude each other", hint: "Give one of them.")
    }
    options.format = isJSON ? .json : isLines ? .jsonLines : .human
    options.color = values.value("color").flatMap(Color.init(rawValue:)) ?? .auto
    options.isQuiet = values.flag("quiet")
    options.verbosity = values.count("verbose")
    if options.isQuiet && options.verbosity > 0 {
      throw UsageError(
        .conflictingOptions, "--quiet and --verbose exclude each other", hint: "Give one of them.")
    }
    options.threads = values.integer("threads")
    options.isStrict = values.flag("strict")
    return options
  }

  /// Whether to colour what goes to a stream.
  ///
  /// `NO_COLOR` and `CLICOLOR_FORCE` count when `--color` is auto.
  func usesColor(isTerminal: Bool, environment: [String: String]) -> Bool {
    switch color {
    case .always: return true
    case .never: return false
    case .auto:
      if let setting = environment["NO_COLOR"], !setting.isEmpty { return false }
      if let force = environment["CLICOLOR_FORCE"], !force.isEmpty, force != "0" { return true }
      return isTerminal && environment["TERM"] != "dumb"
    }
  }
}
