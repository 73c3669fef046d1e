// Up to 4,096 rows of an entity, column by column (Q35). Layer: Graph.

import VarveFormat

/// One group: a slot per column, and what keeps the slots' memory alive.
///
/// Shared by snapshots. The writer changes a group only while no snapshot has it, with one
/// exception: cells behind the published row count, which no reader looks at.
final class RowGroup: @unchecked Sendable {
  let columnCount: Int
  /// The slots; a column without one has no value in this group.
  let slots: UnsafeMutablePointer<ColumnSlot>
  /// Owners of adopted memory, shared by all copies of the group.
  private let adopted: OwnerTable
  /// Owners of columns that were written since, which count before the adopted ones.
  private var own: ContiguousArray<OwnColumn>

  private struct OwnColumn {
    var column: Int
    var owner: SlotOwner
  }

  // SAFETY: `slots` has `columnCount` entries as long as the group lives; their pointers live as
  // long as their owners.

  init(columns: Int) {
    columnCount = columns
    slots = .allocate(capacity: max(columns, 1))
    slots.initialize(repeating: .absent, count: columns)
    adopted = OwnerTable(columns)
    own = []
  }

  /// A copy with room for at least `columns` columns; memory is shared until it is written.
  init(copying other: RowGroup, columns: Int) {
    columnCount = max(columns, other.columnCount)
    slots = .allocate(capacity: max(columnCount, 1))
    slots.initialize(repeating: .absent, count: columnCount)
    slots.update(from: other.slots, count: other.columnCount)
    adopted = other.adopted
    own = other.own
  }

  deinit { slots.deallocate() }

  // MARK: owners

  private func ownPlace(_ column: Int) -> Int? { own.firstIndex { $0.column == column } }

  /// What keeps a column's memory alive.
  private func owner(_ column: Int) -> SlotOwner {
    if let place = ownPlace(column) { return own[place].owner }
    return column < adopted.list.count ? adopted.list[column] : SlotOwner()
  }

  private func setOwner(_ column: Int, _ owner: SlotOwner) {
    if let place = ownPlace(column) {
      own[place].owner = owner
    } else {
      own.append(OwnColumn(column: column, owner: owner))
    }
  }

  // MARK: reading

  /// The slot of a column, loaded if it was lazy.
  @inline(__always)
  func slot(_ column: Int) -> ColumnSlot {
    guard column < columnCount else { return .absent }
    let slot = slots[column]
    return slot.form == .lazy ? lazy(slot) : slot
  }

  @inline(never)
  private func lazy(_ slot: ColumnSlot) -> ColumnSlot {
    guard let pointer = slot.pointer else { return .absent }
    // SAFETY: the owner of a lazy slot is its block.
    return Unmanaged<LazyBlock>.fromOpaque(pointer)._withUnsafeGuaranteedRef {
      $0.slot(Int(slot.base)).pointee
    }
  }

  /// The word of a cell, or nil.
  @inline(__always)
  func word(_ column: Int, _ row: Int) -> UInt64? {
    let slot = slot(column)
    guard let number = slot.number(row) else { return nil }
    guard let heap = slot.heap else { return number }
    return Unmanaged<CellHeap>.fromOpaque(heap)._withUnsafeGuaranteedRef { $0.word(number) }
  }

  /// The bytes of a cell, or nil; they live as long as the group.
  @inline(__always)
  func bytes(_ column: Int, _ row: Int) -> UnsafeRawBufferPointer? {
    let slot = slot(column)
    guard let number = slot.number(row), let heap = slot.heap else { return nil }
    return Unmanaged<CellHeap>.fromOpaque(heap)._withUnsafeGuaranteedRef { $0.bytes(number) }
  }

  /// Whether a cell has a value.
  func hasValue(_ column: Int, _ row: Int) -> Bool {
    let slot = slot(column)
    guard let number = slot.number(row) else { return false }
    guard slot.form == .sequence, let heap = slot.heap else { return true }
    return Unmanaged<CellHeap>.fromOpaque(heap)._withUnsafeGuaranteedRef { $0.bytes(number) != nil }
  }

  /// Bytes of memory that the group takes; blocks and heaps that others share count once.
  func memoryBytes(_ counted: inout Set<ObjectIdentifier>) -> Int {
    var total = columnCount * MemoryLayout<ColumnSlot>.stride
    for column in 0..<columnCount {
      let owner = owner(column)
      if let memory = owner.memory { total += memory.count }
      if let block = owner.block, counted.insert(ObjectIdentifier(block)).inserted {
        total += block.memoryBytes
      }
      if let heap = owner.heap, counted.insert(ObjectIdentifier(heap)).inserted {
        total += heap.memoryBytes
      }
    }
    return total
  }

  // MARK: adopting

  /// Puts a slot in place as it is, in a group that nobody else has yet.
  func adopt(_ column: Int, _ slot: ColumnSlot, _ owner: SlotOwner) {
    slots[column] = slot
    if own.isEmpty, column < adopted.list.count {
      adopted.list[column] = owner
    } else {
      setOwner(column, owner)
    }
  }

  // MARK: writing

  /// Whether the cell can be written without touching what readers may look at.
  ///
  /// `isOwn` says that no snapshot has the group; `isUnpublished` that none looks at the row.
  @inline(__always)
  private func isWritable(_ column: Int, _ row: Int, isOwn: Bool, isUnpublished: Bool) -> Bool {
    guard row < Int(slots[column].capacity) else { return false }
    if isUnpublished { return true }
    guard isOwn, let place = ownPlace(column) else { return false }
    return isKnownUniquelyReferenced(&own[place].owner.memory)
  }

  /// Writes a number in place; false when the chunk must be rewritten first.
  @inline(__always)
  func writeInPlace(
    _ column: Int, _ row: Int, _ number: UInt64?, isOwn: Bool, isUnpublished: Bool
  ) -> Bool {
    guard isWritable(column, row, isOwn: isOwn, isUnpublished: isUnpublished),
      let code = slots[column].code(number), let pointer = slots[column].pointer
    else { return false }
    RawNumbers.store(
      code, at: UnsafeMutableRawPointer(mutating: pointer), row, width: slots[column].width)
    return true
  }

  /// Writes numbers in place, in a group that no snapshot has; stops at one that does not fit.
  ///
  /// - Returns: How many were written.
  @inline(__always)
  func writeInPlace(_ column: Int, _ cells: some Sequence<(Int, UInt64)>) -> Int {
    guard isWritable(column, 0, isOwn: true, isUnpublished: false),
      let pointer = slots[column].pointer
    else { return 0 }
    // SAFETY: rows below the capacity lie in memory of the group's own.
    let (slot, target) = (slots[column], UnsafeMutableRawPointer(mutating: pointer))
    var count = 0
    for (row, number) in cells {
      guard row < Int(slot.capacity), let code = slot.code(number) else { return count }
      RawNumbers.store(code, at: target, row, width: slot.width)
      count += 1
    }
    return count
  }

  /// Makes all cells of a row nil that readers do not look at yet: a draft that was given up may
  /// have left something there.
  func clearUnpublished(_ row: Int) {
    for column in 0..<columnCount where row < Int(slots[column].capacity) {
      guard let pointer = slots[column].pointer else { continue }
      RawNumbers.store(
        0, at: UnsafeMutableRawPointer(mutating: pointer), row, width: slots[column].width)
    }
  }

  /// Gives a column memory of the group's own that can hold `number` at `row`, with all cells of
  /// the first `rows` rows kept.
  func rewrite(
    _ column: Int, rows: Int, holding number: UInt64?, at row: Int, rule: RewriteRule
  ) {
    let old = slot(column)
    var heap = self.heap(column)
    if copyChunk(column, old, heap, rows: rows, holding: number, at: row, rule: rule) { return }
    // The cell at `row` is about to be replaced and does not count.
    var numbers = [UInt64?](repeating: nil, count: max(rows, row + 1))
    for index in 0..<rows where index != row {
      guard let number = old.number(index) else { continue }
      switch rule {
      case .words: numbers[index] = heap.map { $0.holdsWords ? $0.word(number) : number } ?? number
      case .codes:
        if old.form == .sequence, heap?.bytes(number) == nil { continue }
        numbers[index] = number
      }
    }
    if case .words = rule { heap = nil }
    numbers[row] = number
    var loaded = SlotAdoption.owned(numbers, isSigned: rule.isSigned, appendedAt: row)
    if let heap {
      loaded.slot.heap = UnsafeRawPointer(Unmanaged.passUnretained(heap).toOpaque())
      loaded.owner.heap = heap
    }
    replace(column, loaded)
  }

  /// Copies the raw numbers as they are; false when they are of another kind or cannot hold
  /// `number`.
  private func copyChunk(
    _ column: Int, _ old: ColumnSlot, _ heap: CellHeap?, rows: Int, holding number: UInt64?,
    at row: Int, rule: RewriteRule
  ) -> Bool {
    if case .words = rule, heap != nil { return false }
    let capacity = ChunkPlan.capacity(rows: max(rows, row + 1))
    guard old.form == .numbers, old.width > 0, let source = old.pointer,
      let code = old.code(number)
    else { return false }
    let width = Int(old.width)
    let memory = Memory(count: capacity * width)
    // SAFETY: `limit` rows can be read, and the new memory has `capacity` of them.
    let copied = min(Int(old.limit), rows, capacity) * width
    memory.base.copyMemory(from: source, byteCount: copied)
    (memory.base + copied).initializeMemory(
      as: UInt8.self, repeating: 0, count: capacity * width - copied)
    RawNumbers.store(code, at: memory.base, row, width: old.width)
    var slot = old
    slot.pointer = UnsafeRawPointer(memory.base)
    slot.capacity = UInt16(capacity)
    slot.limit = UInt16(capacity)
    replace(
      column, LazyBlock.LoadedSlot(slot: slot, owner: SlotOwner(memory: memory, heap: heap)))
    return true
  }

  /// The heap that codes of a byte column are appended to; nil when it has none yet.
  func heap(_ column: Int) -> CellHeap? {
    let owner = owner(column)
    if slots[column].form == .lazy, let lazy = owner.lazy {
      return lazy.owner(Int(slots[column].base)).heap
    }
    return owner.heap
  }

  /// Puts other cells in place of a column's, in a group that the writer has to itself.
  func replace(_ column: Int, _ loaded: LazyBlock.LoadedSlot) {
    slots[column] = loaded.slot
    setOwner(column, loaded.owner)
  }

  /// Replaces the heap of a byte column by a new one that holds only what cells use.
  func compactHeap(_ column: Int, rows: Int) {
    replace(
      column,
      SlotAdoption.ownedBytes(rows) { row, append in
        if let bytes = bytes(column, row) { append(bytes) }
      })
  }
}

/// What the numbers of a column are when it is rewritten.
enum RewriteRule {
  /// Words; a dictionary is resolved.
  case words(isSigned: Bool)
  /// Entries of the column's heap.
  case codes

  var isSigned: Bool {
    if case .words(let isSigned) = self { isSigned } else { false }
  }
}

/// Frame, width and room of a rewritten chunk.
struct ChunkPlan {
  var base: UInt64 = 0
  var width: UInt8 = 1
  var capacity = 0

  /// Rows that memory is made for: a few for a young group, all for a full one.
  static func capacity(rows: Int) -> Int {
    if rows <= 64 { return 64 }
    return rows <= 512 ? 512 : Limits.groupRows
  }

  /// A frame around the numbers with room on both sides, so that few writes need another one.
  ///
  /// `row` is the one that was just written, or nil when the numbers are all that there will be.
  init(_ numbers: [UInt64?], isSigned: Bool, appendedAt row: Int?) {
    let flip: UInt64 = isSigned ? 1 << 63 : 0
    var least = UInt64.max
    var largest: UInt64 = 0
    for number in numbers {
      guard let number else { continue }
      least = min(least, number ^ flip)
      largest = max(largest, number ^ flip)
    }
    capacity = ChunkPlan.capacity(rows: numbers.count)
    guard least <= largest else { return }
    let span = largest - least
    // One code is nil; a fresh chunk gets a wide frame, because its next numbers are not known.
    width = RawNumbers.width(span == .max ? .max : span + 1)
    if let row, numbers.count - 1 == row, width < 4 { width = width == 1 && span == 0 ? 2 : 4 }
    if width == 8 {
      base = ChunkPlan.wideBase(numbers, isSigned: isSigned)
      return
    }
    let room = (UInt64(1) << (UInt64(width) * 8)) - 2 - span
    base = (least &- min(room / 2, least)) ^ flip
  }

  /// A base whose predecessor, the one number that cannot be stored, does not occur.
  private static func wideBase(_ numbers: [UInt64?], isSigned: Bool) -> UInt64 {
    var missing: UInt64 = isSigned ? 1 << 63 : .max
    let present = Set(numbers.compactMap { $0 })
    while present.contains(missing) { missing &+= 1 }
    return missing &+ 1
  }
}
