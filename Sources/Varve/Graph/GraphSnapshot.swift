// An immutable view of the graph: what the program sees is a function of the state. Layer: Graph.

import Synchronization
import VarveFormat

/// The graph at one moment.
///
/// Taking and keeping one costs nothing but the memory of what changed since. Reading never waits
/// for a writer.
package final class GraphSnapshot: Sendable {
  let state: GraphState
  package let schema: ResolvedSchema
  /// The tables as objects: what is read of one costs no copy of it.
  let views: ContiguousArray<TableView>
  /// Inverses that a reader asked for and the writer did not have.
  private let built = Mutex<[RelationKey: Adjacency]>([:])
  /// Indexes that a reader asked for.
  private let indexes = Mutex<[IndexKey: AttributeIndex]>([:])

  package init(_ state: GraphState) {
    var view = state
    view.marks = StampBook()
    self.state = view
    schema = view.schema.resolved
    views = ContiguousArray(view.tables.map { TableView($0) })
  }

  package var visibleCount: Int { state.visibleCount }

  package func table(_ entity: UInt32) -> Table? { state.table(entity) }

  // MARK: objects

  /// The object with a name, resolved through aliases; nil when there is none or it is not visible.
  package func object(_ name: ObjectName) -> Handle? {
    state.handle(name).flatMap { visible($0) }
  }

  /// The entity of an object.
  package func entity(_ handle: Handle) -> UInt32 {
    handle.table < state.tables.count ? state.tables[handle.table].entity : 0
  }

  /// What an object is called outside.
  package func name(_ handle: Handle) -> ObjectName? { state.name(handle) }

  /// Whether an object can be seen.
  @inline(__always)
  package func isVisible(_ handle: Handle) -> Bool {
    guard handle.table < views.count, handle.serial > 0 else { return false }
    return views[handle.table].isVisible(creator: handle.creator, serial: handle.serial)
  }

  /// The object that is read in place of another one, nil when it is not visible.
  @inline(__always)
  func visible(_ handle: Handle) -> Handle? {
    let handle = state.aliases.isEmpty ? handle : resolved(handle)
    return isVisible(handle) ? handle : nil
  }

  /// The object that is read in place of another one.
  @inline(__always)
  func resolved(_ handle: Handle) -> Handle { state.resolved(handle) }

  /// Calls `body` with every visible object of an entity, by creator and serial.
  package func forEachObject(_ entity: UInt32, _ body: (Handle) -> Void) {
    guard let index = state.tableIndex(entity) else { return }
    let table = state.tables[index]
    let hidesAliases = !state.aliases.isEmpty
    table.forEachVisible { creator, serial in
      let handle = Handle(table: index, creator: creator, serial: serial)
      if hidesAliases, resolved(handle) != handle { return }
      body(handle)
    }
  }

  // MARK: attributes

  /// The value of a register, nil when it has none.
  package func value(_ handle: Handle, _ key: ColumnKey) -> Value? {
    guard handle.table < views.count, let type = key.type else { return nil }
    let view = views[handle.table]
    guard let column = view.position(key) else { return nil }
    if key.isLink {
      return view.word(column, handle).map { link in
        state.reference(link, entity: view.target(column))
      }
    }
    if key.holdsWords { return view.word(column, handle).flatMap { Value(type, word: $0) } }
    return view.bytes(column, handle).flatMap { Value(type, bytes: $0) }
  }

  /// The word of an attribute that has one, when it was written.
  @inline(__always)
  func word(_ handle: Handle, _ key: ColumnKey) -> UInt64? {
    guard handle.table < views.count else { return nil }
    let view = views[handle.table]
    return view.position(key).flatMap { view.word($0, handle) }
  }

  /// The object that another one points to by a to-one relationship; nil when there is none that
  /// can be seen.
  func target(of handle: Handle, _ rule: RelationshipRule) -> Handle? {
    guard rule.kind != .oneToOne, state.cuts.isEmpty, state.aliases.isEmpty,
      handle.table < views.count, let target = state.tableIndex(rule.target)
    else { return LinkReader(self, rule).target(of: handle) }
    let view = views[handle.table]
    guard let column = view.linkColumn(rule.tag), let link = view.word(column, handle) else {
      return nil
    }
    let other = Handle(table: target, link: link)
    return isVisible(other) ? other : nil
  }

  /// What an attribute reads as: its value, or its default when it was never written.
  package func attribute(_ handle: Handle, _ rule: AttributeRule) -> Value? {
    if let value = value(handle, ColumnKey(tag: rule.tag, type: rule.type)) { return value }
    guard let standard = rule.defaultValue else { return nil }
    // A nil that somebody wrote to an optional attribute is a value; a required one has none.
    let key = CellKey(handle: handle.bits, tag: rule.tag, kind: rule.type.rawValue)
    if rule.isOptional, state.explicitNils[key] != nil { return nil }
    return standard
  }

  /// The sum of a counter.
  package func counter(_ handle: Handle, _ tag: UInt32) -> Int64 {
    state.counters[CellKey(handle: handle.bits, tag: tag)]?.sum ?? 0
  }

  /// The members of a set, in no order.
  package func set(_ handle: Handle, _ tag: UInt32) -> [Value] {
    state.setMembers[CellKey(handle: handle.bits, tag: tag)] ?? []
  }

  /// The entries of a map, in no order.
  package func map(_ handle: Handle, _ tag: UInt32) -> [(key: Value, value: Value)] {
    (state.mapKeys[CellKey(handle: handle.bits, tag: tag)] ?? []).compactMap { key in
      state.maps[MemberKey(handle: handle.bits, tag: tag, member: key)]?.value.map { (key, $0) }
    }
  }

  // MARK: inverses

  /// The inverse of a to-one relationship, built when it is first asked for.
  ///
  /// - Complexity: O(rows) the first time, then O(1).
  func adjacency(_ relation: RelationKey) -> Adjacency? {
    if let known = state.adjacencies[relation] { return known }
    return built.withLock { built in
      if let known = built[relation] { return known }
      let adjacency = state.adjacency(relation)
      built[relation] = adjacency
      return adjacency
    }
  }

  /// Inverses that readers built, for the writer to keep up to date from now on.
  var builtAdjacencies: [RelationKey: Adjacency] { built.withLock { $0 } }

  // MARK: indexes

  /// The index over some columns, made when it is first asked for.
  ///
  /// - Complexity: see `AttributeIndex`.
  func index(_ key: IndexKey) -> AttributeIndex {
    indexes.withLock { indexes in
      if let known = indexes[key] { return known }
      var index = state.indexes[key] ?? AttributeIndex(key)
      index.update(state)
      indexes[key] = index
      return index
    }
  }

  /// Indexes that readers made, from which those of later graphs start.
  var builtIndexes: [IndexKey: AttributeIndex] { indexes.withLock { $0 } }

  /// What went wrong when lazy columns were read.
  package var failure: GraphError? { state.failure }
}

extension GraphState {
  /// The end of the aliases of an object; in a circle of aliases the smallest (R27).
  func resolved(_ handle: Handle) -> Handle {
    if aliases.isEmpty { return handle }
    var seen: Set<UInt64> = []
    var way: [UInt64] = []
    var next = handle.bits
    while let alias = aliases[next] {
      guard seen.insert(next).inserted else {
        let circle = way[(way.firstIndex(of: next) ?? 0)...]
        let least = circle.min { a, b in
          order(Handle(bits: a), precedes: Handle(bits: b))
        }
        return least.map { Handle(bits: $0) } ?? handle
      }
      way.append(next)
      next = alias.target
    }
    return Handle(bits: next)
  }

  /// What went wrong when lazy columns were read; nil while nothing did.
  package var failure: GraphError? { failureLog?.first }

  /// Order of objects that does not depend on local numbers: entity, creator, serial; by key hash
  /// for identities.
  func order(_ a: Handle, precedes b: Handle) -> Bool {
    if a.table != b.table { return tables[a.table].entity < tables[b.table].entity }
    if a.creator != b.creator {
      guard let left = creators[a.creator] else { return true }
      guard let right = creators[b.creator] else { return false }
      return left < right
    }
    if a.creator == CreatorTable.identityIndex {
      let left = identityKeys[a.bits]?.hash ?? .zero
      let right = identityKeys[b.bits]?.hash ?? .zero
      return left.storedBytes.lexicographicallyPrecedes(right.storedBytes)
    }
    return a.serial < b.serial
  }

  /// The object of a link word as a value; its index is the creator's in memory.
  func reference(_ link: UInt64, entity: UInt32) -> Value {
    let handle = Handle(table: tableIndex(entity) ?? Handle.tablesMax - 1, link: link)
    if handle.creator == CreatorTable.identityIndex, let key = identityKeys[handle.bits] {
      return .identityReference(ObjectReference(entity: entity, identity: key.hash))
    }
    return .reference(
      ObjectReference(
        entity: entity, index: UInt32(handle.creator), serial: handle.serial))
  }
}

/// Problems of lazy columns, gathered from all snapshots of a store.
final class FailureLog: Sendable {
  private let list = Mutex<[GraphError]>([])

  func note(_ error: GraphError) { list.withLock { if !$0.contains(error) { $0.append(error) } } }

  var first: GraphError? { list.withLock { $0.first } }
}
