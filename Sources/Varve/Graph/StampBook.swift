// The marks of all registers: the writer's own, outside snapshots (Q36). Layer: Graph.

/// Stamps by table, run and group.
///
/// Only the writer has it: a draft that is given up takes its changes back one by one.
package struct StampBook: Sendable {
  private var tables: ContiguousArray<ContiguousArray<RunMarks>> = []
  /// What a draft changed; nil while changes are not taken back.
  private var undo: [Change]?

  private enum Change: Sendable {
    case register(RegisterPlace, WriteMark)
    case group(RowAddress, GroupMarks)
  }

  /// A register's place in few bytes: there may be a million of them.
  private struct RegisterPlace: Sendable {
    private var tableAndRun: UInt32
    private var row: UInt32
    private var columnAndHighRow: UInt32

    init(_ address: RowAddress, _ column: Int) {
      tableAndRun = UInt32(truncatingIfNeeded: address.table &<< 16 | address.run)
      row = UInt32(truncatingIfNeeded: address.row)
      columnAndHighRow = UInt32(truncatingIfNeeded: column &<< 8 | address.row &>> 32)
    }

    var address: RowAddress {
      RowAddress(
        table: Int(tableAndRun >> 16), run: Int(tableAndRun & 0xFFFF),
        row: Int(columnAndHighRow & 0xFF) << 32 | Int(row))
    }
    var column: Int { Int(columnAndHighRow >> 8) }
  }

  init() {}

  private mutating func ensure(_ table: Int, _ run: Int) {
    while tables.count <= table { tables.append([]) }
    while tables[table].count <= run { tables[table].append(RunMarks()) }
  }

  /// The marks of a row's group, to be changed by the writer.
  @inline(__always)
  private mutating func own(_ address: RowAddress) -> GroupMarks {
    if address.table >= tables.count || address.run >= tables[address.table].count {
      ensure(address.table, address.run)
    }
    return tables[address.table][address.run].own(address.group)
  }

  /// The marks of a row's group, to be changed by the writer, who notes what was there.
  mutating func ownForWriting(_ address: RowAddress) -> GroupMarks { own(address) }

  /// Notes the mark that a register had on its own, so that it can be taken back.
  @inline(__always)
  mutating func note(_ address: RowAddress, _ column: Int, _ written: WriteMark?) {
    undo?.append(.register(RegisterPlace(address, column), written ?? .none))
  }

  /// The marks of a row's group; nil when none were ever made.
  func group(_ table: Int, _ run: Int, _ group: Int) -> GroupMarks? {
    guard table < tables.count, run < tables[table].count else { return nil }
    return tables[table][run].group(group)
  }

  /// The mark of a register; column 0 is the object's life.
  @inline(__always)
  func register(_ address: RowAddress, _ column: Int) -> WriteMark {
    group(address.table, address.run, address.group)?.register(column, address.place) ?? .zero
  }

  /// The mark of a row's birth.
  func row(_ address: RowAddress) -> WriteMark {
    group(address.table, address.run, address.group)?.row(address.place) ?? .zero
  }

  func isWritten(_ address: RowAddress, _ column: Int) -> Bool {
    group(address.table, address.run, address.group)?.isWritten(column, address.place) ?? false
  }

  /// Sets the mark of a register unless another one beats it; false when it does.
  @inline(__always)
  mutating func claim(
    _ address: RowAddress, _ column: Int, _ mark: WriteMark, _ creators: CreatorTable,
    isNil: Bool = false
  ) -> Bool {
    exchange(address, column, mark, creators, isNil: isNil).isClaimed
  }

  /// The same; also says which mark the register had.
  @inline(__always)
  mutating func exchange(
    _ address: RowAddress, _ column: Int, _ mark: WriteMark, _ creators: CreatorTable,
    isNil: Bool = false
  ) -> (isClaimed: Bool, known: WriteMark) {
    let marks = own(address)
    let written = marks.written(column, address.place)
    let row = marks.row(address.place)
    let known = written ?? row
    guard mark == known || creators.isNewer(mark, than: known) else { return (false, known) }
    // A nil that was written is told from one that never was by its mark.
    if mark != row || written != nil || isNil {
      note(address, column, written)
      marks.setRegister(column, address.place, mark)
    }
    return (true, known)
  }

  /// Changes the marks of a row's group in other ways.
  mutating func change(_ address: RowAddress, _ body: (GroupMarks) -> Void) {
    let marks = own(address)
    if undo != nil { undo?.append(.group(address, GroupMarks(copying: marks))) }
    body(marks)
  }

  /// Sets the mark of a row that was just added.
  mutating func setBirth(_ address: RowAddress, _ mark: WriteMark) {
    own(address).setNewRow(address.place, mark)
  }

  /// Puts the marks of a whole group in place.
  mutating func put(_ marks: GroupMarks, table: Int, run: Int, group: Int) {
    ensure(table, run)
    tables[table][run].put(marks, group)
  }

  /// Lets the marks of a run come from a baseline until they are touched.
  mutating func setSource(table: Int, run: Int, groups: Int, _ source: any MarkSource) {
    ensure(table, run)
    tables[table][run] = RunMarks(count: groups, source: source)
  }

  // MARK: drafts

  /// From now on changes can be taken back.
  mutating func beginDraft() { undo = [] }

  /// Keeps the changes.
  mutating func commitDraft() { undo = nil }

  /// Takes the changes of a draft back.
  mutating func rollBack() {
    let changes = undo ?? []
    undo = nil
    for change in changes.reversed() {
      switch change {
      case .register(let place, let mark):
        own(place.address).setRegister(place.column, place.address.place, mark)
      case .group(let address, let marks):
        tables[address.table][address.run].put(marks, address.group)
      }
    }
  }

  package var memoryBytes: Int {
    tables.reduce(0) { $0 + $1.reduce(0) { $0 + $1.memoryBytes } }
  }
}
