// Reading inside a write: the draft with the changes made so far. Layer: Store.

import VarveFormat

extension WriteContext {
  /// Whether an object can be seen.
  public func exists(_ id: ObjectID) -> Bool { read { $0.object(id.name) } != nil }

  /// The value of an attribute, its default when it was never written; nil when it has none, and
  /// for what does not exist.
  ///
  /// - Complexity: O(1).
  public func value(_ id: ObjectID, _ attribute: String) -> AttributeValue? {
    read { object(id, $0)?[attribute] }
  }

  /// The object that a to-one or one-to-one relationship points to.
  public func link(_ id: ObjectID, _ relationship: String) -> ObjectID? {
    read { object(id, $0)?.link(relationship)?.id }
  }

  /// The objects of a to-many or many-to-many relationship, ordered ones in their order.
  ///
  /// - Complexity: O(members), and O(objects) for the first such question.
  public func links(_ id: ObjectID, _ relationship: String) -> [ObjectID] {
    if let handle = state.handle(id.name),
      let inverse = state.schema.resolved.inverse(
        state.tables[handle.table].entity, named: relationship),
      inverse.kind != .manyToMany
    {
      state.buildAdjacency(RelationKey(entity: inverse.entity, tag: inverse.tag))
    }
    return read { object(id, $0)?.links(relationship).map(\.id) ?? [] }
  }

  private func object(_ id: ObjectID, _ graph: GraphSnapshot) -> DynamicObject? {
    Snapshot(graph).object(id)
  }

  /// Answers a question at once: no view of a draft may outlive a change, because rows of the draft
  /// are written in place.
  private func read<R>(_ body: (GraphSnapshot) -> R) -> R { body(GraphSnapshot(state)) }
}
