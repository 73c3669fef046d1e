// The rules about banned constructs, over the whole tree and each on a sample.

import Testing

@Suite("Banned constructs")
struct BannedTests {
  @Test("no file carries a mark of unfinished work without a number")
  func marks() { expectNone(Repository.files.flatMap(unfinishedMarks)) }

  @Test("no code forces a try or a cast, or traps as a placeholder")
  func traps() { expectNone(Repository.swiftFiles.flatMap(hiddenTraps)) }

  @Test("the libraries neither print nor use existential Any")
  func habits() { expectNone(Repository.swiftFiles.flatMap(libraryHabits)) }

  @Test("no public type is an unchecked Sendable")
  func unchecked() { expectNone(uncheckedPublicTypes(Repository.swiftFiles)) }

  @Test("the manifest has no unsafe flags")
  func flags() { expectNone(Repository.swiftFiles.flatMap(unsafeFlags)) }

  @Test("no file contains an absolute path of one machine")
  func paths() { expectNone(Repository.files.flatMap(machinePaths)) }

  @Test(
    "the rule on marks finds them in comments and code",
    arguments: ["// FIXME later", "/* XXX */", "// TODO: this", "// TODO(me)", "let FIXME = 1"])
  func markSample(line: String) {
    #expect(unfinishedMarks(SourceFile("A.swift", line)).count == 1)
  }

  @Test("the rule on marks reads other files whole")
  func markSampleInText() {
    #expect(unfinishedMarks(SourceFile("A.md", "one\n\nFIXME: two\n")).map(\.line) == [3])
    #expect(unfinishedMarks(SourceFile("a.py", "# TODO(#3): two\n")).isEmpty)
  }

  @Test(
    "the rule on marks passes numbers, strings and longer words",
    arguments: ["// TODO(#12): this", "let a = \"FIXME\"", "// XXH3 and XXXL", "// todo"])
  func markCleanSample(line: String) {
    #expect(unfinishedMarks(SourceFile("A.swift", line)).isEmpty)
  }

  @Test("the rule on traps finds forced tries, forced casts and placeholders")
  func trapSample() {
    for line in ["let a = try! f()", "let a = b as! C", "fatalError(\"TODO\")"] {
      #expect(hiddenTraps(SourceFile("A.swift", line)).count == 1)
    }
    let clean = "let a = try f()\nlet b = c as? D\nfatalError(\"no\")\n// try! as!\nlet e = \"as!\""
    #expect(hiddenTraps(SourceFile("A.swift", clean)).isEmpty)
  }

  @Test("the rule on habits finds print and Any in the libraries only")
  func habitSample() {
    for line in ["print(a)", "let a: Any", "let a: [any P, Any]", "func f(_ a: Any...) {}"] {
      #expect(libraryHabits(SourceFile("Sources/Varve/Log/A.swift", line)).count == 1)
      #expect(libraryHabits(SourceFile("Sources/VarveTool/A.swift", line)).isEmpty)
    }
    let clean =
      "protocol P: AnyObject {}\nlet a: any P\nwriter.print(a)\n// Any\nlet b = \"print(\""
    #expect(libraryHabits(SourceFile("Sources/VarveFormat/A.swift", clean)).isEmpty)
  }

  @Test("the rule on unchecked types looks at public types and extensions of them")
  func uncheckedSample() {
    func count(_ text: String) -> Int {
      uncheckedPublicTypes([SourceFile("Sources/Varve/Log/A.swift", text)]).count
    }
    #expect(count("public final class A: B, @unchecked Sendable {}") == 1)
    #expect(count("public struct A {}\nextension A: @unchecked Sendable {}") == 1)
    #expect(count("open class A: @unchecked Sendable {}") == 1)
    #expect(count("package final class A: @unchecked Sendable {}") == 0)
    #expect(count("public struct B: Sendable {}\nstruct A: @unchecked Sendable {}") == 0)
  }

  @Test("the rule on flags looks at the manifest of the package only")
  func flagSample() {
    let text = "let a = [.unsafeFlags([])]"
    #expect(unsafeFlags(SourceFile("Package.swift", text)).count == 1)
    #expect(unsafeFlags(SourceFile("Tests/Fuzz/Package.swift", text)).isEmpty)
    #expect(unsafeFlags(SourceFile("Package.swift", "// unsafeFlags are refused")).isEmpty)
  }

  @Test("the rule on paths finds absolute paths and passes relative ones")
  func pathSample() {
    for folder in ["work", "root", "home", "Users"] {
      let bad = "let a = \"/\(folder)/a\""
      let clean = "let a = \"b/\(folder)/a\"  // ~/\(folder)/ and $(c)/\(folder)/"
      #expect(machinePaths(SourceFile("A.swift", bad)).count == 1)
      #expect(machinePaths(SourceFile("A.md", "/\(folder)/a")).count == 1)
      #expect(machinePaths(SourceFile("A.swift", clean)).isEmpty)
    }
  }
}
