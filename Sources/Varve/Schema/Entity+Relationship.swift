// Declarations of links between entities. Layer: Schema.

extension Entity {
  /// A link to objects of an entity, or the way back along such a link.
  ///
  /// A link is stored at one end only, so that both ends cannot disagree. The other end can get a
  /// name: `inverse` and `inverseTag` at the end that stores, `toMany` at the other, or both if
  /// they say the same.
  ///
  /// ```swift
  /// .toOne("project", tag: 4, to: "Project", inverse: "items", inverseTag: 3, onDelete: .cascade)
  /// ```
  public struct Relationship: Sendable, Hashable {
    /// Whether the link is stored here.
    enum Form: Sendable, Hashable {
      case stored(RelationshipKind)
      /// The way back along a relationship of the target.
      case inverse
      case retired
    }

    /// The label that the log gets.
    public let name: String
    /// Names the relationship in the log.
    public let tag: UInt32
    /// The name of the entity that it points at.
    public let target: String
    /// The name of the way back, if it has one.
    public let inverse: String?
    /// The tag, in the target, of the way back.
    public let inverseTag: UInt32
    /// What happens to this object when the target is deleted.
    public let deleteRule: DeleteRule
    /// Whether there need not be a target.
    public let isOptional: Bool
    /// Whether this object is a part of the target, and hidden with it.
    public let isOwned: Bool
    let form: Form

    /// Whether it is no longer used.
    public var isRetired: Bool { form == .retired }

    /// How many objects are linked; nil for ways back and retired relationships.
    public var kind: RelationshipKind? {
      if case .stored(let kind) = form { kind } else { nil }
    }

    /// A link to one object; any number of objects can have the same target.
    ///
    /// With `isOrdered` the objects of one target have an order that the program gives them.
    public static func toOne(
      _ name: String, tag: UInt32, to target: String, inverse: String? = nil,
      inverseTag: UInt32 = 0, onDelete deleteRule: DeleteRule = .nullify,
      isOptional: Bool = true, isOwned: Bool = false, isOrdered: Bool = false
    ) -> Relationship {
      Relationship(
        name: name, tag: tag, target: target, inverse: inverse, inverseTag: inverseTag,
        deleteRule: deleteRule, isOptional: isOptional, isOwned: isOwned,
        form: .stored(isOrdered ? .orderedToMany : .toOne))
    }

    /// A link between two objects that have no other partner; stored at both ends together.
    public static func oneToOne(
      _ name: String, tag: UInt32, to target: String, inverse: String, inverseTag: UInt32,
      onDelete deleteRule: DeleteRule = .nullify, isOptional: Bool = true, isOwned: Bool = false
    ) -> Relationship {
      Relationship(
        name: name, tag: tag, target: target, inverse: inverse, inverseTag: inverseTag,
        deleteRule: deleteRule, isOptional: isOptional, isOwned: isOwned, form: .stored(.oneToOne))
    }

    /// Links to any number of objects, each of which can be linked any number of times.
    ///
    /// Declared at one of both ends. An edge to an object that is deleted is hidden with it.
    public static func manyToMany(
      _ name: String, tag: UInt32, to target: String, inverse: String? = nil,
      inverseTag: UInt32 = 0
    ) -> Relationship {
      Relationship(
        name: name, tag: tag, target: target, inverse: inverse, inverseTag: inverseTag,
        deleteRule: .nullify, isOptional: true, isOwned: false, form: .stored(.manyToMany))
    }

    /// The objects of `target` whose relationship `inverse` points here.
    ///
    /// The way back of a `toOne` or `manyToMany` there, which need not name it.
    public static func toMany(
      _ name: String, tag: UInt32, to target: String, inverse: String
    ) -> Relationship {
      Relationship(
        name: name, tag: tag, target: target, inverse: inverse, inverseTag: 0,
        deleteRule: .nullify, isOptional: true, isOwned: false, form: .inverse)
    }

    /// A relationship that is no longer used; its links stay in the log and its tag stays taken.
    public static func retired(_ name: String, tag: UInt32) -> Relationship {
      Relationship(
        name: name, tag: tag, target: "", inverse: nil, inverseTag: 0, deleteRule: .nullify,
        isOptional: true, isOwned: false, form: .retired)
    }
  }
}
