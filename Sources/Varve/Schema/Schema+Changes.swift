// What a declaration adds to a log, and what in it contradicts the log. Layer: Schema.

import VarveFormat

extension Schema {
  /// The operations that make a log declare what this schema does; empty when nothing differs.
  ///
  /// A schema of the log's version or a newer one takes its own entities over: labels, defaults and
  /// rules are set, keys, groups and indexes that it does not have are withdrawn. A schema of an
  /// older version only adds what the log has never heard of. Entities, attributes and
  /// relationships that the schema does not mention stay as they are in either case. A type may not
  /// change: declare an attribute with a new tag, and retire the old one.
  ///
  /// The order of the operations depends on the schema and the log alone.
  ///
  /// - Throws: The first contradiction between the schema and the log, by entity and tag.
  package func changes(against log: ResolvedSchema) throws(SchemaError) -> [SchemaOperation] {
    var diff = SchemaDiff(self, log)
    try diff.checkConflicts()
    return diff.changes()
  }

  /// Every contradiction between this schema and a log, by entity and tag.
  package func conflicts(with log: ResolvedSchema) -> [SchemaError] {
    var diff = SchemaDiff(self, log)
    return diff.conflicts()
  }
}

/// A declaration beside a log.
private struct SchemaDiff {
  private let schema: Schema
  private let log: ResolvedSchema
  /// Whether the log was declared by a newer program.
  private let isOlder: Bool
  private var found: [SchemaError] = []

  init(_ schema: Schema, _ log: ResolvedSchema) {
    self.schema = schema
    self.log = log
    isOlder = schema.version < log.version
  }

  // MARK: contradictions

  mutating func checkConflicts() throws(SchemaError) {
    if let first = conflicts().first { throw first }
  }

  mutating func conflicts() -> [SchemaError] {
    found = []
    for entity in schema.entities.sorted(by: { $0.tag < $1.tag }) where !entity.isRetired {
      guard let known = log.entity(entity.tag) else {
        checkName(entity)
        continue
      }
      if log.isDeclared(entity.tag) { checkIdentity(entity, known) } else { checkName(entity) }
      for attribute in entity.attributes { check(attribute, entity, known) }
      for link in schema.links[entity.tag] ?? [] { check(link, entity, known) }
    }
    return found.sorted { ($0.entity, $0.tag) < ($1.entity, $1.tag) }
  }

  private mutating func add(
    _ code: SchemaError.Code, _ entity: UInt32, _ tag: UInt32, _ message: String
  ) {
    found.append(SchemaError(code, entity: entity, tag: tag, message))
  }

  /// A name that is new under its tag and belongs to another tag in the log.
  ///
  /// It is no contradiction if this schema gives the other one a new name, or if a newer program
  /// may have done so.
  private mutating func checkName(_ entity: Entity) {
    guard !isOlder, let other = log.entity(named: entity.name), !other.isRetired,
      other.tag != entity.tag, schema.entity(other.tag) == nil
    else { return }
    add(
      .nameConflict, entity.tag, 0,
      "\(entity.name) is declared with tag \(entity.tag), and the log has it under tag "
        + "\(other.tag): use that tag, or another name")
  }

  private mutating func checkIdentity(_ entity: Entity, _ known: EntityRule) {
    let isIdentity = entity.uniqueness?.mode == .identity
    if isIdentity != known.isIdentity {
      add(
        .identityConflict, entity.tag, 0,
        known.isIdentity
          ? "the log names the objects of \(entity.name) by their key, and the schema does not: "
            + "declare an identity key, or a new entity"
          : "the schema names the objects of \(entity.name) by their key, and the log does not: "
            + "declare a new entity")
    } else if isIdentity, let key = known.uniqueness, key.mode == .identity,
      let wanted = entity.uniqueness, key.attributes != entity.tags(wanted.attributes)
    {
      let names = key.attributes.map { log.name(entity.tag, $0) }.joined(separator: ", ")
      add(
        .identityConflict, entity.tag, 0,
        "the ids of \(entity.name) are made of \(names) in the log: a key that makes ids cannot "
          + "change, declare a new entity")
    }
  }

  private mutating func check(
    _ attribute: Entity.Attribute, _ entity: Entity, _ known: EntityRule
  ) {
    guard let type = attribute.type else { return }
    let place = "\(entity.name).\(attribute.name)"
    if let rule = known.attribute(attribute.tag, type.physicalType) {
      guard rule.form != attribute.form else { return }
      add(
        .kindConflict, entity.tag, attribute.tag,
        "\(place) is declared as \(attribute.form.rawValue), and the log has tag "
          + "\(attribute.tag) as \(rule.form.rawValue): use a new tag")
    } else if let rule = known.attribute(attribute.tag) {
      add(
        .typeConflict, entity.tag, attribute.tag,
        "\(place) is declared as \(type.rawValue), and the log has tag \(attribute.tag) as "
          + "\(rule.type.name) \"\(rule.label)\": use a new tag, and retire this one")
    } else if let link = known.relationship(attribute.tag) {
      add(
        .kindConflict, entity.tag, attribute.tag,
        "\(place) is an attribute, and the log has tag \(attribute.tag) as the relationship "
          + "\"\(link.label)\": use a new tag")
    } else if let rule = known.attribute(named: attribute.name) {
      checkName(attribute.name, attribute.tag, rule.tag, rule.isRetired, entity)
    }
  }

  private mutating func check(_ link: StoredLink, _ entity: Entity, _ known: EntityRule) {
    let tag = link.relationship.tag
    let place = "\(entity.name).\(link.relationship.name)"
    if let rule = known.relationship(tag) {
      if rule.kind != link.kind {
        add(
          .kindConflict, entity.tag, tag,
          "\(place) is declared as \(link.kind.word), and the log has tag \(tag) as "
            + "\(rule.kind.word): use a new tag")
      } else if rule.target != link.target {
        add(
          .kindConflict, entity.tag, tag,
          "\(place) points at \(link.relationship.target), and the log has tag \(tag) pointing at "
            + "\(log.name(rule.target)): use a new tag")
      }
    } else if let rule = known.attribute(tag) {
      add(
        .kindConflict, entity.tag, tag,
        "\(place) is a relationship, and the log has tag \(tag) as the attribute "
          + "\"\(rule.label)\": use a new tag")
    } else if let rule = known.relationship(named: link.relationship.name) {
      checkName(link.relationship.name, tag, rule.tag, rule.isRetired, entity)
    }
  }

  private mutating func checkName(
    _ name: String, _ tag: UInt32, _ other: UInt32, _ isRetired: Bool, _ entity: Entity
  ) {
    let isMentioned =
      entity.attributes.contains { $0.tag == other }
      || entity.relationships.contains { $0.tag == other }
    guard !isOlder, !isRetired, !isMentioned else { return }
    add(
      .nameConflict, entity.tag, tag,
      "\(entity.name).\(name) is declared with tag \(tag), and the log has it under tag \(other): "
        + "use that tag, or another name")
  }

  // MARK: changes

  func changes() -> [SchemaOperation] {
    var list = schema.operations.filter { isNeeded($0) }
    let entities = schema.entities.sorted { $0.tag < $1.tag }
    for entity in entities where !entity.isRetired && isOpen(entity.tag) {
      withdraw(from: entity, &list)
    }
    for entity in entities where !entity.isRetired && isOpen(entity.tag) {
      indexes(of: entity, &list)
    }
    if !isOlder {
      for entity in entities { retire(entity, &list) }
      let version = SchemaOperation.version(schema.version, label: schema.versionLabel)
      let isSaid = schema.version == 0 && schema.versionLabel.isEmpty && log.version == 0
      if !isSaid && !log.declares(version) { list.append(version) }
    }
    return list
  }

  /// Whether this program may set the rules of an entity.
  private func isOpen(_ entity: UInt32) -> Bool { !isOlder || !log.isDeclared(entity) }

  private func isNeeded(_ operation: SchemaOperation) -> Bool {
    let isSaid = log.declares(operation)
    switch operation {
    case .entity(let entity, _, _):
      return isOlder ? !log.isDeclared(entity) : !isSaid || log.entity(entity)?.isRetired == true
    case .attribute(let entity, let tag, let type, _, _, _):
      let rule = log.entity(entity)?.attribute(tag, type)
      return isOlder ? rule == nil : !isSaid || rule?.isRetired == true
    case .relationship(let link):
      let rule = log.entity(link.entity)?.relationship(link.attribute)
      return isOlder ? rule == nil : !isSaid || rule?.isRetired == true
    case .uniqueness(let entity, _, _), .group(let entity, _, _, _), .index(let entity, _, _, _):
      return isOpen(entity) && !isSaid
    case .retire, .version: return false
    }
  }

  /// Whether an entity declares all of these tags, so that it may decide about their rules.
  private func owns(_ entity: Entity, _ tags: [UInt32]) -> Bool {
    let own = Set(entity.attributes.map(\.tag) + entity.relationships.map(\.tag))
    return own.isSuperset(of: tags)
  }

  /// The key and groups that the entity has no more.
  private func withdraw(from entity: Entity, _ list: inout [SchemaOperation]) {
    guard let known = log.entity(entity.tag) else { return }
    if let key = known.uniqueness, entity.uniqueness == nil, owns(entity, key.attributes) {
      list.append(.uniqueness(entity: entity.tag, mode: 0, attributes: []))
    }
    for group in known.groups where !entity.groups.contains(where: { $0.tag == group.tag }) {
      guard owns(entity, group.attributes) else { continue }
      list.append(
        .group(entity: entity.tag, group: group.tag, label: group.label, attributes: []))
    }
  }

  /// The indexes that differ; one of a single attribute keeps the label that it has in the log.
  private func indexes(of entity: Entity, _ list: inout [SchemaOperation]) {
    let known = log.entity(entity.tag)?.indexes ?? []
    let wanted = entity.wantedIndexes
    var labels: Set<String> = Set(wanted.filter(\.isNamed).map(\.name))
    for index in wanted {
      var label = index.name
      if !index.isNamed {
        let free = { (label: String) in
          !labels.contains(label)
            && known.allSatisfy { $0.label != label || $0.attributes == index.attributes }
        }
        let same = known.first { $0.attributes == index.attributes && !labels.contains($0.label) }
        label = same?.label ?? (free(label) ? label : "\(label)#\(index.attributes[0])")
        labels.insert(label)
      }
      let operation = SchemaOperation.index(
        entity: entity.tag, label: label, kind: index.kind.rawValue, attributes: index.attributes)
      if !log.declares(operation) { list.append(operation) }
    }
    for index in known where !labels.contains(index.label) && owns(entity, index.attributes) {
      list.append(.index(entity: entity.tag, label: index.label, kind: 0, attributes: []))
    }
  }

  /// What the schema retires and the log knows and has in use.
  private func retire(_ entity: Entity, _ list: inout [SchemaOperation]) {
    guard let known = log.entity(entity.tag) else { return }
    if entity.isRetired {
      if !known.isRetired { list.append(.retire(entity: entity.tag, attribute: 0)) }
      return
    }
    let retired =
      entity.attributes.filter(\.isRetired).map(\.tag)
      + entity.relationships.filter(\.isRetired).map(\.tag)
    for tag in retired.sorted() {
      let isUsed =
        known.attribute(tag)?.isRetired == false || known.relationship(tag)?.isRetired == false
      if isUsed { list.append(.retire(entity: entity.tag, attribute: tag)) }
    }
  }
}

extension RelationshipKind {
  /// The word for people.
  package var word: String {
    switch self {
    case .toOne: "to-one"
    case .oneToOne: "one-to-one"
    case .orderedToMany: "ordered to-one"
    case .manyToMany: "many-to-many"
    }
  }
}
