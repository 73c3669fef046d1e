// Whole runs of the tool, without a process.

import Testing
import VarveFormat
import VarveImport

@testable import VarveTool

@Suite("Command line: runs")
struct ToolRunTests {
  private struct Run: Equatable {
    var code: ExitCode
    var output: String
    var errors: String
  }

  private func run(
    _ line: String, table: CommandTable = .varve, environment: [String: String] = ["COLUMNS": "80"]
  ) -> Run {
    let output = OutputWriter.memory()
    let errors = OutputWriter.memory()
    let code = VarveTool.run(
      table: table, arguments: line.split(separator: " ").map(String.init),
      environment: environment,
      output: output, errors: errors)
    return Run(code: code, output: output.memoryText, errors: errors.memoryText)
  }

  private func table(_ body: @escaping @Sendable (CommandContext) throws -> ExitCode)
    -> CommandTable
  {
    CommandTable(
      summary: "", version: "", commands: [CommandSpec(name: "x", summary: "", run: body)])
  }

  @Test(
    "wrong usage ends with 64, one line and a hint on standard error, nothing on standard output")
  func usage() {
    #expect(
      run("expain")
        == Run(
          code: .usage, output: "",
          errors: """
            varve: unknown command "expain"; did you mean "explain"?
            Try "varve --help" for a list of commands.

            """))
    #expect(
      run("explain badframehsh").errors == """
        varve: unknown code "badframehsh"; did you mean "badFrameHash"?
        Try "varve explain" for a list of codes.

        """)
    #expect(run("help expain").code == .usage)
  }

  @Test("help goes to standard output, in every spelling")
  func help() {
    let page = run("explain --help")
    #expect(page.code == .done && page.errors.isEmpty)
    #expect(page.output.hasPrefix("varve explain - explain an error code or an exit code\n"))
    #expect(run("help explain") == page)
    #expect(run("explain -h") == page)
    #expect(run("help") == run("--help"))
  }

  @Test("versions as text and as JSON")
  func version() {
    let text = run("--version").output
    #expect(text.hasPrefix("varve \(ToolVersion.current) (format "))
    let json = run("--version --json").output
    #expect(json.hasPrefix("{\"schema\":\"varve.version/1\",\"tool\":\"\(ToolVersion.current)\","))
    #expect(json.hasSuffix("}}\n"))
  }

  @Test("the exit map has the numbers of the contract")
  func exitMap() {
    let map = run("--exit-map").output
    #expect(
      map.hasPrefix("{\"schema\":\"varve.exitMap/1\",\"codes\":[{\"code\":0,\"name\":\"done\","))
    #expect(
      ExitCode.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 64, 70, 130])
    for code in ExitCode.allCases {
      #expect(map.contains("{\"code\":\(code.rawValue),\"name\":\"\(code.name)\",\"meaning\":\""))
    }
  }

  @Test("every code has a page")
  func pages() {
    let codes = ErrorPage.all.map(\.code)
    #expect(Set(codes).count == codes.count)
    for code in RowProblem.Code.allCases { #expect(codes.contains(code.rawValue)) }
    for code in codes {
      let page = run("explain \(code)")
      #expect(page.code == .done && page.output.hasPrefix("\(code): "), "\(code)")
      #expect(
        run("explain --json \(code.lowercased())").output.hasPrefix(
          "{\"schema\":\"varve.explain/1\""))
    }
    #expect(run("explain").output.split(separator: "\n").count == codes.count + 1)
    #expect(run("explain --jsonl").output.split(separator: "\n").count == codes.count)
  }

  @Test("a command's exit code and output are those of the tool")
  func codes() {
    let sample = table { context in
      try context.output.line("data")
      try context.note("remark")
      return .negativeAnswer
    }
    #expect(
      run("x", table: sample)
        == Run(code: .negativeAnswer, output: "data\n", errors: "varve: remark\n"))
    #expect(run("x -q", table: sample) == Run(code: .negativeAnswer, output: "data\n", errors: ""))
  }

  @Test("errors of each kind have their exit code, and what was printed before stays")
  func errors() {
    func code(_ error: any Error & Sendable) -> Run {
      run(
        "x",
        table: table { context in
          try context.output.line("before")
          throw error
        })
    }
    let damage = code(FormatError(.badFrameHash, "wrong", offset: 7, path: "a.vlog"))
    #expect(
      damage
        == Run(
          code: .corruption, output: "before\n",
          errors: "varve: a.vlog@7: badFrameHash: wrong\nTry \"varve explain badFrameHash\".\n"))
    #expect(code(FormatError(.unknownVersion, "new")).code == .unknownFormat)
    #expect(code(FormatError(.unreadable, "bad disk")).code == .operationalFailure)
    #expect(code(ImportError(.empty, "nothing", path: "f.csv")).errors == "varve: f.csv: nothing\n")
    #expect(code(OutputError(.failed, "full")).code == .operationalFailure)
    #expect(
      code(OutputError(.closedPipe, "closed")) == Run(code: .done, output: "before\n", errors: ""))
    #expect(code(UsageError(.badArgument, "no", hint: "Do.")).errors == "varve: no\nDo.\n")
  }

  @Test("colours follow the option, then NO_COLOR, then CLICOLOR_FORCE, then the terminal")
  func colours() {
    var globals = GlobalOptions()
    func uses(_ isTerminal: Bool, _ environment: [String: String] = [:]) -> Bool {
      globals.usesColor(isTerminal: isTerminal, environment: environment)
    }
    #expect(uses(true) && !uses(false))
    #expect(!uses(true, ["NO_COLOR": "1"]) && uses(true, ["NO_COLOR": ""]))
    #expect(uses(false, ["CLICOLOR_FORCE": "1"]) && !uses(false, ["CLICOLOR_FORCE": "0"]))
    #expect(!uses(true, ["NO_COLOR": "1", "CLICOLOR_FORCE": "1"]))
    #expect(!uses(true, ["TERM": "dumb"]))
    globals.color = .always
    #expect(uses(false, ["NO_COLOR": "1"]))
    globals.color = .never
    #expect(!uses(true, ["CLICOLOR_FORCE": "1"]))
  }
}
