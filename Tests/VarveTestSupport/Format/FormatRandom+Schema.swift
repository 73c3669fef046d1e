// Random schema declarations, every kind. Layer: test support.

import Varve
import VarveFormat

extension FormatRandom {
  package mutating func schemaOperation() -> SchemaOperation {
    schemaOperation(kind: within(1...8))
  }

  package mutating func schemaOperation(kind: Int) -> SchemaOperation {
    switch kind {
    case 1: .entity(entity: tag(), label: text(), flags: UInt8(below(4)))
    case 2: attribute()
    case 3: .relationship(relationship())
    case 4:
      .uniqueness(entity: tag(), mode: UInt8(below(4)), attributes: list(max: 4) { $0.tag() })
    case 5:
      .group(
        entity: tag(), group: tag(), label: text(), attributes: list(max: 4) { $0.tag() })
    case 6:
      .index(
        entity: tag(), label: text(), kind: UInt8(below(3)), attributes: list(max: 4) { $0.tag() })
    case 7: .retire(entity: tag(), attribute: chance(50) ? 0 : tag())
    default: .version(number(), label: text())
    }
  }

  private mutating func attribute() -> SchemaOperation {
    let flags = UInt8(below(128))
    let hasDefault = flags & SchemaOperation.AttributeFlag.hasDefault != 0
    return .attribute(
      entity: tag(), attribute: tag(), type: pick(PhysicalType.allCases), label: text(),
      flags: flags, defaultValue: hasDefault ? value() : nil)
  }

  private mutating func relationship() -> SchemaOperation.Relationship {
    SchemaOperation.Relationship(
      entity: tag(), attribute: tag(), label: text(), kind: UInt8(within(1...4)), target: tag(),
      inverse: chance(50) ? 0 : tag(), inverseLabel: text(), deleteRule: UInt8(below(4)),
      flags: UInt8(below(4)))
  }
}

extension FormatRandom {
  /// Any declaration with few tags and labels, so that declarations meet.
  package mutating func smallSchemaOperation() -> SchemaOperation {
    let labels = ["", "a", "b", "e\u{301}", "\u{E9}"]
    switch within(1...8) {
    case 1: return .entity(entity: few(), label: pick(labels), flags: UInt8(below(4)))
    case 2:
      let flags = UInt8(below(128))
      let hasDefault = flags & SchemaOperation.AttributeFlag.hasDefault != 0
      return .attribute(
        entity: few(), attribute: few(), type: pick([.string, .integer, .bool]),
        label: pick(labels), flags: flags,
        defaultValue: hasDefault ? pick([.string("x"), .integer(1), .null]) : nil)
    case 3:
      return .relationship(
        SchemaOperation.Relationship(
          entity: few(), attribute: few(), label: pick(labels), kind: UInt8(within(1...4)),
          target: few(), inverse: UInt32(below(4)), inverseLabel: pick(labels),
          deleteRule: UInt8(below(4)), flags: UInt8(below(4))))
    case 4:
      return .uniqueness(
        entity: few(), mode: UInt8(below(4)), attributes: list(max: 2) { $0.few() })
    case 5:
      return .group(
        entity: few(), group: few(), label: pick(labels), attributes: list(max: 2) { $0.few() })
    case 6:
      return .index(
        entity: few(), label: pick(labels), kind: UInt8(below(3)),
        attributes: list(max: 2) { $0.few() })
    case 7: return .retire(entity: few(), attribute: UInt32(below(4)))
    default: return .version(UInt64(below(3)), label: pick(labels))
    }
  }

  private mutating func few() -> UInt32 { UInt32(within(1...3)) }
}

extension FormatRandom {
  /// A declaration that does not contradict itself; declarations of several versions mostly fit.
  package mutating func schema(version: UInt64) -> Schema {
    var entities: [Entity] = []
    for tag in 1...3 as ClosedRange<UInt32> where chance(80) {
      entities.append(
        chance(10) ? .retired("E\(tag)", tag: tag) : entity(tag, named: pick(["E", "F"])))
    }
    return Schema(version: version, entities: entities)
  }

  private mutating func entity(_ tag: UInt32, named prefix: String) -> Entity {
    var attributes: [Entity.Attribute] = []
    for place in 1...4 as ClosedRange<UInt32> where chance(75) {
      attributes.append(attribute(place, named: pick(["a", "b"])))
    }
    let scalars = attributes.filter { $0.form == .scalar && !$0.isRetired }.map(\.name)
    var links: [Entity.Relationship] = []
    if chance(50) {
      let name = "\(prefix)\(tag)"
      links.append(
        chance(60)
          ? .toOne(
            "link", tag: 5, to: name, inverse: chance(50) ? "back" : nil, inverseTag: 0,
            onDelete: pick(DeleteRule.allCases))
          : .manyToMany("link", tag: 5, to: name))
    }
    links = links.map { link in
      link.inverse == nil
        ? link
        : .toOne(
          "link", tag: 5, to: link.target, inverse: "back", inverseTag: 6,
          onDelete: link.deleteRule)
    }
    let groups =
      scalars.count > 1 && chance(40)
      ? [Entity.Group("g", tag: 8, attributes: Array(scalars.prefix(2)))] : []
    let key = scalars.first.map { chance(50) ? Entity.Uniqueness.flag($0) : .dedupe($0) }
    return Entity(
      "\(prefix)\(tag)", tag: tag, attributes: attributes, relationships: links,
      uniqueness: chance(40) ? key : nil,
      indexes: chance(40) && !scalars.isEmpty ? [.init("i", on: scalars)] : [], groups: groups,
      updatesRevive: chance(50))
  }

  private mutating func attribute(_ tag: UInt32, named prefix: String) -> Entity.Attribute {
    let name = "\(prefix)\(tag)"
    if chance(10) { return .retired(name, tag: tag) }
    let (isOptional, isIndexed) = (chance(50), chance(50))
    switch tag {
    case 1:
      return .string(
        name, tag: 1, isOptional: isOptional, default: chance(50) ? text() : nil,
        isIndexed: isIndexed)
    case 2:
      return .integer(
        name, tag: 2, isOptional: isOptional, default: chance(50) ? signed() : nil,
        isIndexed: isIndexed)
    case 3: return .double(name, tag: 3, isOptional: isOptional, isIndexed: isIndexed)
    default: return .set(name, tag: 4, of: .string)
    }
  }
}
