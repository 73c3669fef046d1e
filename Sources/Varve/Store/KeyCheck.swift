// Keys that are of one object only, at author time (R28, Q20). Layer: Store.

import VarveFormat

/// Looks for objects that a transaction would give the key of another one.
struct KeyCheck {
  /// Brings the indexes of a draft up to date and looks up what changed.
  ///
  /// - Parameters:
  ///   - changed: Objects whose key the transaction may have changed, by handle.
  ///   - state: The draft with all its changes.
  /// - Throws: `duplicateKey`.
  /// - Complexity: O(groups + changed objects).
  static func run(_ changed: Set<UInt64>, _ state: inout GraphState) throws(StoreError) {
    guard !changed.isEmpty else { return }
    let graph = GraphSnapshot(state)
    // In order, so that the same program gets the same error.
    for bits in changed.sorted() {
      let handle = Handle(bits: bits)
      guard graph.visible(handle) == handle,
        let rule = graph.schema.entity(graph.entity(handle)), let attributes = rule.keyAttributes
      else { continue }
      let values = attributes.compactMap { graph.attribute(handle, $0) }
      guard values.count == attributes.count else { continue }
      let objects = IndexReader(graph).objects(attributes, are: values, usesIndex: true)
      if let other = objects.first(where: { $0 != handle }) {
        throw duplicate(graph, rule, attributes, handle, other)
      }
    }
    state.adopt(graph.builtIndexes)
  }

  private static func duplicate(
    _ graph: GraphSnapshot, _ rule: EntityRule, _ attributes: [AttributeRule], _ handle: Handle,
    _ other: Handle
  ) -> StoreError {
    let names = attributes.map { "\"\($0.label)\"" }.joined(separator: ", ")
    let ids = [handle, other].map { graph.name($0).map { "\(ObjectID($0))" } ?? "" }
    return StoreError(
      .duplicateKey, "\(rule.label) \(ids[0]) would have the same \(names) as \(ids[1])")
  }
}
