// `varve demo` and the table of all commands.

import Testing
import VarveTool

@Suite("Commands: demo and table")
struct DemoCommandTests {
  @Test("the demonstration imports, rebuilds, finds the flipped bit, and cleans up")
  func demo() throws {
    try CommandFixture.run { fixture in
      let run = fixture.tool("demo", "--keep", "@play")
      #expect(run.code == 0, "\(run.errors)")
      #expect(run.output.contains("Equal: the state is a function of the log"))
      #expect(run.output.contains("found    badFrameHash in "))
      #expect(run.output.contains("  varve recover ROOT/play/damaged.varve -o "))
      #expect(fixture.tool("verify", "@play/flights.varve").code == 0)
      #expect(fixture.tool("verify", "@play/damaged.varve").code == 3)
      let hash = try fixture.tool("hash", "@play/flights.varve", "--json").json
      #expect(hash["rows"] as? Int == 7_163)
      #expect(fixture.tool("demo", "--keep", "@play").code == 2)
    }
  }

  @Test("the demonstration takes other data")
  func otherData() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      let run = fixture.tool("demo", "--data", "@", "--keep", "@play")
      #expect(run.code == 0, "\(run.errors)")
      #expect(run.output.contains("stations"))
    }
  }

  @Test("the commands are these, each with a page, examples and exit codes")
  func table() {
    let names = [
      "import csv", "info", "schema show", "segments", "baseline list", "log", "show", "hash", "du",
      "verify", "baseline verify", "rebuild", "recover", "compact", "dump", "frame", "demo", "help",
      "explain",
    ]
    let overview = VarveTool.transcript(["--help"])
    #expect(overview.code == 0)
    for name in names {
      #expect(overview.output.contains("\n  \(name) "), "\(name)")
      let page = VarveTool.transcript(name.split(separator: " ").map(String.init) + ["--help"])
      #expect(page.code == 0)
      #expect(page.output.hasPrefix("varve \(name) - "), "\(name)")
      #expect(page.output.contains("\nExamples:\n"), "\(name)")
      #expect(page.output.contains("\nExit codes:\n"), "\(name)")
    }
    let listed = overview.output.split(separator: "\n").filter {
      $0.hasPrefix("  ") && !$0.hasPrefix("   ") && !$0.hasPrefix("  -")
    }
    #expect(listed.count == names.count, "\(listed)")
  }
}
