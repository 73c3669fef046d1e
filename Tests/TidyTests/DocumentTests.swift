// The rules about documents, over the whole tree and each on a sample.

import Testing

@Suite("Documents")
struct DocumentTests {
  @Test("every link, path and article that a document names exists")
  func references() {
    expectNone(Repository.documents.flatMap { deadReferences($0, names: Repository.names) })
  }

  @Test("every format document that a comment cites exists")
  func citations() {
    expectNone(Repository.swiftFiles.flatMap { deadCitations($0, names: Repository.names) })
  }

  @Test("every decision note has its five parts on one page")
  func decisions() { expectNone(Repository.documents.flatMap(incompleteDecision)) }

  @Test("the top of the repository holds the fixed names only")
  func topLevel() { expectNone(strayTopLevelNames(Repository.topLevel)) }

  @Test("the list of format changes explains the current version")
  func version() throws {
    func file(_ path: String) throws -> SourceFile {
      try #require(Repository.files.first { $0.path == path })
    }
    let version = try file("Sources/VarveFormat/FormatVersion.swift")
    expectNone(unexplainedVersion(version: version, changes: try file("Formats/Changes.md")))
  }

  private let names: Set = [
    "README.md", "Formats", "Formats/", "Formats/README.md", "Formats/Golden", "Formats/Golden/",
    "Formats/Golden/a.vlog", "Sources/Varve/Varve.docc/Guide.md", ".ci/run", "Sources/A.swift",
  ]

  private func dead(_ text: String, in path: String = "Formats/README.md") -> Int {
    deadReferences(SourceFile(path, text), names: names).count
  }

  @Test(
    "the rule on documents finds what does not exist",
    arguments: [
      "[a](B.md)", "[a](../B.md)", "[a](../../README.md)", "`Golden/b.vlog`", "`B.md`",
      "`.ci/gone`",
      "`Sources/B.swift:3`", "<doc:Gone>", "[a](doc:Gone)", "[label]: B.md", "`Formats/Golden/b/`",
    ])
  func deadSample(text: String) { #expect(dead("one\n\(text)\n") == 1) }

  @Test(
    "the rule on documents passes what exists and what is no path",
    arguments: [
      "[a](README.md) [b](../README.md) [c](Golden/a.vlog#part) [d](#part)",
      "[a](https://example.org/B.md)", "`Golden/`", "`Formats/Golden/a.vlog`", "`README.md`",
      "`Sources/A.swift:3`", "`.ci/run`", "<doc:Guide> [a](doc:Guide#Part)", "``Gone/gone.md``",
      "`log/<replica>/a.md`", "`quarantine/`", "`swift test`", "```\n`B.md` [a](B.md)\n```",
    ])
  func liveSample(text: String) { #expect(dead(text) == 0) }

  @Test("paths count from the root of the repository in any document")
  func rootSample() {
    #expect(dead("`Formats/README.md`", in: "Sources/Varve/Varve.docc/Guide.md") == 0)
    #expect(dead("`Golden/a.vlog`", in: "README.md") == 0)
    #expect(dead("`Guide.md`", in: "Sources/Varve/Varve.docc/Guide.md") == 0)
  }

  @Test("the rule on citations looks at comments and drops punctuation")
  func citationSample() {
    func count(_ text: String) -> Int {
      deadCitations(SourceFile("A.swift", text), names: names).count
    }
    #expect(count("// See Formats/Gone.md section 4.") == 1)
    #expect(count("// See Formats/README.md.") == 0)
    #expect(count("let a = \"Formats/Gone.md\"") == 0)
  }

  @Test("the rule on decision notes wants five parts in order, on one page")
  func decisionSample() {
    func count(_ headings: String, lines: Int = 1) -> Int {
      let parts = headings.map { "## \(["C": "Context", "D": "Decision"][$0] ?? "Other")\n" }
      let tail = "## Alternatives\n## Consequences\n## Status\n"
      let text = parts.joined() + tail + String(repeating: "a\n", count: lines)
      return incompleteDecision(SourceFile("V.docc/Decisions/1.md", text)).count
    }
    #expect(count("CD") == 0)
    #expect(count("DC") == 1 && count("C") == 1 && count("CDO") == 1)
    #expect(count("CD", lines: 70) == 1)
    #expect(incompleteDecision(SourceFile("V.docc/A.md", "# A\n")).isEmpty)
  }

  @Test("the rule on the top level passes fixed and hidden names only")
  func topLevelSample() {
    #expect(strayTopLevelNames(["Sources", "LICENSE", ".git", "README.md"]).isEmpty)
    #expect(
      strayTopLevelNames(["Sources", "Makefile", "docs"]).map(\.path) == ["Makefile", "docs"])
  }

  @Test("the rule on versions wants a heading for the current version")
  func versionSample() {
    func count(_ code: String, _ changes: String) -> Int {
      unexplainedVersion(
        version: SourceFile("V.swift", code), changes: SourceFile("C.md", changes)
      ).count
    }
    let code = "static let major: UInt16 = 1\nstatic let minor: UInt16 = 2\n"
    #expect(count(code, "# Changes\n\n## 1.2\n") == 0)
    #expect(count(code, "# Changes\n\n## 1.2 (second form)\n") == 0)
    #expect(count(code, "# Changes\n\n## 1.20\n1.2\n") == 1)
    #expect(count("let other = 1", "## 1.2\n") == 1)
  }
}
