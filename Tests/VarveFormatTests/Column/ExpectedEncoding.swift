// The choice of encoding as the specification words it, computed the slow way for tests.

import VarveFormat
import VarveTestSupport

/// What a writer must choose.
enum ExpectedEncoding {
  static func of(_ type: PhysicalType, _ cells: [NaiveCell]) -> ColumnEncoding {
    let values = cells.filter { $0 != .none }
    let distinct = Set(values).count
    switch type {
    case .bool: return .bitmap
    case .double: return distinct * 4 <= cells.count ? .dictionary : .plain
    case .integer, .unsigned, .date, .reference:
      let isNullable = values.count < cells.count
      return isNullable && spansEverything(type, values) ? .dictionary : .packed
    default: return distinct * 2 <= cells.count ? .dictionary : .bytes
    }
  }

  /// Whether the largest `(value - base) / scale` is 2^64-1: both ends of the range are there, and
  /// no divisor but 1 is common to all distances.
  private static func spansEverything(_ type: PhysicalType, _ cells: [NaiveCell]) -> Bool {
    let isSigned = type == .integer || type == .date
    let ordered = cells.compactMap { cell -> UInt64? in
      guard case .word(let word) = cell else { return nil }
      return isSigned ? word ^ 1 << 63 : word
    }
    guard ordered.contains(0), ordered.contains(.max) else { return false }
    // 2^64-1 has these prime factors; a common divisor of all distances has one of them.
    let factors: [UInt64] = [3, 5, 17, 257, 641, 65_537, 6_700_417]
    return factors.allSatisfy { factor in ordered.contains { $0 % factor != 0 } }
  }
}

extension Presence {
  init(allNil rows: Int) {
    self.init()
    for _ in 0..<rows { append(false) }
  }
}

extension ColumnCells {
  /// The same cells with nothing behind those that are nil.
  var withClearedNils: ColumnCells {
    switch self {
    case .words(let words, let present):
      return .words(
        words.indices.map { present?[$0] ?? true ? words[$0] : 0 }, present: present)
    case .bytes:
      let list = NaiveCell.cells(self).map { cell -> [UInt8] in
        guard case .bytes(let bytes) = cell else { return [] }
        return bytes
      }
      return ColumnCells(list, present: present)
    }
  }

  func appending(_ other: ColumnCells) -> ColumnCells {
    var presence = Presence()
    for row in 0..<rows { presence.append(present?[row] ?? true) }
    for row in 0..<other.rows { presence.append(other.present?[row] ?? true) }
    switch (self, other) {
    case (.words(let a, _), .words(let b, _)): return .words(a + b, present: presence)
    case (.bytes(let a, let heap, _), .bytes(let b, let tail, _)):
      let end = UInt32(heap.count)
      return .bytes(
        offsets: a + b.dropFirst().map { $0 + end }, heap: heap + tail, present: presence)
    default: preconditionFailure("cells of one type")
    }
  }
}
