// The rules about layers and imports, over the whole tree and each on a sample.

import Testing

@Suite("Layering")
struct LayeringTests {
  @Test("no folder of the engine names a type of a higher folder")
  func folderOrder() { expectNone(upwardReferences(Repository.swiftFiles)) }

  @Test("no folder imports a module that it must not know")
  func imports() { expectNone(Repository.swiftFiles.flatMap(bannedImports)) }

  private let store = SourceFile(
    "Sources/Varve/Store/Store.swift",
    "public final class Store { struct Inner {} }\nprivate struct Hidden {}\n")

  @Test(
    "the order rule finds a type of a higher folder in code",
    arguments: [
      "let a: Store", "func f() -> [Store] { [] }", "extension Store {}",
      "let a = \"\\(Store())\"",
    ])
  func orderSample(line: String) {
    let log = SourceFile("Sources/Varve/Log/Log.swift", "// A log.\n\(line)\n")
    let findings = upwardReferences([store, log])
    #expect(findings.map(\.path) == [log.path])
    #expect(findings.map(\.line) == [2])
  }

  @Test(
    "the order rule passes downward references, own names, comments and strings",
    arguments: [
      "// A Store is not named here.\nlet a = \"Store\"",
      "struct A { enum Store {} ; let b: Store }",
      "func f<Store: Sequence>(_ a: Store) {}", "let a: Inner", "let a: Hidden",
      "protocol P { associatedtype Store }", "let store = storeCount",
    ])
  func orderCleanSample(text: String) {
    let log = SourceFile("Sources/Varve/Log/Log.swift", text)
    let model = SourceFile("Sources/Varve/Model/Model.swift", "let a: Store")
    #expect(upwardReferences([store, log, model]).isEmpty)
  }

  @Test("a file of the engine outside the seven folders is refused")
  func strayFile() {
    for path in ["Sources/Varve/Loose.swift", "Sources/Varve/Helpers/A.swift"] {
      #expect(upwardReferences([SourceFile(path, "let a = 1")]).count == 1)
    }
    #expect(upwardReferences([SourceFile("Sources/VarveTool/A.swift", "let a = 1")]).isEmpty)
  }

  @Test("the import rule sees every spelling of an import")
  func importSample() {
    func count(_ path: String, _ text: String) -> Int {
      bannedImports(SourceFile(path, text)).count
    }
    for spelling in [
      "import Foundation", "public import Foundation", "import struct Foundation.Date",
    ] {
      #expect(count("Sources/Varve/Model/A.swift", spelling) == 1)
    }
    #expect(count("Sources/VarveFormat/A.swift", "@testable import Varve") == 1)
    #expect(count("Sources/VarveFormat/A.swift", "import FoundationEssentials") == 1)
    #expect(count("Sources/Varve/System/A.swift", "import FoundationEssentials") == 1)
    #expect(count("Sources/Varve/Log/A.swift", "import FoundationEssentials") == 1)
    #expect(count("Sources/VarveImport/A.swift", "import Varve") == 1)
    #expect(count("Sources/VarveTool/A.swift", "import Foundation") == 1)
  }

  @Test("the import rule passes what a folder may know")
  func importCleanSample() {
    func isClean(_ path: String, _ text: String) -> Bool {
      bannedImports(SourceFile(path, text)).isEmpty
    }
    #expect(isClean("Sources/Varve/Schema/A.swift", "import FoundationEssentials"))
    #expect(isClean("Sources/Varve/Log/A.swift", "import VarveFormat\n// import Foundation"))
    #expect(isClean("Sources/VarveTool/A.swift", "import Varve\nimport VarveImport"))
    #expect(isClean("Tests/TidyTests/A.swift", "import Foundation"))
  }
}
