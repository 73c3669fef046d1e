// Names and types as the log declares them. Layer: Schema.

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

/// What schema operations said so far.
package struct SchemaCatalog: Sendable {
  package struct Entity: Sendable {
    package var tag: UInt32
    package var label: String
    /// In order of first declaration.
    package var attributes: [(key: AttributeKey, label: String)] = []
  }

  /// In order of first declaration.
  package private(set) var entities: [Entity] = []
  private var places: [UInt32: Int] = [:]

  package init() {}

  package init(_ operations: [SchemaOperation]) {
    for operation in operations { apply(operation) }
  }

  /// Takes a declaration in.
  ///
  /// Later labels win.
  package mutating func apply(_ operation: SchemaOperation) {
    switch operation {
    case .entity(let tag, let label, _): entities[place(tag)].label = label
    case .attribute(let entity, let tag, let type, let label, _, _):
      let key = AttributeKey(tag: tag, type: type)
      let place = place(entity)
      if let index = entities[place].attributes.firstIndex(where: { $0.key == key }) {
        entities[place].attributes[index].label = label
      } else {
        entities[place].attributes.append((key, label))
      }
    default: break
    }
  }

  private mutating func place(_ tag: UInt32) -> Int {
    if let place = places[tag] { return place }
    places[tag] = entities.count
    entities.append(Entity(tag: tag, label: ""))
    return entities.count - 1
  }

  package func entity(_ tag: UInt32) -> Entity? { places[tag].map { entities[$0] } }

  /// The entity with a label.
  package func entity(named label: String) -> Entity? { entities.first { $0.label == label } }

  /// The label of an entity, or its number.
  package func name(_ entity: UInt32) -> String {
    let label = self.entity(entity)?.label ?? ""
    return label.isEmpty ? "#\(entity)" : label
  }

  /// The label of an attribute, or its number.
  package func name(_ entity: UInt32, _ tag: UInt32, _ type: PhysicalType? = nil) -> String {
    let found = self.entity(entity)?.attributes.first {
      $0.key.tag == tag && (type == nil || $0.key.type == type)
    }
    let label = found?.label ?? ""
    return label.isEmpty ? "#\(tag)" : label
  }
}
