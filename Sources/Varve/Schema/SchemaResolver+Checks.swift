// Names of tags, and the contradictions that the log may hold. Layer: Schema.

import VarveFormat

extension SchemaResolver {
  /// Gives every tag its name and every way back its relationship.
  mutating func nameSlots() {
    for entity in entities {
      for attribute in entity.attributes {
        let slot = Slot(entity: entity.tag, tag: attribute.tag)
        if slotNames[slot] == nil, !attribute.label.isEmpty { slotNames[slot] = attribute.label }
      }
      for link in entity.relationships where !link.label.isEmpty {
        let slot = Slot(entity: entity.tag, tag: link.tag)
        if let taken = attributeClaims[slot], let own = relationshipClaims[slot], taken <= own {
          continue
        }
        slotNames[slot] = link.label
      }
    }
    for link in byClaim where link.inverse != 0 {
      let slot = Slot(entity: link.target, tag: link.inverse)
      guard attributeClaims[slot] == nil, inverses[slot] == nil,
        relationshipClaims[slot] == nil || isMutual(link)
      else { continue }
      inverses[slot] = link
      if slotNames[slot] == nil, !link.inverseLabel.isEmpty { slotNames[slot] = link.inverseLabel }
    }
  }

  /// All relationships, the earliest declared first.
  private var byClaim: [RelationshipRule] {
    entities.flatMap(\.relationships).sorted { a, b in
      guard let left = relationshipClaims[Slot(entity: a.entity, tag: a.tag)],
        let right = relationshipClaims[Slot(entity: b.entity, tag: b.tag)], left != right
      else { return (a.entity, a.tag) < (b.entity, b.tag) }
      return left < right
    }
  }

  /// Whether the way back is a one-to-one relationship that was declared at its end as well.
  private func isMutual(_ link: RelationshipRule) -> Bool {
    guard let back = entity(link.target)?.relationship(link.inverse) else { return false }
    return link.kind == .oneToOne && back.kind == .oneToOne && back.target == link.entity
      && back.inverse == link.tag
  }

  private func name(_ tag: UInt32) -> String {
    let label = entity(tag)?.label ?? ""
    return label.isEmpty ? "#\(tag)" : label
  }

  private func name(_ entity: UInt32, _ tag: UInt32) -> String {
    "\(name(entity)).\(slotNames[Slot(entity: entity, tag: tag)] ?? "#\(tag)")"
  }

  private func name(_ link: RelationshipRule) -> String {
    "\(name(link.entity)).\(link.label.isEmpty ? "#\(link.tag)" : link.label)"
  }

  /// Lists every contradiction.
  mutating func check() {
    let declared = Set(namedEntities.map(\.tag))
    for entity in entities {
      if !declared.contains(entity.tag) {
        note(.missingEntity, entity.tag, 0, "entity #\(entity.tag) has rules and no declaration")
      }
      checkTypes(entity)
      checkRules(entity)
      for link in entity.relationships {
        check(link)
        checkInverse(link, declared)
      }
    }
    checkLabels()
  }

  private mutating func checkTypes(_ entity: EntityRule) {
    let types = Dictionary(grouping: entity.attributes, by: \.tag).filter { $1.count > 1 }
    for (tag, rules) in types {
      let list = rules.map(\.type.name).joined(separator: ", ")
      note(
        .severalTypes, entity.tag, tag, "\(name(entity.tag, tag)) has several types: \(list)")
    }
    for link in entity.relationships where entity.attribute(link.tag) != nil {
      note(
        .attributeAndRelationship, entity.tag, link.tag,
        "tag \(link.tag) of \(name(entity.tag)) is an attribute and the relationship "
          + "\"\(link.label)\"")
    }
  }

  private mutating func checkRules(_ entity: EntityRule) {
    let hasKey = entity.uniqueness?.mode == .identity
    if entity.isIdentity != hasKey {
      let sentence =
        hasKey
        ? "\(name(entity.tag)) has an identity key, and its objects are not named by it"
        : "objects of \(name(entity.tag)) are named by a key that is not declared"
      note(.identityWithoutKey, entity.tag, 0, sentence)
    }
    checkAttributes(entity, 0, "the key", entity.uniqueness?.attributes ?? [])
    for index in entity.indexes {
      checkAttributes(entity, 0, "the index \"\(index.label)\"", index.attributes)
    }
    var owners: [UInt32: GroupRule] = [:]
    for group in entity.groups {
      checkAttributes(entity, group.tag, "the group \"\(group.label)\"", group.attributes)
      for attribute in Set(group.attributes).sorted() {
        if let other = owners[attribute] {
          note(
            .twoGroups, entity.tag, attribute,
            "\(name(entity.tag, attribute)) is in the groups \"\(other.label)\" and "
              + "\"\(group.label)\"")
        } else {
          owners[attribute] = group
        }
      }
    }
  }

  private mutating func checkAttributes(
    _ entity: EntityRule, _ tag: UInt32, _ what: String, _ attributes: [UInt32]
  ) {
    for attribute in attributes {
      guard entity.attribute(attribute) == nil, entity.relationship(attribute) == nil else {
        continue
      }
      note(
        .missingAttribute, entity.tag, tag,
        "\(what) of \(name(entity.tag)) lists tag \(attribute), which is not declared")
    }
  }

  private mutating func check(_ link: RelationshipRule) {
    if link.isCascading && link.isSelfReferential {
      note(
        .selfCascade, link.entity, link.tag,
        "\(name(link)) hides objects of its own entity; cycles are cut")
    }
    if !link.isOptional && link.kind != .manyToMany && !link.isCascading
      && (link.deleteRule == .nullify || link.deleteRule == .noAction)
    {
      note(
        .requiredNullify, link.entity, link.tag,
        "\(name(link)) must not be nil, and is when its target is deleted")
    }
  }

  private mutating func checkInverse(_ link: RelationshipRule, _ declared: Set<UInt32>) {
    guard declared.contains(link.target) else {
      note(
        .missingTarget, link.entity, link.tag,
        "\(name(link)) points at entity #\(link.target), which is not declared")
      return
    }
    guard link.inverse != 0 else { return }
    let slot = Slot(entity: link.target, tag: link.inverse)
    let place = name(link.target, link.inverse)
    if attributeClaims[slot] != nil {
      note(
        .inverseIsAttribute, link.entity, link.tag,
        "the way back of \(name(link)) is the attribute \(place)")
    } else if let back = entity(link.target)?.relationship(link.inverse), !isMutual(link) {
      let isStoredTwice =
        link.kind == .manyToMany && back.kind == .manyToMany && back.target == link.entity
      note(
        isStoredTwice ? .inverseStoredTwice : .inverseElsewhere, link.entity, link.tag,
        isStoredTwice
          ? "\(name(link)) and \(place) are both declared as stored"
          : "the way back of \(name(link)) is \(place), which does not point back at it")
    } else if let first = inverses[slot], first.entity != link.entity || first.tag != link.tag {
      note(
        .sameInverse, link.entity, link.tag,
        "\(name(link)) and \(name(first)) have the same way back, \(place)")
    }
  }

  /// Entities with one label, and properties of one entity with one label.
  private mutating func checkLabels() {
    for (first, other) in SchemaResolver.collisions(namedEntities) {
      note(
        .sameLabel, other.tag, 0,
        "entities \(first.tag) and \(other.tag) have the label \"\(other.label)\"")
    }
    let ways = Dictionary(grouping: inverses, by: \.key.entity)
    for entity in entities {
      let slot = { (tag: UInt32) in Slot(entity: entity.tag, tag: tag) }
      var named = entity.attributes.compactMap { rule in
        attributeClaims[slot(rule.tag)].map {
          Named(label: rule.label, tag: rule.tag, claim: $0, isRetired: rule.isRetired, place: 0)
        }
      }
      named += entity.relationships.compactMap { rule in
        relationshipClaims[slot(rule.tag)].map {
          Named(label: rule.label, tag: rule.tag, claim: $0, isRetired: rule.isRetired, place: 0)
        }
      }
      named += (ways[entity.tag] ?? []).compactMap { slot, link in
        guard relationshipClaims[slot] == nil else { return nil }
        return relationshipClaims[Slot(entity: link.entity, tag: link.tag)].map {
          Named(
            label: link.inverseLabel, tag: slot.tag, claim: $0, isRetired: link.isRetired, place: 0)
        }
      }
      for (first, other) in SchemaResolver.collisions(named) where first.tag != other.tag {
        note(
          .sameLabel, entity.tag, other.tag,
          "tags \(first.tag) and \(other.tag) of \(name(entity.tag)) have the label "
            + "\"\(other.label)\"")
      }
    }
  }

  /// Pairs of what a label finds and another one that has it too.
  private static func collisions(_ named: [Named]) -> [(Named, Named)] {
    var first: [String: Named] = [:]
    var pairs: [(Named, Named)] = []
    for one in named.sorted(by: { $0.precedes($1) }) where !one.isRetired && !one.label.isEmpty {
      if let known = first[one.label] {
        pairs.append((known, one))
      } else {
        first[one.label] = one
      }
    }
    return pairs
  }
}
