// Stamps of the registers of a group: the writer's own, outside snapshots (Q36). Layer: Graph.

import VarveFormat

/// When a register was written and by whom.
struct WriteMark: Equatable, Sendable {
  var stamp: UInt64
  /// The author's index in the creator table.
  var author: UInt16

  static let zero = WriteMark(stamp: 0, author: 0)
  /// Stands in a table where a mark was taken back.
  static let none = WriteMark(stamp: 0, author: .max)
}

/// Marks of single registers that differ from their row's, as an open-addressing table.
///
/// Keys are column << 12 | row.
struct MarkTable {
  // SAFETY: `entries` has `capacity` places of 16 bytes: key plus one (0 is an empty place), then
  // author and stamp.
  private var entries: Memory?
  private var capacity = 0
  private(set) var count = 0

  private static let stride = 16

  @inline(__always)
  private static func key(_ entry: UnsafeMutableRawPointer) -> UInt32 {
    entry.load(as: UInt32.self)
  }

  @inline(__always)
  private static func mark(_ entry: UnsafeMutableRawPointer) -> WriteMark {
    WriteMark(
      stamp: entry.load(fromByteOffset: 8, as: UInt64.self),
      author: entry.load(fromByteOffset: 4, as: UInt16.self))
  }

  @inline(__always)
  private static func store(_ mark: WriteMark, _ entry: UnsafeMutableRawPointer) {
    entry.storeBytes(of: mark.author, toByteOffset: 4, as: UInt16.self)
    entry.storeBytes(of: mark.stamp, toByteOffset: 8, as: UInt64.self)
  }

  /// The entry of a key, or the empty place where it belongs.
  @inline(__always)
  private func entry(_ base: UnsafeMutableRawPointer, _ stored: UInt32) -> UnsafeMutableRawPointer {
    let mask = capacity &- 1
    var place = Int(truncatingIfNeeded: (UInt64(stored) &* 0x9E37_79B9_7F4A_7C15) >> 32) & mask
    while true {
      let entry = base + place &* MarkTable.stride
      let found = MarkTable.key(entry)
      if found == 0 || found == stored { return entry }
      place = (place &+ 1) & mask
    }
  }

  /// The mark of a register, or nil.
  @inline(__always)
  subscript(key: UInt32) -> WriteMark? {
    guard count > 0, let entries else { return nil }
    let entry = entry(entries.base, key &+ 1)
    guard MarkTable.key(entry) != 0 else { return nil }
    let mark = MarkTable.mark(entry)
    return mark == .none ? nil : mark
  }

  /// Sets the mark of a register.
  @inline(__always)
  mutating func set(_ key: UInt32, _ mark: WriteMark) {
    if count &* 3 >= capacity &* 2 { grow(to: max(capacity * 2, 16)) }
    if !isKnownUniquelyReferenced(&entries) { copyEntries() }
    guard let entries else { return }
    let entry = entry(entries.base, key &+ 1)
    if MarkTable.key(entry) == 0 {
      entry.storeBytes(of: key &+ 1, as: UInt32.self)
      count += 1
    }
    MarkTable.store(mark, entry)
  }

  /// Makes room for that many more marks.
  mutating func reserve(_ more: Int) {
    var wanted = max(capacity, 16)
    while (count + more) * 3 >= wanted * 2 { wanted *= 2 }
    if wanted > capacity { grow(to: wanted) }
  }

  /// Copies shared memory before it is written.
  @inline(never)
  private mutating func copyEntries() {
    guard let old = entries else { return }
    let new = Memory(count: old.count)
    new.base.copyMemory(from: old.base, byteCount: old.count)
    entries = new
  }

  @inline(never)
  private mutating func grow(to size: Int) {
    var larger = MarkTable()
    larger.capacity = size
    larger.entries = Memory(zeroed: larger.capacity * MarkTable.stride)
    forEach { larger.set($0, $1) }
    self = larger
  }

  /// All marks, in no order.
  func forEach(_ body: (UInt32, WriteMark) -> Void) {
    guard let entries else { return }
    for place in 0..<capacity {
      let entry = entries.base + place * MarkTable.stride
      let key = MarkTable.key(entry)
      guard key != 0 else { continue }
      let mark = MarkTable.mark(entry)
      if mark != .none { body(key &- 1, mark) }
    }
  }

  /// Removes the marks that `isRemoved` names.
  mutating func removeAll(where isRemoved: (UInt32) -> Bool) {
    guard count > 0 else { return }
    var rest = MarkTable()
    forEach { key, mark in if !isRemoved(key) { rest.set(key, mark) } }
    self = rest
  }

  var memoryBytes: Int { capacity * MarkTable.stride }
}

/// The marks of a group: one for all rows or one a row, and those of single registers.
final class GroupMarks: @unchecked Sendable {
  /// The mark of rows that have none of their own: what a bulk creation leaves.
  private var common = WriteMark.zero
  private var rows: ContiguousArray<WriteMark> = []
  private var registers = MarkTable()
  /// Columns with many marks, which are not in `registers`.
  private var dense: ContiguousArray<(column: Int, marks: DenseMarks)> = []
  /// How many single marks there may be before it is looked at which columns have many.
  private var denseCheck = GroupMarks.denseMin * 2

  /// Marks that make a column dense.
  private static let denseMin = 256

  init(common: WriteMark) { self.common = common }

  init(copying other: GroupMarks) {
    common = other.common
    rows = other.rows
    registers = other.registers
    dense = ContiguousArray(other.dense.map { ($0.column, DenseMarks(copying: $0.marks)) })
    denseCheck = other.denseCheck
  }

  /// The mark of a row's creation or last birth: what its registers have unless they were written
  /// since.
  @inline(__always)
  func row(_ row: Int) -> WriteMark { row < rows.count ? rows[row] : common }

  /// The mark of a register; column 0 is the object's life.
  @inline(__always)
  func register(_ column: Int, _ row: Int) -> WriteMark {
    written(column, row) ?? self.row(row)
  }

  /// Whether a register was written after its row was born.
  func isWritten(_ column: Int, _ row: Int) -> Bool { written(column, row) != nil }

  @inline(__always)
  private static func key(_ column: Int, _ row: Int) -> UInt32 {
    UInt32(truncatingIfNeeded: column &<< 12 | row)
  }

  @inline(__always)
  func setRegister(_ column: Int, _ row: Int, _ mark: WriteMark) {
    if let dense = denseMarks(column) {
      dense.set(row, mark == .none ? nil : mark)
      return
    }
    registers.set(GroupMarks.key(column, row), mark)
    if registers.count > denseCheck { makeDense() }
  }

  /// The marks of a column that has many.
  @inline(__always)
  func denseMarks(_ column: Int) -> DenseMarks? {
    for entry in dense where entry.column == column { return entry.marks }
    return nil
  }

  /// Moves the marks of columns that have many out of the table.
  @inline(never)
  private func makeDense() {
    var counts: [Int: Int] = [:]
    registers.forEach { key, _ in counts[Int(key >> 12), default: 0] += 1 }
    for (column, count) in counts where count >= GroupMarks.denseMin { makeDense(column) }
    denseCheck = max(registers.count * 2, GroupMarks.denseMin * 2)
  }

  private func makeDense(_ column: Int) {
    let marks = DenseMarks()
    registers.forEach { key, mark in
      if Int(key >> 12) == column { marks.set(Int(key & 0xFFF), mark) }
    }
    registers.removeAll { Int($0 >> 12) == column }
    dense.append((column, marks))
  }

  /// Makes room for marks of that many more registers of a column.
  func reserve(_ column: Int, _ count: Int) {
    guard denseMarks(column) == nil else { return }
    if count >= GroupMarks.denseMin { makeDense(column) } else { registers.reserve(count) }
  }

  /// The mark of a register that was written since its row was born, or nil.
  @inline(__always)
  func written(_ column: Int, _ row: Int) -> WriteMark? {
    if let dense = denseMarks(column) { return dense[row] }
    return registers.count > 0 ? registers[GroupMarks.key(column, row)] : nil
  }

  /// The mark of a row that is new: the first one decides what the others have as long as they
  /// agree.
  func setNewRow(_ row: Int, _ mark: WriteMark) {
    if rows.isEmpty, row == 0 { common = mark }
    setRow(row, mark)
  }

  /// The mark of a row's birth.
  func setRow(_ row: Int, _ mark: WriteMark) {
    if rows.isEmpty, common == mark { return }
    while rows.count <= row { rows.append(common) }
    rows[row] = mark
  }

  /// Forgets marks of a row's registers that `isForgotten` names by column.
  func forget(row: Int, where isForgotten: (Int) -> Bool) {
    // Asked before anything is changed: the answer may look at the marks.
    var keys: Set<UInt32> = []
    registers.forEach { key, _ in
      if Int(key & 0xFFF) == row, isForgotten(Int(key >> 12)) { keys.insert(key) }
    }
    let columns = dense.filter { $0.marks[row] != nil && isForgotten($0.column) }
    if !keys.isEmpty { registers.removeAll { keys.contains($0) } }
    for entry in columns { entry.marks.set(row, nil) }
  }

  /// All marks of single registers.
  func forEachRegister(_ body: (_ column: Int, _ row: Int, WriteMark) -> Void) {
    registers.forEach { key, mark in body(Int(key >> 12), Int(key & 0xFFF), mark) }
    for entry in dense { entry.marks.forEach { body(entry.column, $0, $1) } }
  }

  var registerCount: Int { dense.reduce(registers.count) { $0 + $1.marks.count } }

  var memoryBytes: Int {
    dense.reduce(rows.count * MemoryLayout<WriteMark>.stride + registers.memoryBytes) {
      $0 + $1.marks.memoryBytes
    }
  }
}

/// The marks of a run, group by group; copied cheaply, so that a compaction can pin them.
struct RunMarks: Sendable {
  private var groups: ContiguousArray<GroupMarks?> = []
  /// What a group without marks of its own has: for groups of a baseline that nobody touched.
  var source: (any MarkSource)?

  init() {}

  init(count: Int, source: any MarkSource) {
    groups = ContiguousArray(repeating: nil, count: count)
    self.source = source
  }

  func group(_ index: Int) -> GroupMarks? {
    guard index < groups.count else { return nil }
    return groups[index] ?? source?.marks(index)
  }

  /// The marks of a group, owned by the writer.
  mutating func own(_ index: Int) -> GroupMarks {
    while groups.count <= index { groups.append(nil) }
    if isKnownUniquelyReferenced(&groups[index]), let marks = groups[index] { return marks }
    let old = groups[index] ?? source?.marks(index)
    let marks = old.map { GroupMarks(copying: $0) } ?? GroupMarks(common: .zero)
    groups[index] = marks
    return marks
  }

  mutating func put(_ marks: GroupMarks, _ index: Int) {
    while groups.count <= index { groups.append(nil) }
    groups[index] = marks
  }

  var memoryBytes: Int { groups.reduce(0) { $0 + ($1?.memoryBytes ?? 0) } }
}

/// Where marks come from that nobody has touched yet.
protocol MarkSource: AnyObject, Sendable {
  func marks(_ index: Int) -> GroupMarks
}
