// The view of the declarations: look-ups, names and ways back.

import Testing
import Varve
import VarveFormat
import VarveTestSupport

@Suite("Schema: resolved view")
struct ResolvedSchemaTests {
  typealias S = SchemaSamples

  @Test("entities, attributes and relationships are found by tag and by label")
  func lookups() throws {
    let schema = S.state(S.projects).resolved
    #expect(schema.entities.map(\.tag) == [1, 2])
    #expect(schema.version == 2)
    #expect(schema.problems.isEmpty)
    let item = try #require(schema.entity(named: "Item"))
    #expect(item.attribute(named: "priority")?.tag == 2)
    #expect(item.attribute(2)?.label == "priority")
    #expect(item.attribute(2, .string) == nil)
    #expect(item.attribute(9) == nil)
    #expect(item.relationship(4) == item.relationship(named: "project"))
    #expect(item.relationship(named: "title") == nil)
    #expect(item.indexes.map(\.label) == ["title"])
    #expect(schema.entity(named: "Nothing") == nil)
    #expect(schema.entity(7) == nil)
  }

  @Test("the way back is found by the tag and the label that the target gives it")
  func inverses() throws {
    let schema = S.state(S.projects).resolved
    let link = try #require(schema.inverse(1, 3))
    #expect(link.entity == 2 && link.tag == 4)
    #expect(schema.inverse(1, named: "items") == link)
    #expect(schema.inverses(of: 1) == [link])
    #expect(schema.inverses(of: 2).isEmpty)
    #expect(schema.inverse(1, 4) == nil)
  }

  @Test("names are labels, and numbers where there is no label")
  func names() {
    let schema = S.state(S.projects + [S.attribute(5, 1, "")]).resolved
    #expect(schema.name(2) == "Item")
    #expect(schema.name(9) == "#9")
    #expect(schema.name(5) == "#5")
    #expect(schema.name(2, 1) == "title")
    #expect(schema.name(2, 4) == "project")
    #expect(schema.name(1, 3) == "items")
    #expect(schema.name(5, 1) == "#1")
    #expect(schema.name(2, 1, .string) == "title")
  }

  @Test("deleting the target hides the holder by the rule cascade or by ownership, never by edges")
  func cascading() throws {
    let optional = SchemaOperation.RelationshipFlag.optional
    let owner = SchemaOperation.RelationshipFlag.owner | optional
    let plain = S.state([S.entity(1, "A"), S.entity(2, "B"), S.link(1, 1, "b", to: 2)]).resolved
    #expect(!plain.isCascading)
    for kind in RelationshipKind.allCases {
      let schema = S.state([
        S.entity(1, "A"), S.entity(2, "B"),
        S.link(1, 1, "byRule", to: 2, kind: kind, rule: .cascade),
        S.link(1, 2, "owned", to: 2, kind: kind, flags: owner),
        S.link(1, 3, "plain", to: 2, kind: kind, rule: .deny),
      ]).resolved
      let links = try #require(schema.entity(1)).relationships
      let hides = kind != .manyToMany
      #expect(links.map(\.isCascading) == [hides, hides, false])
      #expect(schema.isCascading == hides)
    }
  }

  @Test("every flag of an attribute and of an entity has its property")
  func flags() throws {
    typealias Flag = SchemaOperation.AttributeFlag
    let schema = S.state([
      S.entity(1, "A", flags: 1), S.entity(2, "B", flags: 2),
      S.attribute(1, 1, "a", flags: Flag.optional), S.attribute(1, 2, "b", flags: Flag.counter),
      S.attribute(1, 3, "c", flags: Flag.set), S.attribute(1, 4, "d", flags: Flag.map),
      S.attribute(1, 5, "e", flags: Flag.ordered), S.attribute(1, 6, "f", flags: Flag.localOnly),
    ]).resolved
    let first = try #require(schema.entity(1))
    #expect(first.isIdentity && !first.updatesRevive)
    #expect(schema.entity(2)?.updatesRevive == true)
    let properties: [KeyPath<AttributeRule, Bool>] = [
      \.isOptional, \.isCounter, \.isSet, \.isMap, \.isOrdered, \.isLocalOnly,
    ]
    for (place, attribute) in first.attributes.enumerated() {
      #expect(properties.map { attribute[keyPath: $0] } == (0..<6).map { $0 == place })
      #expect(attribute.isScalar == ![1, 2, 3].contains(place))
    }
  }

  @Test("keys, groups and indexes can be withdrawn again")
  func withdrawn() throws {
    let rules: [SchemaOperation] = [
      .uniqueness(entity: 1, mode: 2, attributes: [1]),
      .group(entity: 1, group: 7, label: "place", attributes: [1, 2]),
      .index(entity: 1, label: "i", kind: 2, attributes: [2]),
    ]
    let base = [S.entity(1, "A"), S.attribute(1, 1, "x"), S.attribute(1, 2, "y")] + rules
    let with = try #require(S.state(base).resolved.entity(1))
    #expect(with.uniqueness == UniquenessRule(mode: .flag, attributes: [1]))
    #expect(with.group(ofAttribute: 2)?.label == "place")
    #expect(with.indexes == [IndexRule(label: "i", kind: .ordered, attributes: [2])])
    let without = try #require(
      S.state(
        base + [
          .uniqueness(entity: 1, mode: 0, attributes: []),
          .group(entity: 1, group: 7, label: "place", attributes: []),
          .index(entity: 1, label: "i", kind: 0, attributes: []),
        ]
      ).resolved.entity(1))
    #expect(without.uniqueness == nil)
    #expect(without.group(ofAttribute: 2) == nil)
    #expect(without.indexes.isEmpty && without.groups.isEmpty)
  }

  @Test("an empty state has an empty view")
  func empty() {
    let schema = ResolvedSchema()
    #expect(schema.entities.isEmpty && schema.problems.isEmpty && schema.version == 0)
    #expect(schema.name(1, 1) == "#1")
  }
}
