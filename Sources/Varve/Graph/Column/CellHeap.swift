// Entries that codes of a column stand for: words or bytes. Layer: Graph.

import VarveFormat

/// The dictionary or heap of a column: what a block brought, and what was appended since.
///
/// Entries never move and never change, so readers need no lock: they only use codes that were
/// published to them. One writer appends.
final class CellHeap: @unchecked Sendable {
  /// What the first entries are.
  let block: ColumnBlock?
  private let blockEntries: Int
  /// Whether codes stand for 64-bit words instead of bytes.
  let holdsWords: Bool

  private static let pageEntries = 256
  private static let pagesMax = 64
  /// Entries that can be appended before the column has to be rewritten.
  static let appendedMax = pageEntries * pagesMax

  private struct Entry {
    var pointer: UnsafeRawPointer?
    var count: Int
  }

  private let pages: UnsafeMutablePointer<UnsafeMutablePointer<Entry>?>
  private(set) var appended = 0
  /// Memory of the bytes, whose last piece has room for more.
  private var pieces: [Memory] = []
  private var pieceUsed = 0

  /// A heap whose first entries are those of a block.
  init(_ block: ColumnBlock?) {
    self.block = block
    let header = block?.header
    holdsWords = header.map { $0.type.isWord } ?? false
    blockEntries =
      switch header?.encoding {
      case .dictionary?: header?.dictionaryEntries ?? 0
      case .bytes?: header?.rows ?? 0
      default: 0
      }
    pages = .allocate(capacity: CellHeap.pagesMax)
    pages.initialize(repeating: nil, count: CellHeap.pagesMax)
  }

  deinit {
    for index in 0..<CellHeap.pagesMax { pages[index]?.deallocate() }
    pages.deallocate()
  }

  /// The word that a code stands for.
  @inline(__always)
  func word(_ code: UInt64) -> UInt64 {
    guard let block, code < UInt64(block.dictionaryWords.count) else { return 0 }
    return block.dictionaryWords[Int(code)]
  }

  // SAFETY: codes come from chunks whose codes were checked against the block when it was decoded,
  // or from `append`. The bytes live as long as the heap.

  /// The bytes that a code stands for, nil for a nil entry of a block in row order.
  @inline(__always)
  func bytes(_ code: UInt64) -> UnsafeRawBufferPointer? {
    let index = Int(truncatingIfNeeded: code)
    if index < blockEntries, let block {
      if block.header.encoding == .bytes, block.isNil(index) { return nil }
      return block.entry(index)
    }
    let place = index &- blockEntries
    guard place >= 0, place < CellHeap.appendedMax,
      let page = pages[place / CellHeap.pageEntries]
    else { return nil }
    let entry = page[place % CellHeap.pageEntries]
    return UnsafeRawBufferPointer(start: entry.pointer, count: entry.count)
  }

  /// Adds an entry and returns its code, or nil when the heap is full.
  func append(_ bytes: UnsafeRawBufferPointer) -> UInt64? {
    guard appended < CellHeap.appendedMax else { return nil }
    let page = appended / CellHeap.pageEntries
    if pages[page] == nil {
      pages[page] = .allocate(capacity: CellHeap.pageEntries)
      pages[page]?.initialize(repeating: Entry(pointer: nil, count: 0), count: CellHeap.pageEntries)
    }
    let room = pieces.last.map { $0.count - pieceUsed } ?? 0
    if pieces.isEmpty || room < bytes.count {
      let size = max(bytes.count, min(256 << min(pieces.count, 8), 64 << 10))
      pieces.append(Memory(count: size))
      pieceUsed = 0
    }
    guard let piece = pieces.last else { return nil }
    let start = piece.base + pieceUsed
    if let source = bytes.baseAddress {
      start.copyMemory(from: source, byteCount: bytes.count)
    }
    pieceUsed += bytes.count
    pages[page]?[appended % CellHeap.pageEntries] = Entry(
      pointer: UnsafeRawPointer(start), count: bytes.count)
    appended += 1
    return UInt64(blockEntries + appended - 1)
  }

  /// Adds an entry and returns its code, or nil when the heap is full.
  func append(_ bytes: [UInt8]) -> UInt64? { bytes.withUnsafeBytes { append($0) } }

  /// Bytes of memory that entries take; what the block brought counts with the block.
  var memoryBytes: Int {
    pieces.reduce(0) { $0 + $1.count }
      + (appended + CellHeap.pageEntries - 1) / CellHeap.pageEntries
      * (CellHeap.pageEntries * MemoryLayout<Entry>.stride)
  }
}
