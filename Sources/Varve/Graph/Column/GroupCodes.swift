// The codes of a group's rows for an index, and what of them changed. Layer: Graph.

import VarveFormat

/// Reads the columns of one group as an index wants them.
struct GroupCodes {
  private let group: RowGroup
  private let slots: [ColumnSlot]
  private let key: IndexKey

  init(_ group: RowGroup, _ columns: [Int?], _ key: IndexKey) {
    self.group = group
    self.key = key
    slots = columns.map { $0.map { group.slot($0) } ?? .absent }
  }

  /// Calls `body` with the rows whose code differs from the one in an earlier version of the group.
  ///
  /// - Parameters:
  ///   - rows: The rows of the group now.
  ///   - earlier: The version that was read before.
  ///   - known: The rows that it had then.
  ///   - body: Gets row and code.
  func forEachChange(
    rows: Int, since earlier: GroupCodes?, rows known: Int, _ body: (Int, UInt64) -> Void
  ) {
    // Cells that readers know are never written in place, so the same memory has the same cells.
    let isSame = earlier.map { zip(slots, $0.slots).allSatisfy { $0.0.isSameMemory($0.1) } }
    for row in (isSame == true ? known : 0)..<rows {
      guard let code = code(row) else { continue }
      if row < known, let earlier, earlier.code(row) == code { continue }
      body(row, code)
    }
  }

  /// The code of a row; nil when a column has neither value nor default.
  private func code(_ row: Int) -> UInt64? {
    if slots.count == 1 { return code(0, row) }
    var joined: UInt64 = 0
    for column in slots.indices {
      guard let code = code(column, row) else { return nil }
      joined = CellCode.joined(joined, code)
    }
    return joined
  }

  private func code(_ column: Int, _ row: Int) -> UInt64? {
    let (slot, type) = (slots[column], key.columns[column].type ?? .data)
    if key.columns[column].holdsWords {
      guard let word = slot.word(row) else { return key.defaults[column] }
      return CellCode.word(word, type)
    }
    guard let bytes = slot.bytes(row) else { return key.defaults[column] }
    // SAFETY: `group` keeps the bytes alive, and with it this value.
    return key.isOrdered ? GroupCodes.prefix(bytes) : Checksum.hash64(seed: 0, bytes)
  }

  // SAFETY: reads as many bytes as there are.

  /// The first eight bytes as a number whose order is theirs.
  private static func prefix(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    if bytes.count >= 8 { return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) }
    var code: UInt64 = 0
    for index in 0..<8 { code = code << 8 | (index < bytes.count ? UInt64(bytes[index]) : 0) }
    return code
  }
}

extension ColumnSlot {
  /// Whether both read the same cells from the same memory.
  func isSameMemory(_ other: ColumnSlot) -> Bool {
    pointer == other.pointer && heap == other.heap && base == other.base && scale == other.scale
      && form == other.form && width == other.width && isNullable == other.isNullable
  }
}
