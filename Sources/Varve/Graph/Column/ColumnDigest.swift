// The digest of one column of one run. Layer: Graph.

import VarveFormat

/// Sums the terms of a column's registers, or of the objects themselves for column 0.
struct ColumnDigest {
  private let state: GraphState
  private let table: Table
  private let names: DigestNames
  private let run: Int
  private let column: Int
  private let key: ColumnKey
  private let creator: UInt16
  private let tableIndex: Int
  private let snapshot: GraphSnapshot
  private let cuts: Set<UInt64>
  /// Reads a one-to-one relationship.
  private let pairs: LinkReader?
  /// Whether links read as they are.
  private let isPlain: Bool

  init(_ state: GraphState, _ table: Table, _ names: DigestNames, run: Int, column: Int) {
    self.state = state
    self.table = table
    self.names = names
    self.run = run
    self.column = column
    key = table.columns[column].key
    creator = table.runs[run].creator
    tableIndex = state.tableIndex(table.entity) ?? 0
    snapshot = GraphSnapshot(state)
    let rule =
      key.isLink ? state.schema.resolved.entity(table.entity)?.relationship(key.tag) : nil
    cuts = state.cuts[RelationKey(entity: table.entity, tag: key.tag)] ?? []
    let snapshot = snapshot
    pairs = rule.flatMap { $0.kind == .oneToOne ? LinkReader(snapshot, $0) : nil }
    let target = state.table(table.columns[column].target)
    isPlain =
      cuts.isEmpty && pairs == nil && state.aliases.isEmpty && (target?.isAllVisible ?? true)
  }

  /// The sum over groups.
  func sum(_ groups: Range<Int>) -> DigestPair {
    var sum = DigestPair()
    for group in groups { sum += self.sum(group: group) }
    return sum
  }

  private func sum(group index: Int) -> DigestPair {
    let group = table.runs[run].groups[index]
    let slot = group.slot(column)
    let marks = state.marks.group(tableIndex, run, index)
    let hasRegisters = (marks?.registerCount ?? 0) > 0
    if slot.form == .absent, !hasRegisters { return DigestPair() }
    let rows = table.runs[run].rows(inGroup: index)
    var hasher = RegisterHasher(
      entity: table.entity, attribute: key.tag, creator: names[creator],
      valueBytesMax: max(longest(group, rows), 64))
    let life = group.slot(Table.lifeColumn)
    for row in 0..<rows {
      guard let alive = life.number(row) else { continue }
      let mark = marks?.register(column, row) ?? .zero
      hasher.stamp = mark.stamp
      hasher.author = names[mark.author]
      hasher.countsInContent = alive == Life.alive && !isMerged(serial: index << 12 + row + 1)
      hasher.countsInState = true
      let serial = UInt64(index << 12 + row + 1)
      if creator == CreatorTable.identityIndex {
        identity(group, row, serial, marks, into: &hasher)
      } else {
        add(group, row, serial, serial, marks, life: alive, into: &hasher)
      }
    }
    return hasher.sum
  }

  /// Whether an object reads as another one.
  private func isMerged(serial: Int) -> Bool {
    guard !state.aliases.isEmpty else { return false }
    let handle = Handle(table: tableIndex, creator: creator, serial: UInt64(serial))
    return state.resolved(handle) != handle
  }

  private func longest(_ group: RowGroup, _ rows: Int) -> Int {
    guard !key.holdsWords || key.isLink else { return 0 }
    var longest = 64
    for row in 0..<rows {
      longest = max(longest, group.bytes(column, row)?.count ?? 0)
      if key.isLink, let order = table.position(.orderKey(key.tag)) {
        longest = max(longest, (group.bytes(order, row)?.count ?? 0) + 64)
      }
    }
    return longest
  }

  /// Objects that are named by their key have the hash in place of creator and serial.
  private func identity(
    _ group: RowGroup, _ row: Int, _ serial: UInt64, _ marks: GroupMarks?,
    into hasher: inout RegisterHasher
  ) {
    let handle = Handle(table: tableIndex, creator: creator, serial: serial)
    hasher.setCreator(names.oid(handle).creator)
    let life = group.word(Table.lifeColumn, row) ?? Life.dead
    add(group, row, serial, 0, marks, life: life, into: &hasher)
  }

  @inline(__always)
  private func add(
    _ group: RowGroup, _ row: Int, _ serial: UInt64, _ named: UInt64, _ marks: GroupMarks?,
    life: UInt64, into hasher: inout RegisterHasher
  ) {
    if column == Table.lifeColumn {
      if life == Life.dead { hasher.value(named, [0x80]) } else { hasher.object(named) }
      return
    }
    if key.isLink {
      link(group, row, serial, named, marks, into: &hasher)
    } else if key.holdsWords, let type = key.type, let word = group.word(column, row) {
      hasher.word(named, type, word)
    } else if !key.holdsWords, let type = key.type, let bytes = group.bytes(column, row) {
      hasher.bytes(named, type, bytes)
    } else {
      nilRegister(row, named, marks, into: &hasher)
    }
  }

  /// A nil that somebody wrote.
  private func nilRegister(
    _ row: Int, _ named: UInt64, _ marks: GroupMarks?, into hasher: inout RegisterHasher
  ) {
    guard marks?.isWritten(column, row) == true else { return }
    hasher.countsInContent = false
    hasher.value(named, [0, key.kind])
  }

  private func link(
    _ group: RowGroup, _ row: Int, _ serial: UInt64, _ named: UInt64, _ marks: GroupMarks?,
    into hasher: inout RegisterHasher
  ) {
    let order = table.position(.orderKey(key.tag))
    let isPlace = order != nil && isOrdered
    guard let word = group.word(column, row) else {
      if isPlace, marks?.isWritten(column, row) == true {
        hasher.countsInContent = false
        hasher.value(named, [0x88])
      } else {
        nilRegister(row, named, marks, into: &hasher)
      }
      return
    }
    let target = Handle(
      table: state.tableIndex(table.columns[column].target) ?? Handle.tablesMax - 1, link: word)
    let orderKey = isPlace ? order.flatMap { group.bytes($0, row) }.map { [UInt8]($0) } : nil
    let handle = Handle(table: tableIndex, creator: creator, serial: serial)
    // What a program sees may be another object than what the register holds.
    if hasher.countsInContent, let seen = seen(target, from: handle) {
      hasher.countsInState = false
      write(seen, orderKey, named, into: &hasher)
    }
    hasher.countsInState = true
    hasher.countsInContent = false
    write(target, orderKey, named, into: &hasher)
  }

  /// What a link reads as; a target that never existed counts as it stands.
  private func seen(_ target: Handle, from handle: Handle) -> Handle? {
    if isPlain { return target }
    if cuts.contains(handle.bits) { return nil }
    if let pairs, key.type == .reference {
      return pairs.target(of: handle).map { _ in target }
    }
    let resolved = state.resolved(target)
    let isCreated =
      state.address(resolved).flatMap { address in
        state.tables[address.table].life(run: address.run, row: address.row)
      } != nil
    return isCreated && !snapshot.isVisible(resolved) ? nil : resolved
  }

  private var isOrdered: Bool {
    state.schema.resolved.entity(table.entity)?.relationship(key.tag)?.kind == .orderedToMany
  }

  private func write(
    _ target: Handle, _ orderKey: [UInt8]?, _ named: UInt64, into hasher: inout RegisterHasher
  ) {
    if let orderKey {
      var writer = ByteWriter(capacity: 64)
      writer.uint8(0x88)
      writer.bytes(names.bytes(target))
      writer.varint(orderKey.count)
      writer.bytes(orderKey)
      return hasher.value(named, writer.finish().array)
    }
    let oid = names.oid(target)
    hasher.link(
      named, key.type ?? .reference, entity: table.columns[column].target,
      creator: oid.creator, target: oid.serial)
  }
}
