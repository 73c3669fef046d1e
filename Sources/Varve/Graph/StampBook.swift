// The marks of all registers: the writer's own, outside snapshots (Q36). Layer: Graph.

/// Stamps by table, run and group.
///
/// Only the writer has it: a draft that is given up takes its changes back one by one.
package struct StampBook: Sendable {
  private var tables: ContiguousArray<ContiguousArray<RunMarks>> = []
  /// What a draft changed; nil while changes are not taken back.
  private var undo: [Change]?

  private enum Change: Sendable {
    case register(RowAddress, column: Int, WriteMark?)
    case group(RowAddress, GroupMarks)
  }

  init() {}

  private mutating func ensure(_ table: Int, _ run: Int) {
    while tables.count <= table { tables.append([]) }
    while tables[table].count <= run { tables[table].append(RunMarks()) }
  }

  /// The marks of a row's group, to be changed by the writer.
  @inline(__always)
  private mutating func own(_ address: RowAddress) -> GroupMarks {
    ensure(address.table, address.run)
    return tables[address.table][address.run].own(address.group)
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
    let marks = own(address)
    let written = marks.written(column, address.place)
    let row = marks.row(address.place)
    let known = written ?? row
    guard mark == known || creators.isNewer(mark, than: known) else { return false }
    // A nil that was written is told from one that never was by its mark.
    if mark != row || written != nil || isNil {
      undo?.append(.register(address, column: column, written))
      marks.setRegister(column, address.place, mark)
    }
    return true
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
      case .register(let address, let column, let mark):
        own(address).setRegister(column, address.place, mark ?? .none)
      case .group(let address, let marks):
        tables[address.table][address.run].put(marks, address.group)
      }
    }
  }

  package var memoryBytes: Int {
    tables.reduce(0) { $0 + $1.reduce(0) { $0 + $1.memoryBytes } }
  }
}
