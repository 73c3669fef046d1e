// The whole state of a graph, in a form that two models can be compared by. Layer: test support.

import VarveFormat

/// What a store knows at a version vector.
package struct ReferenceState: Hashable, Sendable {
  package struct Life: Hashable, Sendable {
    package var mark: ReferenceMark
    package var isAlive: Bool
  }

  package struct Write: Hashable, Sendable {
    package var mark: ReferenceMark
    package var value: ReferenceValue
  }

  /// The winning reset, which may be a birth, and the sum of the increments that name it.
  package struct Count: Hashable, Sendable {
    package var reset: ReferenceReset?
    package var start: Int64
    package var sum: Int64

    package var total: Int64 { start &+ sum }
  }

  /// A rule of the schema by kind, entity and tag (Q7).
  package struct RuleKey: Hashable, Sendable {
    package var kind: UInt8
    package var entity: UInt32
    package var tag: UInt32
    package var detail: String = ""
  }

  package struct Rule: Hashable, Sendable {
    package var mark: ReferenceMark
    package var operation: SchemaOperation
  }

  package struct Opaque: Hashable, Sendable {
    package var mark: ReferenceMark
    package var operation: Operation
  }

  package init() {}

  package var vector: [ReferenceLine: UInt64] = [:]
  package var lives: [ReferenceID: Life] = [:]
  package var births: [ReferenceID: ReferenceMark] = [:]
  /// The last write to each object, for entities that an update revives.
  package var updates: [ReferenceID: ReferenceMark] = [:]
  package var registers: [ReferenceRegister: Write] = [:]
  package var elements: [ReferenceElement: [ReferenceDot: ReferenceMark]] = [:]
  package var counters: [ReferenceCounter: Count] = [:]
  package var rules: [RuleKey: Rule] = [:]
  package var opaque: Set<Opaque> = []

  /// Existence under a schema: updates of some entities count as life (Q17).
  package func life(_ id: ReferenceID, _ schema: ReferenceSchema) -> Life? {
    let life = lives[id]
    guard schema.updatesRevive.contains(id.entity), let update = updates[id] else { return life }
    if let life, life.mark > update { return life }
    return Life(mark: update, isAlive: true)
  }

  /// All objects that exist under a schema, dead ones too.
  package func objects(_ schema: ReferenceSchema) -> [ReferenceID: Life] {
    var all: [ReferenceID: Life] = [:]
    for id in Set(lives.keys).union(updates.keys) { all[id] = life(id, schema) }
    return all
  }

  /// What differs from another state, for messages of tests.
  package func difference(_ other: ReferenceState) -> String {
    var parts: [String] = []
    func compare<Key: Hashable, Part: Equatable>(
      _ name: String, _ a: [Key: Part], _ b: [Key: Part]
    ) {
      for key in Set(a.keys).union(b.keys) where a[key] != b[key] {
        let left = a[key].map { "\($0)" } ?? "absent"
        let right = b[key].map { "\($0)" } ?? "absent"
        parts.append("\(name) \(key): \(left) and \(right)")
      }
    }
    compare("vector", vector, other.vector)
    compare("life", lives, other.lives)
    compare("birth", births, other.births)
    compare("update", updates, other.updates)
    compare("register", registers, other.registers)
    compare("element", elements, other.elements)
    compare("counter", counters, other.counters)
    compare("rule", rules, other.rules)
    if opaque != other.opaque { parts.append("opaque operations") }
    return parts.prefix(4).joined(separator: "; ")
  }
}

extension SchemaOperation {
  /// The register that a declaration writes.
  package var referenceKey: ReferenceState.RuleKey {
    switch self {
    case .entity(let entity, _, _): .init(kind: 1, entity: entity, tag: 0)
    case .attribute(let entity, let tag, let type, _, _, _):
      .init(kind: 2, entity: entity, tag: tag, detail: type.name)
    case .relationship(let relation):
      .init(kind: 3, entity: relation.entity, tag: relation.attribute)
    case .uniqueness(let entity, _, let tags):
      .init(kind: 4, entity: entity, tag: 0, detail: tags.map(String.init).joined(separator: ","))
    case .group(let entity, let group, _, _): .init(kind: 5, entity: entity, tag: group)
    case .index(let entity, let label, _, _):
      .init(kind: 6, entity: entity, tag: 0, detail: label)
    case .retire(let entity, let tag): .init(kind: 7, entity: entity, tag: tag)
    case .version: .init(kind: 8, entity: 0, tag: 0)
    }
  }
}

/// The rules that reading depends on.
package struct ReferenceSchema: Sendable {
  package enum Kind: UInt8, Sendable {
    case toOne = 1
    case oneToOne, ordered, manyToMany
  }

  /// A link as its own side declares it.
  package struct Relationship: Sendable {
    package var entity: UInt32
    package var field: UInt32
    package var kind: Kind
    package var target: UInt32
    package var inverse: UInt32
    /// Whether the object is hidden when its target is.
    package var isCascade: Bool

    package init(
      _ entity: UInt32, _ field: UInt32, _ kind: Kind, target: UInt32, inverse: UInt32 = 0,
      isCascade: Bool = false
    ) {
      self.entity = entity
      self.field = field
      self.kind = kind
      self.target = target
      self.inverse = inverse
      self.isCascade = isCascade
    }
  }

  package struct Column: Hashable, Sendable {
    package var entity: UInt32
    package var field: FieldType
  }

  package struct Unique: Hashable, Sendable {
    package var entity: UInt32
    package var fields: [UInt32]
  }

  package var relationships: [Relationship] = []
  package var defaults: [Column: Value] = [:]
  /// Columns that read their default instead of nil (R31).
  package var required: Set<Column> = []
  package var updatesRevive: Set<UInt32> = []
  package var unique: Set<Unique> = []

  package init() {}

  /// What the log says.
  package init(_ state: ReferenceState) { self.init(state.rules.values.map(\.operation)) }

  /// One declaration for each rule.
  package init(_ operations: [SchemaOperation]) {
    for operation in operations {
      switch operation {
      case .entity(let entity, _, let flags):
        if flags & 2 != 0 { updatesRevive.insert(entity) }
      case .attribute(let entity, let tag, let type, _, let flags, let value):
        let column = Column(entity: entity, field: FieldType(tag, type))
        if flags & SchemaOperation.AttributeFlag.optional == 0 { required.insert(column) }
        if let value { defaults[column] = value }
      case .relationship(let relation):
        guard let kind = Kind(rawValue: relation.kind) else { continue }
        relationships.append(
          Relationship(
            relation.entity, relation.attribute, kind, target: relation.target,
            inverse: relation.inverse, isCascade: relation.deleteRule == 1))
      case .uniqueness(let entity, let mode, let tags):
        if mode == 2 { unique.insert(Unique(entity: entity, fields: tags)) }
      default: break
      }
    }
  }

  package func relationship(_ entity: UInt32, _ field: UInt32) -> Relationship? {
    relationships.first { $0.entity == entity && $0.field == field }
  }
}
