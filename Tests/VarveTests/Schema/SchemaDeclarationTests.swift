// Declarations of a program: what they say, and what in them contradicts itself.

import Testing
import Varve
import VarveFormat
import VarveTestSupport

@Suite("Schema: declarations")
struct SchemaDeclarationTests {
  typealias Attribute = Entity.Attribute

  private func codes(_ entities: Entity...) -> [SchemaError.Code] {
    let problems = Schema.problems(entities)
    #expect(problems.allSatisfy { !$0.message.isEmpty && $0.description == $0.message })
    return problems.map(\.code)
  }

  @Test("the example of the documentation says what the log of the samples says")
  func example() throws {
    let schema = SchemaSamples.projectSchema
    #expect(schema.entity(named: "Item")?.tag == 2)
    #expect(schema.entity(1)?.name == "Project")
    #expect(schema.entity(3) == nil && schema.entity(named: "Nothing") == nil)
    let log = SchemaSamples.state(SchemaSamples.projects).resolved
    #expect(try schema.changes(against: log).isEmpty)
  }

  @Test("every type has its physical type, and its default arrives in the log (R13)")
  func defaults() throws {
    let uuid = [UInt8](0..<16)
    let attributes: [(Attribute, PhysicalType, Value)] = [
      (.bool("a", tag: 1, default: true), .bool, .bool(true)),
      (.int8("b", tag: 2, default: -128), .integer, .integer(-128)),
      (.int16("c", tag: 3, default: 300), .integer, .integer(300)),
      (.int32("d", tag: 4, default: 70_000), .integer, .integer(70_000)),
      (.integer("e", tag: 5, default: .min), .integer, .integer(.min)),
      (.unsigned("f", tag: 6, default: .max), .unsigned, .unsigned(.max)),
      (.double("g", tag: 7, default: -0.0), .double, Value.double(Double(-0.0))),
      (
        .decimal("h", tag: 8, default: (significand: -1_250, exponent: -2)), .decimal,
        .decimal(DecimalValue(isNegative: true, exponent: -1, magnitude: 125))
      ),
      (.string("i", tag: 9, default: "é"), .string, .string("é")),
      (.data("j", tag: 10, default: [0, 1]), .data, .data([0, 1])),
      (.date("k", tag: 11, default: -1), .date, .date(-1)),
      (.uuid("l", tag: 12, default: uuid), .uuid, .uuid(uuid)),
    ]
    let schema = Schema(entities: [Entity("A", tag: 1, attributes: attributes.map(\.0))])
    let log = SchemaSamples.state(schema.operations).resolved
    #expect(log.problems.isEmpty)
    let entity = try #require(log.entity(1))
    for (attribute, type, value) in attributes {
      let rule = try #require(entity.attribute(named: attribute.name))
      #expect(rule.type == type)
      #expect(rule.defaultValue == value)
      #expect(!rule.isOptional && rule.isScalar)
    }
    #expect(AttributeType.allCases.filter { $0.range != nil } == [.int8, .int16, .int32])
  }

  @Test("counters, sets, maps, optional and local attributes have their flags in the log")
  func forms() throws {
    let schema = Schema(entities: [
      Entity(
        "A", tag: 1,
        attributes: [
          .counter("hits", tag: 1), .set("labels", tag: 2, of: .string),
          .map("scores", tag: 3, of: .double), .blob("image", tag: 4, isOptional: true),
          Attribute.string("draft", tag: 5, isOptional: true).localOnly.indexed(.hash),
        ])
    ])
    let log = SchemaSamples.state(try schema.changes(against: ResolvedSchema())).resolved
    let attributes = try #require(log.entity(1)).attributes
    #expect(attributes.map(\.form) == [.counter, .set, .map, .scalar, .scalar])
    #expect(
      attributes.map(\.typeText) == [
        "counter", "set of string", "map of double", "blob", "string",
      ])
    #expect(attributes.map(\.isLocalOnly) == [false, false, false, false, true])
    #expect(log.entity(1)?.indexes == [IndexRule(label: "draft", kind: .hash, attributes: [5])])
  }

  @Test("identity entities are revived by updates unless they say otherwise (R22, R27)")
  func identity() throws {
    let name = [Attribute.string("name", tag: 1)]
    let schema = Schema(entities: [
      Entity("A", tag: 1, attributes: name, uniqueness: .identity("name")),
      Entity("B", tag: 2, attributes: name, uniqueness: .identity("name"), updatesRevive: false),
      Entity("C", tag: 3, attributes: name, uniqueness: .flag("name")),
      Entity("D", tag: 4, attributes: name, uniqueness: .dedupe("name"), updatesRevive: true),
    ])
    let log = SchemaSamples.state(schema.operations).resolved
    #expect(log.problems.isEmpty)
    #expect(log.entities.map(\.isIdentity) == [true, true, false, false])
    #expect(log.entities.map(\.updatesRevive) == [true, false, false, true])
    #expect(log.entities.compactMap(\.uniqueness?.mode) == [.identity, .identity, .flag, .dedupe])
  }

  @Test("a to-many names the way back of a link that does not name it itself")
  func toMany() throws {
    let schema = Schema(entities: [
      Entity("A", tag: 1, relationships: [.toMany("bs", tag: 7, to: "B", inverse: "a")]),
      Entity("B", tag: 2, relationships: [.toOne("a", tag: 1, to: "A", isOrdered: true)]),
    ])
    let log = SchemaSamples.state(schema.operations).resolved
    #expect(log.problems.isEmpty)
    let link = try #require(log.inverse(1, named: "bs"))
    #expect(link.kind == .orderedToMany && link.inverse == 7)
    #expect(
      codes(
        Entity("A", tag: 1, relationships: [.toMany("bs", tag: 7, to: "B", inverse: "a")]),
        Entity(
          "B", tag: 2,
          relationships: [.toOne("a", tag: 1, to: "A", inverse: "bs", inverseTag: 7)])
      ).isEmpty)
  }

  @Test("a one-to-one relationship may be declared at one end or at both")
  func oneToOne() {
    let first = Entity(
      "A", tag: 1,
      relationships: [.oneToOne("b", tag: 1, to: "B", inverse: "a", inverseTag: 2)])
    #expect(codes(first, Entity("B", tag: 2)).isEmpty)
    let both = Schema(entities: [
      first,
      Entity(
        "B", tag: 2,
        relationships: [.oneToOne("a", tag: 2, to: "A", inverse: "b", inverseTag: 1)]),
    ])
    #expect(SchemaSamples.state(both.operations).resolved.problems.isEmpty)
  }

  @Test("tags are 1 to 65535 or inferred (Q8, Q50)")
  func tags() {
    for tag in [1, 65_535, 1 << 31, UInt32.max] {
      #expect(codes(Entity("A", tag: tag, attributes: [.bool("a", tag: tag)])).isEmpty)
    }
    for tag in [0, 65_536, (1 << 31) - 1] as [UInt32] {
      #expect(codes(Entity("A", tag: tag)) == [.badTag])
      #expect(codes(Entity("A", tag: 1, attributes: [.bool("a", tag: tag)])) == [.badTag])
    }
    let inferred = Schema.inferredTag(entity: "flights")
    #expect(inferred == 0xF26A_7149)
    #expect(Schema.inferredTag(entity: "flights", attribute: "dep_time") == 0x8DA8_AA40)
    #expect(codes(Entity("flights", tag: inferred)).isEmpty)
  }

  @Test("names are not empty and not too long")
  func names() {
    let long = String(repeating: "x", count: Limits.labelBytesMax + 1)
    #expect(codes(Entity("", tag: 1)) == [.badName])
    #expect(codes(Entity(long, tag: 1)) == [.badName])
    #expect(codes(Entity("A", tag: 1, attributes: [.bool("", tag: 1)])) == [.badName])
    #expect(Schema.problems([], versionLabel: long).map(\.code) == [.badName])
  }

  @Test("two things with one tag or one name are named both")
  func duplicates() {
    let problems = Schema.problems([
      Entity(
        "A", tag: 1, attributes: [.bool("x", tag: 1), .string("y", tag: 1)],
        relationships: [.toOne("x", tag: 3, to: "A")])
    ])
    #expect(problems.map(\.code) == [.duplicateTag, .duplicateName])
    #expect(
      problems[0].message
        == "A: the attribute \"x\" and the attribute \"y\" both have tag 1")
    #expect(problems[0].entity == 1 && problems[0].tag == 1)
    #expect(codes(Entity("A", tag: 1), Entity("B", tag: 1)) == [.duplicateTag])
    #expect(codes(Entity("A", tag: 1), Entity("A", tag: 2)) == [.duplicateName])
    // The way back takes a tag and a name of its target.
    #expect(
      codes(
        Entity("A", tag: 1, attributes: [.bool("bs", tag: 5)]),
        Entity(
          "B", tag: 2,
          relationships: [.toOne("a", tag: 1, to: "A", inverse: "bs", inverseTag: 5)])
      ) == [.duplicateTag, .duplicateName])
  }

  @Test("links that point nowhere, and ends that disagree")
  func inverses() {
    let plain = Entity("B", tag: 2, relationships: [.toOne("a", tag: 1, to: "A")])
    #expect(codes(plain) == [.unknownEntity])
    #expect(codes(plain, .retired("A", tag: 1)) == [.unknownEntity])
    func a(_ link: Entity.Relationship...) -> Entity { Entity("A", tag: 1, relationships: link) }
    let named = Entity(
      "B", tag: 2, relationships: [.toOne("a", tag: 1, to: "A", inverse: "bs", inverseTag: 7)])
    #expect(codes(a(.toMany("bs", tag: 8, to: "B", inverse: "a")), named) == [.badInverse])
    #expect(codes(a(.toMany("bs", tag: 7, to: "B", inverse: "x")), named).first == .unknownProperty)
    #expect(
      codes(
        a(
          .toMany("bs", tag: 7, to: "B", inverse: "a"),
          .toMany("cs", tag: 8, to: "B", inverse: "a")), plain) == [.badInverse])
    let elsewhere = Entity("B", tag: 2, relationships: [.toOne("a", tag: 1, to: "B")])
    #expect(codes(a(.toMany("bs", tag: 7, to: "B", inverse: "a")), elsewhere) == [.badInverse])
    let half = Entity(
      "B", tag: 2, relationships: [.toOne("a", tag: 1, to: "A", inverse: "bs")])
    #expect(codes(a(), half).contains(.badInverse))
    let many = Entity(
      "B", tag: 2,
      relationships: [.manyToMany("as", tag: 1, to: "A", inverse: "bs", inverseTag: 7)])
    let stored = a(.manyToMany("bs", tag: 7, to: "B", inverse: "as", inverseTag: 1))
    #expect(Set(codes(stored, many)) == [.duplicateTag, .duplicateName])
  }

  @Test("a required link under nullify is refused at once, with cascade and deny it is not")
  func requiredNullify() {
    for rule in DeleteRule.allCases {
      let found = codes(
        Entity("A", tag: 1),
        Entity(
          "B", tag: 2,
          relationships: [.toOne("a", tag: 1, to: "A", onDelete: rule, isOptional: false)]))
      let isWrong = rule == .nullify || rule == .noAction
      #expect(found == (isWrong ? [.requiredNullify] : []), "\(rule)")
    }
  }

  @Test("keys, indexes, groups and defaults that cannot be")
  func rules() {
    let x: [Attribute] = [
      .string("x", tag: 1), .string("y", tag: 2, isOptional: true), .set("s", tag: 3, of: .string),
    ]
    func found(
      _ key: Entity.Uniqueness? = nil, _ indexes: [Entity.Index] = [],
      _ groups: [Entity.Group] = []
    ) -> [SchemaError.Code] {
      codes(
        Entity(
          "A", tag: 1, attributes: x, relationships: [.toOne("a", tag: 9, to: "A")],
          uniqueness: key, indexes: indexes, groups: groups))
    }
    #expect(found(.identity("x")).isEmpty && found(.flag("x", "y", "a")).isEmpty)
    #expect(found(.identity()) == [.badKey])
    #expect(found(.identity("y")) == [.badKey])
    #expect(found(.identity("a")) == [.badKey])
    #expect(found(.flag("s")) == [.badKey])
    #expect(found(.flag("x", "x")) == [.badKey])
    #expect(found(.flag("z")) == [.unknownProperty])
    #expect(found(nil, [.init("i", on: ["x", "a"])]).isEmpty)
    #expect(found(nil, [.init("i", on: ["s"])]) == [.badIndex])
    #expect(found(nil, [.init("", on: ["x"])]) == [.badName])
    #expect(found(nil, [.init("i", on: ["x"]), .init("i", on: ["y"])]) == [.duplicateName])
    #expect(found(nil, [], [.init("g", tag: 5, attributes: ["x", "y"])]).isEmpty)
    #expect(found(nil, [], [.init("g", tag: 5, attributes: ["x"])]) == [.badIndex])
    #expect(found(nil, [], [.init("g", tag: 1, attributes: ["x", "y"])]) == [.duplicateTag])
    #expect(
      found(
        nil, [],
        [
          .init("g", tag: 5, attributes: ["x", "y"]), .init("h", tag: 6, attributes: ["y", "x"]),
        ]) == [.badIndex, .badIndex])
    #expect(
      codes(Entity("A", tag: 1, attributes: [.uuid("u", tag: 1, default: [1])])) == [.badDefault])
    #expect(
      codes(Entity("A", tag: 1, attributes: [Attribute.counter("c", tag: 1).indexed()]))
        == [.badIndex])
  }

  @Test("a schema that is put together at run time throws what a literal would trap on")
  func validating() throws {
    #expect(throws: SchemaError.self) {
      try Schema(validating: [Entity("A", tag: 0)])
    }
    let schema = try Schema(validating: [Entity("A", tag: 1)], version: 3)
    #expect(schema.version == 3)
  }

  #if os(Linux)
    @Test("a literal that contradicts itself traps")
    func traps() async {
      await #expect(processExitsWith: .failure) {
        _ = Schema(entities: [Entity("A", tag: 1), Entity("B", tag: 1)])
      }
    }
  #endif
}
