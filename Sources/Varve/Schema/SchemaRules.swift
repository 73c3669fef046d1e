// The rules of one entity as the log gives them: attributes, links, keys, indexes. Layer: Schema.

import VarveFormat

/// An attribute as the log knows it: (entity, tag, physical type) is its identity (Q7).
package struct AttributeKey: Hashable, Sendable {
  package var tag: UInt32
  package var type: PhysicalType

  package init(tag: UInt32, type: PhysicalType) {
    self.tag = tag
    self.type = type
  }
}

/// How many objects a relationship links, and where the link is stored.
public enum RelationshipKind: UInt8, Sendable, CaseIterable {
  /// A register of the holder; any number of holders can have the same target.
  case toOne = 1
  /// A register at both ends, written together: each object has one partner at most.
  case oneToOne
  /// A register of the holder with parent and order key: the parent's list has an order.
  case orderedToMany
  /// A set of edges.
  case manyToMany
}

/// What happens to the holder of a link when its target is deleted.
public enum DeleteRule: UInt8, Sendable, CaseIterable {
  /// The link reads nil; it is back when the target is undeleted.
  case nullify
  /// The holder is hidden with the target, and comes back with it.
  case cascade
  /// Deleting the target is refused while holders exist where it is written; a concurrent deletion
  /// elsewhere ends as with `nullify` (R26).
  case deny
  /// Nothing is done; the link reads nil as with `nullify`, and the program is responsible.
  case noAction
}

/// What is done about two objects with the same key.
public enum UniquenessMode: UInt8, Sendable, CaseIterable {
  /// The key makes the id: creating an object twice, anywhere, gives one object.
  case identity = 1
  /// All stay visible; a fetch by key finds the earliest, the others are listed as violations.
  case flag
  /// As `flag`, and the program merges the others into the earliest.
  case dedupe
}

/// What an index can answer.
public enum IndexKind: UInt8, Sendable, CaseIterable {
  /// Equality.
  case hash = 1
  /// Equality, ranges and order.
  case ordered
}

/// What holds for one column.
package struct AttributeRule: Sendable, Hashable {
  package var entity: UInt32
  package var tag: UInt32
  package var type: PhysicalType
  /// Unique in the entity; with the type behind a colon when another type has the tag's label.
  package var label: String
  package var isOptional: Bool
  package var isCounter: Bool
  package var isSet: Bool
  package var isMap: Bool
  package var isOrdered: Bool
  package var isLocalOnly: Bool
  package var isRetired: Bool
  /// What a missing value reads as; a default is never written (R13).
  package var defaultValue: Value?

  package var key: AttributeKey { AttributeKey(tag: tag, type: type) }
  /// Whether it is a register with one value: no counter, set or map.
  package var isScalar: Bool { !isCounter && !isSet && !isMap }
}

/// What holds for one relationship; it is stored at the object that holds it.
package struct RelationshipRule: Sendable, Hashable {
  /// The entity of the holder.
  package var entity: UInt32
  package var tag: UInt32
  package var label: String
  package var kind: RelationshipKind
  /// The entity that it points at.
  package var target: UInt32
  /// The tag, in the target entity, of the way back; 0 without one.
  package var inverse: UInt32
  package var inverseLabel: String
  package var deleteRule: DeleteRule
  package var isOptional: Bool
  /// Whether the target owns the holder, which is then a part of it.
  package var isOwner: Bool
  package var isRetired: Bool

  /// Whether deleting the target hides the holder: by the rule, or because the target owns it.
  ///
  /// Edges of a many-to-many relationship hide nobody.
  package var isCascading: Bool {
    kind != .manyToMany && (deleteRule == .cascade || isOwner)
  }

  /// Whether holder and target are of one entity.
  package var isSelfReferential: Bool { entity == target }
}

/// Attributes that share one register, so that they win or lose together (R11).
package struct GroupRule: Sendable, Hashable {
  package var tag: UInt32
  package var label: String
  package var attributes: [UInt32]

  package init(tag: UInt32, label: String, attributes: [UInt32]) {
    self.tag = tag
    self.label = label
    self.attributes = attributes
  }
}

/// The key of an entity.
package struct UniquenessRule: Sendable, Hashable {
  package var mode: UniquenessMode
  package var attributes: [UInt32]

  package init(mode: UniquenessMode, attributes: [UInt32]) {
    self.mode = mode
    self.attributes = attributes
  }
}

/// An index; the label names it.
package struct IndexRule: Sendable, Hashable {
  package var label: String
  package var kind: IndexKind
  package var attributes: [UInt32]

  package init(label: String, kind: IndexKind, attributes: [UInt32]) {
    self.label = label
    self.kind = kind
    self.attributes = attributes
  }
}

/// What holds for one entity.
package final class EntityRule: Sendable {
  package let tag: UInt32
  /// Empty when the log has attributes of the entity and no declaration of itself.
  package let label: String
  /// Whether objects have the hash of their key as id.
  package let isIdentity: Bool
  /// Whether a write that the deletion did not know brings the object back (R22).
  package let updatesRevive: Bool
  package let isRetired: Bool
  /// By tag; the types of one tag earliest first.
  package let attributes: [AttributeRule]
  /// By tag.
  package let relationships: [RelationshipRule]
  /// By tag; one without attributes was withdrawn and is not here.
  package let groups: [GroupRule]
  package let uniqueness: UniquenessRule?
  /// By the bytes of the label.
  package let indexes: [IndexRule]

  private let attributePlaces: TagPlaces
  private let relationshipPlaces: TagPlaces
  /// By label: places in `attributes` and `relationships`.
  let attributeNames: NameTable<Int>
  private let relationshipNames: NameTable<Int>
  private let groupPlaces: [UInt32: Int]

  /// The names are those of `attributes` and `relationships` that a look-up by label finds.
  init(
    tag: UInt32, label: String, flags: UInt8, isRetired: Bool, attributes: [AttributeRule],
    relationships: [RelationshipRule], groups: [GroupRule], uniqueness: UniquenessRule?,
    indexes: [IndexRule], attributeNames: [String: Int], relationshipNames: [String: Int]
  ) {
    self.tag = tag
    self.label = label
    isIdentity = flags & SchemaOperation.EntityFlag.identity != 0
    updatesRevive = flags & SchemaOperation.EntityFlag.updatesRevive != 0
    self.isRetired = isRetired
    self.attributes = attributes
    self.relationships = relationships
    self.groups = groups
    self.uniqueness = uniqueness
    self.indexes = indexes
    self.attributeNames = NameTable(attributeNames)
    self.relationshipNames = NameTable(relationshipNames)
    attributePlaces = TagPlaces(attributes.map(\.tag))
    relationshipPlaces = TagPlaces(relationships.map(\.tag))
    var places: [UInt32: Int] = [:]
    for (place, group) in groups.enumerated() {
      for attribute in group.attributes where places[attribute] == nil { places[attribute] = place }
    }
    groupPlaces = places
  }

  /// The attribute that has the tag's label: of several types the one declared earliest (Q7).
  package func attribute(_ tag: UInt32) -> AttributeRule? {
    attributePlaces[tag].map { attributes[$0] }
  }

  /// The attribute with a tag and a type.
  package func attribute(_ tag: UInt32, _ type: PhysicalType) -> AttributeRule? {
    guard let place = attributePlaces[tag] else { return nil }
    return attributes[place...].prefix { $0.tag == tag }.first { $0.type == type }
  }

  /// The relationship with a tag.
  package func relationship(_ tag: UInt32) -> RelationshipRule? {
    relationshipPlaces[tag].map { relationships[$0] }
  }

  /// The attribute with a label; one that is not retired goes first, then the earliest.
  package func attribute(named label: String) -> AttributeRule? {
    attributeNames[label].map { attributes[$0] }
  }

  /// The relationship with a label; one that is not retired goes first, then the earliest.
  package func relationship(named label: String) -> RelationshipRule? {
    relationshipNames[label].map { relationships[$0] }
  }

  /// The atomic group that an attribute belongs to; of several the one with the smallest tag.
  package func group(ofAttribute tag: UInt32) -> GroupRule? { groupPlaces[tag].map { groups[$0] } }
}
