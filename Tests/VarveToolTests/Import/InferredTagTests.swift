// Tags that are made from names.

import Testing
import VarveFormat

@testable import VarveImport

@Suite("Inferred tags")
struct InferredTagTests {
  @Test("a tag is bit 31 and 31 bits of XXH3-64 of the name")
  func knownTags() {
    #expect(InferredTag.entity("flights") == 0xF26A_7149)
    #expect(InferredTag.attribute(entity: "flights", name: "dep_time") == 0x8DA8_AA40)
    #expect(
      InferredTag.attribute(entity: "flights", name: "dep_time")
        == InferredTag.entity("flights.dep_time"))
  }

  @Test("composed and decomposed spellings of a name have the same tag")
  func normalised() {
    #expect(InferredTag.canonicalBytes("e\u{301}") == [0xC3, 0xA9])
    #expect(InferredTag.canonicalBytes("\u{E9}") == [0xC3, 0xA9])
    #expect(InferredTag.canonicalBytes("a\u{307}\u{323}") == Array("\u{1EA1}\u{307}".utf8))
    #expect(InferredTag.entity("Cafe\u{301}") == InferredTag.entity("Caf\u{E9}"))
    #expect(InferredTag.entity("Cafe\u{301}") == 0xB1DA_6598)
    #expect(InferredTag.entity("Cafe") != InferredTag.entity("Caf\u{E9}"))
  }

  @Test("the same name can be registered again, in any spelling")
  func again() throws {
    var registry = InferredTagRegistry()
    let tag = try registry.entity("Caf\u{E9}")
    #expect(try registry.entity("Cafe\u{301}") == tag)
    #expect(tag >= 0x8000_0000)
  }

  @Test("two names with the same tag stop inference with both names")
  func collision() throws {
    let (first, second) = try #require(Self.findCollision())
    var registry = InferredTagRegistry()
    _ = try registry.entity(first)
    do {
      _ = try registry.entity(second)
      Issue.record("no collision")
    } catch {
      #expect(error.code == .tagCollision)
      #expect(error.message.contains("\"\(first)\" and \"\(second)\""))
    }
  }

  @Test("attributes collide only within their entity")
  func attributes() throws {
    let (first, second) = try #require(Self.findCollision(entity: "A"))
    var registry = InferredTagRegistry()
    let tag = try registry.attribute(entity: "A", name: first)
    #expect(tag == InferredTag.attribute(entity: "A", name: second))
    _ = try registry.attribute(entity: "B", name: second)
    #expect(throws: ImportError.self) { try registry.attribute(entity: "A", name: second) }
  }

  /// Some hundred thousand names are enough for two with the same 31 bits.
  private static func findCollision(entity: String? = nil) -> (String, String)? {
    var names: [UInt32: String] = [:]
    for number in 0..<1_000_000 {
      let name = "n\(number)"
      let tag =
        entity.map { InferredTag.attribute(entity: $0, name: name) } ?? InferredTag.entity(name)
      if let other = names.updateValue(name, forKey: tag) { return (other, name) }
    }
    return nil
  }
}
