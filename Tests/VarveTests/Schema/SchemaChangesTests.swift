// What a declaration adds to a log: declare, fold, and nothing is left to declare.

import Testing
import Varve
import VarveFormat
import VarveTestSupport

@Suite("Schema: changes")
struct SchemaChangesTests {
  typealias S = SchemaSamples

  /// A log with a clock.
  private struct Log {
    var state = SchemaState()
    var time: UInt64 = 0

    /// Declares a schema as opening a store does, and returns what was authored.
    @discardableResult
    mutating func open(_ schema: Schema) throws -> [SchemaOperation] {
      let changes = try schema.changes(against: state.resolved)
      time += 1
      for (place, operation) in changes.enumerated() {
        state.apply(
          operation, stamp: Stamp(milliseconds: time), author: S.replica(1),
          ordinal: UInt64(place))
      }
      return changes
    }
  }

  private static func items(
    _ version: UInt64, _ attributes: [Entity.Attribute],
    relationships: [Entity.Relationship] = [], uniqueness: Entity.Uniqueness? = nil,
    indexes: [Entity.Index] = [], groups: [Entity.Group] = [], updatesRevive: Bool? = nil
  ) -> Schema {
    Schema(
      version: version,
      entities: [
        Entity(
          "Item", tag: 1, attributes: attributes, relationships: relationships,
          uniqueness: uniqueness, indexes: indexes, groups: groups, updatesRevive: updatesRevive)
      ])
  }

  @Test("declared once, a schema has nothing left to declare")
  func idempotent() throws {
    var log = Log()
    let first = try log.open(S.projectSchema)
    #expect(first.map(\.encoded) == S.projects.sortedAsDeclared.map(\.encoded))
    #expect(try log.open(S.projectSchema).isEmpty)
  }

  @Test("random schemas, one after the other, each declare what they say and nothing twice")
  func randomSchemas() throws {
    var random = TestRun.random()
    for round in 0..<1_000 * TestRun.scale {
      var log = Log()
      for version in 1...4 {
        let schema = random.schema(version: UInt64(version))
        guard schema.conflicts(with: log.state.resolved).isEmpty else { continue }
        try log.open(schema)
        #expect(try log.open(schema).isEmpty, "round \(round), version \(version)")
        let resolved = log.state.resolved
        for entity in schema.entities where !entity.isRetired {
          let rule = try #require(resolved.entity(entity.tag))
          #expect(rule.label == entity.name)
          for attribute in entity.attributes where !attribute.isRetired {
            #expect(rule.attribute(attribute.tag)?.label == attribute.name)
            #expect(rule.attribute(attribute.tag)?.defaultValue == attribute.defaultValue)
          }
          if let key = entity.uniqueness { #expect(rule.uniqueness?.mode == key.mode) }
        }
      }
    }
  }

  @Test("a new name under the same tag is a rename (R30)")
  func rename() throws {
    var log = Log()
    try log.open(Self.items(1, [.string("name", tag: 1, isIndexed: true)]))
    let changes = try log.open(Self.items(2, [.string("title", tag: 1, isIndexed: true)]))
    #expect(changes == [S.attribute(1, 1, "title"), .version(2, label: "")])
    let item = try #require(log.state.resolved.entity(1))
    #expect(item.attribute(named: "title")?.tag == 1)
    #expect(item.attribute(named: "name") == nil)
    // The index has the label that it got first.
    #expect(item.indexes == [IndexRule(label: "name", kind: .ordered, attributes: [1])])
  }

  @Test("names can change places, and a freed name can be given to a new tag")
  func swappedNames() throws {
    var log = Log()
    try log.open(Self.items(1, [.string("a", tag: 1), .string("b", tag: 2)]))
    try log.open(Self.items(2, [.string("b", tag: 1), .string("a", tag: 2)]))
    try log.open(
      Self.items(3, [.string("c", tag: 1), .string("a", tag: 2), .string("b", tag: 3)]))
    let item = try #require(log.state.resolved.entity(1))
    #expect(["c", "a", "b"].map { item.attribute(named: $0)?.tag } == [1, 2, 3])
    #expect(log.state.resolved.problems.isEmpty)
  }

  @Test("widening an integer changes nothing in the log (decision 0004)")
  func widening() throws {
    var log = Log()
    try log.open(Self.items(1, [.int8("size", tag: 1)]))
    #expect(try log.open(Self.items(1, [.int32("size", tag: 1)])).isEmpty)
    #expect(try log.open(Self.items(1, [.integer("size", tag: 1)])).isEmpty)
  }

  @Test("an older program adds what is new and changes nothing (P32, U89)")
  func olderProgram() throws {
    var log = Log()
    try log.open(
      Self.items(
        2, [.string("title", tag: 1), .retired("size", tag: 2)], uniqueness: .flag("title")))
    let old = Schema(
      version: 1,
      entities: [
        Entity(
          "Thing", tag: 1,
          attributes: [
            .string("name", tag: 1, default: "", isIndexed: true), .integer("size", tag: 2),
          ]),
        Entity("Other", tag: 2, attributes: [.string("x", tag: 1, isIndexed: true)]),
      ])
    let changes = try log.open(old)
    #expect(
      changes == [
        S.entity(2, "Other"), S.attribute(1, 2, "size", .integer), S.attribute(2, 1, "x"),
        .index(entity: 2, label: "x", kind: 2, attributes: [1]),
      ])
    let resolved = log.state.resolved
    #expect(resolved.version == 2)
    #expect(resolved.name(1) == "Item" && resolved.name(1, 1) == "title")
    #expect(resolved.entity(1)?.uniqueness?.mode == .flag)
    #expect(try log.open(old).isEmpty)
  }

  @Test("what a program does not mention stays as it is")
  func otherPrograms() throws {
    var log = Log()
    try log.open(S.projectSchema)
    let notes = Schema(
      version: 3,
      entities: [
        Entity("Note", tag: 9, attributes: [.string("text", tag: 1)]),
        Entity("Item", tag: 2, attributes: [.string("title", tag: 1, default: "")]),
      ])
    try log.open(notes)
    let item = try #require(log.state.resolved.entity(2))
    #expect(item.attributes.map(\.label) == ["title", "priority", "isDone"])
    #expect(item.relationships.count == 1)
    #expect(log.state.resolved.entity(1)?.isRetired == false)
    // The index is on an attribute that this program declares without one.
    #expect(item.indexes.isEmpty)
  }

  @Test("retired things are marked once, and a declaration brings them back")
  func retired() throws {
    var log = Log()
    let link: [Entity.Relationship] = [.toOne("next", tag: 3, to: "Item")]
    try log.open(Self.items(1, [.string("a", tag: 1), .string("b", tag: 2)], relationships: link))
    let without = Self.items(
      2, [.string("a", tag: 1), .retired("b", tag: 2)],
      relationships: [.retired("next", tag: 3)])
    #expect(
      try log.open(without) == [
        .retire(entity: 1, attribute: 2), .retire(entity: 1, attribute: 3),
        .version(2, label: ""),
      ])
    #expect(try log.open(without).isEmpty)
    #expect(log.state.resolved.entity(1)?.attribute(2)?.isRetired == true)
    let back = try log.open(
      Self.items(3, [.string("a", tag: 1), .string("b", tag: 2)], relationships: link))
    #expect(back.count == 3)
    #expect(log.state.resolved.entity(1)?.attribute(2)?.isRetired == false)
    #expect(log.state.resolved.entity(1)?.relationship(3)?.isRetired == false)
    let gone = Schema(version: 4, entities: [.retired("Item", tag: 1), .retired("X", tag: 7)])
    #expect(try log.open(gone) == [.retire(entity: 1, attribute: 0), .version(4, label: "")])
    #expect(try log.open(gone).isEmpty)
  }

  @Test("keys, groups and indexes come, change and go with the declaration")
  func rules() throws {
    var log = Log()
    let attributes: [Entity.Attribute] = [.double("lat", tag: 1), .double("lon", tag: 2)]
    try log.open(
      Self.items(
        1, attributes, uniqueness: .flag("lat", "lon"),
        indexes: [.init("place", on: ["lat", "lon"])],
        groups: [.init("place", tag: 3, attributes: ["lat", "lon"])]))
    let changed = try log.open(
      Self.items(
        1, attributes, uniqueness: .dedupe("lat"),
        indexes: [.init("place", on: ["lon"], kind: .hash)], updatesRevive: true))
    #expect(
      changed == [
        S.entity(1, "Item", flags: 2), .uniqueness(entity: 1, mode: 3, attributes: [1]),
        .group(entity: 1, group: 3, label: "place", attributes: []),
        .index(entity: 1, label: "place", kind: 1, attributes: [2]),
      ])
    let removed = try log.open(Self.items(1, attributes))
    #expect(
      removed == [
        S.entity(1, "Item"), .uniqueness(entity: 1, mode: 0, attributes: []),
        .index(entity: 1, label: "place", kind: 0, attributes: []),
      ])
    #expect(try log.open(Self.items(1, attributes)).isEmpty)
  }

  @Test("an index of one attribute makes way for a named one with its name")
  func indexNames() throws {
    var log = Log()
    let schema = Self.items(
      1, [.string("a", tag: 1, isIndexed: true), .string("b", tag: 2)],
      indexes: [.init("a", on: ["b"])])
    try log.open(schema)
    #expect(log.state.resolved.entity(1)?.indexes.map(\.label) == ["a", "a#1"])
    #expect(try log.open(schema).isEmpty)
  }

  @Test("declarations that contradict the log throw with entity and tag (Q7)")
  func conflicts() throws {
    var log = Log()
    try log.open(S.projectSchema)
    try log.open(
      Schema(
        version: 2,
        entities: [
          Entity(
            "Code", tag: 5, attributes: [.string("code", tag: 1), .string("other", tag: 2)],
            uniqueness: .identity("code"))
        ]))
    let resolved = log.state.resolved
    func thrown(_ entities: Entity...) -> [String] {
      do {
        _ = try Schema(version: 2, entities: entities).changes(against: resolved)
        return []
      } catch {
        #expect(!error.message.isEmpty)
        return ["\(error.code)", "\(error.entity)", "\(error.tag)"]
      }
    }
    func item(_ attributes: Entity.Attribute...) -> Entity {
      Entity("Item", tag: 2, attributes: attributes)
    }
    func item(_ link: Entity.Relationship) -> Entity {
      Entity("Item", tag: 2, relationships: [link])
    }
    let project = Entity("Project", tag: 1)
    let codes: [Entity.Attribute] = [.string("code", tag: 1), .string("other", tag: 2)]
    #expect(thrown(item(.string("title", tag: 1))).isEmpty)
    #expect(thrown(item(.integer("title", tag: 1))) == ["typeConflict", "2", "1"])
    #expect(thrown(item(.set("title", tag: 1, of: .string))) == ["kindConflict", "2", "1"])
    #expect(thrown(item(.string("project", tag: 4))) == ["kindConflict", "2", "4"])
    #expect(thrown(item(.string("title", tag: 9))) == ["nameConflict", "2", "9"])
    #expect(thrown(item(.toOne("title", tag: 1, to: "Item"))) == ["kindConflict", "2", "1"])
    #expect(thrown(item(.toOne("project", tag: 4, to: "Item"))) == ["kindConflict", "2", "4"])
    #expect(
      thrown(item(.manyToMany("project", tag: 4, to: "Project")), project)
        == ["kindConflict", "2", "4"])
    #expect(
      thrown(item(.toOne("project", tag: 9, to: "Project")), project) == ["nameConflict", "2", "9"])
    #expect(thrown(Entity("Item", tag: 8)) == ["nameConflict", "8", "0"])
    #expect(thrown(Entity("Code", tag: 5, attributes: codes)) == ["identityConflict", "5", "0"])
    #expect(
      thrown(Entity("Code", tag: 5, attributes: codes, uniqueness: .identity("other")))
        == ["identityConflict", "5", "0"])
    #expect(
      thrown(
        Entity(
          "Item", tag: 2, attributes: [.string("title", tag: 1)], uniqueness: .identity("title")))
        == ["identityConflict", "2", "0"])
  }

  @Test("a type that lost the label by a concurrent declaration locks no program out (Q7)")
  func bothTypes() throws {
    var log = Log()
    try log.open(Self.items(1, [.integer("size", tag: 1)]))
    log.state.apply(
      S.attribute(1, 1, "size", .double), stamp: Stamp(milliseconds: 0, counter: 1),
      author: S.replica(2))
    #expect(log.state.resolved.name(1, 1, .integer) == "size:integer")
    #expect(try log.open(Self.items(1, [.integer("size", tag: 1)])).isEmpty)
    #expect(try log.open(Self.items(1, [.double("size", tag: 1)])).isEmpty)
    #expect(throws: SchemaError.self) { try log.open(Self.items(1, [.string("size", tag: 1)])) }
  }

  @Test("entities of an import can be declared under their inferred tags (Q50)")
  func inferred() throws {
    let (entity, attribute) = (
      Schema.inferredTag(entity: "flights"),
      Schema.inferredTag(entity: "flights", attribute: "delay")
    )
    var log = Log()
    log.state = S.state([S.entity(entity, "flights"), S.attribute(entity, attribute, "delay")])
    log.time = 5_000
    try log.open(
      Schema(
        version: 1,
        entities: [
          Entity("Flight", tag: entity, attributes: [.string("delayText", tag: attribute)])
        ]))
    #expect(log.state.resolved.name(entity) == "Flight")
    #expect(log.state.resolved.name(entity, attribute) == "delayText")
  }
}

extension [SchemaOperation] {
  /// By kind, entity and tag, as a schema lists them.
  fileprivate var sortedAsDeclared: [SchemaOperation] {
    func kind(_ operation: SchemaOperation) -> UInt8 { operation.encoded.first ?? 0 }
    return enumerated().sorted { a, b in
      let (left, right) = (kind(a.element), kind(b.element))
      return left != right ? left < right : a.offset < b.offset
    }.map(\.element)
  }
}
