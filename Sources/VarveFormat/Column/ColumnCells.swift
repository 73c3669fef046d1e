// Cells of a column before encoding: what importers and bulk inserts hand in.

/// Which rows of a column have a value; one bit a row.
package struct Presence: Sendable, Equatable {
  package private(set) var words: [UInt64] = []
  package private(set) var count = 0
  package private(set) var nilCount = 0

  package init() {}

  /// The first `count` rows all have a value.
  package init(allPresent count: Int) {
    words = [UInt64](repeating: .max, count: (count + 63) / 64)
    self.count = count
    if count % 64 != 0 { words[words.count - 1] = (1 << UInt64(count % 64)) - 1 }
  }

  package mutating func append(_ isPresent: Bool) {
    if count % 64 == 0 { words.append(0) }
    if isPresent { words[count / 64] |= 1 << UInt64(count % 64) } else { nilCount += 1 }
    count += 1
  }

  @inline(__always)
  package subscript(row: Int) -> Bool { words[row >> 6] &>> UInt64(row & 63) & 1 != 0 }
}

/// The cells of one column of a group of rows.
package enum ColumnCells: Sendable {
  /// Integers, unsigned numbers, doubles, dates and references as their 64-bit words; bools as 0
  /// and 1.
  ///
  /// Words of nil cells are ignored. `present` is nil when every row has a value.
  case words([UInt64], present: Presence?)
  /// Byte types: `offsets` has one entry more than rows, `heap` is all bytes in row order.
  case bytes(offsets: [UInt32], heap: [UInt8], present: Presence?)

  package var rows: Int {
    switch self {
    case .words(let words, _): words.count
    case .bytes(let offsets, _, _): max(offsets.count - 1, 0)
    }
  }

  package var present: Presence? {
    switch self {
    case .words(_, let present), .bytes(_, _, let present): present
    }
  }
}
