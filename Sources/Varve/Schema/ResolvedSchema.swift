// What the declarations of the log mean together: one rule for everything, looked up fast. Layer:
// Schema.

import VarveFormat

/// The schema of a store, as a function of the declarations in its logs (Q7).
///
/// Contradictions are in `problems`; none of them keeps anything from being read.
package final class ResolvedSchema: Sendable {
  /// By tag.
  package let entities: [EntityRule]
  /// What the latest declaration of a version says; 0 when there is none.
  package let version: UInt64
  package let versionLabel: String
  /// By kind, entity and tag.
  package let problems: [SchemaProblem]
  /// Whether deleting an object of any entity can hide others.
  package let isCascading: Bool

  private let places: TagPlaces
  private let names: NameTable<EntityRule>
  private let pointing: [UInt32: [RelationshipRule]]
  private let inverseNames: [AttributeSlot: RelationshipRule]
  private let slotNames: [AttributeSlot: String]
  private let declared: Set<[UInt8]>
  private let declaredEntities: Set<UInt32>

  /// An entity and a tag in it.
  struct AttributeSlot: Hashable, Sendable {
    var entity: UInt32
    var tag: UInt32
  }

  /// The schema of a state without declarations.
  package convenience init() { self.init(SchemaState()) }

  init(_ state: SchemaState) {
    let resolver = SchemaResolver(state)
    entities = resolver.entities
    names = NameTable(resolver.entityNames.mapValues { resolver.entities[$0] })
    version = resolver.version
    versionLabel = resolver.versionLabel
    problems = resolver.sortedProblems
    places = TagPlaces(resolver.entities.map(\.tag))
    let relationships = resolver.entities.flatMap(\.relationships)
    pointing = Dictionary(grouping: relationships, by: \.target)
    isCascading = relationships.contains(where: \.isCascading)
    inverseNames = resolver.inverses
    slotNames = resolver.slotNames
    declaredEntities = Set(resolver.namedEntities.map(\.tag))
    declared = Set(state.declarations.map(\.operation.encoded))
  }

  /// Whether somebody declared the entity itself, and not only rules for it.
  package func isDeclared(_ entity: UInt32) -> Bool { declaredEntities.contains(entity) }

  /// Whether exactly this is what was declared last.
  package func declares(_ operation: SchemaOperation) -> Bool {
    declared.contains(operation.encoded)
  }

  /// The rules of an entity.
  ///
  /// - Complexity: O(1).
  package func entity(_ tag: UInt32) -> EntityRule? { places[tag].map { entities[$0] } }

  /// The entity with a label; one that is not retired goes first, then the earliest.
  ///
  /// - Complexity: O(1).
  package func entity(named label: String) -> EntityRule? { names[label] }

  /// The relationships that point at an entity, by the entity of the holder and tag.
  ///
  /// - Complexity: O(1).
  package func inverses(of entity: UInt32) -> [RelationshipRule] { pointing[entity] ?? [] }

  /// The relationship that is followed backwards by a tag of its target.
  ///
  /// - Complexity: O(1).
  package func inverse(_ entity: UInt32, _ tag: UInt32) -> RelationshipRule? {
    inverseNames[AttributeSlot(entity: entity, tag: tag)]
  }

  /// The relationship that is followed backwards by a label.
  package func inverse(_ entity: UInt32, named label: String) -> RelationshipRule? {
    inverses(of: entity).first {
      $0.inverse != 0 && $0.inverseLabel == label && inverse(entity, $0.inverse) == $0
    }
  }

  /// The label of an entity, or its number.
  package func name(_ entity: UInt32) -> String {
    let label = self.entity(entity)?.label ?? ""
    return label.isEmpty ? "#\(entity)" : label
  }

  /// The label of an attribute, relationship or way back, or its number.
  ///
  /// With a type, that of the attribute with this type.
  package func name(_ entity: UInt32, _ tag: UInt32, _ type: PhysicalType? = nil) -> String {
    if let type, let attribute = self.entity(entity)?.attribute(tag, type) {
      return attribute.label
    }
    return slotNames[AttributeSlot(entity: entity, tag: tag)] ?? "#\(tag)"
  }
}
