// Tags of entities and attributes that nobody declared (Q8, Q50).

@_spi(_Unicode) import Swift
import VarveFormat

/// Tags made from names: bit 31 and the low 31 bits of XXH3-64 of the NFC form of the name.
package enum InferredTag {
  /// The tag of an entity.
  package static func entity(_ name: String) -> UInt32 { tag(of: name) }

  /// The tag of an attribute, of the name `Entity.attribute`.
  package static func attribute(entity: String, name: String) -> UInt32 {
    tag(of: "\(entity).\(name)")
  }

  private static func tag(of name: String) -> UInt32 {
    0x8000_0000 | UInt32(truncatingIfNeeded: ByteHash.hash64(canonicalBytes(name))) & 0x7FFF_FFFF
  }

  /// The UTF-8 bytes of the NFC form.
  static func canonicalBytes(_ name: String) -> [UInt8] {
    let bytes = Array(name.utf8)
    if bytes.allSatisfy({ $0 < 0x80 }) { return bytes }
    var scalars = String.UnicodeScalarView()
    for scalar in name._nfc { scalars.append(scalar) }
    return Array(String(scalars).utf8)
  }
}

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
