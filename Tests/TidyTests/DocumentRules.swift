// Rules about documents: what they point to must exist.

/// Links, back-quoted paths and article references that lead nowhere.
///
/// `names` holds every file and folder of the repository, folders with and without a slash at
/// the end.
func deadReferences(_ file: SourceFile, names: Set<String>) -> [Finding] {
  let articles = articleNames(names)
  return prose(file.lines).flatMap { number, line in
    let links = linkTargets(line).filter { target in
      if let article = target.suffix(after: "doc:") { return !articles.contains(base(article)) }
      return isLocal(target) && !exists(base(target), from: file.path, names)
    }
    let articleLinks = spans(line, from: "<doc:", to: ">").filter { !articles.contains(base($0)) }
    let paths = spans(line, from: "`", to: "`").filter { path in
      isRepositoryPath(path, in: file.path) && !exists(withoutLine(path), from: file.path, names)
    }
    return (links + articleLinks + paths).map { file.finding(number, "`\($0)` does not exist") }
  }
}

/// Documents under `Formats` that the comments of a Swift file cite and that do not exist.
func deadCitations(_ file: SourceFile, names: Set<String>) -> [Finding] {
  file.commentLines.enumerated().flatMap { index, line in
    line.split { !$0.isLetter && !$0.isNumber && !"_./-".contains($0) }.compactMap { word in
      guard word.hasPrefix("Formats/"), let end = word.range(of: ".md")?.upperBound,
        !names.contains(String(word[..<end]))
      else { return nil }
      return file.finding(index + 1, "`\(word)` does not exist")
    }
  }
}

/// Names at the top of the repository beyond the fixed ones and hidden ones.
func strayTopLevelNames(_ names: [String]) -> [Finding] {
  names.filter { !$0.hasPrefix(".") && !topLevelNames.contains($0) }
    .map { Finding(path: $0, line: 0, message: "does not belong at the top") }
}

private let topLevelNames: Set = [
  "Package.swift", "Sources", "Tests", "Benchmarks", "Formats", "README.md", "LICENSE",
]

/// Decision notes that lack one of their parts, or are longer than a page.
func incompleteDecision(_ file: SourceFile) -> [Finding] {
  guard file.path.contains(".docc/Decisions/") else { return [] }
  let parts = ["Context", "Decision", "Alternatives", "Consequences", "Status"]
  let headings = file.lines.filter { $0.hasPrefix("## ") }
  var findings: [Finding] = []
  if headings != parts.map({ "## " + $0 }) {
    findings.append(file.finding(0, "the parts are not \(parts.joined(separator: ", "))"))
  }
  if file.lines.count > decisionLinesMax {
    findings.append(file.finding(0, "\(file.lines.count) lines, at most \(decisionLinesMax)"))
  }
  return findings
}

/// About a page.
private let decisionLinesMax = 70

/// A current version of the format that the list of changes has no heading for.
func unexplainedVersion(version: SourceFile, changes: SourceFile) -> [Finding] {
  func number(_ name: String) -> String? {
    version.tokens.indices.first {
      version.tokens[$0].text == name && version.tokens.text($0 - 1) == "let"
    }.flatMap { index in
      version.tokens[index...].dropFirst(3).first { $0.text.first?.isNumber == true }?.text
    }
  }
  guard let major = number("major"), let minor = number("minor") else {
    return [version.finding(0, "no `let major` and `let minor`")]
  }
  let heading = "## \(major).\(minor)"
  let isExplained = changes.lines.contains { $0 == heading || $0.hasPrefix(heading + " ") }
  return isExplained ? [] : [changes.finding(0, "no heading `\(heading)`")]
}

/// Lines outside fenced code, numbered, without symbol references in double back quotes.
private func prose(_ lines: [String]) -> [(Int, String)] {
  var isFenced = false
  return lines.enumerated().compactMap { index, line in
    if line.drop(while: { $0 == " " }).hasPrefix("```") {
      isFenced.toggle()
      return nil
    }
    guard !isFenced else { return nil }
    let parts = line.components(separatedBy: "``")
    let kept = parts.count % 2 == 0 ? parts : parts.enumerated().filter { $0.0 % 2 == 0 }.map(\.1)
    return (index + 1, kept.joined(separator: " "))
  }
}

/// The targets of `[text](target)` and `[label]: target`.
private func linkTargets(_ line: String) -> [String] {
  var targets = spans(line, from: "](", to: ")")
  if line.hasPrefix("["), let colon = line.range(of: "]: ") {
    targets.append(String(line[colon.upperBound...]))
  }
  return targets.map { String($0.prefix { $0 != " " }) }
}

/// The pieces between two marks, which do not nest.
private func spans(_ line: String, from start: String, to end: String) -> [String] {
  var pieces: [String] = []
  var rest = line[...]
  while let open = rest.range(of: start) {
    rest = rest[open.upperBound...]
    guard let close = rest.range(of: end) else { break }
    pieces.append(String(rest[..<close.lowerBound]))
    rest = rest[close.upperBound...]
  }
  return pieces
}

private func isLocal(_ target: String) -> Bool {
  !target.isEmpty && !target.hasPrefix("#") && !target.contains(":")
}

/// Whether text in back quotes is meant as a path of this repository.
private func isRepositoryPath(_ text: String, in document: String) -> Bool {
  guard !text.isEmpty, !text.contains(where: { " <>*{}$|=()\"'".contains($0) }) else {
    return false
  }
  let path = withoutLine(text)
  let first = String(path.prefix { $0 != "/" })
  if topLevelNames.contains(first) || first == ".ci" || first == ".swift-format" { return true }
  if path.hasSuffix(".md") { return !path.hasPrefix(".") || path.hasPrefix("../") }
  return document.hasPrefix("Formats/") && path.contains("/") && formatFolders.contains(first)
}

private let formatFolders: Set = ["Golden", "reader"]

/// A path counts from the root or from the folder of the document.
private func exists(_ path: String, from document: String, _ names: Set<String>) -> Bool {
  if names.contains(path) { return true }
  var folders = document.split(separator: "/").dropLast().map(String.init)
  for part in path.split(separator: "/").map(String.init) {
    switch part {
    case ".": continue
    case "..":
      guard !folders.isEmpty else { return false }
      folders.removeLast()
    default: folders.append(part)
    }
  }
  let resolved = folders.joined(separator: "/")
  return resolved.isEmpty || names.contains(path.hasSuffix("/") ? resolved + "/" : resolved)
}

/// What `<doc:…>` can name: the articles of the catalog.
private func articleNames(_ names: Set<String>) -> Set<String> {
  Set(
    names.filter { $0.contains(".docc/") && $0.hasSuffix(".md") }
      .compactMap { $0.split(separator: "/").last.map { String($0.dropLast(3)) } })
}

private func base(_ target: String) -> String { String(target.prefix { $0 != "#" }) }

/// Drops `:12` at the end.
private func withoutLine(_ path: String) -> String {
  guard let colon = path.lastIndex(of: ":"), path[colon...].dropFirst().allSatisfy(\.isNumber)
  else { return path }
  return String(path[..<colon])
}

extension String {
  fileprivate func suffix(after prefix: String) -> String? {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
  }
}
