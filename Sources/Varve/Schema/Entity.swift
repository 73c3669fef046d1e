// What a program declares about one kind of object. Layer: Schema.

/// The declaration of one kind of object: its attributes, relationships and rules.
///
/// The tag stays for ever and the name may change: a new name under the same tag is a rename, and
/// needs no other step.
///
/// ```swift
/// Entity(
///   "Station", tag: 1,
///   attributes: [.string("code", tag: 1), .string("name", tag: 2, isIndexed: true)],
///   uniqueness: .identity("code"))
/// ```
public struct Entity: Sendable, Hashable {
  /// The label that the log gets.
  public let name: String
  /// Names the entity in the log: 1 to 65,535, or the inferred tag of an import.
  public let tag: UInt32
  /// Scalar values, counters, sets and maps.
  public let attributes: [Attribute]
  /// Links that this entity stores, and ways back that it names.
  public let relationships: [Relationship]
  /// The key, if there is one.
  public let uniqueness: Uniqueness?
  /// Indexes beyond those of single attributes.
  public let indexes: [Index]
  /// Attributes that win or lose together when two replicas write at the same time.
  public let groups: [Group]
  /// Whether a write brings back an object that was deleted elsewhere without knowing of it.
  public let updatesRevive: Bool
  /// Whether the entity is no longer used.
  ///
  /// Its objects stay in the log and its tag stays taken.
  public let isRetired: Bool

  /// Declares an entity.
  ///
  /// `updatesRevive` is true by default for entities with an identity key and false for others.
  public init(
    _ name: String, tag: UInt32, attributes: [Attribute] = [],
    relationships: [Relationship] = [], uniqueness: Uniqueness? = nil, indexes: [Index] = [],
    groups: [Group] = [], updatesRevive: Bool? = nil
  ) {
    self.init(
      name: name, tag: tag, attributes: attributes, relationships: relationships,
      uniqueness: uniqueness, indexes: indexes, groups: groups,
      updatesRevive: updatesRevive ?? (uniqueness?.mode == .identity), isRetired: false)
  }

  /// An entity that is no longer used.
  ///
  /// Its objects stay in the log, and neither its tag nor its name mean anything else in this
  /// schema.
  public static func retired(_ name: String, tag: UInt32) -> Entity {
    Entity(
      name: name, tag: tag, attributes: [], relationships: [], uniqueness: nil, indexes: [],
      groups: [], updatesRevive: false, isRetired: true)
  }

  private init(
    name: String, tag: UInt32, attributes: [Attribute], relationships: [Relationship],
    uniqueness: Uniqueness?, indexes: [Index], groups: [Group], updatesRevive: Bool,
    isRetired: Bool
  ) {
    self.name = name
    self.tag = tag
    self.attributes = attributes
    self.relationships = relationships
    self.uniqueness = uniqueness
    self.indexes = indexes
    self.groups = groups
    self.updatesRevive = updatesRevive
    self.isRetired = isRetired
  }

  /// The key of an entity, and what is done about two objects with the same one.
  public struct Uniqueness: Sendable, Hashable {
    /// What is done.
    public let mode: UniquenessMode
    /// The names of the attributes that are the key, in order.
    public let attributes: [String]

    /// The key makes the id: creating an object twice, on any replicas, gives one object.
    ///
    /// The attributes of such a key cannot be changed later.
    public static func identity(_ attributes: String...) -> Uniqueness {
      Uniqueness(mode: .identity, attributes: attributes)
    }

    /// All objects stay visible; a fetch by key finds the earliest, the others are listed.
    public static func flag(_ attributes: String...) -> Uniqueness {
      Uniqueness(mode: .flag, attributes: attributes)
    }

    /// As `flag`, and the program merges the later objects into the earliest.
    public static func dedupe(_ attributes: String...) -> Uniqueness {
      Uniqueness(mode: .dedupe, attributes: attributes)
    }
  }

  /// An index over one or several attributes.
  public struct Index: Sendable, Hashable {
    /// Names the index in the log.
    public let name: String
    /// What it can answer.
    public let kind: IndexKind
    /// The names of attributes and to-one relationships, in order.
    public let attributes: [String]

    /// An index that answers by the first attributes of a list, or all of them.
    public init(_ name: String, on attributes: [String], kind: IndexKind = .ordered) {
      self.name = name
      self.kind = kind
      self.attributes = attributes
    }
  }

  /// Attributes that share one register: of two concurrent writes one wins for all of them.
  ///
  /// For values with a common meaning, such as latitude and longitude.
  public struct Group: Sendable, Hashable {
    /// The label that the log gets.
    public let name: String
    /// Names the group in the log; no attribute or relationship of the entity has the same tag.
    public let tag: UInt32
    /// The names of the attributes.
    public let attributes: [String]

    /// Declares a group.
    public init(_ name: String, tag: UInt32, attributes: [String]) {
      self.name = name
      self.tag = tag
      self.attributes = attributes
    }
  }
}
