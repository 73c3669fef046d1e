// What imports leave behind that fail, and what dry runs write. Layer: tests of the tool.

import Testing

@testable import VarveTool

@Suite("failed imports and dry runs")
struct FailedImportTests {
  private static let rows = "a:integer,b\n1,x\ntwo,y\n3\n"

  @Test(
    "an import that fails makes no store",
    arguments: [
      ["@bad.gz"], ["@t.csv", "--type", "zz=integer"], ["@t.csv", "@none.csv"],
      ["@t.csv", "--max-errors", "0"], ["@words.csv", "--type", "b=integer"],
      ["@t.csv", "--into", "@absent/store"],
    ])
  func nothing(words: [String]) throws {
    try CommandFixture.run { fixture in
      try fixture.write("t.csv", FailedImportTests.rows)
      try fixture.write("words.csv", "a,b\n1,x\n2,y\n")
      try fixture.write("bad.gz", [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 1])
      let before = try fixture.contents("")
      let arguments = words.map { $0.hasPrefix("@") ? fixture.path(String($0.dropFirst())) : $0 }
      let into = words.contains("--into") ? [] : ["--into", fixture.path("store")]
      let run = fixture.run(["import", "csv"] + arguments + into)
      #expect(run.code == 2 || run.code == 9, "\(run.errors)")
      #expect(try fixture.contents("") == before)
    }
  }

  @Test("an empty directory stays one when an import into it fails")
  func emptyDirectory() throws {
    try CommandFixture.run { fixture in
      try fixture.write("words.csv", "b:integer\nx\n")
      try fixture.makeDirectory("store")
      #expect(fixture.tool("import", "csv", "@words.csv", "--into", "@store").code == 9)
      #expect(try fixture.contents("store").isEmpty)
      #expect(fixture.exists("store"))
    }
  }

  @Test("rows that are all rejected declare nothing, and later sources declare for themselves")
  func noDeclaration() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      let before = fixture.tool("log", "@store", "--count").output
      try fixture.write("words.csv", "b:integer\nx\ny\n")
      for words in [[], ["--batch", "1"]] {
        let run = fixture.run(
          ["import", "csv", fixture.path("words.csv"), "--into", fixture.path("store")] + words)
        #expect(run.code == 9, "\(run.errors)")
        #expect(fixture.tool("log", "@store", "--count").output == before)
      }
      try fixture.write("good.csv", "b:integer\n5\n")
      let both = fixture.tool(
        "import", "csv", "@words.csv", "@good.csv", "--into", "@store", "--json")
      #expect(both.code == 9)
      #expect(!fixture.tool("schema", "show", "@store").output.contains("words"))
      #expect(fixture.tool("schema", "show", "@store").output.contains("good"))
      // The first batch is rejected as a whole; the second one brings the declaration with it.
      try fixture.write("late.csv", "b:integer\nx\n7\n")
      let late = fixture.tool("import", "csv", "@late.csv", "--into", "@store", "--batch", "1")
      #expect(late.code == 9)
      #expect(fixture.tool("schema", "show", "@store").output.contains("late"))
      #expect(fixture.tool("verify", "--level", "full", "@store").code == 0)
    }
  }

  @Test("a header without rows still declares its columns")
  func headerOnly() throws {
    try CommandFixture.run { fixture in
      try fixture.write("empty.csv", "a:integer,b\n")
      #expect(fixture.tool("import", "csv", "@empty.csv", "--into", "@store").code == 0)
      #expect(fixture.tool("schema", "show", "@store").output.contains("empty"))
    }
  }

  @Test("a dry run writes no file, not even that of --rejects, and says why rows are rejected")
  func dryRun() throws {
    try CommandFixture.run { fixture in
      try fixture.write("t.csv", FailedImportTests.rows)
      let before = try fixture.contents("")
      let run = fixture.tool(
        "import", "csv", "@t.csv", "--into", "@store", "--dry-run", "--rejects", "@bad.jsonl")
      #expect(run.code == 9)
      #expect(run.errors.contains("row 2 at byte 16, column \"a\": E-CAST"), "\(run.errors)")
      #expect(try fixture.contents("") == before)
    }
  }

  @Test("the first rejected rows are explained on the screen and in the report")
  func reasons() throws {
    try CommandFixture.run { fixture in
      try fixture.write("t.csv", "a:integer\n1\n" + String(repeating: "x\u{1B}\n", count: 30))
      let run = fixture.tool("import", "csv", "@t.csv", "--into", "@store", "--json")
      #expect(run.code == 9)
      #expect(run.errors.contains("t.csv: row 2 at byte 12, column \"a\": E-CAST"), "\(run.errors)")
      #expect(!run.errors.contains("\u{1B}"))
      #expect(run.errors.contains("20 more; --rejects FILE keeps them all"), "\(run.errors)")
      let problems = try run.json["problems"] as? [[String: Any]]
      #expect(problems?.count == 10)
      #expect(problems?.first?["row"] as? Int == 2)
      #expect(problems?.first?["code"] as? String == "E-CAST")
    }
  }
}
