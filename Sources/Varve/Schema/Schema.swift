// What a program declares about all its objects. Layer: Schema.

import VarveFormat

/// The declaration of what a program stores.
///
/// ```swift
/// let schema = Schema(
///   version: 2,
///   entities: [
///     Entity(
///       "Project", tag: 1,
///       attributes: [.string("name", tag: 1), .date("deadline", tag: 2, isOptional: true)]),
///     Entity(
///       "Item", tag: 2,
///       attributes: [.string("title", tag: 1, default: ""), .bool("isDone", tag: 3, default:
/// false)],       relationships: [         .toOne(           "project", tag: 4, to: "Project",
/// inverse: "items", inverseTag: 3, onDelete: .cascade)       ]),   ]) ```
///
/// Opening a store writes what the declaration adds to its log, so that the log explains itself. A
/// program whose version is smaller than that of the log changes nothing that is declared there: it
/// only adds what the log does not know. So programs of several versions can share a store, and
/// raising the version is what makes renames and new rules take effect.
public struct Schema: Sendable, Hashable {
  /// Grows whenever a declaration changes; 0 when the program does not number its versions.
  public let version: UInt64
  /// A name for the version, for people.
  public let versionLabel: String
  /// As they were declared.
  public let entities: [Entity]
  private let places: [UInt32: Int]
  private let names: [String: Int]

  /// The relationships of each entity as the log gets them, with ways back that `toMany` names.
  let links: [UInt32: [StoredLink]]

  /// Declares a schema.
  ///
  /// - Precondition: The declaration does not contradict itself; `problems` says whether it does.
  public init(version: UInt64 = 0, versionLabel: String = "", entities: [Entity]) {
    let check = SchemaCheck(entities, versionLabel: versionLabel)
    if let problem = check.problems.first {
      preconditionFailure("schema: \(problem.message)")
    }
    self.init(version, versionLabel, entities, check.links)
  }

  /// Declares a schema that was put together at run time.
  ///
  /// - Throws: The first of `problems`.
  public init(
    validating entities: [Entity], version: UInt64 = 0, versionLabel: String = ""
  ) throws(SchemaError) {
    let check = SchemaCheck(entities, versionLabel: versionLabel)
    if let problem = check.problems.first { throw problem }
    self.init(version, versionLabel, entities, check.links)
  }

  private init(
    _ version: UInt64, _ versionLabel: String, _ entities: [Entity],
    _ links: [UInt32: [StoredLink]]
  ) {
    self.version = version
    self.versionLabel = versionLabel
    self.entities = entities
    self.links = links
    places = Dictionary(uniqueKeysWithValues: entities.enumerated().map { ($1.tag, $0) })
    names = Dictionary(uniqueKeysWithValues: entities.enumerated().map { ($1.name, $0) })
  }

  /// Everything in a declaration that contradicts something else in it; empty for a good one.
  public static func problems(_ entities: [Entity], versionLabel: String = "") -> [SchemaError] {
    SchemaCheck(entities, versionLabel: versionLabel).problems
  }

  /// The entity with a tag.
  public func entity(_ tag: UInt32) -> Entity? { places[tag].map { entities[$0] } }

  /// The entity with a name.
  public func entity(named name: String) -> Entity? { names[name].map { entities[$0] } }

  /// The tag that an import gives an entity which nobody declared.
  ///
  /// With it a program can declare what an import brought.
  public static func inferredTag(entity name: String) -> UInt32 { InferredTag.entity(name) }

  /// The tag that an import gives an attribute which nobody declared.
  public static func inferredTag(entity: String, attribute: String) -> UInt32 {
    InferredTag.attribute(entity: entity, name: attribute)
  }
}

/// A relationship with everything that the log is told about it.
struct StoredLink: Sendable, Hashable {
  var relationship: Entity.Relationship
  var kind: RelationshipKind
  var target: UInt32
  var inverse: UInt32
  var inverseLabel: String
}
