// Collects the cells of one column.

import VarveFormat

/// Whether a cell was taken.
enum CellOutcome: Sendable, Equatable {
  case kept
  /// The text is no value of the type.
  case mismatch
  /// The cell is too long, or its column is full.
  case tooLong
}

/// The growing cells of a column.
struct ColumnBuilder {
  let type: ColumnType
  private var words: [UInt64] = []
  private var offsets: [UInt32] = [0]
  private var heap: [UInt8] = []
  private var count = 0
  /// One bit a row, once a row is nil.
  private var present: [UInt64] = []
  private var hasNil = false
  private let isWord: Bool
  private let heapBytesMax: Int

  init(_ type: ColumnType, heapBytesMax: Int = ImportLimits.heapBytesMax) {
    self.type = type
    isWord = type.physical.isWord || type.physical == .bool
    self.heapBytesMax = heapBytesMax
  }

  /// Appends a cell.
  ///
  /// Nothing changes unless it is kept.
  @inline(__always)
  mutating func append(_ field: FieldBytes) -> CellOutcome {
    switch type {
    case .integer:
      guard let value = CellParser.integer(field) else { return .mismatch }
      words.append(UInt64(bitPattern: value))
    case .double:
      guard let value = CellParser.exactDouble(field) else { return .mismatch }
      words.append(CellParser.bits(value))
    case .roundedDouble:
      guard let value = CellParser.double(field) else { return .mismatch }
      words.append(CellParser.bits(value))
    case .bool:
      guard let value = CellParser.bool(field) else { return .mismatch }
      words.append(value ? 1 : 0)
    case .unsigned:
      guard let value = CellParser.unsigned(field) else { return .mismatch }
      words.append(value)
    case .date(let format):
      guard let value = CellParser.date(field, format) else { return .mismatch }
      words.append(UInt64(bitPattern: value))
    case .string:
      guard fits(field.count) else { return .tooLong }
      field.append(to: &heap)
      offsets.append(UInt32(truncatingIfNeeded: heap.count))
    case .uuid, .decimal, .data:
      let outcome = appendParsedBytes(field)
      if outcome != .kept { return outcome }
    }
    if hasNil { mark(true) }
    count &+= 1
    return .kept
  }

  private mutating func appendParsedBytes(_ field: FieldBytes) -> CellOutcome {
    // The stored form of these types is never longer than the text and a few bytes.
    guard field.count <= 4 * ImportLimits.cellBytesMax,
      heap.count + field.count + 16 <= heapBytesMax
    else { return .tooLong }
    let start = heap.count
    let isParsed =
      switch type {
      case .uuid: CellParser.uuid(field, into: &heap)
      case .decimal: CellParser.decimal(field, into: &heap)
      case .data(.hex): CellParser.hexadecimal(field, into: &heap)
      case .data(.base64): CellParser.base64(field, into: &heap)
      default: false
      }
    guard isParsed else { return .mismatch }
    guard heap.count - start <= ImportLimits.cellBytesMax else {
      heap.removeLast(heap.count - start)
      return .tooLong
    }
    offsets.append(UInt32(truncatingIfNeeded: heap.count))
    return .kept
  }

  @inline(__always)
  private func fits(_ length: Int) -> Bool {
    length <= ImportLimits.cellBytesMax && heap.count &+ length <= heapBytesMax
  }

  /// Appends a cell without a value.
  mutating func appendNil() {
    if !hasNil {
      hasNil = true
      present = [UInt64](repeating: .max, count: count / 64 + 1)
    }
    if isWord { words.append(0) } else { offsets.append(UInt32(truncatingIfNeeded: heap.count)) }
    mark(false)
    count &+= 1
  }

  /// Takes back the last cell, when another cell of its row was refused.
  mutating func removeLast() {
    count -= 1
    if isWord {
      words.removeLast()
    } else {
      offsets.removeLast()
      heap.removeLast(heap.count - Int(offsets[count]))
    }
  }

  @inline(__always)
  private mutating func mark(_ isPresent: Bool) {
    let bit = UInt64(1) &<< UInt64(count & 63)
    if count >> 6 == present.count { present.append(0) }
    if isPresent { present[count >> 6] |= bit } else { present[count >> 6] &= ~bit }
  }

  /// The cells so far; the builder starts again.
  mutating func take() -> ColumnCells {
    var presence: Presence?
    if hasNil {
      var rows = Presence()
      for row in 0..<count { rows.append(present[row >> 6] &>> UInt64(row & 63) & 1 != 0) }
      presence = rows.nilCount > 0 ? rows : nil
    }
    let cells: ColumnCells =
      isWord
      ? .words(words, present: presence)
      : .bytes(offsets: offsets, heap: heap, present: presence)
    words = []
    offsets = [0]
    heap = []
    present = []
    hasNil = false
    count = 0
    return cells
  }
}
