// Names of entities and attributes, as schema operations in the log declare them.

import Varve
import VarveFormat

/// What an attribute or relationship was declared as.
struct AttributeFacts: Sendable, Equatable {
  var tag: UInt32
  /// The types that were declared under the tag, earliest first; empty for relationships.
  var types: [PhysicalType]
  var label: String
  var flags: UInt8
}

/// Labels by tag; later labels win, as in the log.
struct NameBook: Sendable {
  /// An entity with its attributes in the order of declaration.
  struct Entity: Sendable {
    var tag: UInt32
    var label = ""
    var attributes: [AttributeFacts] = []
  }

  private(set) var entities: [Entity] = []
  private var places: [UInt32: Int] = [:]

  /// Takes in a schema operation.
  mutating func learn(_ operation: SchemaOperation) {
    switch operation {
    case .entity(let tag, let label, _): entities[place(tag)].label = label
    case .attribute(let entity, let tag, let type, let label, let flags, _):
      learn(entity, AttributeFacts(tag: tag, types: [type], label: label, flags: flags))
    case .relationship(let link):
      learn(
        link.entity,
        AttributeFacts(tag: link.attribute, types: [], label: link.label, flags: 0))
    default: break
    }
  }

  /// Takes in a hint frame.
  mutating func learn(_ frame: ScannedFrame) {
    guard frame.header.type == .schema, let payload = try? frame.payload(),
      let schema = try? SchemaHint.decode(payload)
    else { return }
    for operation in schema { learn(operation) }
  }

  private mutating func learn(_ entity: UInt32, _ facts: AttributeFacts) {
    let place = place(entity)
    let found = entities[place].attributes.firstIndex { $0.tag == facts.tag }
    guard let found else {
      entities[place].attributes.append(facts)
      return
    }
    let known = entities[place].attributes[found]
    // A conflicting type is a second column; the earliest keeps the label (Q7).
    guard let type = facts.types.first, known.types.contains(type) else {
      entities[place].attributes[found].types += facts.types
      return
    }
    if known.types.first == type {
      entities[place].attributes[found].label = facts.label
      entities[place].attributes[found].flags = facts.flags
    }
  }

  private mutating func place(_ tag: UInt32) -> Int {
    if let place = places[tag] { return place }
    places[tag] = entities.count
    entities.append(Entity(tag: tag))
    return entities.count - 1
  }

  func entity(_ tag: UInt32) -> Entity? { places[tag].map { entities[$0] } }

  func entity(named label: String) -> Entity? { entities.first { $0.label == label } }

  /// The label of an entity, or its tag.
  func name(_ entity: UInt32) -> String {
    let label = self.entity(entity)?.label ?? ""
    return label.isEmpty ? "#\(entity)" : label
  }

  /// The label of an attribute, or its tag; with its type when that is not the earliest.
  func name(_ entity: UInt32, _ tag: UInt32, _ type: PhysicalType? = nil) -> String {
    guard let facts = self.entity(entity)?.attributes.first(where: { $0.tag == tag }),
      !facts.label.isEmpty
    else { return "#\(tag)" }
    guard let type, let first = facts.types.first, first != type else { return facts.label }
    return "\(facts.label):\(type.name)"
  }
}
