// Turns the registers of the schema into rules, entity by entity. Layer: Schema.

import VarveFormat

/// One pass over the declarations of a state; `SchemaResolver+Checks.swift` has the contradictions.
struct SchemaResolver {
  typealias Slot = ResolvedSchema.AttributeSlot

  /// The declarations that name one entity.
  private struct Parts {
    var entity: SchemaDeclaration?
    var attributes: [SchemaDeclaration] = []
    var relationships: [SchemaDeclaration] = []
    var groups: [GroupRule] = []
    var uniqueness: UniquenessRule?
    var indexes: [IndexRule] = []
  }

  /// Something with a label, and what decides when labels are equal.
  struct Named {
    var label: String
    var tag: UInt32
    var claim: SchemaClaim
    var isRetired: Bool
    var place: Int

    /// Whether it is found rather than `other`, which has the same label.
    func precedes(_ other: Named) -> Bool {
      if isRetired != other.isRetired { return !isRetired }
      return claim != other.claim ? claim < other.claim : tag < other.tag
    }
  }

  private(set) var entities: [EntityRule] = []
  private(set) var entityNames: [String: Int] = [:]
  private(set) var version: UInt64 = 0
  private(set) var versionLabel = ""
  /// Ways back that mean a relationship, by entity and tag.
  var inverses: [Slot: RelationshipRule] = [:]
  var slotNames: [Slot: String] = [:]
  var problems: [SchemaProblem] = []
  /// The earliest claim on each tag, of the relationship and of the attribute.
  private(set) var relationshipClaims: [Slot: SchemaClaim] = [:]
  private(set) var attributeClaims: [Slot: SchemaClaim] = [:]
  private(set) var namedEntities: [Named] = []
  private var places: [UInt32: Int] = [:]
  private let state: SchemaState

  init(_ state: SchemaState) {
    self.state = state
    var parts: [UInt32: Parts] = [:]
    for declaration in state.declarations { collect(declaration, into: &parts) }
    for tag in parts.keys.sorted() { add(tag, parts[tag] ?? Parts()) }
    entityNames = SchemaResolver.lookup(namedEntities)
    nameSlots()
    check()
  }

  func entity(_ tag: UInt32) -> EntityRule? { places[tag].map { entities[$0] } }

  /// Problems by kind, entity and tag.
  var sortedProblems: [SchemaProblem] {
    let kinds = Dictionary(
      uniqueKeysWithValues: SchemaProblem.Kind.allCases.enumerated().map { ($1, $0) })
    return problems.sorted { a, b in
      let (left, right) = (kinds[a.kind] ?? 0, kinds[b.kind] ?? 0)
      return (left, a.entity, a.tag, a.sentence) < (right, b.entity, b.tag, b.sentence)
    }
  }

  private mutating func collect(
    _ declaration: SchemaDeclaration, into parts: inout [UInt32: Parts]
  ) {
    switch declaration.operation {
    case .entity(let entity, _, _): parts[entity, default: Parts()].entity = declaration
    case .attribute(let entity, let tag, _, _, _, _):
      parts[entity, default: Parts()].attributes.append(declaration)
      let slot = Slot(entity: entity, tag: tag)
      if attributeClaims[slot] == nil { attributeClaims[slot] = declaration.earliest }
    case .relationship(let link):
      parts[link.entity, default: Parts()].relationships.append(declaration)
      relationshipClaims[Slot(entity: link.entity, tag: link.attribute)] = declaration.earliest
    case .uniqueness(let entity, let mode, let attributes):
      parts[entity, default: Parts()].uniqueness = UniquenessMode(rawValue: mode).map {
        UniquenessRule(mode: $0, attributes: attributes)
      }
    case .group(let entity, let tag, let label, let attributes):
      guard !attributes.isEmpty else { return }
      let group = GroupRule(tag: tag, label: label, attributes: attributes)
      parts[entity, default: Parts()].groups.append(group)
    case .index(let entity, let label, let kind, let attributes):
      guard let kind = IndexKind(rawValue: kind) else { return }
      let index = IndexRule(label: label, kind: kind, attributes: attributes)
      parts[entity, default: Parts()].indexes.append(index)
    case .version(let number, let label): (version, versionLabel) = (number, label)
    case .retire: break
    }
  }

  private mutating func add(_ tag: UInt32, _ parts: Parts) {
    var (label, flags) = ("", UInt8(0))
    if case .entity(_, let declared, let bits)? = parts.entity?.operation {
      (label, flags) = (declared, bits)
    }
    let isRetired = state.isRetired(tag, 0)
    let attributes = attributeRules(parts.attributes)
    let relationships = parts.relationships.compactMap { relationshipRule($0) }
    var named: [Named] = []
    for (place, rule) in attributes.enumerated() {
      let claim = parts.attributes[place].earliest
      named.append(
        Named(
          label: rule.label, tag: rule.tag, claim: claim, isRetired: rule.isRetired, place: place))
    }
    let linked = relationships.enumerated().compactMap { place, rule in
      relationshipClaims[Slot(entity: tag, tag: rule.tag)].map { claim in
        Named(
          label: rule.label, tag: rule.tag, claim: claim, isRetired: rule.isRetired, place: place)
      }
    }
    if let entity = parts.entity {
      namedEntities.append(
        Named(
          label: label, tag: tag, claim: entity.earliest, isRetired: isRetired,
          place: entities.count))
    }
    places[tag] = entities.count
    entities.append(
      EntityRule(
        tag: tag, label: label, flags: flags, isRetired: isRetired, attributes: attributes,
        relationships: relationships, groups: parts.groups, uniqueness: parts.uniqueness,
        indexes: parts.indexes.sorted { $0.label.utf8.lexicographicallyPrecedes($1.label.utf8) },
        attributeNames: SchemaResolver.lookup(named),
        relationshipNames: SchemaResolver.lookup(linked)))
  }

  /// The rules of all attributes of an entity; declarations of one tag follow each other, the
  /// earliest first.
  private mutating func attributeRules(_ declarations: [SchemaDeclaration]) -> [AttributeRule] {
    var rules: [AttributeRule] = []
    var first: AttributeRule?
    for declaration in declarations {
      guard var rule = attributeRule(declaration) else { continue }
      if let first, first.tag == rule.tag {
        let name = first.label.isEmpty ? "#\(first.tag)" : first.label
        rule.label = "\(name):\(rule.type.name)"
      } else {
        first = rule
      }
      rules.append(rule)
    }
    return rules
  }

  private mutating func attributeRule(_ declaration: SchemaDeclaration) -> AttributeRule? {
    guard
      case .attribute(let entity, let tag, let type, let label, let flags, let value) =
        declaration.operation
    else { return nil }
    typealias Flag = SchemaOperation.AttributeFlag
    let isCounter = flags & Flag.counter != 0
    let isSet = flags & Flag.set != 0 && !isCounter
    let isMap = flags & Flag.map != 0 && !isCounter && !isSet
    var rule = AttributeRule(
      entity: entity, tag: tag, type: type, label: label,
      isOptional: flags & Flag.optional != 0, isCounter: isCounter, isSet: isSet, isMap: isMap,
      isOrdered: flags & Flag.ordered != 0, isLocalOnly: flags & Flag.localOnly != 0,
      isRetired: state.isRetired(entity, tag), defaultValue: value)
    if (flags & (Flag.counter | Flag.set | Flag.map)).nonzeroBitCount > 1 {
      note(.severalForms, entity, tag, "\"\(label)\" is a counter, set or map at once")
    }
    if let value, value.typeCode != type.rawValue {
      rule.defaultValue = nil
      if value != .null {
        note(.wrongDefault, entity, tag, "the default of \"\(label)\" is no \(type.name)")
      }
    }
    return rule
  }

  private func relationshipRule(_ declaration: SchemaDeclaration) -> RelationshipRule? {
    guard case .relationship(let link) = declaration.operation,
      let kind = RelationshipKind(rawValue: link.kind),
      let deleteRule = DeleteRule(rawValue: link.deleteRule)
    else { return nil }
    typealias Flag = SchemaOperation.RelationshipFlag
    return RelationshipRule(
      entity: link.entity, tag: link.attribute, label: link.label, kind: kind,
      target: link.target, inverse: link.inverse, inverseLabel: link.inverseLabel,
      deleteRule: deleteRule, isOptional: link.flags & Flag.optional != 0,
      isOwner: link.flags & Flag.owner != 0,
      isRetired: state.isRetired(link.entity, link.attribute))
  }

  /// The place that each label finds; empty labels find nothing.
  private static func lookup(_ named: [Named]) -> [String: Int] {
    var best: [String: Named] = [:]
    for candidate in named where !candidate.label.isEmpty {
      if let known = best[candidate.label], known.precedes(candidate) { continue }
      best[candidate.label] = candidate
    }
    return best.mapValues(\.place)
  }

  mutating func note(
    _ kind: SchemaProblem.Kind, _ entity: UInt32, _ tag: UInt32, _ sentence: String
  ) {
    problems.append(SchemaProblem(kind, entity: entity, tag: tag, sentence))
  }
}
