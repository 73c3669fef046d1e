// The rules about the shape of a file, over the whole tree and each on a sample.

import Testing

@Suite("Layout")
struct LayoutTests {
  @Test("no line of Swift has more than 100 columns")
  func lineWidths() { expectNone(Repository.swiftFiles.flatMap(wideLines)) }

  @Test("no function has more than 70 lines")
  func functionLengths() { expectNone(Repository.swiftFiles.flatMap(longFunctions)) }

  @Test("no file of Swift has more than 600 lines")
  func fileLengths() { expectNone(Repository.swiftFiles.flatMap(longFile)) }

  @Test("every file of Swift starts by saying what it is")
  func headers() { expectNone(Repository.swiftFiles.flatMap(missingHeader)) }

  @Test("the walk over the repository finds what it should")
  func walk() {
    let paths = Set(Repository.files.map(\.path))
    let wanted = [
      "Package.swift", "Formats/Changes.md", "Sources/Varve/System/Disk.swift",
      "Sources/CXXHash/xxhash.c", "Tests/TidyTests/LayoutTests.swift",
    ]
    #expect(paths.isSuperset(of: wanted))
    #expect(!Repository.documents.isEmpty)
    #expect(!paths.contains { $0.contains(".build") || $0.contains(".git/") })
  }

  @Test("the width rule counts characters, not bytes")
  func widthSample() {
    let wide = String(repeating: "é", count: 101)
    let fits = String(repeating: "é", count: 100)
    #expect(wideLines(SourceFile("A.swift", "\(fits)\n\(wide)\n")).map(\.line) == [2])
  }

  @Test("the length rule refuses the 601st line of a file")
  func fileSample() {
    let fits = String(repeating: "let a = 1\n", count: 600)
    #expect(longFile(SourceFile("A.swift", fits)).isEmpty)
    #expect(longFile(SourceFile("A.swift", fits + "}\n")).count == 1)
  }

  @Test("the header rule wants a sentence, not a blank or a word")
  func headerSample() {
    #expect(missingHeader(SourceFile("A.swift", "// Reads a frame.\n")).isEmpty)
    #expect(missingHeader(SourceFile("Package.swift", "// swift-tools-version: 6.2\n")).isEmpty)
    for text in ["", "import Testing\n", "//\n", "// Frame\n", "\n// Reads a frame.\n"] {
      #expect(missingHeader(SourceFile("A.swift", text)).count == 1)
    }
  }

  @Test(
    "the function rule measures functions, initializers, subscripts and accessors",
    arguments: [
      "func f(\n  a: Int = { 1 }()\n) throws(E) -> [Int] where A: B {",
      "static func == (a: A, b: A) -> Bool {", "init?(a: Int) {", "deinit {",
      "subscript(a: Int) -> Int {", "var a: Int {", "var a: Int = 1 {\n  didSet {",
      "var a: Int {\n  get async throws {", "var a: Int {\n  set(value) {",
    ])
  func functionSample(head: String) {
    let opened = head.split(separator: "{").count - (head.contains("{ 1 }") ? 1 : 0)
    let tail = String(repeating: "}\n", count: opened)
    func file(bodyLines: Int) -> SourceFile {
      SourceFile("A.swift", head + "\n" + String(repeating: "a()\n", count: bodyLines) + tail)
    }
    #expect(longFunctions(file(bodyLines: 60)).isEmpty)
    #expect(!longFunctions(file(bodyLines: 70)).isEmpty)
  }

  @Test("the function rule is not fooled by types, requirements, braces in strings or comments")
  func functionCleanSample() {
    let body = String(repeating: "  let a = \"{\\(f(\"{\"))\"  // {\n", count: 80)
    let text = """
      protocol P {
        func requirement() -> Int
        var property: Int { get }
      }
      struct S {
        let closure = self.init(1)
      \(body)
        func f() {}
      }

      """
    #expect(longFunctions(SourceFile("A.swift", text)).isEmpty)
  }
}
