// The rules about tests, over all tests and each on a sample.

import Testing

@Suite("Tests")
struct TestTests {
  @Test("every test is named by a sentence")
  func names() { expectNone(Repository.swiftFiles.flatMap(unnamedTests)) }

  @Test("every file with tests has an expectation")
  func expectations() { expectNone(Repository.swiftFiles.flatMap(testsWithoutExpectation)) }

  @Test("no test needs a testable import, but those of the command line, which is no library")
  func imports() {
    let files = Repository.swiftFiles.filter { !$0.path.hasPrefix("Tests/VarveToolTests/") }
    expectNone(files.flatMap(testableImports))
  }

  @Test(
    "the rule on names finds tests without a sentence",
    arguments: [
      "@Test func f() {}", "@Test() func f() {}", "@Test(\"one two\") func f() {}",
      "@Test(.disabled(\"not a name at all\")) func f() {}",
    ])
  func nameSample(text: String) { #expect(unnamedTests(SourceFile("A.swift", text)).count == 1) }

  @Test("the rule on names passes sentences, also on the next line")
  func nameCleanSample() {
    let text =
      "@Test(\n  \"a torn tail is dropped\", arguments: [1])\nfunc f() {}\n// @Test func g()"
    #expect(unnamedTests(SourceFile("A.swift", text)).isEmpty)
  }

  @Test("the rule on expectations wants one in code")
  func expectationSample() {
    func count(_ text: String) -> Int {
      testsWithoutExpectation(SourceFile("A.swift", text)).count
    }
    #expect(count("@Test(\"a b c\") func f() { g() }  // #expect(true)") == 1)
    #expect(count("@Test(\"a b c\") func f() { let expected = 1 }") == 1)
    #expect(count("@Test(\"a b c\") func f() { #expect(true) }") == 0)
    #expect(count("@Test(\"a b c\") func f() { try #require(g()) }") == 0)
    #expect(count("@Test(\"a b c\") func f() { #expect(throws: E.self) { g() } }") == 0)
    #expect(count("@Test(\"a b c\") func f() { Issue.record(\"no\") }") == 0)
    #expect(count("func helper() {}") == 0)
  }

  @Test("the rule on imports finds testable ones in code")
  func importSample() {
    #expect(testableImports(SourceFile("A.swift", "@testable import Varve")).count == 1)
    #expect(testableImports(SourceFile("A.swift", "import Varve  // not @testable")).isEmpty)
  }
}
