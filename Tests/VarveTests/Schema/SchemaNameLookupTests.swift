// Names of all lengths and alphabets are found, and no others.

import Testing
import Varve
import VarveFormat

@Suite("Schema: look-up by name")
struct SchemaNameLookupTests {
  private static let names =
    (0..<200).map { "attribute\($0)" }
    + (1...40).map { String(repeating: "x", count: $0) }
    + (1...20).map { String(repeating: "x", count: $0) + "y" }
    + ["a", "ab", "abc", "abcd", "abcdefgh", "a23456789b23456789c", "é", "straße", "飞行", "Ω"]

  @Test("every name finds its own attribute, by the rules of Unicode, and others find none")
  func names() throws {
    let names = SchemaNameLookupTests.names
    let schema = Schema(
      version: 1,
      entities: [
        Entity(
          "Thing", tag: 10_000,
          attributes: names.enumerated().map { .integer($1, tag: UInt32($0 + 1)) })
      ])
    let store = Store.inMemory(schema: schema)
    try store.write { _ in }
    let resolved = store.snapshot().graph.schema
    let rule = try #require(resolved.entity(named: "Thing"))
    #expect(resolved.entity(10_000)?.label == "Thing")
    #expect(resolved.entity(9_999) == nil)
    for (place, name) in names.enumerated() {
      #expect(rule.attribute(named: name)?.tag == UInt32(place + 1), "\(name)")
      #expect(rule.attribute(named: name + "?") == nil)
    }
    #expect(rule.attribute(named: "e\u{301}")?.label == "é")
    for missing in ["", "b", "e", "attribute200", "x y", "strasse"] {
      #expect(rule.attribute(named: missing) == nil, "\(missing)")
    }
  }
}
