// What is hidden because its owner is gone: derived, never written (R24, R25, Q19). Layer: Graph.

import VarveFormat

/// A to-one link whose target owns its holder.
private struct OwnerLink {
  var relation: RelationKey
  var column: Int
  var target: Int
}

extension GraphState {
  /// Notes that an object's life changed.
  mutating func noteLife(_ address: RowAddress) {
    if schema.resolved.isCascading { visibilityChanges.append(handle(address).bits) }
  }

  /// Notes that an object may have got another owner, when that can matter.
  mutating func noteOwner(_ address: RowAddress, target: UInt32) {
    let isTargetWhole = tableIndex(target).map { tables[$0].isAllVisible } ?? true
    let isHidden =
      tables[address.table].life(run: address.run, row: address.row) == Life.hidden
    guard !isTargetWhole || isHidden || !cuts.isEmpty else { return }
    visibilityChanges.append(handle(address).bits)
  }

  /// Brings the hidden objects up to date after the changes of a transaction.
  ///
  /// Hiding spreads from what is dead to what it owns. What is no longer owned by anything hidden
  /// comes back with all that hung on it: those are first taken for visible and then looked at
  /// again, so that owners in a circle do not keep each other hidden.
  mutating func updateVisibility() {
    let changed = visibilityChanges
    visibilityChanges = []
    guard schema.resolved.isCascading else { return }
    let links = ownerLinks()
    var uncertain: [UInt64] = []
    var seen: Set<UInt64> = []
    for bits in changed where seen.insert(bits).inserted { uncertain.append(bits) }
    // Everything hidden below what changed may come back.
    var place = 0
    while place < uncertain.count {
      let handle = Handle(bits: uncertain[place])
      place += 1
      setHidden(handle, false)
      for child in owned(by: handle, links) where isHidden(child) {
        if seen.insert(child.bits).inserted { uncertain.append(child.bits) }
      }
    }
    // Hiding spreads again from what is dead.
    place = 0
    while place < uncertain.count {
      let handle = Handle(bits: uncertain[place])
      place += 1
      guard let address = address(handle) else { continue }
      let life = tables[address.table].life(run: address.run, row: address.row)
      if life == Life.alive, hasHiddenOwner(address, links) { setHidden(handle, true) }
      guard tables[address.table].life(run: address.run, row: address.row) != Life.alive else {
        continue
      }
      for child in owned(by: handle, links) where self.life(child) == Life.alive {
        uncertain.append(child.bits)
      }
    }
  }

  /// Works out everything that is hidden from nothing.
  mutating func rebuildVisibility() {
    isVisibilityStale = false
    visibilityChanges = []
    cuts = [:]
    for table in tables.indices {
      guard !tables[table].isAllVisible else { continue }
      for run in tables[table].runs.indices {
        for row in 0..<tables[table].runs[run].rows {
          let address = RowAddress(table: table, run: run, row: row)
          let life = tables[table].life(run: run, row: row)
          if life == Life.hidden { setHidden(handle(address), false) }
          if life == Life.dead { visibilityChanges.append(handle(address).bits) }
        }
      }
    }
    for entity in schema.resolved.entities {
      for rule in entity.relationships where rule.isCascading && rule.isSelfReferential {
        rebuildCuts(RelationKey(entity: entity.tag, tag: rule.tag))
      }
    }
  }

  private mutating func rebuildCuts(_ relation: RelationKey) {
    guard let table = tableIndex(relation.entity),
      let column = tables[table].linkColumn(relation.tag)
    else { return }
    for run in tables[table].runs.indices {
      for row in 0..<tables[table].runs[run].rows
      where tables[table].word(column, run: run, row: row) != nil {
        let start = handle(RowAddress(table: table, run: run, row: row)).bits
        cut(circle(from: start, column), relation, column)
      }
    }
  }

  /// Cuts the newest link of a circle; of links that one transaction wrote, that of the last
  /// object, because marks do not tell their order.
  private mutating func cut(_ circle: [UInt64], _ relation: RelationKey, _ column: Int) {
    let newest = circle.max { a, b in
      let (left, right) = (mark(of: a, column), mark(of: b, column))
      if creators.isNewer(right, than: left) { return true }
      if creators.isNewer(left, than: right) { return false }
      return order(Handle(bits: a), precedes: Handle(bits: b))
    }
    guard let newest else { return }
    cuts[relation, default: []].insert(newest)
    visibilityChanges += circle
  }

  private func life(_ handle: Handle) -> UInt64? {
    address(handle).flatMap { tables[$0.table].life(run: $0.run, row: $0.row) }
  }

  private func isHidden(_ handle: Handle) -> Bool { life(handle) == Life.hidden }

  private mutating func setHidden(_ handle: Handle, _ isHidden: Bool) {
    guard let address = address(handle) else { return }
    let life = tables[address.table].life(run: address.run, row: address.row)
    guard life == (isHidden ? Life.alive : Life.hidden) else { return }
    tables[address.table].hiddenCount += isHidden ? 1 : -1
    tables[address.table].setWord(
      Table.lifeColumn, address, isHidden ? Life.hidden : Life.alive, draft: draft)
  }

  /// Cascading links by the table of their holder.
  private func ownerLinks() -> [Int: [OwnerLink]] {
    var links: [Int: [OwnerLink]] = [:]
    for entity in schema.resolved.entities {
      guard let table = tableIndex(entity.tag) else { continue }
      for rule in entity.relationships where rule.isCascading {
        guard let target = tableIndex(rule.target) else { continue }
        for type in [PhysicalType.reference, .identityReference] {
          guard let column = tables[table].position(ColumnKey(tag: rule.tag, type: type)) else {
            continue
          }
          links[table, default: []].append(
            OwnerLink(
              relation: RelationKey(entity: entity.tag, tag: rule.tag), column: column,
              target: target))
        }
      }
    }
    return links
  }

  private func hasHiddenOwner(_ address: RowAddress, _ links: [Int: [OwnerLink]]) -> Bool {
    for link in links[address.table] ?? [] {
      guard
        let word = tables[address.table].word(link.column, run: address.run, row: address.row)
      else { continue }
      if !cuts.isEmpty, cuts[link.relation]?.contains(handle(address).bits) == true { continue }
      let life = self.life(resolved(Handle(table: link.target, link: word)))
      if life == Life.dead || life == Life.hidden { return true }
    }
    return false
  }

  /// Every object that names `owner` as its owner.
  private mutating func owned(by owner: Handle, _ links: [Int: [OwnerLink]]) -> [Handle] {
    var children: [Handle] = []
    var owners = [owner]
    aliases.forEach { from, _ in
      let other = Handle(bits: from)
      if other != owner, resolved(other) == owner { owners.append(other) }
    }
    for (table, list) in links {
      for link in list where link.target == owner.table {
        buildAdjacency(link.relation)
        for name in owners {
          adjacencies[link.relation]?.forEach(name.link) {
            children.append(Handle(table: table, link: $0))
          }
        }
      }
    }
    return children
  }

  /// Builds the inverse of a to-one column unless it is there.
  mutating func buildAdjacency(_ relation: RelationKey) {
    guard adjacencies[relation] == nil else { return }
    adjacencies[relation] = adjacency(relation)
  }

  /// The inverse of a to-one column as the state has it.
  func adjacency(_ relation: RelationKey) -> Adjacency? {
    guard let source = tableIndex(relation.entity) else { return nil }
    let columns = tables[source].positions(ofTag: relation.tag).filter {
      tables[source].columns[$0].key.isLink
    }
    guard let column = columns.first else { return nil }
    let target = tableIndex(tables[source].columns[column].target)
    return Adjacency(
      source: tables[source], column: column, target: target.map { tables[$0] })
  }

  // MARK: circles of owners

  /// In a circle of owners the newest link reads as nil (R25): brought up to date after the parent
  /// of one object was written.
  mutating func updateCuts(_ relation: RelationKey, _ column: Int, _ address: RowAddress) {
    let start = handle(address).bits
    if var known = cuts[relation] {
      for cut in known {
        let circle = circle(from: cut, column)
        if circle.isEmpty || circle.contains(start) {
          known.remove(cut)
          visibilityChanges.append(cut)
        }
      }
      cuts[relation] = known.isEmpty ? nil : known
    }
    cut(circle(from: start, column), relation, column)
  }

  /// A life that begins or ends may close or open a circle.
  mutating func updateCuts(_ address: RowAddress) {
    let entity = tables[address.table].entity
    for rule in schema.resolved.entity(entity)?.relationships ?? []
    where rule.isCascading && rule.isSelfReferential {
      guard let column = tables[address.table].linkColumn(rule.tag) else { continue }
      updateCuts(RelationKey(entity: entity, tag: rule.tag), column, address)
    }
  }

  fileprivate func mark(of bits: UInt64, _ column: Int) -> WriteMark {
    guard let address = address(Handle(bits: bits)) else { return .zero }
    return marks.register(address, column)
  }

  /// The objects on the way from `start` along its parents back to itself; empty when there is no
  /// such way.
  private func circle(from start: UInt64, _ column: Int) -> [UInt64] {
    var way: [UInt64] = []
    var seen: Set<UInt64> = []
    var next = start
    while seen.insert(next).inserted {
      way.append(next)
      let handle = Handle(bits: next)
      guard let address = address(handle),
        let life = tables[address.table].life(run: address.run, row: address.row),
        life != Life.dead, aliases.isEmpty || resolved(handle) == handle,
        let link = tables[address.table].word(column, run: address.run, row: address.row)
      else { return [] }
      next = resolved(Handle(table: handle.table, link: link)).bits
      if next == start { return way }
    }
    return []
  }
}
