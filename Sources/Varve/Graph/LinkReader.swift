// Links as the program sees them: dead targets, circles, stolen partners and aliases read as the
// rules say (R15-R20, R24, R25). Layer: Graph.

import VarveFormat

/// Reads one to-one relationship; made once, used for many objects.
package struct LinkReader: Sendable {
  private let snapshot: GraphSnapshot
  private let source: Table
  private let column: Int?
  private let target: Table?
  private let targetIndex: Int
  private let cuts: Set<UInt64>
  /// The column of the other end of a one-to-one pair.
  private let partnerColumn: Int?
  private let isPair: Bool
  /// Nothing has to be checked.
  let isPlain: Bool

  package init(_ snapshot: GraphSnapshot, _ rule: RelationshipRule) {
    self.snapshot = snapshot
    let state = snapshot.state
    source = state.table(rule.entity) ?? Table(entity: rule.entity)
    column = source.linkColumn(rule.tag)
    targetIndex = state.tableIndex(rule.target) ?? Handle.tablesMax
    target = state.table(rule.target)
    cuts = state.cuts[RelationKey(entity: rule.entity, tag: rule.tag)] ?? []
    isPair = rule.kind == .oneToOne
    partnerColumn = isPair ? target?.linkColumn(rule.inverse) : nil
    isPlain =
      cuts.isEmpty && !isPair && state.aliases.isEmpty && (target?.isAllVisible ?? false)
  }

  /// The object that another one points to; nil when there is none that can be seen.
  @inline(__always)
  package func target(of handle: Handle) -> Handle? {
    guard let column, let run = source.locate(creator: handle.creator, serial: handle.serial),
      let link = source.word(column, run: run, row: Int(handle.serial) &- 1)
    else { return nil }
    let target = Handle(table: targetIndex, link: link)
    return isPlain ? known(target) : checked(target, from: handle)
  }

  /// The target, unless nothing was ever created there.
  @inline(__always)
  private func known(_ handle: Handle) -> Handle? {
    target?.locate(creator: handle.creator, serial: handle.serial) == nil ? nil : handle
  }

  @inline(never)
  private func checked(_ target: Handle, from handle: Handle) -> Handle? {
    if !cuts.isEmpty, cuts.contains(handle.bits) { return nil }
    guard let visible = snapshot.visible(target) else { return nil }
    if isPair {
      // Both ends hold the same pairing exactly when they point at each other (R18).
      guard visible == target, let table = self.target, let partnerColumn,
        let run = table.locate(creator: target.creator, serial: target.serial),
        table.word(partnerColumn, run: run, row: Int(target.serial) - 1) == handle.link
      else { return nil }
    }
    return visible
  }
}

/// Reads one to-many relationship from its target's side.
package struct MemberReader: Sendable {
  private let snapshot: GraphSnapshot
  private let rule: RelationshipRule
  private let sourceIndex: Int
  private let source: Table
  private let adjacency: Adjacency?
  private let cuts: Set<UInt64>
  private let orderColumn: Int?
  private let isPlain: Bool

  package init(_ snapshot: GraphSnapshot, _ rule: RelationshipRule) {
    self.snapshot = snapshot
    self.rule = rule
    let state = snapshot.state
    let relation = RelationKey(entity: rule.entity, tag: rule.tag)
    sourceIndex = state.tableIndex(rule.entity) ?? Handle.tablesMax
    source = state.table(rule.entity) ?? Table(entity: rule.entity)
    adjacency = rule.kind == .manyToMany ? nil : snapshot.adjacency(relation)
    cuts = state.cuts[relation] ?? []
    orderColumn = rule.kind == .orderedToMany ? source.position(.orderKey(rule.tag)) : nil
    isPlain = source.isAllVisible && cuts.isEmpty && state.aliases.isEmpty
  }

  /// Calls `body` with every visible object that points to `target`, by creator and serial.
  @inline(__always)
  package func forEach(_ target: Handle, _ body: (Handle) -> Void) {
    guard let adjacency else { return }
    let (index, isPlain) = (sourceIndex, isPlain)
    adjacency.forEach(target.link) { link in
      let handle = Handle(table: index, link: link)
      if isPlain || isMember(handle) { body(handle) }
    }
    if !snapshot.state.aliases.isEmpty { forEachThroughAliases(target, body) }
  }

  private func isMember(_ handle: Handle) -> Bool {
    if !cuts.isEmpty, cuts.contains(handle.bits) { return false }
    return snapshot.visible(handle) == handle
  }

  /// Inverses re-target at reading (R27): members of what reads as the target.
  private func forEachThroughAliases(_ target: Handle, _ body: (Handle) -> Void) {
    snapshot.state.aliases.forEach { from, _ in
      let handle = Handle(bits: from)
      guard handle.table == target.table, handle != target, snapshot.resolved(handle) == target
      else { return }
      adjacency?.forEach(handle.link) { link in
        let member = Handle(table: sourceIndex, link: link)
        if isMember(member) { body(member) }
      }
    }
  }

  /// The members in the order of the relationship: by order key, or by creator and serial.
  package func members(_ target: Handle) -> [Handle] {
    var list: [Handle] = []
    forEach(target) { list.append($0) }
    guard let orderColumn else { return list }
    let state = snapshot.state
    let keys = list.map { handle -> [UInt8] in
      guard let run = source.locate(creator: handle.creator, serial: handle.serial) else {
        return []
      }
      let row = Int(handle.serial) - 1
      return source.runs[run].groups[row >> 12].bytes(orderColumn, row & 4_095)
        .map { [UInt8]($0) } ?? []
    }
    let order = list.indices.sorted { a, b in
      if keys[a] != keys[b] { return keys[a].lexicographicallyPrecedes(keys[b]) }
      return state.order(list[a], precedes: list[b])
    }
    return order.map { list[$0] }
  }

  /// How many objects point to `target`.
  package func count(_ target: Handle) -> Int {
    if isPlain { return adjacency?.count(target.link) ?? 0 }
    var count = 0
    forEach(target) { _ in count += 1 }
    return count
  }
}

/// Reads a many-to-many relationship from either side.
package struct EdgeReader: Sendable {
  private let snapshot: GraphSnapshot
  private let edges: EdgeTable?

  package init(_ snapshot: GraphSnapshot, _ rule: RelationshipRule) {
    self.snapshot = snapshot
    edges = snapshot.state.edges[RelationKey(entity: rule.entity, tag: rule.tag)]
  }

  /// Visible objects at the other end of an object's edges, each once.
  package func targets(_ handle: Handle) -> [Handle] {
    list { edges, body in edges.targets(handle.bits, body) }
  }

  /// The same from the other side.
  package func sources(_ handle: Handle) -> [Handle] {
    list { edges, body in edges.sources(handle.bits, body) }
  }

  private func list(_ each: (EdgeTable, (UInt64) -> Void) -> Void) -> [Handle] {
    guard let edges else { return [] }
    var list: [Handle] = []
    var seen: Set<UInt64> = []
    each(edges) { bits in
      guard let visible = snapshot.visible(Handle(bits: bits)) else { return }
      if snapshot.state.aliases.isEmpty || seen.insert(visible.bits).inserted {
        list.append(visible)
      }
    }
    return list
  }
}
