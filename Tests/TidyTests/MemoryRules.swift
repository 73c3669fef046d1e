// Rules about raw memory: where pointers and byte order may appear, and why that is safe.

private let hostOrderNames: Set<String> = [
  "bigEndian", "littleEndian", "byteSwapped", "loadUnaligned", "storeBytes", "htons", "htonl",
  "ntohs", "ntohl", "htobe16", "htobe32", "htobe64", "htole16", "htole32", "htole64", "be16toh",
  "be32toh", "be64toh", "le16toh", "le32toh", "le64toh", "CFSwapInt32", "CFSwapInt64",
]

/// Byte order and raw loads and stores outside the folders for them.
///
/// Tests are free to compute an expectation in another way than the code does.
func hostOrderUses(_ file: SourceFile) -> [Finding] {
  guard file.path.hasPrefix("Sources/"), !Allowance.covers(.hostOrder, file.path) else { return [] }
  let tokens = file.tokens
  return tokens.indices.compactMap { index in
    let text = tokens[index].text
    guard hostOrderNames.contains(text) || isRawLoad(tokens, index) else { return nil }
    return file.finding(tokens[index].line, "`\(text)` outside the folders for bytes")
  }
}

/// `.load(` of a pointer; that of an atomic names its ordering, that of a lazy reference nothing.
private func isRawLoad(_ tokens: [Token], _ index: Int) -> Bool {
  tokens[index].text == "load" && tokens.text(index - 1) == "." && tokens.text(index + 1) == "("
    && !["ordering", ")"].contains(tokens.text(index + 2))
}

/// Pointers outside the folders for them.
func strayPointers(_ file: SourceFile) -> [Finding] {
  guard file.path.hasPrefix("Sources/"), !Allowance.covers(.unsafePointers, file.path) else {
    return []
  }
  return file.tokens.filter(isPointerType).map {
    file.finding($0.line, "`\($0.text)` outside the folders for pointers")
  }
}

/// A file with pointers and without a single argument for their safety.
func unarguedPointers(_ file: SourceFile) -> [Finding] {
  guard file.path.hasPrefix("Sources/"), let first = file.tokens.first(where: isPointerType),
    !file.commentLines.contains(where: { $0.contains("// SAFETY: ") })
  else { return [] }
  return [file.finding(first.line, "`\(first.text)` in a file without a `// SAFETY:` line")]
}

private func isPointerType(_ token: Token) -> Bool {
  token.text == "OpaquePointer"
    || (token.text.hasPrefix("Unsafe") && token.text.contains("Pointer"))
}
