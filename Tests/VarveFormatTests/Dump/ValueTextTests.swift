// How values and times are spelled, as text and as JSON.

import Testing
import VarveFormat

@Suite("Dump: spelling of values")
struct ValueTextTests {
  private static let hash = Hash128(low: 0x0706_0504_0302_0100, high: 0x0F0E_0D0C_0B0A_0908)

  private static let table: [(Value, String)] = [
    (.null, "nil"), (.bool(true), "true"), (.bool(false), "false"),
    (.integer(.min), "-9223372036854775808"), (.unsigned(.max), "18446744073709551615"),
    (.double(1.5e-7), "1.5e-07:3e8421f5f40d8376"), (.double(.nan), "nan:7ff8000000000000"),
    (.double(-0.0), "-0.0:8000000000000000"),
    (
      .decimal(DecimalValue(isNegative: true, exponent: -2, magnitude: 1_234)),
      "decimal:-1234e-2"
    ),
    (.decimal(DecimalValue(isNegative: false, exponent: 0, magnitude: 0)), "decimal:0e0"),
    (
      .decimal(DecimalValue(isNegative: false, exponent: 3, magnitude: .max)),
      "decimal:340282366920938463463374607431768211455e3"
    ),
    (.string("hé\n"), #""hé\n""#), (.string(""), #""""#), (.data([]), "data:"),
    (.data([0xFF, 0]), "data:ff00"), (.date(-5), "date:-5"),
    (.uuid((0..<16).map { $0 }), "uuid:000102030405060708090a0b0c0d0e0f"),
    (.reference(ObjectReference(entity: 8, index: 1, serial: 70_000)), "ref:8/1/70000"),
    (
      .identityReference(ObjectReference(entity: 9, identity: hash)),
      "ref:9/#0f0e0d0c0b0a09080706050403020100"
    ),
    (
      .blob(sha256: [UInt8](repeating: 0, count: 32), byteCount: 9),
      "blob:" + String(repeating: "00", count: 32) + "/9"
    ),
    (.array(.integer, [.integer(-1), .integer(2)]), "array:integer[-1,2]"),
    (.array(.string, [.string("a,b"), .string("")]), #"array:string["a,b",""]"#),
    (.composite(encoding: 1, [0x7B, 0x7D]), "composite:1:7b7d"),
  ]

  @Test("values of every type are spelled as in the document", arguments: table)
  func text(_ value: Value, _ text: String) {
    #expect(DumpLines.text(.value(value)) == text)
  }

  @Test("in JSON a value is a string of its text, and a string is itself", arguments: table)
  func json(_ value: Value, _ text: String) {
    let json = DumpLines.json(.value(value))
    if case .string = value {
      #expect(json == text)
    } else {
      let escaped = text.split(separator: "\"", omittingEmptySubsequences: false)
        .joined(separator: "\\\"")
      #expect(json == "\"\(escaped)\"")
    }
  }

  @Test("control characters, quotes and backslashes are escaped, all else stays")
  func escapes() {
    let text = "a\"b\\c\nd\re\tf\u{0}\u{1F}\u{7F}\u{80}é漢👩‍👧"
    let expected = #""a\"b\\c\nd\re\tf\u0000\u001f\u007f"# + "\u{80}é漢👩‍👧\""
    #expect(DumpLines.text(.string(text)) == expected)
    #expect(DumpLines.json(.string(text)) == expected)
  }

  @Test("numbers are numbers in JSON, words and hashes are strings")
  func jsonTypes() {
    #expect(DumpLines.json(.number(UInt64.max)) == "18446744073709551615")
    #expect(DumpLines.json(.signed(-1)) == "-1")
    #expect(DumpLines.json(.word("none")) == "\"none\"")
    #expect(DumpLines.json(.hexadecimal(255)) == "\"00000000000000ff\"")
    #expect(DumpLines.json(.bytes([])) == "\"\"")
    #expect(DumpLines.json(.object(ObjectReference(entity: 1, serial: 2))) == "\"1/0/2\"")
    #expect(DumpLines.text(.list([])) == "none")
    let flags = FrameFlags([.compressed, .last])
    #expect(DumpLines.text(.words(flags, FrameFlags.names)) == "lz4+last")
  }

  private static let times: [(UInt64, String)] = [
    (0, "1970-01-01T00:00:00.000Z"), (1_700_000_000_123, "2023-11-14T22:13:20.123Z"),
    (951_782_400_000, "2000-02-29T00:00:00.000Z"), (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
    (4_107_542_400_000, "2100-03-01T00:00:00.000Z"), ((1 << 44) - 1, "2527-06-23T06:20:44.415Z"),
  ]

  @Test("times are those of the Gregorian calendar in UTC", arguments: times)
  func time(_ milliseconds: UInt64, _ text: String) {
    #expect(TimeText.text(Stamp(milliseconds: milliseconds)) == text)
  }
}
