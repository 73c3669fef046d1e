// Rules about the shape of a file: its first line, its length, its columns, its functions.

/// Limits of length, which keep a file readable on one screen and a function in one head.
enum LayoutLimits {
  static let columns = 100
  static let functionLines = 70
  static let fileLines = 600
}

/// Lines with more than 100 columns.
func wideLines(_ file: SourceFile) -> [Finding] {
  file.lines.enumerated().compactMap { index, line in
    line.utf8.count > LayoutLimits.columns && line.count > LayoutLimits.columns
      ? file.finding(index + 1, "\(line.count) columns, at most \(LayoutLimits.columns)") : nil
  }
}

/// A file with more than 600 lines.
func longFile(_ file: SourceFile) -> [Finding] {
  file.lines.count > LayoutLimits.fileLines
    ? [file.finding(0, "\(file.lines.count) lines, at most \(LayoutLimits.fileLines)")] : []
}

/// A file that does not start with a comment of a few words which says what it is.
func missingHeader(_ file: SourceFile) -> [Finding] {
  let first = file.lines.first ?? ""
  let words = first.drop { $0 == "/" }.split(separator: " ")
  let isManifest = first.hasPrefix("// swift-tools-version:")
  return isManifest || (first.hasPrefix("// ") && words.count >= 3)
    ? [] : [file.finding(1, "the first line is no comment that says what the file is")]
}

/// Functions, initializers, subscripts and accessors with more than 70 lines.
func longFunctions(_ file: SourceFile) -> [Finding] {
  let tokens = file.tokens
  let closings = matchingBraces(tokens)
  return tokens.indices.compactMap { index in
    guard let open = bodyStart(tokens, index), let close = closings[open] else { return nil }
    let lines = tokens[close].line - tokens[index].line + 1
    guard lines > LayoutLimits.functionLines else { return nil }
    let name = [tokens.text(index), tokens.text(index + 1)].filter { $0 != "{" && $0 != "(" }
    return file.finding(
      tokens[index].line,
      "`\(name.joined(separator: " "))` has \(lines) lines, at most \(LayoutLimits.functionLines)")
  }
}

/// The closing brace of every opening one, both as indices of tokens.
func matchingBraces(_ tokens: [Token]) -> [Int: Int] {
  var closings: [Int: Int] = [:]
  var open: [Int] = []
  for index in tokens.indices {
    switch tokens[index].text {
    case "{": open.append(index)
    case "}": if let start = open.popLast() { closings[start] = index }
    default: break
    }
  }
  return closings
}

/// The opening brace of the body that the declaration or accessor at `index` has, if it is one.
private func bodyStart(_ tokens: [Token], _ index: Int) -> Int? {
  let (previous, next) = (tokens.text(index - 1), tokens.text(index + 1))
  guard previous != "." else { return nil }
  switch tokens[index].text {
  case "func": return declarationBody(tokens, index)
  case "deinit": return next == "{" ? index + 1 : nil
  case "init", "subscript":
    return ["(", "<", "?", "!"].contains(next) ? declarationBody(tokens, index) : nil
  case "var": return propertyBody(tokens, index)
  case "get", "set", "willSet", "didSet", "_read", "_modify", "read", "modify":
    return accessorBody(tokens, index)
  default: return nil
  }
}

private let declarationWords: Set<String> = [
  "func", "var", "let", "case", "struct", "class", "enum", "protocol", "extension", "typealias",
  "associatedtype", "import", "init", "deinit", "subscript", "}", ";",
]

/// A requirement of a protocol has no body: the search stops where the next declaration starts.
private func declarationBody(_ tokens: [Token], _ index: Int) -> Int? {
  var depth = 0
  for next in (index + 1)..<tokens.count {
    let text = tokens[next].text
    switch text {
    case "(", "[": depth += 1
    case ")", "]": depth -= 1
    case "{" where depth == 0: return next
    default: if depth == 0 && declarationWords.contains(text) { return nil }
    }
  }
  return nil
}

/// A computed property, or observers without a first value: `var name: Type {`, all on one line.
private func propertyBody(_ tokens: [Token], _ index: Int) -> Int? {
  for next in (index + 1)..<tokens.count {
    guard tokens[next].line == tokens[index].line, tokens[next].text != "=" else { return nil }
    if tokens[next].text == "{" { return next }
  }
  return nil
}

/// An accessor: its word, perhaps a name for the new value or effects, then the brace.
private func accessorBody(_ tokens: [Token], _ index: Int) -> Int? {
  var next = index + 1
  if tokens.text(next) == "(", tokens.text(next + 2) == ")" { next += 3 }
  while ["async", "throws"].contains(tokens.text(next)) { next += 1 }
  return tokens.text(next) == "{" ? next : nil
}
