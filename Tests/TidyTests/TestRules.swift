// Rules about tests: they say in a sentence what they require, and they can fail.

/// Files with tests and without a single expectation.
func testsWithoutExpectation(_ file: SourceFile) -> [Finding] {
  guard let first = testAttributes(file.tokens).first else { return [] }
  let tokens = file.tokens
  let canFail = tokens.indices.contains { index in
    let text = tokens[index].text
    return (text.hasPrefix("expect") || text == "require")
      && ["(", "<"].contains(tokens.text(index + 1)) && tokens.text(index - 1) != "func"
      || (text == "Issue" && tokens.text(index + 2) == "record")
  }
  return canFail ? [] : [file.finding(tokens[first].line, "no test in this file can fail")]
}

/// Tests without a name of at least three words.
func unnamedTests(_ file: SourceFile) -> [Finding] {
  testAttributes(file.tokens).compactMap { index in
    let sentence = file.stringLiteral(at: index + 2) ?? ""
    return file.tokens.text(index + 1) == "(" && sentence.split(separator: " ").count >= 3
      ? nil : file.finding(file.tokens[index].line, "a test whose name is no sentence")
  }
}

/// Testable imports, for which the optimised build would have to be made twice.
func testableImports(_ file: SourceFile) -> [Finding] {
  file.tokens.indices.compactMap { index in
    guard file.tokens[index].text == "testable", file.tokens.text(index - 1) == "@" else {
      return nil
    }
    return file.finding(file.tokens[index].line, "`@testable`: `package` access is enough")
  }
}

/// The indices of `Test` in `@Test`.
private func testAttributes(_ tokens: [Token]) -> [Int] {
  tokens.indices.filter { tokens[$0].text == "Test" && tokens.text($0 - 1) == "@" }
}
