// The listing of a schema.

import Testing
import Varve
import VarveFormat
import VarveTestSupport

@Suite("Schema: listing")
struct SchemaTextTests {
  typealias S = SchemaSamples

  @Test("each property has a line with name, tag, type, default, index, target and delete rule")
  func projects() {
    #expect(
      S.state(S.projects).resolved.description == """
        version 2

        Project #1
          name      #1  string
          deadline  #2  date, optional
          items     #3  <- Item.project

        Item #2
          title     #1  string, = "", indexed
          priority  #2  integer, = 0
          isDone    #3  bool, = false
          project   #4  -> Project, to-one, inverse items #3, on delete cascade

        """)
  }

  @Test("keys, groups, indexes, forms and flags are listed, and contradictions at the end")
  func everything() throws {
    let schema = Schema(
      version: 1, versionLabel: "first",
      entities: [
        Entity(
          "Place", tag: 1,
          attributes: [
            .string("code", tag: 1), .double("lat", tag: 2), .double("lon", tag: 3),
            .counter("visits", tag: 4), .set("labels", tag: 5, of: .string),
            Entity.Attribute.map("notes", tag: 6, of: .string).localOnly,
          ],
          relationships: [
            .oneToOne("twin", tag: 7, to: "Place", inverse: "twinOf", inverseTag: 8),
            .manyToMany("near", tag: 9, to: "Place"),
            .toOne(
              "parent", tag: 10, to: "Place", onDelete: .deny, isOptional: false,
              isOwned: true),
          ], uniqueness: .identity("code"), indexes: [.init("both", on: ["lat", "lon"])],
          groups: [.init("position", tag: 11, attributes: ["lat", "lon"])])
      ])
    let operations = try schema.changes(against: ResolvedSchema())
    let text = S.state(operations + [.retire(entity: 1, attribute: 9)]).resolved.description
    #expect(
      text == """
        version 1 "first"

        Place #1 identity, updates revive
          code    #1   string
          lat     #2   double, in position
          lon     #3   double, in position
          visits  #4   counter
          labels  #5   set of string
          notes   #6   map of string, local only
          twin    #7   -> Place, one-to-one, inverse twinOf #8, on delete nullify
          twinOf  #8   <- Place.twin, one-to-one
          near    #9   -> Place, many-to-many, retired
          parent  #10  -> Place, to-one, required, on delete deny, owned
          key (code), identity
          group position #11 (lat, lon)
          index both (lat, lon), ordered

        problem selfCascade: Place.parent hides objects of its own entity; cycles are cut

        """)
  }

  @Test("control characters in labels are escaped, and a missing label is a number")
  func oddLabels() {
    let text = S.state([S.attribute(3, 1, "a\u{1B}[2J\n"), S.attribute(3, 2, "")]).resolved
      .description
    #expect(text.hasPrefix("#3 #3\n  a\\u001b[2J\\u000a  #1  string\n  #2"))
  }

  @Test("a schema without declarations has an empty listing")
  func empty() {
    #expect(ResolvedSchema().description.isEmpty)
  }
}
