// Finds what contradicts itself in a declaration. Layer: Schema.

import VarveFormat

/// One pass over the entities of a declaration.
struct SchemaCheck {
  private(set) var problems: [SchemaError] = []
  /// Stored relationships by entity, with their ways back.
  private(set) var links: [UInt32: [StoredLink]] = [:]
  private var byName: [String: Entity] = [:]

  /// A tag or name of an entity that is taken.
  private struct Claim {
    var tag: UInt32
    var name: String
    var what: String
  }

  /// A `toMany` and the entity that declares it.
  private struct WayBack {
    var entity: Entity
    var link: Entity.Relationship
  }

  private var claims: [UInt32: [Claim]] = [:]
  /// The `toMany` declarations that are the way back of a relationship, by entity and tag of that.
  private var waysBack: [ResolvedSchema.AttributeSlot: WayBack] = [:]

  init(_ entities: [Entity], versionLabel: String) {
    if versionLabel.utf8.count > Limits.labelBytesMax {
      add(.badName, 0, 0, "the label of a version has at most \(Limits.labelBytesMax) bytes")
    }
    checkEntities(entities)
    for entity in entities { checkProperties(entity) }
    for entity in entities { collectWaysBack(entity) }
    for entity in entities { checkLinks(entity) }
    for entity in entities { checkClaims(entity) }
    for entity in entities { checkRules(entity) }
  }

  private mutating func add(
    _ code: SchemaError.Code, _ entity: UInt32, _ tag: UInt32, _ message: String
  ) {
    problems.append(SchemaError(code, entity: entity, tag: tag, message))
  }

  private static func isValid(_ tag: UInt32) -> Bool { 1..<65_536 ~= tag || tag >= 1 << 31 }

  private static func nameProblem(_ name: String, _ what: String) -> String? {
    if name.isEmpty { return "\(what) has no name" }
    return name.utf8.count > Limits.labelBytesMax
      ? "the name of \(what) is longer than \(Limits.labelBytesMax) bytes" : nil
  }

  private mutating func checkEntities(_ entities: [Entity]) {
    var byTag: [UInt32: String] = [:]
    for entity in entities {
      checkName(entity.name, entity.tag, entity.tag, 0, "entity \"\(entity.name)\"")
      if let other = byTag.updateValue(entity.name, forKey: entity.tag) {
        add(
          .duplicateTag, entity.tag, 0,
          "entities \"\(other)\" and \"\(entity.name)\" both have tag \(entity.tag)")
      }
      if let other = byName.updateValue(entity, forKey: entity.name) {
        add(
          .duplicateName, entity.tag, 0,
          "entities with tags \(other.tag) and \(entity.tag) are both named \"\(entity.name)\"")
      }
    }
  }

  private mutating func checkName(
    _ name: String, _ tag: UInt32, _ entity: UInt32, _ property: UInt32, _ what: String
  ) {
    if !SchemaCheck.isValid(tag) {
      add(.badTag, entity, property, "\(what) has tag \(tag); tags are 1 to 65535, or inferred")
    }
    if let problem = SchemaCheck.nameProblem(name, what) {
      add(.badName, entity, property, problem)
    }
  }

  private mutating func claim(_ entity: Entity, _ tag: UInt32, _ name: String, _ what: String) {
    claims[entity.tag, default: []].append(Claim(tag: tag, name: name, what: what))
  }

  private mutating func checkProperties(_ entity: Entity) {
    for attribute in entity.attributes {
      let what = "\(entity.name).\(attribute.name)"
      checkName(attribute.name, attribute.tag, entity.tag, attribute.tag, what)
      claim(entity, attribute.tag, attribute.name, "attribute")
      if let value = attribute.defaultValue, let violation = attribute.validate(value) {
        add(.badDefault, entity.tag, attribute.tag, "the default of \(what): \(violation.message)")
      }
      if attribute.index != nil && (attribute.form != .scalar || attribute.type == .blob) {
        let word = attribute.form == .scalar ? "blob" : attribute.form.rawValue
        add(
          .badIndex, entity.tag, attribute.tag, "\(what) cannot have an index: it is a \(word)")
      }
    }
    for link in entity.relationships {
      checkName(link.name, link.tag, entity.tag, link.tag, "\(entity.name).\(link.name)")
      claim(entity, link.tag, link.name, "relationship")
    }
    for group in entity.groups {
      checkName(group.name, group.tag, entity.tag, group.tag, "\(entity.name).\(group.name)")
      claim(entity, group.tag, group.name, "group")
    }
  }

  /// The relationship that a `toMany` follows backwards.
  private mutating func collectWaysBack(_ entity: Entity) {
    for way in entity.relationships where way.form == .inverse {
      let place = "\(entity.name).\(way.name)"
      guard let target = target(of: way, in: entity) else { continue }
      let name = way.inverse ?? ""
      guard let link = target.relationships.first(where: { $0.name == name && $0.kind != nil })
      else {
        add(
          .unknownProperty, entity.tag, way.tag,
          "\(place) is the way back of \(target.name).\(name), which is not declared")
        continue
      }
      guard link.target == entity.name, link.kind != .oneToOne else {
        add(
          .badInverse, entity.tag, way.tag,
          "\(place) cannot be the way back of \(target.name).\(name), which "
            + (link.kind == .oneToOne ? "is one-to-one" : "points at \(link.target)"))
        continue
      }
      let slot = ResolvedSchema.AttributeSlot(entity: target.tag, tag: link.tag)
      if let other = waysBack.updateValue(WayBack(entity: entity, link: way), forKey: slot) {
        add(
          .badInverse, entity.tag, way.tag,
          "\(place) and \(other.entity.name).\(other.link.name) are both the way back of "
            + "\(target.name).\(name)")
      }
    }
  }

  private mutating func target(of link: Entity.Relationship, in entity: Entity) -> Entity? {
    if let target = byName[link.target], !target.isRetired { return target }
    let state = byName[link.target] == nil ? "not declared" : "retired"
    add(
      .unknownEntity, entity.tag, link.tag,
      "\(entity.name).\(link.name) points at \"\(link.target)\", which is \(state)")
    return nil
  }

  private mutating func checkLinks(_ entity: Entity) {
    for link in entity.relationships {
      guard let kind = link.kind, let target = target(of: link, in: entity) else { continue }
      let place = "\(entity.name).\(link.name)"
      var stored = StoredLink(
        relationship: link, kind: kind, target: target.tag, inverse: link.inverseTag,
        inverseLabel: link.inverse ?? "")
      if (link.inverse == nil) != (link.inverseTag == 0) {
        add(
          .badInverse, entity.tag, link.tag, "\(place) gives only one of inverse and inverseTag")
      }
      let slot = ResolvedSchema.AttributeSlot(entity: entity.tag, tag: link.tag)
      if let way = waysBack[slot]?.link {
        if link.inverse != nil && (link.inverse != way.name || link.inverseTag != way.tag) {
          add(
            .badInverse, entity.tag, link.tag,
            "\(place) names its way back \"\(stored.inverseLabel)\" with tag \(link.inverseTag), "
              + "and \(target.name).\(way.name) has tag \(way.tag)")
        }
        (stored.inverse, stored.inverseLabel) = (way.tag, way.name)
      } else if link.inverse != nil && !isMutual(link, entity, target) {
        checkName(stored.inverseLabel, link.inverseTag, target.tag, link.inverseTag, place)
        claim(target, link.inverseTag, stored.inverseLabel, "way back of \(place)")
      }
      let isWeak = link.deleteRule == .nullify || link.deleteRule == .noAction
      if !link.isOptional && !link.isOwned && isWeak {
        add(
          .requiredNullify, entity.tag, link.tag,
          "\(place) is not optional, and is nil once its \(target.name) is deleted: make it "
            + "optional, or give it the delete rule cascade or deny")
      }
      links[entity.tag, default: []].append(stored)
    }
  }

  /// Whether the other end declares the same one-to-one relationship.
  private func isMutual(_ link: Entity.Relationship, _ entity: Entity, _ target: Entity) -> Bool {
    link.kind == .oneToOne
      && target.relationships.contains {
        $0.kind == .oneToOne && $0.tag == link.inverseTag && $0.name == link.inverse
          && $0.target == entity.name && $0.inverseTag == link.tag && $0.inverse == link.name
      }
  }

  private mutating func checkClaims(_ entity: Entity) {
    var tags: [UInt32: Claim] = [:]
    var names: [String: Claim] = [:]
    for claim in claims[entity.tag] ?? [] {
      if let other = tags.updateValue(claim, forKey: claim.tag) {
        add(
          .duplicateTag, entity.tag, claim.tag,
          "\(entity.name): the \(other.what) \"\(other.name)\" and the \(claim.what) "
            + "\"\(claim.name)\" both have tag \(claim.tag)")
      }
      if let other = names.updateValue(claim, forKey: claim.name) {
        add(
          .duplicateName, entity.tag, claim.tag,
          "\(entity.name): the \(other.what) with tag \(other.tag) and the \(claim.what) with "
            + "tag \(claim.tag) are both named \"\(claim.name)\"")
      }
    }
  }

  private mutating func checkRules(_ entity: Entity) {
    if let key = entity.uniqueness { checkKey(entity, key) }
    var indexNames: Set<String> = []
    for index in entity.indexes {
      let what = "the index \"\(index.name)\" of \(entity.name)"
      if let problem = SchemaCheck.nameProblem(index.name, what) {
        add(.badName, entity.tag, 0, problem)
      }
      if !indexNames.insert(index.name).inserted {
        add(.duplicateName, entity.tag, 0, "\(entity.name) has two indexes \"\(index.name)\"")
      }
      checkList(entity, 0, .badIndex, what, index.attributes)
    }
    var grouped: [String: String] = [:]
    for group in entity.groups {
      let what = "the group \"\(group.name)\" of \(entity.name)"
      checkList(entity, group.tag, .badIndex, what, group.attributes, allowsLinks: false)
      if group.attributes.count < 2 {
        add(.badIndex, entity.tag, group.tag, "\(what) has fewer than two attributes")
      }
      for name in group.attributes {
        guard let other = grouped.updateValue(group.name, forKey: name), other != group.name else {
          continue
        }
        add(
          .badIndex, entity.tag, group.tag,
          "\(entity.name).\(name) is in the groups \"\(other)\" and \"\(group.name)\"")
      }
    }
  }

  private mutating func checkKey(_ entity: Entity, _ key: Entity.Uniqueness) {
    let isIdentity = key.mode == .identity
    let what = "the key of \(entity.name)"
    checkList(entity, 0, .badKey, what, key.attributes, allowsLinks: !isIdentity)
    guard isIdentity else { return }
    for attribute in entity.attributes where key.attributes.contains(attribute.name) {
      guard attribute.isOptional || attribute.isLocalOnly else { continue }
      add(
        .badKey, entity.tag, attribute.tag,
        "\(what) makes its ids, so \(entity.name).\(attribute.name) cannot be "
          + (attribute.isOptional ? "optional" : "local only"))
    }
  }

  /// A list of names that a key, index or group is made of.
  private mutating func checkList(
    _ entity: Entity, _ tag: UInt32, _ code: SchemaError.Code, _ what: String, _ names: [String],
    allowsLinks: Bool = true
  ) {
    if names.isEmpty { add(code, entity.tag, tag, "\(what) lists no attributes") }
    if names.count > Limits.columnsMax || Set(names).count != names.count {
      add(code, entity.tag, tag, "\(what) lists an attribute twice, or too many")
    }
    for name in names {
      if let attribute = entity.attributes.first(where: { $0.name == name }) {
        if attribute.form != .scalar || attribute.isRetired || attribute.type == .blob {
          add(
            code, entity.tag, tag,
            "\(what) lists \(entity.name).\(name), which is not one value of a scalar type")
        }
      } else if let link = entity.relationships.first(where: { $0.name == name }) {
        if !allowsLinks || link.kind == nil || link.kind == .manyToMany {
          add(code, entity.tag, tag, "\(what) lists the relationship \(entity.name).\(name)")
        }
      } else {
        add(
          .unknownProperty, entity.tag, tag,
          "\(what) lists \"\(name)\", which is no attribute of \(entity.name)")
      }
    }
  }
}
