// The dynamic face for reading: objects, attributes and links by name. Layer: Store.

import VarveFormat

/// An immutable view of a store's graph.
///
/// Reading one never waits for a writer, and what it shows never changes. Keeping one costs the
/// memory of what has changed since.
///
/// ```swift
/// let snapshot = store.snapshot()
/// for flight in try snapshot.objects("Flight") {
///   print(flight["number"], flight.link("plane")?["model"])
/// }
/// ```
public struct Snapshot: Sendable {
  package let graph: GraphSnapshot

  package init(_ graph: GraphSnapshot) { self.graph = graph }

  /// What could not be read of the baseline; nil while everything could.
  ///
  /// Values that cannot be read show as defaults. A store goes back to another baseline or to the
  /// logs by itself, so this stays only where neither has what is missing (Q25, Q27): writing
  /// throws `corrupt` then.
  public var problem: StoreError? { graph.failure.map { StoreError($0) } }

  /// The number of visible objects of an entity; 0 for an entity that nobody declared.
  ///
  /// - Complexity: O(1).
  public func count(_ entity: String) -> Int {
    graph.schema.entity(named: entity).flatMap { graph.table($0.tag)?.visibleCount } ?? 0
  }

  /// All visible objects of an entity, by creator and serial.
  ///
  /// - Throws: `unknownName`.
  /// - Complexity: O(objects).
  public func objects(_ entity: String) throws(StoreError) -> [DynamicObject] {
    guard let rule = graph.schema.entity(named: entity) else {
      throw StoreError(.unknownName, "no entity is called \"\(entity)\"")
    }
    var list: [DynamicObject] = []
    list.reserveCapacity(graph.table(rule.tag)?.visibleCount ?? 0)
    graph.forEachObject(rule.tag) { handle in
      list.append(DynamicObject(graph: graph, handle: handle, rule: rule))
    }
    return list
  }

  /// The object with an id, or nil when there is none that can be seen.
  ///
  /// - Complexity: O(1).
  public func object(_ id: ObjectID) -> DynamicObject? {
    guard let handle = graph.object(id.name), let rule = graph.schema.entity(graph.entity(handle))
    else { return nil }
    return DynamicObject(graph: graph, handle: handle, rule: rule)
  }
}

/// An object of a snapshot, read by the names of its schema.
public struct DynamicObject: Sendable {
  let graph: GraphSnapshot
  package let handle: Handle
  let rule: EntityRule

  /// The object's id.
  public var id: ObjectID {
    ObjectID(graph.name(handle) ?? ObjectName(entity: 0, .identity(.zero)))
  }

  /// The name of its entity.
  public var entity: String { rule.label }

  /// The value of an attribute, its default when it was never written; nil when it has none, and
  /// for a name that the entity does not have.
  public subscript(attribute: String) -> AttributeValue? {
    guard let attribute = rule.attribute(named: attribute) else { return nil }
    if attribute.isCounter { return .integer(graph.counter(handle, attribute.tag)) }
    if attribute.type.isWord, let word = graph.word(handle, ColumnKey(attribute)) {
      return AttributeValue(attribute.type, word: word)
    }
    return graph.attribute(handle, attribute).flatMap { AttributeValue($0) }
  }

  /// The members of an attribute that is a set, in no order.
  public func members(_ attribute: String) -> [AttributeValue] {
    guard let attribute = rule.attribute(named: attribute) else { return [] }
    return graph.set(handle, attribute.tag).compactMap { AttributeValue($0) }
  }

  /// The entries of an attribute that is a map, in no order.
  public func entries(_ attribute: String) -> [(key: AttributeValue, value: AttributeValue)] {
    guard let attribute = rule.attribute(named: attribute) else { return [] }
    return graph.map(handle, attribute.tag).compactMap { key, value in
      guard let key = AttributeValue(key), let value = AttributeValue(value) else { return nil }
      return (key, value)
    }
  }

  /// The object that a to-one or one-to-one relationship points to.
  public func link(_ relationship: String) -> DynamicObject? {
    if let relation = rule.relationship(named: relationship) {
      return graph.target(of: handle, relation).flatMap { object($0) }
    }
    guard let inverse = graph.schema.inverse(rule.tag, named: relationship) else { return nil }
    return MemberReader(graph, inverse).members(handle).first.flatMap { object($0) }
  }

  /// The objects of a to-many or many-to-many relationship, ordered ones in their order.
  public func links(_ relationship: String) -> [DynamicObject] {
    let handles: [Handle]
    if let relation = rule.relationship(named: relationship) {
      handles =
        relation.kind == .manyToMany
        ? EdgeReader(graph, relation).targets(handle)
        : graph.target(of: handle, relation).map { [$0] } ?? []
    } else if let inverse = graph.schema.inverse(rule.tag, named: relationship) {
      handles =
        inverse.kind == .manyToMany
        ? EdgeReader(graph, inverse).sources(handle)
        : MemberReader(graph, inverse).members(handle)
    } else {
      handles = []
    }
    // All members are of one entity.
    guard let first = handles.first, let rule = graph.schema.entity(graph.entity(first)) else {
      return []
    }
    return handles.map { DynamicObject(graph: graph, handle: $0, rule: rule) }
  }

  private func object(_ handle: Handle) -> DynamicObject? {
    graph.schema.entity(graph.entity(handle)).map {
      DynamicObject(graph: graph, handle: handle, rule: $0)
    }
  }
}

extension ColumnKey {
  /// The column of an attribute.
  @inline(__always)
  init(_ attribute: AttributeRule) { self.init(tag: attribute.tag, type: attribute.type) }
}

extension DynamicObject: Hashable {
  /// Whether both are the same object, in whatever snapshot.
  public static func == (a: DynamicObject, b: DynamicObject) -> Bool {
    a.handle == b.handle && a.rule.tag == b.rule.tag
  }

  /// Feeds the object's handle.
  public func hash(into hasher: inout Hasher) { hasher.combine(handle) }
}
