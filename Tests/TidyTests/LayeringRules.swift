// Rules about who may know whom: imports of modules, and the order of the engine's folders.

/// The folders of `Sources/Varve`, lowest first.
///
/// A file may name types of its own folder and of lower ones.
let engineFolders = ["System", "Log", "Schema", "Graph", "Query", "Store", "Model"]

private let engineRoot = "Sources/Varve/"

/// Files of the engine that name a type of a higher folder, or that lie in no folder of the order.
func upwardReferences(_ files: [SourceFile]) -> [Finding] {
  let engine = files.filter { $0.path.hasPrefix(engineRoot) && !$0.path.contains(".docc/") }
  var findings: [Finding] = []
  var ranked: [(rank: Int, file: SourceFile)] = []
  for file in engine {
    if let folder = file.folder(below: engineRoot), let rank = engineFolders.firstIndex(of: folder)
    {
      ranked.append((rank, file))
    } else {
      findings.append(file.finding(0, "lies in none of \(engineFolders.joined(separator: ", "))"))
    }
  }
  for rank in engineFolders.indices {
    // A name that this folder or a lower one declares too, at any depth, is theirs.
    var own: Set<String> = []
    var higher: [String: String] = [:]
    for other in ranked {
      if other.rank <= rank {
        own.formUnion(declaredNames(other.file.tokens))
      } else {
        for name in sharedTypes(other.file.tokens) { higher[name] = engineFolders[other.rank] }
      }
    }
    for (_, file) in ranked.filter({ $0.rank == rank }) {
      for token in file.tokens where !own.contains(token.text) {
        guard let folder = higher[token.text] else { continue }
        findings.append(
          file.finding(
            token.line,
            "\(engineFolders[rank]) names `\(token.text)`, which \(folder) declares"))
      }
    }
  }
  return findings
}

private let typeKeywords: Set<String> = [
  "struct", "class", "enum", "protocol", "actor", "typealias",
]

/// Types at file scope that other files can see.
func sharedTypes(_ tokens: [Token]) -> Set<String> {
  var names: Set<String> = []
  var depth = 0
  for index in tokens.indices {
    switch tokens[index].text {
    case "{": depth += 1
    case "}": depth -= 1
    default:
      if depth == 0, let name = typeName(tokens, index), !isFilePrivate(tokens, index) {
        names.insert(name)
      }
    }
  }
  return names
}

/// Types at any depth, associated types and generic parameters: all that a name may mean.
func declaredNames(_ tokens: [Token]) -> Set<String> {
  var names: Set<String> = []
  for index in tokens.indices {
    let text = tokens[index].text
    if let name = typeName(tokens, index) {
      names.insert(name)
    } else if text == "associatedtype" {
      names.insert(tokens.text(index + 1))
    }
    if text == "<" {
      names.formUnion(genericParameters(tokens, index))
    }
  }
  return names
}

private func typeName(_ tokens: [Token], _ index: Int) -> String? {
  let name = tokens.text(index + 1)
  return typeKeywords.contains(tokens[index].text) && tokens.text(index - 1) != "."
    && name.first?.isUppercase == true ? name : nil
}

private func isFilePrivate(_ tokens: [Token], _ index: Int) -> Bool {
  var previous = index - 1
  while ["final", "indirect", "private", "fileprivate"].contains(tokens.text(previous)) {
    if tokens[previous].text.hasSuffix("private") { return true }
    previous -= 1
  }
  return false
}

/// The names in `func f<A: B, C>` and `struct S<A>`, when `<` at `index` follows a declared name.
private func genericParameters(_ tokens: [Token], _ index: Int) -> Set<String> {
  let keyword = tokens.text(index - 2)
  guard
    typeKeywords.contains(keyword) || keyword == "func" || tokens.text(index - 1) == "init"
      || tokens.text(index - 1) == "subscript"
  else { return [] }
  var names: Set<String> = []
  var depth = 0
  for next in index..<tokens.count {
    let text = tokens[next].text
    if text == "<" { depth += 1 }
    if text == ">" { depth -= 1 }
    if depth == 0 { break }
    if depth == 1, text == "<" || text == "," {
      let skipped = ["each", "let"].contains(tokens.text(next + 1)) ? 2 : 1
      names.insert(tokens.text(next + skipped))
    }
  }
  return names
}

/// Modules that the files of a folder must not import, and why.
struct ImportBan {
  var folder: String
  var modules: Set<String>
  var reason: String
}

private let fullFoundation: Set<String> = [
  "Foundation", "FoundationNetworking", "FoundationXML", "FoundationInternationalization",
]

let importBans = [
  ImportBan(
    folder: "Sources/", modules: fullFoundation,
    reason: "Foundation costs start-up time and size, and its types copy"),
  ImportBan(
    folder: "Sources/VarveFormat/", modules: ["FoundationEssentials"],
    reason: "the format is bytes and values only"),
  ImportBan(
    folder: "Sources/VarveFormat/",
    modules: ["Varve", "VarveImport", "VarveTool", "VarveBenchmarks", "VarveTestSupport"],
    reason: "the format is the lowest module"),
  ImportBan(
    folder: "Sources/Varve/System/", modules: ["FoundationEssentials"],
    reason: "the lowest layers call the system themselves"),
  ImportBan(
    folder: "Sources/Varve/Log/", modules: ["FoundationEssentials"],
    reason: "the lowest layers call the system themselves"),
  ImportBan(
    folder: "Sources/Varve/",
    modules: ["VarveImport", "VarveTool", "VarveBenchmarks", "VarveTestSupport", "CZlib"],
    reason: "the engine does not know its importers and tools"),
  ImportBan(
    folder: "Sources/VarveImport/",
    modules: ["FoundationEssentials", "Varve", "VarveTool", "VarveTestSupport"],
    reason: "importers turn bytes into columns and know nothing of stores"),
  ImportBan(
    folder: "Sources/VarveTool/", modules: ["FoundationEssentials", "VarveTestSupport"],
    reason: "the command starts in milliseconds"),
]

/// Imports that a folder bans.
func bannedImports(_ file: SourceFile) -> [Finding] {
  importedModules(file.tokens).flatMap { module, line in
    importBans.compactMap { ban in
      guard file.path.hasPrefix(ban.folder), ban.modules.contains(module),
        !(fullFoundation.contains(module) && Allowance.covers(.foundation, file.path))
      else { return nil }
      return file.finding(line, "imports \(module): \(ban.reason)")
    }
  }
}

/// The modules that a file imports, with their lines.
func importedModules(_ tokens: [Token]) -> [(module: String, line: Int)] {
  let kinds: Set = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var"]
  return tokens.indices.compactMap { index in
    guard tokens[index].text == "import", tokens.text(index - 1) != "." else { return nil }
    let next = kinds.contains(tokens.text(index + 1)) ? index + 2 : index + 1
    return (tokens.text(next), tokens[index].line)
  }
}
