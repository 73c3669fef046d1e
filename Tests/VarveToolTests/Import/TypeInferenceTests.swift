// The narrowest type that fits all values of a column.

import Testing

@testable import VarveImport

@Suite("Delimited text: inferred types")
struct TypeInferenceTests {
  private func type(_ values: [String]) -> String {
    var inference = TypeInference()
    for value in values { withField(value) { inference.add($0) } }
    return inference.type.physical.name
  }

  @Test(
    "the narrowest type that fits all values",
    arguments: [
      ("bool", ["true", "FALSE"]), ("string", ["true", "1"]), ("integer", ["1", "-5", "0"]),
      ("integer", ["9223372036854775807"]), ("double", ["1", "2.5"]), ("double", ["2.5", "1"]),
      ("double", ["-0", "1"]), ("double", ["1e5"]), ("double", ["nan", "1"]),
      ("double", ["1", "inf"]),
      ("double", ["1.5", "-inf", "2"]), ("string", ["nan"]), ("string", ["inf", "nan"]),
      ("date", ["2013-01-01", "2013-01-01T05:00:00Z"]), ("string", ["2013-01-01", "x"]),
      ("string", ["2013-01-01", "2013"]), ("string", ["9999-12-31"]),
      ("uuid", ["00112233-4455-6677-8899-aabbccddeeff"]),
      ("string", ["00112233445566778899aabbccddeeff"]), ("string", []), ("string", ["x"]),
      ("string", ["1", "x", "2"]), ("string", ["yes", "no"]), ("string", ["2013-01-01", "true"]),
    ])
  func narrowest(expected: String, values: [String]) { #expect(type(values) == expected) }

  @Test(
    "what a number would not give back stays a string",
    arguments: [
      ["02139"], ["10001", "02139"], ["02139", "10001"], ["1.5", "007"], ["007.5"], ["-01"],
      ["+49123"], ["1."],
      ["12345678901234567890123"], ["9223372036854775808"],
      ["1", "9007199254740993", "nan"], ["nan", "9007199254740993"], ["nan", "1e-400"],
      ["-0", "1e-400"], ["0.5", "-0.0", "9007199254740993"], ["1e400", "inf"], ["1e1000000"],
      ["0.1234567890123456789012345678901234567891"], [" 1"], [""],
      ["2013-01-01T05:00:00.1234567891Z"], ["2013-01-01", "2013-01-01T05:00:00.0000000001Z"],
    ])
  func strings(values: [String]) { #expect(type(values) == "string") }

  @Test(
    "a number that no double gives back makes a column of decimals",
    arguments: [
      ["1e-400"], ["1e400"], ["4.9e-324", "4.95e-324"], ["1e-330", "1.5", "3"],
      ["9007199254740993", "0.5"], ["0.5", "9007199254740993"],
      ["0.12345678901234567"], ["1.00000000000000000001"], ["1", "123456789012345678.25"],
      ["0.5", "12345678901234567890.12345678"], ["1152921504606846977.0"],
    ])
  func decimals(values: [String]) { #expect(type(values) == "decimal") }

  @Test(
    "a number that a double gives back stays one, however it is spelled",
    arguments: [
      ["0.1"], ["0.1000"], ["1.7976931348623157e308"], ["5e-324"], ["2.2250738585072014e-308"],
      ["0.30000000000000004"], ["0.50000000000000000000000000000000"], ["100e20"], ["0e-400"],
      ["123456789012345.6"], ["-0.0", "1e22"], ["1e-307", "9.99999999999999e300"],
    ])
  func doubles(values: [String]) { #expect(type(values) == "double") }

  @Test("what is inferred gives back every number: random digits and powers")
  func exact() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = TestRandom(seed: seed)
    for _ in 0..<5_000 {
      let count = Int.random(in: 1...20, using: &random)
      let digits = (0..<count).map { _ in String(Int.random(in: 0...9, using: &random)) }.joined()
      let text =
        "\(Int.random(in: 1...9, using: &random)).\(digits)"
        + "e\(Int.random(in: -330...310, using: &random))"
      let expected = decimalForm(text)
      let isHeld = Double(text).map { $0.isFinite && decimalForm("\($0)") == expected } ?? false
      if type([text]) != (isHeld ? "double" : "decimal") {
        Issue.record("seed \(seed): \(text) as \(type([text]))")
        return
      }
    }
  }

  /// The stored decimal that a text is.
  private func decimalForm(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    return withField(text) { CellParser.decimal($0, into: &bytes) } ? bytes : nil
  }

  @Test("all values count, also the last of a long file")
  func lastValue() throws {
    let numbers = (0..<5_000).map { "\($0)\n" }.joined()
    let table = try ImportText.table(bytes: Array("a\n\(numbers)x\n".utf8))
    #expect(table.columns[0].type == .string)
    #expect(table.rowsKept == 5_001)
  }

  @Test("a column without values is a column of strings")
  func onlyNil() throws {
    #expect(try ImportText.show("a,b\n,1\n,2\n") == "a:string b:integer\nnil 1\nnil 2")
  }

  @Test("rows that are rejected for their shape do not count")
  func rejectedRows() throws {
    let table = try ImportText.table(bytes: Array("a,b\n1,2\nx\nx,y,z\n".utf8))
    #expect(table.columns.map(\.type) == [.integer, .integer])
  }

  @Test("whatever is inferred fits: no row is rejected for a cast")
  func inferredTypesFit() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = TestRandom(seed: seed)
    let pool = [
      "1", "0", "-7", "1.5", "-0", "nan", "true", "2013-01-01", "2013-01-01 00:00:00", "x", "",
      "007",
      "9007199254740993", "1e5", "inf", "00112233-4455-6677-8899-aabbccddeeff", "1e308",
      "9223372036854775808", "1e-400", "0.12345678901234567890", "-0.0",
    ]
    for _ in 0..<2_000 {
      let few = (0..<3).compactMap { _ in pool.randomElement(using: &random) }
      let rows = (0..<6).compactMap { _ in few.randomElement(using: &random) }
      let table = try ImportText.table(
        bytes: Array(("a,b\n" + rows.map { "\($0),\n" }.joined()).utf8), windowBytes: 64)
      if !table.problems.isEmpty {
        Issue.record("seed \(seed): \(rows) as \(table.columns[0].type): \(table.problems)")
        return
      }
    }
  }

  @Test("without inference, columns without a given type are strings")
  func noInference() throws {
    let text = "a:integer,b\n1,2\n"
    #expect(
      try ImportText.show(text, options { $0.infersTypes = false }) == "a:integer b:string\n1 \"2\""
    )
  }

  @Test("the proposal names all columns and changes nothing")
  func proposal() throws {
    let source = ImportSource.bytes(Array("id,zip,when\n1,02139,2013-01-01\n".utf8), name: "t.csv")
    #expect(
      try DelimitedImport(source).inferredColumns() == [
        ColumnPlan(name: "id", type: .integer), ColumnPlan(name: "zip", type: .string),
        ColumnPlan(name: "when", type: .date(.rfc3339)),
      ])
  }
}
