// `varve schema show`: what a store or a segment declares.

import Testing
import Varve
import VarveFormat
import VarveTestSupport

@Suite("Commands: schema")
struct SchemaCommandTests {
  @Test("a store of imports lists entities with a line for each attribute")
  func store() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      let before = try fixture.contents("store")
      let run = fixture.tool("schema", "show", "@store")
      #expect(run.code == 0, "\(run.errors)")
      let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false)
      #expect(lines.contains { $0.hasPrefix("stations #") })
      #expect(lines.contains { $0.hasPrefix("  founded") && $0.hasSuffix("date, optional") })
      #expect(lines.contains { $0.hasPrefix("  code") && $0.hasSuffix("string") })
      #expect(!run.output.contains("problem"))
      #expect(try fixture.contents("store") == before)
    }
  }

  @Test("the JSON has documented keys, with all that the listing says")
  func json() throws {
    try CommandFixture.run { fixture in
      let schema =
        SchemaSamples.projects + [
          .uniqueness(entity: 1, mode: 2, attributes: [1]),
          .group(entity: 2, group: 9, label: "g", attributes: [1, 2]),
          SchemaSamples.attribute(2, 2, "text"),
        ]
      var builder = TransactionBuilder()
      for operation in schema { builder.add(.schema(operation)) }
      try fixture.write("one.vlog", fixture.segment([try builder.finish()]))
      let object = try fixture.tool("schema", "show", "@one.vlog", "--json").json
      #expect(object["schema"] as? String == "varve.schema/1")
      #expect(
        Set(object.keys) == [
          "schema", "path", "version", "versionLabel", "entities", "problems", "findings",
        ])
      let entities = try #require(object["entities"] as? [[String: Any]])
      #expect(entities.map { $0["name"] as? String } == ["Project", "Item"])
      let keys: Set = [
        "name", "tag", "identity", "updatesRevive", "retired", "attributes", "relationships",
        "key", "groups", "indexes",
      ]
      #expect(entities.allSatisfy { Set($0.keys) == keys })
      let attributes = try #require(entities[1]["attributes"] as? [[String: Any]])
      #expect(attributes.map { $0["name"] as? String }.contains("priority:string"))
      #expect(
        Set(attributes[0].keys) == [
          "name", "tag", "type", "form", "optional", "default", "ordered", "localOnly", "retired",
        ])
      let links = try #require(entities[1]["relationships"] as? [[String: Any]])
      #expect(
        Set(links[0].keys) == [
          "name", "tag", "kind", "target", "targetName", "inverse", "inverseName", "deleteRule",
          "optional", "owned", "cascading", "retired",
        ])
      #expect(links[0]["targetName"] as? String == "Project")
      let problems = try #require(object["problems"] as? [[String: Any]])
      #expect(problems.map { $0["kind"] as? String } == ["severalTypes"])
      #expect(problems.allSatisfy { Set($0.keys) == ["kind", "entity", "tag", "detail"] })
      #expect((entities[0]["key"] as? [String: Any])?["mode"] as? String == "flag")
    }
  }

  @Test("what a SCHEMA frame repeats counts for a segment that is taken alone")
  func hints() throws {
    try CommandFixture.run { fixture in
      var builder = TransactionBuilder()
      builder.add(.schema(SchemaSamples.entity(1, "Renamed")))
      let bytes = fixture.segment(
        [try builder.finish()], hints: [(.schema, SchemaHint.encode(SchemaSamples.projects).array)])
      try fixture.write("one.vlog", bytes)
      let run = fixture.tool("schema", "show", "@one.vlog")
      #expect(run.code == 0, "\(run.errors)")
      #expect(run.output.hasPrefix("version 2\n\nRenamed #1\n  name "))
    }
  }

  @Test("a damaged store shows what can be read, and says what is damaged")
  func damaged() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      try fixture.flip(try fixture.segments("store")[1], 300)
      let run = fixture.tool("schema", "show", "@store")
      #expect(run.code == 3)
      #expect(run.output.contains("stations #"))
      #expect(run.output.contains("corruption "))
    }
  }

  @Test("a store without declarations says so")
  func empty() throws {
    try CommandFixture.run { fixture in
      try fixture.write("one.vlog", fixture.segment([]))
      #expect(fixture.tool("schema", "show", "@one.vlog").output == "nothing is declared\n")
    }
  }
}
