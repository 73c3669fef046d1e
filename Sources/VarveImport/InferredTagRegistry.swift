// Notices when two names of an import have one tag (Q8).

import VarveFormat

/// Hands out inferred tags and notices when two names share one.
package struct InferredTagRegistry: Sendable {
  private var entities: [UInt32: String] = [:]
  private var attributes: [UInt32: [UInt32: String]] = [:]

  package init() {}

  /// The tag of an entity.
  ///
  /// - Throws: `tagCollision` when another entity has the same tag.
  package mutating func entity(_ name: String) throws(ImportError) -> UInt32 {
    let tag = InferredTag.entity(name)
    try claim(tag, name, what: "entities", in: &entities)
    return tag
  }

  /// The tag of an attribute.
  ///
  /// - Throws: `tagCollision` when another attribute of the entity has the same tag.
  package mutating func attribute(
    entity: String, name: String
  ) throws(ImportError) -> UInt32 {
    let owner = try self.entity(entity)
    let tag = InferredTag.attribute(entity: entity, name: name)
    var names = attributes[owner] ?? [:]
    try claim(tag, "\(entity).\(name)", what: "attributes", in: &names)
    attributes[owner] = names
    return tag
  }

  private func claim(
    _ tag: UInt32, _ name: String, what: String, in names: inout [UInt32: String]
  ) throws(ImportError) {
    // Equality of strings is canonical equivalence, as is NFC.
    if let other = names[tag], other != name {
      throw ImportError(
        .tagCollision,
        "the \(what) \"\(other)\" and \"\(name)\" have the same inferred tag \(tag); rename "
          + "one of them "
          + "or declare tags in a schema")
    }
    names[tag] = name
  }
}
