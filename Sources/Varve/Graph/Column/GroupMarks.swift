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
  // SAFETY: both arrays have `capacity` entries; keys are stored plus one, 0 is an empty place.
  private var keys: Memory?
  private var marks: Memory?
  private var capacity = 0
  private(set) var count = 0

  private static let markStride = 16

  @inline(__always)
  private func key(_ place: Int) -> UInt32 {
    keys.map { $0.base.load(fromByteOffset: place &* 4, as: UInt32.self) } ?? 0
  }

  @inline(__always)
  private func place(of key: UInt32) -> Int {
    var place = Int(truncatingIfNeeded: (UInt64(key) &* 0x9E37_79B9_7F4A_7C15) >> 32)
    let mask = capacity &- 1
    place &= mask
    while true {
      let found = self.key(place)
      if found == 0 || found == key { return place }
      place = (place &+ 1) & mask
    }
  }

  /// The mark of a register, or nil.
  subscript(key: UInt32) -> WriteMark? {
    guard capacity > 0, let marks else { return nil }
    let place = place(of: key &+ 1)
    guard self.key(place) != 0 else { return nil }
    let mark = WriteMark(
      stamp: marks.base.load(fromByteOffset: place &* MarkTable.markStride, as: UInt64.self),
      author: marks.base.load(fromByteOffset: place &* MarkTable.markStride &+ 8, as: UInt16.self))
    return mark == .none ? nil : mark
  }

  /// Sets the mark of a register.
  mutating func set(_ key: UInt32, _ mark: WriteMark) {
    ownMemory()
    if count &* 3 >= capacity &* 2 { grow() }
    guard let keys, let marks else { return }
    let place = place(of: key &+ 1)
    if self.key(place) == 0 {
      keys.base.storeBytes(of: key &+ 1, toByteOffset: place &* 4, as: UInt32.self)
      count += 1
    }
    let offset = place &* MarkTable.markStride
    marks.base.storeBytes(of: mark.stamp, toByteOffset: offset, as: UInt64.self)
    marks.base.storeBytes(of: mark.author, toByteOffset: offset &+ 8, as: UInt16.self)
  }

  /// Copies shared memory before it is written.
  private mutating func ownMemory() {
    guard capacity > 0 else { return }
    if isKnownUniquelyReferenced(&keys), isKnownUniquelyReferenced(&marks) { return }
    let (oldKeys, oldMarks) = (keys, marks)
    let (newKeys, newMarks) = (
      Memory(count: capacity * 4), Memory(count: capacity * MarkTable.markStride)
    )
    if let oldKeys, let oldMarks {
      newKeys.base.copyMemory(from: oldKeys.base, byteCount: capacity * 4)
      newMarks.base.copyMemory(
        from: oldMarks.base, byteCount: capacity * MarkTable.markStride)
    }
    keys = newKeys
    marks = newMarks
  }

  private mutating func grow() {
    var larger = MarkTable()
    larger.capacity = max(capacity * 2, 16)
    larger.keys = Memory(zeroed: larger.capacity * 4)
    larger.marks = Memory(zeroed: larger.capacity * MarkTable.markStride)
    forEach { larger.set($0, $1) }
    self = larger
  }

  /// All marks, in no order.
  func forEach(_ body: (UInt32, WriteMark) -> Void) {
    guard let marks else { return }
    for place in 0..<capacity {
      let key = key(place)
      guard key != 0 else { continue }
      let offset = place * MarkTable.markStride
      let mark = WriteMark(
        stamp: marks.base.load(fromByteOffset: offset, as: UInt64.self),
        author: marks.base.load(fromByteOffset: offset + 8, as: UInt16.self))
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

  var memoryBytes: Int { capacity * (4 + MarkTable.markStride) }
}

/// The marks of a group: one for all rows or one a row, and those of single registers.
final class GroupMarks: @unchecked Sendable {
  /// The mark of rows that have none of their own: what a bulk creation leaves.
  private var common = WriteMark.zero
  private var rows: ContiguousArray<WriteMark> = []
  private var registers = MarkTable()

  init(common: WriteMark) { self.common = common }

  init(copying other: GroupMarks) {
    common = other.common
    rows = other.rows
    registers = other.registers
  }

  /// The mark of a row's creation or last birth: what its registers have unless they were written
  /// since.
  @inline(__always)
  func row(_ row: Int) -> WriteMark { row < rows.count ? rows[row] : common }

  /// The mark of a register; column 0 is the object's life.
  @inline(__always)
  func register(_ column: Int, _ row: Int) -> WriteMark {
    if registers.count > 0, let mark = registers[GroupMarks.key(column, row)] { return mark }
    return self.row(row)
  }

  /// Whether a register was written after its row was born.
  func isWritten(_ column: Int, _ row: Int) -> Bool { written(column, row) != nil }

  @inline(__always)
  private static func key(_ column: Int, _ row: Int) -> UInt32 {
    UInt32(truncatingIfNeeded: column &<< 12 | row)
  }

  func setRegister(_ column: Int, _ row: Int, _ mark: WriteMark) {
    registers.set(GroupMarks.key(column, row), mark)
  }

  /// The mark of a register that was written since its row was born, or nil.
  func written(_ column: Int, _ row: Int) -> WriteMark? {
    registers.count > 0 ? registers[GroupMarks.key(column, row)] : nil
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
    if !keys.isEmpty { registers.removeAll { keys.contains($0) } }
  }

  /// All marks of single registers.
  func forEachRegister(_ body: (_ column: Int, _ row: Int, WriteMark) -> Void) {
    registers.forEach { key, mark in body(Int(key >> 12), Int(key & 0xFFF), mark) }
  }

  var registerCount: Int { registers.count }

  var memoryBytes: Int { rows.count * MemoryLayout<WriteMark>.stride + registers.memoryBytes }
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
