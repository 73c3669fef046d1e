// Values that a program writes, against its declaration (R28, decision 0004).

import Testing
import Varve
import VarveFormat

@Suite("Schema: validation")
struct SchemaValidationTests {
  private static let schema = Schema(entities: [
    Entity(
      "A", tag: 1,
      attributes: [
        .int8("small", tag: 1), .int16("medium", tag: 2), .int32("large", tag: 3),
        .integer("any", tag: 4), .string("text", tag: 5, isOptional: true),
        .data("bytes", tag: 6), .set("labels", tag: 7, of: .int8), .counter("hits", tag: 8),
        .retired("old", tag: 9), .uuid("id", tag: 10), .unsigned("size", tag: 11),
      ])
  ])

  private func reason(_ value: Value, _ tag: UInt32) -> SchemaViolation.Reason? {
    let violation = Self.schema.validate(value, entity: 1, attribute: tag)
    if let violation { #expect(violation.description.contains(violation.attribute)) }
    return violation?.reason
  }

  @Test("an integer is held to its declared width, at both ends of it")
  func widths() {
    let limits: [(UInt32, Int64, Int64)] = [
      (1, -128, 127), (2, -32_768, 32_767), (3, -2_147_483_648, 2_147_483_647),
    ]
    for (tag, low, high) in limits {
      #expect(reason(.integer(low), tag) == nil && reason(.integer(high), tag) == nil)
      #expect(reason(.integer(low - 1), tag) == .outOfRange)
      #expect(reason(.integer(high + 1), tag) == .outOfRange)
    }
    #expect(reason(.integer(.min), 4) == nil && reason(.integer(.max), 4) == nil)
    #expect(reason(.integer(128), 7) == .outOfRange && reason(.integer(.max), 8) == nil)
  }

  @Test("a value has the declared type, and is there unless it is optional")
  func types() {
    #expect(reason(.null, 5) == nil)
    #expect(reason(.null, 4) == .missing && reason(.null, 7) == .missing)
    #expect(reason(.string("1"), 4) == .wrongType)
    #expect(reason(.integer(1), 11) == .wrongType && reason(.unsigned(1), 11) == nil)
    #expect(reason(.blob(sha256: [UInt8](repeating: 0, count: 32), byteCount: 70_000), 6) == nil)
    #expect(reason(.uuid([1]), 10) == .outOfRange)
    #expect(reason(.string("x"), 9) == .retired)
  }

  @Test("what the schema does not declare is not judged")
  func unknown() {
    #expect(reason(.integer(1), 77) == nil)
    #expect(Self.schema.validate(.null, entity: 2, attribute: 1) == nil)
  }
}
