// The splitting of Swift source into code, comments and tokens, on which all other rules stand.

import Testing

@Suite("Swift layers")
struct SwiftLayersTests {
  private func code(_ text: String) -> String {
    String(decoding: SwiftLayers(Array(text.utf8)).code, as: UTF8.self)
  }

  private func words(_ text: String) -> [String] {
    SourceFile("A.swift", text).tokens.filter(\.isWord).map(\.text)
  }

  @Test("both layers keep the length and the lines of the source")
  func shape() {
    let text = "let a = \"é\"  // é\n/* b\n c */ let d = 1\n"
    let layers = SwiftLayers(Array(text.utf8))
    #expect(layers.code.count == text.utf8.count && layers.comments.count == text.utf8.count)
    for layer in [layers.code, layers.comments] {
      #expect(layer.count { $0 == 10 } == 3)
    }
  }

  @Test("comments are blanked, also nested ones")
  func comments() {
    #expect(words("a // b\nc /* d /* e */ f */ g") == ["a", "c", "g"])
    #expect(SourceFile("A.swift", "a // b\n").commentLines.first == "  // b")
  }

  @Test("strings lose their contents and keep their quotes")
  func strings() {
    #expect(code("f(\"a // b\")") == "f(\"      \")")
    #expect(words("a(\"b\\\"c\") d") == ["a", "d"])
    #expect(words("a(\"\") b(\"\")") == ["a", "b"])
  }

  @Test("raw and multi-line strings end where they should")
  func rawStrings() {
    #expect(words("a(#\"b\"c\\(d)\"#) e") == ["a", "e"])
    #expect(words("a(#\"b\\#(c)d\"#) e") == ["a", "c", "e"])
    #expect(words("a(\"\"\"\n b \" c\n \\(d)\n \"\"\") e") == ["a", "d", "e"])
  }

  @Test("the code of an interpolation stays, also a string inside it")
  func interpolation() {
    #expect(words("a(\"b \\(c(\"d\", (e))) f\") g") == ["a", "c", "e", "g"])
  }

  @Test("an unfinished string ends with its line")
  func unfinishedString() { #expect(words("a(\"b\nc") == ["a", "c"]) }

  @Test("tokens know their lines, and names in backticks are no keywords")
  func tokens() {
    let tokens = SourceFile("A.swift", "a.b\n`init`(c)").tokens
    #expect(tokens.map(\.text) == ["a", ".", "b", "`init`", "(", "c", ")"])
    #expect(tokens.map(\.line) == [1, 1, 1, 2, 2, 2, 2])
  }
}
