// Counters, sets, maps and aliases: registers that are not cells of a column (R12, R14, Q18, R27).
// Layer: Graph.

import VarveFormat

extension GraphState {
  // MARK: counters

  /// An increment counts only while the reset that its author saw is the newest.
  mutating func addToCounter(
    _ address: RowAddress, _ field: UInt32, _ amount: Int64, reset: WriteMark
  ) {
    let start = Counter(reset: births[handle(address).bits] ?? .zero)
    noteSide(cellKey(address, field))
    counters.update(cellKey(address, field)) { counter in
      var value = counter ?? start
      // Sums wrap, so that their order does not matter.
      if value.reset == reset {
        value.sum &+= amount
        value.isCounted = true
      }
      counter = value
    }
  }

  mutating func resetCounter(
    _ address: RowAddress, _ field: UInt32, _ sum: Int64, _ mark: WriteMark
  ) {
    let creators = creators
    let start = Counter(reset: births[handle(address).bits] ?? .zero)
    noteSide(cellKey(address, field))
    counters.update(cellKey(address, field)) { counter in
      let known = counter ?? start
      guard known.reset == mark || creators.isNewer(mark, than: known.reset) else {
        counter = known
        return
      }
      counter = Counter(reset: mark, sum: sum, isCounted: true)
    }
  }

  // MARK: sets

  private func isHidden(_ mark: WriteMark, _ address: RowAddress) -> Bool {
    guard !births.isEmpty, let birth = births[handle(address).bits] else { return false }
    return mark != birth && !creators.isNewer(mark, than: birth)
  }

  mutating func addToSet(
    _ address: RowAddress, _ field: UInt32, _ value: Value, _ integration: Integration
  ) {
    guard !isHidden(integration.mark, address) else { return }
    let cell = cellKey(address, field)
    let dot = AddDot(
      author: integration.mark.author, sequence: integration.sequence,
      stamp: integration.mark.stamp)
    let isNew = sets.update(MemberKey(handle: cell.handle, tag: field, member: value)) { list in
      defer { if list?.contains(dot) != true { list = (list ?? []) + [dot] } }
      return list == nil
    }
    noteSide(cell)
    if isNew { setMembers.update(cell) { $0 = ($0 ?? []) + [value] } }
  }

  mutating func removeFromSet(
    _ address: RowAddress, _ field: UInt32, _ value: Value, _ dots: [Dot],
    _ integration: Integration
  ) throws(GraphError) {
    let seen = try seen(dots, integration)
    removeDots(cellKey(address, field), value) { dot in
      seen.contains { $0.author == dot.author && $0.sequence == dot.sequence }
    }
  }

  private mutating func removeDots(
    _ cell: CellKey, _ value: Value, where isRemoved: (AddDot) -> Bool
  ) {
    let key = MemberKey(handle: cell.handle, tag: cell.tag, member: value)
    let isGone = sets.update(key) { list in
      guard var rest = list else { return false }
      rest.removeAll(where: isRemoved)
      list = rest.isEmpty ? nil : rest
      return rest.isEmpty
    }
    guard isGone else { return }
    setMembers.update(cell) { members in
      members?.removeAll { $0 == value }
      if members?.isEmpty == true { members = nil }
    }
  }

  // MARK: maps

  mutating func putIntoMap(
    _ address: RowAddress, _ field: UInt32, _ key: Value, _ value: Value?, _ mark: WriteMark
  ) {
    guard !isHidden(mark, address) else { return }
    let cell = cellKey(address, field)
    let creators = creators
    let isNew = maps.update(MemberKey(handle: cell.handle, tag: field, member: key)) { entry in
      guard let known = entry else {
        entry = MapCell(value: value, mark: mark)
        return true
      }
      if known.mark == mark || creators.isNewer(mark, than: known.mark) {
        entry = MapCell(value: value, mark: mark)
      }
      return false
    }
    noteSide(cell)
    if isNew { mapKeys.update(cell) { $0 = ($0 ?? []) + [key] } }
  }

  // MARK: births

  /// Notes that objects of an entity have a counter, set or map under a tag.
  mutating func noteSide(_ cell: CellKey) {
    let table = Handle(bits: cell.handle).table
    if sideTags[table]?.contains(cell.tag) != true { sideTags[table, default: []].insert(cell.tag) }
  }

  /// Takes out what is older than a new birth: dots of edges and sets, entries of maps; counters
  /// start at zero as after a reset.
  mutating func forgetSides(_ address: RowAddress, before mark: WriteMark) {
    let own = handle(address).bits
    let creators = creators
    func isOld(_ dot: AddDot) -> Bool {
      let made = WriteMark(stamp: dot.stamp, author: dot.author)
      return made != mark && !creators.isNewer(made, than: mark)
    }
    for key in edges.keys {
      var touching: [EdgeTable.Edge] = []
      edges[key]?.targets(own) { touching.append(EdgeTable.Edge(source: own, target: $0)) }
      edges[key]?.sources(own) { touching.append(EdgeTable.Edge(source: $0, target: own)) }
      for edge in touching { edges[key]?.remove(edge, where: isOld) }
    }
    // Only what lies under a tag that any object of the entity has; not all cells of all objects.
    let cells = (sideTags[address.table] ?? []).map { CellKey(handle: own, tag: $0) }
    for cell in cells {
      for value in setMembers[cell] ?? [] { removeDots(cell, value, where: isOld) }
    }
    for cell in cells {
      for key in mapKeys[cell] ?? [] {
        let place = MemberKey(handle: own, tag: cell.tag, member: key)
        guard let entry = maps[place], entry.mark != mark,
          !creators.isNewer(entry.mark, than: mark)
        else { continue }
        maps.set(place, nil)
        mapKeys.update(cell) { keys in
          keys?.removeAll { $0 == key }
          if keys?.isEmpty == true { keys = nil }
        }
      }
    }
    if let alias = aliases[own], creators.isNewer(mark, than: alias.mark) {
      aliases.set(own, nil)
      isVisibilityStale = true
    }
    for cell in cells where counters[cell] != nil {
      counters.update(cell) { counter in
        guard let known = counter, creators.isNewer(mark, than: known.reset) else { return }
        counter = Counter(reset: mark, sum: 0)
      }
    }
  }

  /// A value whose links name creators as they are named in memory.
  func localised(_ value: Value, _ integration: Integration) throws(GraphError) -> Value {
    guard case .reference(let object) = value, case .created(let index, let serial) = object.origin
    else { return value }
    return .reference(
      ObjectReference(
        entity: object.entity, index: UInt32(try creator(index, integration)), serial: serial))
  }

  // MARK: aliases

  /// From now on `from` reads as `into` (R27).
  mutating func merge(_ from: Handle, _ into: Handle, _ mark: WriteMark) {
    let creators = creators
    if let birth = births[from.bits], creators.isNewer(birth, than: mark) { return }
    aliases.update(from.bits) { alias in
      if let known = alias, known.mark != mark, !creators.isNewer(mark, than: known.mark) { return }
      alias = Alias(target: into.bits, mark: mark)
    }
    isVisibilityStale = true
  }
}
