// Cells as values: for tools, not for hot paths.

extension ColumnBlock {
  /// The value of a row.
  ///
  /// References get `target` as their entity.
  ///
  /// - Throws: `badColumn` for a cell that is no value of its type, which decoding leaves to those
  ///   who read it.
  package func value(_ row: Int, target: UInt32) throws(FormatError) -> Value {
    let type = header.type
    if type.isWord || type == .bool {
      guard let word = word(row) else { return .null }
      guard type != .double || Value.isCanonicalDouble(word) else { throw foreignCell() }
      return ColumnBlock.value(word, type, target: target)
    }
    guard let bytes = cellBytes(row) else { return .null }
    guard let value = ColumnBlock.value(bytes, type, target: target) else { throw foreignCell() }
    return value
  }

  private static func value(_ word: UInt64, _ type: PhysicalType, target: UInt32) -> Value {
    switch type {
    case .bool: .bool(word != 0)
    case .integer: .integer(Int64(bitPattern: word))
    case .unsigned: .unsigned(word)
    case .double: .double(word)
    case .date: .date(Int64(bitPattern: word))
    default:
      .reference(
        ObjectReference(
          entity: target, index: UInt32(truncatingIfNeeded: word >> 48),
          serial: word & 0xFFFF_FFFF_FFFF))
    }
  }

  // SAFETY: the bytes lie in the block's heap, which the caller keeps alive, and are copied.

  /// Nil when the bytes are not a value of the type, which hostile files can contain.
  private static func value(
    _ bytes: UnsafeRawBufferPointer, _ type: PhysicalType, target: UInt32
  ) -> Value? {
    switch type {
    case .string: return .string(String(decoding: bytes, as: UTF8.self))
    case .data: return .data([UInt8](bytes))
    case .uuid: return .uuid([UInt8](bytes))
    case .identityReference:
      var reader = ByteReader(bytes)
      return (try? reader.hash128()).map {
        .identityReference(ObjectReference(entity: target, identity: $0))
      }
    default:
      var reader = ByteReader(bytes)
      guard let value = try? Value(type, &reader), reader.isAtEnd else { return nil }
      return value
    }
  }
}
