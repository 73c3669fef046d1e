// A declaration as schema operations. Layer: Schema.

import VarveFormat

extension Schema {
  /// Everything that the declaration says, as operations for a log that knows nothing.
  ///
  /// Entities come first, then attributes, relationships, keys, groups, indexes and the version;
  /// each by tag.
  package var operations: [SchemaOperation] {
    var list: [SchemaOperation] = []
    let entities = entities.filter { !$0.isRetired }.sorted { $0.tag < $1.tag }
    for entity in entities { list.append(entity.operation) }
    for entity in entities {
      for attribute in entity.attributes.sorted(by: { $0.tag < $1.tag }) {
        if let operation = attribute.operation(in: entity.tag) { list.append(operation) }
      }
    }
    for entity in entities {
      let stored = links[entity.tag] ?? []
      for link in stored.sorted(by: { $0.relationship.tag < $1.relationship.tag }) {
        list.append(link.operation(in: entity.tag))
      }
    }
    for entity in entities {
      if let key = entity.uniqueness {
        list.append(
          .uniqueness(
            entity: entity.tag, mode: key.mode.rawValue, attributes: entity.tags(key.attributes)))
      }
    }
    for entity in entities {
      for group in entity.groups.sorted(by: { $0.tag < $1.tag }) {
        list.append(
          .group(
            entity: entity.tag, group: group.tag, label: group.name,
            attributes: entity.tags(group.attributes)))
      }
    }
    return list
  }
}

extension Entity {
  var operation: SchemaOperation {
    typealias Flag = SchemaOperation.EntityFlag
    let flags =
      (uniqueness?.mode == .identity ? Flag.identity : 0)
      | (updatesRevive ? Flag.updatesRevive : 0)
    return .entity(entity: tag, label: name, flags: flags)
  }

  /// The tags of attributes and relationships with these names.
  func tags(_ names: [String]) -> [UInt32] {
    names.compactMap { name in
      attributes.first { $0.name == name }?.tag ?? relationships.first { $0.name == name }?.tag
    }
  }

  /// The indexes that are wanted; those of single attributes have no name of their own.
  var wantedIndexes: [WantedIndex] {
    let single = attributes.sorted { $0.tag < $1.tag }.compactMap { attribute in
      attribute.index.map {
        WantedIndex(name: attribute.name, isNamed: false, kind: $0, attributes: [attribute.tag])
      }
    }
    let named = indexes.map {
      WantedIndex(name: $0.name, isNamed: true, kind: $0.kind, attributes: tags($0.attributes))
    }
    return named + single
  }
}

/// An index of a declaration.
struct WantedIndex {
  var name: String
  /// Whether the program named it, and not only asked for an index of an attribute.
  var isNamed: Bool
  var kind: IndexKind
  var attributes: [UInt32]
}

extension Entity.Attribute {
  /// The declaration, unless the attribute is retired.
  func operation(in entity: UInt32) -> SchemaOperation? {
    guard let type else { return nil }
    typealias Flag = SchemaOperation.AttributeFlag
    var flags: UInt8 = 0
    if isOptional { flags |= Flag.optional }
    if defaultValue != nil { flags |= Flag.hasDefault }
    if isLocalOnly { flags |= Flag.localOnly }
    switch form {
    case .scalar: break
    case .counter: flags |= Flag.counter
    case .set: flags |= Flag.set
    case .map: flags |= Flag.map
    }
    return .attribute(
      entity: entity, attribute: tag, type: type.physicalType, label: name, flags: flags,
      defaultValue: defaultValue)
  }
}

extension StoredLink {
  func operation(in entity: UInt32) -> SchemaOperation {
    typealias Flag = SchemaOperation.RelationshipFlag
    let flags =
      (relationship.isOptional ? Flag.optional : 0) | (relationship.isOwned ? Flag.owner : 0)
    return .relationship(
      SchemaOperation.Relationship(
        entity: entity, attribute: relationship.tag, label: relationship.name, kind: kind.rawValue,
        target: target, inverse: inverse, inverseLabel: inverseLabel,
        deleteRule: relationship.deleteRule.rawValue, flags: flags))
  }
}

extension AttributeRule {
  /// What the attribute holds.
  package var form: Entity.Attribute.Form {
    isCounter ? .counter : isSet ? .set : isMap ? .map : .scalar
  }
}
