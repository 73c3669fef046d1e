// Keys of JSON objects are there once, whatever people call their attributes.

import Foundation
import Testing
import VarveFormat
import VarveTestSupport

@testable import VarveTool

@Suite("keys of JSON objects")
struct JSONKeyTests {
  /// The keys of every object in a document that are there more than once.
  private func doubled(_ text: String) -> [String] {
    var doubled: [String] = []
    var open: [Set<String>] = []
    var last = ""
    var isString = false
    var isEscaped = false
    for character in text {
      if isString {
        if isEscaped {
          isEscaped = false
        } else if character == "\\" {
          isEscaped = true
        } else if character == "\"" {
          isString = false
          continue
        }
        last.append(character)
        continue
      }
      switch character {
      case "\"":
        isString = true
        last = ""
      case "{": open.append([])
      case "}": open.removeLast()
      case ":": if !open[open.count - 1].insert(last).inserted { doubled.append(last) }
      default: break
      }
    }
    return doubled
  }

  @Test("rows keep the object apart from its attributes, one of which may be named id")
  func sample() throws {
    try CommandFixture.run { fixture in
      try fixture.write("t.csv", "id,op,none\nA1,x,NA\n")
      _ = fixture.tool("import", "csv", "@t.csv", "--into", "@store", "--null", "NA")
      let run = fixture.tool("show", "HEAD", "@store", "--json")
      #expect(doubled(run.output) == [])
      let list = try run.json["list"] as? [[String: Any]]
      let rows = list?.last?["sample"] as? [[String: Any]]
      #expect(rows?.first?["object"] as? String == "t/0/1")
      let values = rows?.first?["values"] as? [String: Any]
      #expect(values?["id"] as? String == "A1")
      #expect(values?["none"] is NSNull)
    }
  }

  /// Operations that name several fields, or one field in several types.
  private static let operations: [VarveFormat.Operation] = {
    let object = ObjectReference(entity: 1, serial: 1)
    let identity = ObjectReference(
      entity: 1, identity: Checksum.hash128(Bytes([UInt8]("key".utf8))))
    return [
      .create(object, key: [], [FieldValue(1, .bool(true)), FieldValue(1, .integer(5))]),
      .create(identity, key: [UInt8]("key".utf8), [FieldValue(1, .string("object"))]),
      .unset(object, [FieldType(1, .bool), FieldType(2, .integer)]),
      .group(object, group: 1, [GroupMember(1, .bool(true)), GroupMember(1, nilOf: .integer)]),
      .mapPut(object, field: 1, key: .string("a"), .string("b")),
      .schema(.uniqueness(entity: 1, mode: 1, attributes: [1, 2, 3])),
    ]
  }()

  @Test("operations name several fields in one list")
  func operations() throws {
    try CommandFixture.run { fixture in
      var builder = TransactionBuilder()
      for operation in JSONKeyTests.operations { builder.add(operation) }
      try fixture.write("a.vlog", fixture.segment([try builder.finish()]))
      for words in [["log", "--ops", "--jsonl"], ["show", "HEAD", "--json"]] {
        let run = fixture.run(words + [fixture.path("a.vlog")])
        for line in run.output.split(separator: "\n") {
          #expect(doubled(String(line)) == [], "\(line)")
        }
        #expect(run.output.contains("\"fields\":[\"#1\",\"#2\"]"), "\(run.output)")
        #expect(run.output.contains("\"fields\":[\"#1\",\"#2\",\"#3\"]"))
      }
    }
  }
}
