// A decoded column block: chunks and heaps that the graph adopts without touching a row.

/// Up to 65,536 cells of one column, decoded once into the layout of memory (Q35, Q47).
package final class ColumnBlock: @unchecked Sendable {
  package let header: ColumnBlockHeader
  /// The cells, or the dictionary codes of the cells, in chunks of 4,096; empty for the encoding
  /// `bytes`.
  package let chunks: [Chunk]
  /// Word dictionaries: the entries.
  ///
  /// Empty otherwise.
  package let dictionaryWords: UnsafeBufferPointer<UInt64>
  /// Byte cells (`bytes`) or byte dictionaries (`dictionary`): the end of entry i is at i + 1.
  ///
  /// Bit 31 of an end marks a nil cell.
  package let offsets: UnsafeBufferPointer<UInt32>
  package let heap: UnsafeRawBufferPointer
  private let owners: [Memory]

  /// Marks a nil cell in `offsets`.
  static let nilBit: UInt32 = 1 << 31

  init(
    header: ColumnBlockHeader, chunks: [Chunk] = [],
    dictionaryWords: UnsafeBufferPointer<UInt64> = .init(start: nil, count: 0),
    offsets: UnsafeBufferPointer<UInt32> = .init(start: nil, count: 0),
    heap: UnsafeRawBufferPointer = .init(start: nil, count: 0), owners: [Memory]
  ) {
    self.header = header
    self.chunks = chunks
    self.dictionaryWords = dictionaryWords
    self.offsets = offsets
    self.heap = heap
    self.owners = owners
  }

  package var rows: Int { header.rows }

  /// The word of a row, or nil; for word types and bools.
  ///
  /// `row` is below `rows`.
  @inline(__always)
  package func word(_ row: Int) -> UInt64? {
    guard let number = chunks[row >> 12].word(row & (Limits.groupRows - 1)) else { return nil }
    return header.encoding == .dictionary ? dictionaryWords[Int(number)] : number
  }

  /// The bytes of a row, or nil; for types stored as bytes.
  ///
  /// Valid as long as the block.
  @inline(__always)
  package func cellBytes(_ row: Int) -> UnsafeRawBufferPointer? {
    if header.encoding == .bytes {
      return offsets[row + 1] & ColumnBlock.nilBit == 0 ? entry(row) : nil
    }
    guard let code = chunks[row >> 12].word(row & (Limits.groupRows - 1)) else { return nil }
    return entry(Int(code))
  }

  /// Entry `index` of the heap.
  @inline(__always)
  package func entry(_ index: Int) -> UnsafeRawBufferPointer {
    // SAFETY: the decoder checked that ends ascend and stay inside the heap.
    let start = Int(offsets[index] & ~ColumnBlock.nilBit)
    let end = Int(offsets[index + 1] & ~ColumnBlock.nilBit)
    return UnsafeRawBufferPointer(rebasing: heap[start..<end])
  }

  /// Whether a row has a value.
  package func isNil(_ row: Int) -> Bool {
    header.encoding == .bytes
      ? offsets[row + 1] & ColumnBlock.nilBit != 0
      : chunks[row >> 12].word(row & (Limits.groupRows - 1)) == nil
  }

  /// Bytes of memory that the block keeps.
  package var memoryBytes: Int { owners.reduce(0) { $0 + $1.count } }
}
