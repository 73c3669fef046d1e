// Checks and hashes over the cells of a block: for tools, not for hot paths.

extension ColumnBlock {
  /// Whether cells of this type have a form of their own, which the decoder does not look at.
  private var hasStructuredCells: Bool {
    switch header.type {
    case .decimal, .blob, .array, .composite: true
    default: false
    }
  }

  /// Checks what decoding leaves to those who read a cell: the one NaN, and bytes that are values.
  ///
  /// - Throws: `badColumn` for a cell, or entry of a dictionary, that is no value of its type.
  package func checkCells() throws(FormatError) {
    if header.type == .double {
      if header.encoding == .dictionary {
        for word in dictionaryWords where !Value.isCanonicalDouble(word) { throw foreignCell() }
      } else {
        for row in 0..<rows {
          if let word = word(row), !Value.isCanonicalDouble(word) { throw foreignCell() }
        }
      }
    }
    guard hasStructuredCells else { return }
    for index in 0..<(header.encoding == .dictionary ? header.dictionaryEntries : rows) {
      if header.encoding == .bytes, isNil(index) { continue }
      var reader = ByteReader(entry(index))
      guard (try? Value(header.type, &reader)) != nil, reader.isAtEnd else { throw foreignCell() }
    }
  }

  func foreignCell() -> FormatError {
    FormatError(.badColumn, "a \(header.type.name) cell is no value of its type")
  }

  /// Hash128 over all rows in row form: what columns of any encoding can be compared by.
  package func rowsHash() -> Hash128 {
    var hash = StreamHash128()
    var writer = ByteWriter(capacity: ColumnBlock.hashPieceBytes + 1_024)
    for row in 0..<rows {
      writeRowForm(row, into: &writer)
      if writer.count >= ColumnBlock.hashPieceBytes {
        writer.withUnsafeBytes { hash.add($0) }
        writer.removeAll()
      }
    }
    writer.withUnsafeBytes { hash.add($0) }
    return hash.finish()
  }

  private static let hashPieceBytes = 64 << 10

  /// Appends type and payload of a cell; references have target entity 0.
  private func writeRowForm(_ row: Int, into writer: inout ByteWriter) {
    let type = header.type
    if type.isWord || type == .bool {
      guard let word = word(row) else { return writer.uint8(0) }
      writer.uint8(type.rawValue)
      switch type {
      case .bool: writer.uint8(UInt8(truncatingIfNeeded: word))
      case .integer: writer.zigzag(Int64(bitPattern: word))
      case .unsigned: writer.varint(word)
      case .reference:
        writer.uint8(0)
        writer.varint(word >> 48 + 1)
        writer.varint(word & 0xFFFF_FFFF_FFFF)
      default: writer.uint64(word)
      }
      return
    }
    guard let bytes = cellBytes(row) else { return writer.uint8(0) }
    writer.uint8(type.rawValue)
    switch type {
    case .string, .data: writer.varint(bytes.count)
    // Entity 0, space 0, then the hash.
    case .identityReference: writer.uint16(0)
    default: break
    }
    writer.bytes(bytes)
  }
}
