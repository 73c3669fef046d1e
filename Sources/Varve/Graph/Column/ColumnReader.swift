// Reads columns at the speed of memory: by handle, or from the first row to the last (Q35).
// Layer: Graph.

import VarveFormat

/// Reads one attribute or to-one column of an entity; made once, used for many objects.
///
/// What it shows are registers: default values, and links that cannot be seen, are for others.
///
/// - Complexity: O(groups) to make, O(1) to read.
package struct ColumnReader: Sendable {
  private let view: ColumnView
  /// Lives of the objects; nil when all can be seen.
  private let lives: ColumnView?

  /// Nil for a column that no object has a value in.
  package init?(_ snapshot: GraphSnapshot, entity: UInt32, _ key: ColumnKey) {
    guard let table = snapshot.table(entity), let column = table.position(key) else { return nil }
    view = ColumnView(table, column: column)
    lives = table.isAllVisible ? nil : ColumnView(table, column: Table.lifeColumn)
  }

  /// The word of an object that can be seen, or nil.
  @inline(__always)
  package func visibleWord(_ handle: Handle) -> UInt64? {
    if let lives, lives.word(creator: handle.creator, serial: handle.serial) != Life.alive {
      return nil
    }
    return view.word(creator: handle.creator, serial: handle.serial)
  }

  /// The word of an object's cell, or nil: a number, the bits of a double, a link.
  @inline(__always)
  package func word(_ handle: Handle) -> UInt64? {
    view.word(creator: handle.creator, serial: handle.serial)
  }

  /// The text of an object's cell, or nil.
  package func string(_ handle: Handle) -> String? {
    view.withBytes(creator: handle.creator, serial: handle.serial) {
      String(decoding: $0, as: UTF8.self)
    }
  }
}

/// Reads one to-one relationship of an entity; made once, used for many objects.
///
/// - Complexity: O(groups) to make, O(1) to read.
package struct LinkColumnReader: Sendable {
  private let reader: LinkReader
  /// Whether nothing has to be known of links but where they lead.
  private let isPlain: Bool
  private let view: ColumnView
  /// Rows of the target's table.
  private let targets: ColumnView
  private let target: Int

  package init(_ snapshot: GraphSnapshot, _ rule: RelationshipRule) {
    reader = LinkReader(snapshot, rule)
    target = snapshot.state.tableIndex(rule.target) ?? Handle.tablesMax
    isPlain = reader.isPlain
    let table = snapshot.table(rule.entity) ?? Table(entity: rule.entity)
    // A column that is not there has no values.
    view = ColumnView(table, column: table.linkColumn(rule.tag) ?? Table.columnsMax)
    targets = ColumnView(
      snapshot.table(rule.target) ?? Table(entity: rule.target), column: Table.lifeColumn)
  }

  /// The object that another one points to; nil when there is none that can be seen.
  @inline(__always)
  package func target(of handle: Handle) -> Handle? {
    guard isPlain else { return reader.target(of: handle) }
    guard let link = view.word(creator: handle.creator, serial: handle.serial) else { return nil }
    let other = Handle(table: target, link: link)
    return targets.contains(creator: other.creator, serial: other.serial) ? other : nil
  }
}

/// One column of a table with everything resolved: no reference is counted while it is read.
final class ColumnView: @unchecked Sendable {
  /// Keeps the groups and with them all cells alive.
  private let groups: ContiguousArray<RowGroup>
  private let slots: UnsafeMutablePointer<ColumnSlot>
  /// By creator index: the first slot of its run, and its rows.
  private let spans: UnsafeMutablePointer<Span>
  private let spanCount: Int

  private struct Span {
    var firstSlot = 0
    var rows: UInt64 = 0
  }

  // SAFETY: `slots` has an entry for each group of `groups`, which own what the slots point to and
  // are not written while this view shares them; `spans` has `spanCount` entries.

  init(_ table: Table, column: Int) {
    var list: ContiguousArray<RowGroup> = []
    list.reserveCapacity(table.runs.reduce(0) { $0 + $1.groups.count })
    spanCount = (table.runs.map { Int($0.creator) }.max() ?? 0) + 1
    spans = .allocate(capacity: spanCount)
    spans.initialize(repeating: Span(), count: spanCount)
    for run in table.runs {
      spans[Int(run.creator)] = Span(firstSlot: list.count, rows: UInt64(run.rows))
      for index in 0..<run.groups.count { list.append(run.groups[index]) }
    }
    groups = list
    slots = .allocate(capacity: max(list.count, 1))
    for (index, group) in list.enumerated() {
      let slot = column < group.columnCount ? group.slots[column] : .absent
      (slots + index).initialize(to: slot.slotIfRead ?? slot)
    }
  }

  deinit {
    slots.deallocate()
    spans.deallocate()
  }

  /// The slot of an object, and its row in it.
  @inline(__always)
  private func locate(creator: UInt16, serial: UInt64) -> (slot: ColumnSlot, row: Int)? {
    guard Int(creator) < spanCount else { return nil }
    let span = spans[Int(creator)]
    let row = serial &- 1
    guard row < span.rows else { return nil }
    let slot = slots[span.firstSlot &+ Int(row >> 12)]
    let place = Int(row & 4_095)
    return slot.form == .lazy ? (slot.loaded, place) : (slot, place)
  }

  /// Whether there is a row.
  @inline(__always)
  func contains(creator: UInt16, serial: UInt64) -> Bool {
    Int(creator) < spanCount && serial &- 1 < spans[Int(creator)].rows
  }

  @inline(__always)
  func word(creator: UInt16, serial: UInt64) -> UInt64? {
    guard let (slot, row) = locate(creator: creator, serial: serial) else { return nil }
    return slot.word(row)
  }

  func withBytes<R>(
    creator: UInt16, serial: UInt64, _ body: (UnsafeRawBufferPointer) -> R
  ) -> R? {
    guard let (slot, row) = locate(creator: creator, serial: serial) else { return nil }
    defer { withExtendedLifetime(self) {} }
    return slot.bytes(row).map(body)
  }
}

/// Reads several columns of an entity group by group.
package struct TableScan: Sendable {
  private let table: Table
  private let columns: [Int?]

  /// A scan of these columns; nil for an entity without objects.
  package init?(_ snapshot: GraphSnapshot, entity: UInt32, _ keys: [ColumnKey]) {
    guard let table = snapshot.table(entity) else { return nil }
    self.table = table
    columns = keys.map { table.position($0) }
  }

  /// Keys of all columns that objects of an entity have values in.
  package static func keys(_ snapshot: GraphSnapshot, entity: UInt32) -> [ColumnKey] {
    snapshot.table(entity).map { $0.columns.dropFirst().map(\.key) } ?? []
  }

  /// Calls `body` with up to 4,096 rows at a time, by creator and serial.
  package func forEach(_ body: (borrowing RowScan) -> Void) {
    for run in table.runs {
      for index in 0..<run.groups.count {
        let group = run.groups[index]
        body(
          RowScan(
            group: group, columns: columns, isAllVisible: table.isAllVisible,
            rows: run.rows(inGroup: index), creator: run.creator,
            firstSerial: UInt64(index) << 12 + 1))
      }
    }
  }
}

/// Some rows of a scan.
package struct RowScan: ~Copyable {
  private let group: RowGroup
  private let columns: [Int?]
  private let isAllVisible: Bool
  package let rows: Int
  package let creator: UInt16
  package let firstSerial: UInt64

  fileprivate init(
    group: RowGroup, columns: [Int?], isAllVisible: Bool, rows: Int, creator: UInt16,
    firstSerial: UInt64
  ) {
    self.group = group
    self.columns = columns
    self.isAllVisible = isAllVisible
    self.rows = rows
    self.creator = creator
    self.firstSerial = firstSerial
  }

  // SAFETY: slots are used while `group` is alive, and only for rows of the group.

  /// Calls `body` with every visible row and its word in a column.
  @inline(__always)
  package func forEachWord(_ column: Int, _ body: (_ row: Int, _ word: UInt64) -> Void) {
    guard let position = columns[column] else { return }
    let slot = group.slot(position)
    let life = isAllVisible ? ColumnSlot.absent : group.slot(Table.lifeColumn)
    defer { withExtendedLifetime(group) {} }
    slot.forEachWord(min(rows, Int(slot.limit))) { row, word in
      if isAllVisible || life.number(row) == Life.alive { body(row, word) }
    }
  }

  /// The word of a row in a column, or nil.
  @inline(__always)
  package func word(_ column: Int, _ row: Int) -> UInt64? {
    columns[column].flatMap { group.word($0, row) }
  }

  /// Calls `body` with every visible row and the bytes of its cell in a column of bytes.
  @inline(__always)
  package func forEachBytes(
    _ column: Int, _ body: (_ row: Int, _ bytes: UnsafeRawBufferPointer) -> Void
  ) {
    guard let position = columns[column] else { return }
    let slot = group.slot(position)
    let life = isAllVisible ? ColumnSlot.absent : group.slot(Table.lifeColumn)
    defer { withExtendedLifetime(group) {} }
    for row in 0..<rows where isAllVisible || life.number(row) == Life.alive {
      if let bytes = slot.bytes(row) { body(row, bytes) }
    }
  }
}

extension ColumnSlot {
  // SAFETY: the caller keeps the group alive that the slot is of, and with it block and heap.

  /// The slot that a lazy block has for it, if the block was read already.
  var slotIfRead: ColumnSlot? {
    guard form == .lazy, let pointer else { return nil }
    return Unmanaged<LazyBlock>.fromOpaque(pointer)._withUnsafeGuaranteedRef {
      $0.slotIfRead(Int(base))
    }
  }

  /// The slot itself, or the one that a lazy block has for it.
  var loaded: ColumnSlot {
    @inline(never) get {
      guard form == .lazy, let pointer else { return self }
      return Unmanaged<LazyBlock>.fromOpaque(pointer)._withUnsafeGuaranteedRef {
        $0.slot(Int(base)).pointee
      }
    }
  }

  /// The word of a cell, or nil.
  @inline(__always)
  func word(_ row: Int) -> UInt64? {
    guard let number = number(row) else { return nil }
    guard let heap else { return number }
    return Unmanaged<CellHeap>.fromOpaque(heap)._withUnsafeGuaranteedRef { $0.word(number) }
  }

  /// The bytes of a cell, or nil; they live as long as the group.
  @inline(__always)
  func bytes(_ row: Int) -> UnsafeRawBufferPointer? {
    guard let number = number(row), let heap else { return nil }
    return Unmanaged<CellHeap>.fromOpaque(heap)._withUnsafeGuaranteedRef { $0.bytes(number) }
  }

  /// Calls `body` with the word of each cell that has one, in a loop of its own for each width.
  @inline(__always)
  func forEachWord(_ rows: Int, _ body: (Int, UInt64) -> Void) {
    guard form == .numbers, heap == nil, isNullable, let pointer, width > 0 else {
      for row in 0..<rows { if let word = word(row) { body(row, word) } }
      return
    }
    switch width {
    case 1: forEachRaw(pointer.assumingMemoryBound(to: UInt8.self), rows, body)
    case 2: forEachRaw(pointer.assumingMemoryBound(to: UInt16.self), rows, body)
    case 4: forEachRaw(pointer.assumingMemoryBound(to: UInt32.self), rows, body)
    default: forEachRaw(pointer.assumingMemoryBound(to: UInt64.self), rows, body)
    }
  }

  @inline(__always)
  private func forEachRaw<Raw: FixedWidthInteger & UnsignedInteger>(
    _ raws: UnsafePointer<Raw>, _ rows: Int, _ body: (Int, UInt64) -> Void
  ) {
    for row in 0..<rows where raws[row] != 0 {
      body(row, base &+ scale &* (UInt64(truncatingIfNeeded: raws[row]) &- 1))
    }
  }
}
