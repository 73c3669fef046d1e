// Command lines and what they mean.

import Testing

@testable import VarveTool

@Suite("Command line: parser")
struct CommandLineParserTests {
  @Test(
    "options have long, short and bundled forms",
    arguments: [
      ("info s", #"info ["s"]"#),
      ("info s A..B", #"info ["s", "A..B"]"#),
      ("identity s", #"info ["s"]"#),
      ("info --sort size s", #"info sort=["size"] ["s"]"#),
      ("info --sort=size s", #"info sort=["size"] ["s"]"#),
      ("info s -n 5", #"info count=["5"] ["s"]"#),
      ("info s -n5", #"info count=["5"] ["s"]"#),
      ("info s -n=5", #"info count=["5"] ["s"]"#),
      ("info -an5 s", #"info count=["5"] all=true ["s"]"#),
      ("info -qan 5 s", #"info count=["5"] all=true quiet ["s"]"#),
      ("info -t A -tB --type=C s", #"info type=["A", "B", "C"] ["s"]"#),
      ("info --check s", #"info check=true ["s"]"#),
      ("info --no-check s", #"info check=false ["s"]"#),
      ("info --no-check --check s", #"info check=true ["s"]"#),
      ("info -a -a s", #"info all=true ["s"]"#),
      ("info -t -x s", #"info type=["-x"] ["s"]"#),
      ("info -t= s", #"info type=[""] ["s"]"#),
      ("info --type= s", #"info type=[""] ["s"]"#),
      ("info --type a=b=c s", #"info type=["a=b=c"] ["s"]"#),
      ("info --type=a=b s", #"info type=["a=b"] ["s"]"#),
    ])
  func forms(line: String, expected: String) { #expect(SampleTable.show(line) == expected) }

  @Test(
    "global options stand before or behind the command",
    arguments: [
      ("-S x info s", #"info store=x ["s"]"#),
      ("info s --store x", #"info store=x ["s"]"#),
      ("--json info s -o f", #"info output=f json ["s"]"#),
      ("--jsonl info s", #"info jsonLines ["s"]"#),
      ("--color never info s", #"info color=never ["s"]"#),
      ("-vv info s -v", #"info verbosity=3 ["s"]"#),
      ("--threads 2 --strict -q info s", #"info quiet threads=2 strict ["s"]"#),
    ])
  func globals(line: String, expected: String) { #expect(SampleTable.show(line) == expected) }

  @Test(
    "two dashes end the options, one dash is an argument",
    arguments: [
      ("info -- -n", #"info ["-n"]"#), ("info s -- --json", #"info ["s", "--json"]"#),
      ("info - -n 3", #"info count=["3"] ["-"]"#), ("-- info s", #"info ["s"]"#),
      ("info -- -- s", #"info ["--", "s"]"#),
    ])
  func dashes(line: String, expected: String) { #expect(SampleTable.show(line) == expected) }

  @Test(
    "commands of two words",
    arguments: [
      ("import csv a b", #"import csv ["a", "b"]"#),
      ("import --json csv a", #"import csv json ["a"]"#),
      ("import csv --into s a", #"import csv into=["s"] ["a"]"#),
      ("schema", "schema"), ("schema diff", "schema diff"),
      ("schema x diff", #"schema ["x", "diff"]"#),
      ("secret", "secret"),
    ])
  func families(line: String, expected: String) { #expect(SampleTable.show(line) == expected) }

  @Test(
    "help and versions win over what follows",
    arguments: [
      ("--help", "help()"), ("-h", "help()"), ("info --help", "help(info)"),
      ("info -h --bogus", "help(info)"), ("import csv -h", "help(import csv)"),
      ("info -ah", "help(info)"), ("--version", "version"), ("--version --json", "version json"),
      ("--json --version", "version json"), ("--exit-map", "exit map"),
      ("-q --exit-map", "exit map quiet"),
      ("info -- --help", #"info ["--help"]"#),
    ])
  func special(line: String, expected: String) { #expect(SampleTable.show(line) == expected) }

  private static let commandHint = "\nTry \"varve --help\" for a list of commands."
  private static let infoHint = "\nTry \"varve info --help\" for the options."

  @Test(
    "unknown commands are named, with the nearest known one",
    arguments: [
      ("", "missingCommand: a command is missing"),
      ("--json", "missingCommand: a command is missing"),
      ("inof", "unknownCommand: unknown command \"inof\"; did you mean \"info\"?"),
      ("identiti", "unknownCommand: unknown command \"identiti\"; did you mean \"identity\"?"),
      ("sch", "unknownCommand: unknown command \"sch\"; did you mean \"schema\"?"),
      ("xyz", "unknownCommand: unknown command \"xyz\""),
      ("secre", "unknownCommand: unknown command \"secre\""),
      ("import", "missingCommand: \"varve import\" needs one of csv, jsonl"),
      ("import cvs x", "unknownCommand: unknown command \"import cvs\"; did you mean \"csv\"?"),
      ("imprt csv", "unknownCommand: unknown command \"imprt\"; did you mean \"import\"?"),
    ])
  func unknownCommands(line: String, expected: String) {
    #expect(SampleTable.show(line) == expected + Self.commandHint)
  }

  @Test(
    "wrong options say what is wrong",
    arguments: [
      (
        "info --srot=size s",
        "unknownOption: unknown option --srot of \"varve info\"; did you mean \"--sort\"?"
      ),
      (
        "info --no-chek s",
        "unknownOption: unknown option --no-chek of \"varve info\"; did you mean \"--no-check\"?"
      ),
      ("info -x s", "unknownOption: unknown option -x of \"varve info\""),
      ("info -ax s", "unknownOption: unknown option -x of \"varve info\""),
      ("info --no-sort s", "unknownOption: unknown option --no-sort of \"varve info\""),
      ("info s --sort", "missingValue: option --sort needs a value KEY"),
      ("info s -n", "missingValue: option -n needs a value N"),
      ("info --all=yes s", "unexpectedValue: option --all takes no value"),
      ("info --no-check=1 s", "unexpectedValue: option --no-check takes no value"),
      ("info -a=1 s", "unexpectedValue: option -a takes no value"),
      (
        "info --sort=sizes s",
        "badValue: option --sort cannot be \"sizes\": it needs one of size, seq, time; did you "
          + "mean \"size\"?"
      ),
      ("info -n 0 s", "badValue: option -n cannot be \"0\": it needs a whole number from 1 to 100"),
      ("info -n x s", "badValue: option -n cannot be \"x\": it needs a whole number from 1 to 100"),
      (
        "info --help=x s",
        "unexpectedValue: option --help takes no value"
      ),
    ])
  func wrongOptions(line: String, expected: String) {
    #expect(SampleTable.show(line) == expected + Self.infoHint)
  }

  @Test(
    "other mistakes have a hint of their own",
    arguments: [
      (
        "info s --sort size --sort seq",
        "repeatedOption: option --sort is given twice\nGive it once."
      ),
      (
        "info s --sort --json",
        "missingValue: option --sort needs a value KEY, not the option --json\nWrite "
          + "--sort=--json if that is the value."
      ),
      (
        "--json --jsonl info s",
        "conflictingOptions: --json and --jsonl exclude each other\nGive one of them."
      ),
      (
        "-qv info s",
        "conflictingOptions: --quiet and --verbose exclude each other\nGive one of them."
      ),
      (
        "--sort size info s",
        "unknownOption: option --sort stands before the command that it belongs to\nWrite "
          + "options of a command after its name."
      ),
      (
        "--stroe x info s",
        "unknownOption: unknown option --stroe; did you mean \"--store\"?\nTry \"varve "
          + "--help\" for the options."
      ),
      (
        "info",
        "missingArgument: argument STORE of \"varve info\" is missing\nUsage: varve info "
          + "[OPTIONS] STORE [RANGE]"
      ),
      (
        "info a b c",
        "extraArgument: \"varve info\" does not take the argument \"c\"\nUsage: varve info "
          + "[OPTIONS] STORE [RANGE]"
      ),
      (
        "import csv",
        "missingArgument: argument SOURCE of \"varve import csv\" is missing\nUsage: varve "
          + "import csv [OPTIONS] SOURCE..."
      ),
      (
        "import jsonl x",
        "extraArgument: \"varve import jsonl\" does not take the argument \"x\"\nUsage: varve "
          + "import jsonl [OPTIONS]"
      ),
    ])
  func otherMistakes(line: String, expected: String) { #expect(SampleTable.show(line) == expected) }

  @Test("the environment gives values that the command line does not")
  func environment() {
    #expect(SampleTable.show("info s", environment: ["VARVE_STORE": "e"]) == #"info store=e ["s"]"#)
    #expect(
      SampleTable.show("info s -S x", environment: ["VARVE_STORE": "e"]) == #"info store=x ["s"]"#)
    #expect(SampleTable.show("info s", environment: ["VARVE_STORE": ""]) == #"info ["s"]"#)
    #expect(SampleTable.show("info s", environment: ["SAMPLE_ALL": "1"]) == #"info all=true ["s"]"#)
    #expect(
      SampleTable.show("info s", environment: ["SAMPLE_ALL": "0"]) == #"info all=false ["s"]"#)
    #expect(SampleTable.show("schema", environment: ["SAMPLE_ALL": "1"]) == "schema")
    #expect(
      SampleTable.show("info s", environment: ["VARVE_THREADS": "many"])
        == "badValue: environment variable VARVE_THREADS cannot be \"many\": it needs a whole "
        + "number from 1 to 1024\n"
        + "Unset it or give --threads.")
  }

  @Test("arguments are found by their names in the table")
  func argumentNames() throws {
    func parse(_ words: String...) throws -> ParsedCommand {
      try CommandLineParser.parse(table: SampleTable.table, arguments: words, environment: [:])
    }
    let info = try parse("info", "s")
    #expect(info.argument("STORE") == "s")
    #expect(info.argument("RANGE") == nil)
    #expect(info.argument("BOGUS") == nil)
    #expect(try parse("import", "csv", "a", "b").list("SOURCE") == ["a", "b"])
    #expect(try parse("schema").list("STORE") == [])
    #expect(try parse("info", "s", "-n", "7").options.integer("count") == 7)
  }

  @Test("random words never trap")
  func randomWords() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = TestRandom(seed: seed)
    let pool = [
      "info", "import", "csv", "--", "-", "--sort", "--sort=size", "-n", "-n=", "-an", "=", "--=",
      "--no-", "--no-check",
      "-é", "--é=x", "", "x", "-=", "---", "--json", "-S", "help", "-h1",
    ]
    for _ in 0..<5_000 {
      let words = (0..<Int.random(in: 0...6, using: &random)).compactMap { _ in
        pool.randomElement(using: &random)
      }
      #expect(!SampleTable.show(words).isEmpty, "seed \(seed)")
    }
  }
}

@Suite("Command line: suggestions")
struct SuggestionTests {
  @Test("edit distance counts insertions, deletions, replacements and swaps")
  func distance() {
    let cases = [
      ("", "", 0), ("abc", "", 3), ("", "ab", 2), ("abc", "abc", 0), ("abc", "abd", 1),
      ("abc", "acb", 1),
      ("abc", "bc", 1), ("kitten", "sitting", 3), ("verify", "vrefiy", 2),
    ]
    for (a, b, distance) in cases {
      #expect(Suggestion.editDistance(a, b) == distance, "\(a) \(b)")
      #expect(Suggestion.editDistance(b, a) == distance, "\(b) \(a)")
    }
  }

  @Test("only near words are suggested, and the first of equals")
  func closest() {
    let words = ["verify", "info", "log", "segments", "show"]
    #expect(Suggestion.closest(to: "verifi", among: words) == "verify")
    #expect(Suggestion.closest(to: "INFO", among: words) == "info")
    #expect(Suggestion.closest(to: "seg", among: words) == "segments")
    #expect(Suggestion.closest(to: "s", among: words) == nil)
    #expect(Suggestion.closest(to: "compact", among: words) == nil)
    #expect(Suggestion.closest(to: "", among: words) == nil)
    #expect(Suggestion.closest(to: "lag", among: ["lug", "log"]) == "lug")
    #expect(Suggestion.closest(to: "x", among: []) == nil)
  }
}
