// Writes that bring deleted objects back, where an entity says so (R22, Q17). Layer: Graph.

import VarveFormat

extension GraphState {
  /// A write to an object.
  mutating func revive(_ address: RowAddress, _ mark: WriteMark) {
    let entity = tables[address.table].entity
    if schema.resolved.entity(entity)?.updatesRevive == true {
      setLife(address, Life.alive, mark)
    }
  }

  /// A write to an object that leaves no mark in a column.
  mutating func noteUpdate(_ address: RowAddress, _ mark: WriteMark) {
    let creators = creators
    updates.update(handle(address).bits) { known in
      if known.map({ creators.isNewer(mark, than: $0) }) ?? true { known = mark }
    }
    revive(address, mark)
  }

  /// The newest write to an object.
  private func lastUpdate(_ address: RowAddress) -> WriteMark {
    var last = updates[handle(address).bits] ?? .zero
    for column in tables[address.table].columns.indices.dropFirst() {
      guard marks.isWritten(address, column) else { continue }
      let mark = marks.register(address, column)
      if creators.isNewer(mark, than: last) { last = mark }
    }
    return last
  }

  /// A deletion that is older than a write to the object.
  mutating func reviveIfUpdated(_ address: RowAddress, _ mark: WriteMark) {
    let entity = tables[address.table].entity
    guard schema.resolved.entity(entity)?.updatesRevive == true else { return }
    let last = lastUpdate(address)
    if creators.isNewer(last, than: mark) { setLife(address, Life.alive, last) }
  }

  /// Rules are functions of the log (Q7): what follows from them is worked out again when they
  /// change.
  mutating func rulesDidChange(from before: ResolvedSchema) {
    let now = schema.resolved
    for entity in now.entities
    where entity.updatesRevive && before.entity(entity.tag)?.updatesRevive != true {
      reviveAll(entity.tag)
    }
    let cascades = { (schema: ResolvedSchema) in
      schema.entities.flatMap(\.relationships).filter(\.isCascading)
    }
    if cascades(now) != cascades(before) { isVisibilityStale = true }
  }

  private mutating func reviveAll(_ entity: UInt32) {
    guard let table = tableIndex(entity) else { return }
    for run in tables[table].runs.indices {
      for row in 0..<tables[table].runs[run].rows {
        let address = RowAddress(table: table, run: run, row: row)
        guard tables[table].life(run: run, row: row) != nil else { continue }
        let last = lastUpdate(address)
        let life = marks.register(address, Table.lifeColumn)
        if creators.isNewer(last, than: life) { setLife(address, Life.alive, last) }
      }
    }
  }
}
