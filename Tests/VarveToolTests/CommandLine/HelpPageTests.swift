// Help pages as they print.

import Testing

@testable import VarveTool

@Suite("Command line: help pages")
struct HelpPageTests {
  @Test("the page of a command")
  func command() {
    let page = HelpPage.render(
      SampleTable.table, SampleTable.table.command(named: "info"), width: 72)
    #expect(page == HelpPageTests.infoPage)
  }

  @Test("the overview lists commands under their headings, and hides hidden ones")
  func overview() {
    let page = HelpPage.render(SampleTable.table, nil, width: 80)
    #expect(page.hasPrefix(HelpPageTests.overviewStart))
    #expect(!page.contains("secret"))
    #expect(page.hasSuffix("Try \"varve help COMMAND\" for the page of a command.\n"))
  }

  @Test("no line is wider than the page", arguments: [40, 60, 80, 100, 120])
  func width(width: Int) {
    for table in [SampleTable.table, CommandTable.varve] {
      for command in [nil] + table.commands.map(Optional.some) {
        let page = HelpPage.render(table, command, width: width)
        for line in page.split(separator: "\n") {
          // Examples, usage of long names and preformatted lines stay as they are.
          let isFixed = line.hasPrefix("  varve") || !line.contains(" ")
          #expect(isFixed || TextWidth.columns(line) <= width, "\(width): \(line)")
          #expect(line.last != " ", "\(line)")
        }
      }
    }
  }

  @Test("every option and argument of every command is on its page")
  func complete() {
    for command in CommandTable.varve.commands {
      let page = HelpPage.render(CommandTable.varve, command)
      for option in command.options + CommandTable.varve.globalOptions {
        #expect(page.contains("--\(option.long)") || page.contains("--[no-]\(option.long)"))
      }
      for argument in command.arguments { #expect(page.contains("\n  \(argument.name) ")) }
      #expect(!command.summary.hasSuffix("."), "\(command.name)")
    }
  }

  @Test("the tables do not contradict themselves")
  func invariants() {
    SampleTable.table.checkInvariants()
    CommandTable.varve.checkInvariants()
  }

  @Test("the examples of every command are understood by the parser")
  func examples() throws {
    for command in CommandTable.varve.commands {
      for example in command.examples {
        let words = example.line.split(separator: " ").map(String.init)
        #expect(words.first == "varve")
        _ = try CommandLineParser.parse(
          table: .varve, arguments: Array(words.dropFirst()), environment: [:])
      }
    }
  }

  private static let infoPage = """
    varve info - print what a store is

    Usage: varve info [OPTIONS] STORE [RANGE]
    Alias: identity

    Reads the headers only, so that it is fast, and wraps a discussion that
    is longer than one line of the page.

      varve info is not wrapped here

    Arguments:
      STORE  The store
      RANGE  The transactions

    Options:
          --sort KEY    Sort by size, seq or time
          --[no-]check  Verify checks while reading
      -n, --count N     Print N lines
      -t, --type TYPE   Only these types
      -a, --all         Print everything (default: $SAMPLE_ALL)

    Global options:
      -S, --store STORE  The store, segment or container to work on
                         (default: $VARVE_STORE)
      -o, --output FILE  Write the result to FILE, not standard output
          --json         Print one JSON document
          --jsonl        Print JSON lines
          --color WHEN   Use colours: auto (on a terminal; the default),
                         always, never
      -q, --quiet        Print results and errors only
      -v, --verbose      Say more; repeat for still more
          --threads N    Use N worker threads (default: $VARVE_THREADS)
          --strict       Treat unknown records and newer versions as
                         failures (exit 6)
      -h, --help         Print this page

    Examples:
      varve info x.vlog -n 3
          Print three lines

    Exit codes:
      0  done; healthy; equal
      3  the header is damaged

    """

  private static let overviewStart = """
    varve 1.2.3 - a tool for tests

    Usage: varve [OPTIONS] COMMAND [ARGUMENTS]

    Inspection:
      info          Print what a store is
      schema        Print the schema
      schema diff   Compare schemas

    Data:
      import csv    Import delimited text
      import jsonl  Import JSON lines

    Options:
      -S, --store STORE  The store, segment or container to work on (default:
                         $VARVE_STORE)

    """
}
