// Rules about constructs that do not belong in the project.

/// Marks of unfinished work: two words that are never right, and a third one without a number.
///
/// In Swift only code and comments count, so that a rule can be tested with samples in strings.
func unfinishedMarks(_ file: SourceFile) -> [Finding] {
  let isSwift = file.path.hasSuffix(".swift")
  let commentLines = isSwift ? file.commentLines : file.lines
  var findings: [Finding] = []
  for (index, line) in commentLines.enumerated() {
    let words = line.split { !$0.isLetter && !$0.isNumber && !"_#()".contains($0) }
    for word in words {
      let bare = word.prefix { $0.isLetter }
      if neverRight.contains(String(bare)) {
        findings.append(file.finding(index + 1, "`\(bare)`"))
      } else if bare == "TODO" && !hasNumber(word.dropFirst(4)) {
        findings.append(file.finding(index + 1, "`TODO` without a number"))
      }
    }
  }
  for token in file.tokens where neverRight.contains(token.text) || token.text == "TODO" {
    findings.append(file.finding(token.line, "`\(token.text)` in code"))
  }
  return findings
}

private let neverRight: Set = ["FIXME", "XXX"]

/// `(#12)`, as the mark wants it behind itself.
private func hasNumber(_ text: Substring) -> Bool {
  text.hasPrefix("(#") && text.dropFirst(2).first?.isNumber == true
}

/// Traps that hide behind two characters, and placeholders that trap.
func hiddenTraps(_ file: SourceFile) -> [Finding] {
  let tokens = file.tokens
  return tokens.indices.compactMap { index in
    let token = tokens[index]
    let next = index + 1 < tokens.count ? tokens[index + 1] : nil
    let isForced =
      ["try", "as"].contains(token.text) && next?.text == "!"
      && next?.offset == token.offset + token.text.utf8.count
    let isPlaceholder =
      token.text == "fatalError" && file.stringLiteral(at: index + 2)?.hasPrefix("TODO") == true
    guard isForced || isPlaceholder else { return nil }
    return file.finding(token.line, isForced ? "`\(token.text)!`" : "a placeholder that traps")
  }
}

/// What the libraries must not do: print, or hold a value of any type at all.
func libraryHabits(_ file: SourceFile) -> [Finding] {
  guard ["Sources/Varve/", "Sources/VarveFormat/"].contains(where: file.path.hasPrefix) else {
    return []
  }
  let tokens = file.tokens
  return tokens.indices.compactMap { index in
    let previous = tokens.text(index - 1)
    switch tokens[index].text {
    case "print" where tokens.text(index + 1) == "(" && previous != "." && previous != "func":
      return file.finding(tokens[index].line, "a library prints nothing")
    case "Any" where previous != ".":
      return file.finding(tokens[index].line, "`Any` says nothing about the value")
    default: return nil
    }
  }
}

/// `@unchecked Sendable` on types that users of the library see.
func uncheckedPublicTypes(_ files: [SourceFile]) -> [Finding] {
  let sources = files.filter { $0.path.hasPrefix("Sources/") }
  let publicTypes = sources.reduce(into: Set<String>()) { $0.formUnion(publicTypeNames($1.tokens)) }
  return sources.flatMap { file in
    file.tokens.indices.compactMap { index in
      guard file.tokens[index].text == "unchecked", file.tokens.text(index - 1) == "@",
        file.tokens.text(index + 1) == "Sendable",
        let keyword = file.tokens[..<index].lastIndex(where: { declarers.contains($0.text) }),
        publicTypes.contains(file.tokens.text(keyword + 1))
      else { return nil }
      return file.finding(
        file.tokens[index].line,
        "`\(file.tokens.text(keyword + 1))` is public and only claims to be Sendable")
    }
  }
}

private let declarers: Set = ["struct", "class", "enum", "actor", "extension"]

private func publicTypeNames(_ tokens: [Token]) -> Set<String> {
  var names: Set<String> = []
  for index in tokens.indices {
    guard tokens[index].text != "extension", declarers.contains(tokens[index].text) else {
      continue
    }
    let modifiers = tokens[..<index].suffix(3).reversed()
      .prefix { ["public", "open", "final", "indirect"].contains($0.text) }.map(\.text)
    if modifiers.contains("public") || modifiers.contains("open") {
      names.insert(tokens.text(index + 1))
    }
  }
  return names
}

/// Flags in the manifest that would bar other packages from depending on this one.
func unsafeFlags(_ file: SourceFile) -> [Finding] {
  guard file.path == "Package.swift" else { return [] }
  return file.tokens.filter { $0.text == "unsafeFlags" }
    .map { file.finding($0.line, "a package with unsafe flags cannot be depended upon") }
}

/// Absolute paths that exist on somebody's machine only.
func machinePaths(_ file: SourceFile) -> [Finding] {
  file.lines.enumerated().compactMap { index, line in
    let found = machineFolders.first { folder in
      line.ranges(of: folder).contains { range in
        guard range.lowerBound > line.startIndex else { return true }
        let before = line[line.index(before: range.lowerBound)]
        return !before.isLetter && !before.isNumber && !"_.-~})>*/".contains(before)
      }
    }
    return found.map { file.finding(index + 1, "a path of one machine: `\($0)`") }
  }
}

/// Spelled so that this file does not contain them.
private let machineFolders = ["work", "root", "home", "Users"].map { "/" + $0 + "/" }
