// Contradictions inside the log: each is read in one documented way, listed, and never fatal.

import Testing
import Varve
import VarveFormat
import VarveTestSupport

@Suite("Schema: contradictions in the log")
struct SchemaProblemTests {
  typealias S = SchemaSamples
  typealias Kind = SchemaProblem.Kind

  private static let two = [S.entity(1, "A"), S.entity(2, "B")]

  /// The places of all problems of one kind; anything else is unexpected.
  private func places(_ kind: Kind, _ schema: ResolvedSchema) -> [[UInt32]] {
    #expect(schema.problems.allSatisfy { $0.kind == kind }, "\(schema.problems)")
    #expect(schema.problems.allSatisfy { !$0.sentence.isEmpty })
    return schema.problems.map { [$0.entity, $0.tag] }
  }

  @Test("two types of one tag are two columns, and the earliest keeps the label (Q7)")
  func severalTypes() throws {
    let schema = S.state([
      S.entity(1, "A"), S.attribute(1, 1, "size", .integer), S.attribute(1, 1, "length", .string),
    ]).resolved
    #expect(places(.severalTypes, schema) == [[1, 1]])
    let entity = try #require(schema.entity(1))
    #expect(entity.attributes.map(\.label) == ["size", "size:string"])
    #expect(entity.attribute(1)?.type == .integer)
    #expect(entity.attribute(named: "length") == nil)
    #expect(entity.attribute(named: "size:string")?.type == .string)
    #expect(schema.name(1, 1) == "size" && schema.name(1, 1, .string) == "size:string")
    #expect(schema.problems[0].sentence == "A.size has several types: integer, string")
  }

  @Test("a later declaration of the earliest type renames, one of another type does not (Q7)")
  func earliestStays() {
    var state = S.state([
      S.entity(1, "A"), S.attribute(1, 1, "size", .integer), S.attribute(1, 1, "length", .string),
    ])
    state.apply(
      S.attribute(1, 1, "extent", .integer), stamp: Stamp(milliseconds: 9_000),
      author: S.replica(1))
    #expect(state.resolved.name(1, 1) == "extent")
    #expect(state.resolved.name(1, 1, .string) == "extent:string")
    // An older declaration that arrives late takes the label over.
    state.apply(
      S.attribute(1, 1, "width", .double), stamp: Stamp(milliseconds: 1), author: S.replica(1))
    #expect(state.resolved.name(1, 1) == "width")
    #expect(state.resolved.name(1, 1, .integer) == "width:integer")
  }

  @Test("a tag that is attribute and relationship has the name of the earlier one")
  func attributeAndRelationship() {
    let declarations = [S.attribute(1, 1, "a"), S.link(1, 1, "b", to: 2)]
    let first = S.state(Self.two + declarations).resolved
    #expect(places(.attributeAndRelationship, first) == [[1, 1]])
    #expect(first.name(1, 1) == "a")
    let second = S.state(Self.two + declarations.reversed()).resolved
    #expect(second.name(1, 1) == "b")
    #expect(second.entity(1)?.attribute(named: "a")?.tag == 1)
  }

  @Test("rules of an entity that nobody declared are kept under its number")
  func missingEntity() {
    let schema = S.state([S.attribute(3, 1, "a")]).resolved
    #expect(places(.missingEntity, schema) == [[3, 0]])
    #expect(schema.entity(3)?.attribute(named: "a") != nil)
    #expect(schema.name(3) == "#3")
  }

  @Test("a relationship to an entity that nobody declared is kept")
  func missingTarget() {
    let schema = S.state([S.entity(1, "A"), S.link(1, 1, "b", to: 9, inverse: 2)]).resolved
    #expect(places(.missingTarget, schema) == [[1, 1]])
    #expect(schema.inverses(of: 9).count == 1)
  }

  @Test("a way back with the tag of an attribute has no name")
  func inverseIsAttribute() {
    let schema = S.state(
      Self.two + [
        S.attribute(2, 5, "count", .integer),
        S.link(1, 1, "b", to: 2, inverse: 5, inverseLabel: "as"),
      ]
    ).resolved
    #expect(places(.inverseIsAttribute, schema) == [[1, 1]])
    #expect(schema.name(2, 5) == "count")
    #expect(schema.inverse(2, 5) == nil)
    #expect(schema.inverse(2, named: "as") == nil)
  }

  @Test("a way back with the tag of a relationship to elsewhere means that relationship")
  func inverseElsewhere() {
    let schema = S.state(
      Self.two + [
        S.entity(3, "C"), S.link(2, 5, "c", to: 3), S.link(1, 1, "b", to: 2, inverse: 5),
      ]
    ).resolved
    #expect(places(.inverseElsewhere, schema) == [[1, 1]])
    #expect(schema.name(2, 5) == "c")
    #expect(schema.inverse(2, 5) == nil)
  }

  @Test("a many-to-many relationship that is declared at both ends is two relationships")
  func manyToManyInverse() {
    let schema = S.state(
      Self.two + [
        S.link(1, 1, "bs", to: 2, kind: .manyToMany, inverse: 1, inverseLabel: "as"),
        S.link(2, 1, "as", to: 1, kind: .manyToMany, inverse: 1, inverseLabel: "bs"),
      ]
    ).resolved
    #expect(places(.inverseStoredTwice, schema) == [[1, 1], [2, 1]])
    #expect(schema.inverse(1, 1) == nil && schema.inverse(2, 1) == nil)
  }

  @Test("a one-to-one relationship may be declared at both ends")
  func oneToOneTwice() {
    let schema = S.state(
      Self.two + [
        S.link(1, 1, "b", to: 2, kind: .oneToOne, inverse: 1, inverseLabel: "a"),
        S.link(2, 1, "a", to: 1, kind: .oneToOne, inverse: 1, inverseLabel: "b"),
      ]
    ).resolved
    #expect(schema.problems.isEmpty)
    #expect(schema.inverse(2, 1)?.entity == 1 && schema.inverse(1, 1)?.entity == 2)
  }

  @Test("of two relationships with one way back the earliest has it")
  func sameInverse() {
    let schema = S.state(
      Self.two + [
        S.link(1, 2, "second", to: 2, inverse: 5, inverseLabel: "s"),
        S.link(1, 1, "first", to: 2, inverse: 5, inverseLabel: "f"),
      ]
    ).resolved
    #expect(places(.sameInverse, schema) == [[1, 1]])
    #expect(schema.inverse(2, 5)?.tag == 2)
    #expect(schema.name(2, 5) == "s")
  }

  @Test("cascades in a cycle of entities are legal, within one entity they are reported (R25)")
  func cascadeCycles() {
    let cycle = S.state(
      Self.two + [
        S.link(1, 1, "b", to: 2, rule: .cascade), S.link(2, 1, "a", to: 1, rule: .cascade),
      ]
    ).resolved
    #expect(cycle.problems.isEmpty)
    let tree = S.state([S.entity(1, "A"), S.link(1, 1, "parent", to: 1, rule: .cascade)]).resolved
    #expect(places(.selfCascade, tree) == [[1, 1]])
    #expect(tree.isCascading)
  }

  @Test("a required link under nullify is reported")
  func requiredNullify() {
    for rule in DeleteRule.allCases {
      let schema = S.state(Self.two + [S.link(1, 1, "b", to: 2, rule: rule, flags: 0)]).resolved
      let isWrong = rule == .nullify || rule == .noAction
      #expect(places(.requiredNullify, schema).count == (isWrong ? 1 : 0), "\(rule)")
    }
  }

  @Test("of two things with one label it finds the earliest that is not retired")
  func sameLabel() {
    let declarations = [
      S.entity(2, "A"), S.entity(1, "A"), S.attribute(1, 2, "x"), S.attribute(1, 1, "x"),
    ]
    let schema = S.state(declarations).resolved
    #expect(places(.sameLabel, schema) == [[1, 0], [1, 1]])
    #expect(schema.entity(named: "A")?.tag == 2)
    #expect(schema.entity(1)?.attribute(named: "x")?.tag == 2)
    let retired = S.state(
      declarations + [.retire(entity: 2, attribute: 0), .retire(entity: 1, attribute: 2)]
    ).resolved
    #expect(retired.problems.isEmpty)
    #expect(retired.entity(named: "A")?.tag == 1)
    #expect(retired.entity(1)?.attribute(named: "x")?.tag == 1)
  }

  @Test("an attribute, a relationship and a way back with one label are reported")
  func sameLabelOfProperties() {
    let schema = S.state(
      Self.two + [
        S.attribute(2, 1, "x"), S.link(2, 2, "x", to: 1),
        S.link(1, 1, "b", to: 2, inverse: 3, inverseLabel: "x"),
      ]
    ).resolved
    #expect(places(.sameLabel, schema) == [[2, 2], [2, 3]])
  }

  @Test("an identity without a key, and a key without identity")
  func identityWithoutKey() {
    let key = SchemaOperation.uniqueness(entity: 1, mode: 1, attributes: [1])
    let base = [S.attribute(1, 1, "code")]
    let without = S.state(base + [S.entity(1, "A", flags: 1)]).resolved
    #expect(places(.identityWithoutKey, without) == [[1, 0]])
    #expect(without.entity(1)?.isIdentity == true)
    let unflagged = S.state(base + [S.entity(1, "A"), key]).resolved
    #expect(places(.identityWithoutKey, unflagged) == [[1, 0]])
    #expect(unflagged.entity(1)?.isIdentity == false)
    #expect(S.state(base + [S.entity(1, "A", flags: 1), key]).resolved.problems.isEmpty)
  }

  @Test("keys, groups and indexes that list what is not there are kept and reported")
  func missingAttribute() {
    let schema = S.state([
      S.entity(1, "A"), .uniqueness(entity: 1, mode: 2, attributes: [8]),
      .index(entity: 1, label: "i", kind: 1, attributes: [9]),
      .group(entity: 1, group: 4, label: "g", attributes: [7]),
    ]).resolved
    #expect(places(.missingAttribute, schema) == [[1, 0], [1, 0], [1, 4]])
    #expect(schema.entity(1)?.indexes.count == 1)
  }

  @Test("an attribute of two groups belongs to the one with the smaller tag")
  func twoGroups() {
    let schema = S.state([
      S.entity(1, "A"), S.attribute(1, 1, "x"),
      .group(entity: 1, group: 9, label: "late", attributes: [1]),
      .group(entity: 1, group: 4, label: "early", attributes: [1]),
    ]).resolved
    #expect(places(.twoGroups, schema) == [[1, 1]])
    #expect(schema.entity(1)?.group(ofAttribute: 1)?.label == "early")
  }

  @Test("a default of another type is ignored and reported, nil is no default")
  func wrongDefault() {
    let schema = S.state([
      S.entity(1, "A"), S.attribute(1, 1, "x", .integer, defaultValue: .string("1")),
      S.attribute(1, 2, "y", .integer, defaultValue: .null),
    ]).resolved
    #expect(places(.wrongDefault, schema) == [[1, 1]])
    #expect(schema.entity(1)?.attributes.allSatisfy { $0.defaultValue == nil } == true)
  }

  @Test("a counter goes before a set, and a set before a map")
  func severalForms() throws {
    typealias Flag = SchemaOperation.AttributeFlag
    let schema = S.state([
      S.entity(1, "A"), S.attribute(1, 1, "x", .integer, flags: Flag.counter | Flag.set),
      S.attribute(1, 2, "y", .integer, flags: Flag.set | Flag.map),
    ]).resolved
    #expect(places(.severalForms, schema) == [[1, 1], [1, 2]])
    let attributes = try #require(schema.entity(1)).attributes
    #expect(attributes[0].isCounter && !attributes[0].isSet)
    #expect(attributes[1].isSet && !attributes[1].isMap)
  }

  @Test("random logs with every contradiction resolve without a trap")
  func randomLogs() {
    var random = TestRun.random()
    for _ in 0..<2_000 * TestRun.scale {
      var state = SchemaState()
      for _ in 0..<random.below(40) {
        let operation = random.chance(80) ? random.smallSchemaOperation() : random.schemaOperation()
        state.apply(operation, stamp: random.stamp(), author: random.replica())
      }
      let schema = state.resolved
      for entity in schema.entities {
        #expect(schema.entity(entity.tag)?.tag == entity.tag)
        for attribute in entity.attributes {
          #expect(entity.attribute(attribute.tag, attribute.type) == attribute)
        }
        for link in entity.relationships {
          #expect(entity.relationship(link.tag) == link)
          #expect(schema.inverses(of: link.target).contains(link))
        }
      }
    }
  }
}
