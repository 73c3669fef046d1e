// Text of one cell -> value.

import Testing
import VarveFormat

@testable import VarveImport

@Suite("Cells: numbers and words")
struct CellParserTests {
  @Test("integers are all of Int64 and nothing else")
  func integers() {
    let good: [(String, Int64)] = [
      ("0", 0), ("-0", 0), ("007", 7), ("+5", 5), ("-1", -1), ("9223372036854775807", .max),
      ("-9223372036854775808", .min), ("00000000000000000000000000000000000012", 12),
    ]
    for (text, value) in good {
      #expect(withField(text) { CellParser.integer($0) } == value, "\(text)")
    }
    let bad = [
      "", "-", "+", "1.0", " 1", "1 ", "9223372036854775808", "-9223372036854775809", "0x10", "1e3",
      "18446744073709551616", "--1", "1,000", "\u{661}",
    ]
    for text in bad { #expect(withField(text) { CellParser.integer($0) } == nil, "\(text)") }
  }

  @Test("unsigned numbers are all of UInt64 and nothing else")
  func unsigned() {
    #expect(withField("18446744073709551615") { CellParser.unsigned($0) } == .max)
    #expect(withField("+0") { CellParser.unsigned($0) } == 0)
    for text in ["", "-0", "-1", "18446744073709551616", "+"] {
      #expect(withField(text) { CellParser.unsigned($0) } == nil, "\(text)")
    }
  }

  @Test("a double that is asked for holds the number that is written, or there is none")
  func exactDoubles() {
    let good = [
      "0", "-0", "0.1", "1e22", "9007199254740992", "0.30000000000000004", "5e-324", "1.50000",
      "1.7976931348623157e308", "0e999999", "inf", "-Infinity", "nan", "100000000000000000000",
    ]
    for text in good {
      let (exact, rounded) = withField(text) { (CellParser.exactDouble($0), CellParser.double($0)) }
      #expect(exact?.bitPattern == rounded?.bitPattern && exact != nil, "\(text)")
    }
    let bad = [
      "9007199254740993", "0.1000000000000000055511151231257827", "1e-400",
      "12345678901234567890123",
      "3.14159265358979323846", "4e-324", "1e400", "x", "",
    ]
    for text in bad { #expect(withField(text) { CellParser.exactDouble($0) } == nil, "\(text)") }
  }

  @Test("bools are written in several ways")
  func bools() {
    for text in ["true", "TRUE", "True", "t", "Y", "yes", "1"] {
      #expect(withField(text) { CellParser.bool($0) } == true, "\(text)")
    }
    for text in ["false", "FALSE", "f", "N", "no", "0"] {
      #expect(withField(text) { CellParser.bool($0) } == false, "\(text)")
    }
    for text in ["", "2", "tru", "on", "yess", "\u{14}rue"] {
      #expect(withField(text) { CellParser.bool($0) } == nil, "\(text)")
    }
  }

  @Test("doubles at the edges")
  func doubles() {
    let good: [(String, Double)] = [
      ("0", 0), ("1.5", 1.5), (".5", 0.5), ("5.", 5), ("+1e3", 1000), ("1E-2", 0.01), ("1e+2", 100),
      ("inf", .infinity), ("-Infinity", -.infinity), ("+INF", .infinity),
      ("1.7976931348623157e308", .greatestFiniteMagnitude), ("5e-324", .leastNonzeroMagnitude),
      ("9007199254740993", 9_007_199_254_740_992),
      ("2.2250738585072011e-308", Double(bitPattern: 0xF_FFFF_FFFF_FFFF)),
      ("1e-400", 0), ("0e999999999999", 0),
      ("123456789012345678901234567890", 1.2345678901234568e29),
    ]
    for (text, value) in good {
      let found = withField(text) { CellParser.double($0) }
      #expect(found?.bitPattern == value.bitPattern, "\(text)")
    }
    let bad = [
      "", ".", "-", "e5", "1e", "1e+", "1.2.3", "1,5", " 1", "0x1p3", "1e309", "-1e400", "nan(1)",
      "-nan",
      "infinit", "1f", "1_000",
    ]
    for text in bad { #expect(withField(text) { CellParser.double($0) } == nil, "\(text)") }
  }

  @Test("minus zero keeps its sign and every NaN is the same")
  func zeroAndNaN() throws {
    #expect(withField("-0.0") { CellParser.double($0) }?.bitPattern == 1 << 63)
    let table = try ImportText.table(
      bytes: Array("a:double\nnan\nNaN\nNAN\n-0.0\n".utf8))
    guard case .words(let words, nil) = table.columns[0].cells else {
      Issue.record("no words")
      return
    }
    let nan: UInt64 = 0x7FF8_0000_0000_0000
    #expect(words == [nan, nan, nan, 1 << 63])
  }

  @Test("random decimals become the nearest double")
  func randomDoubles() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = TestRandom(seed: seed)
    for _ in 0..<20_000 {
      var text = Bool.random(using: &random) ? "-" : ""
      for _ in 0..<Int.random(in: 1...22, using: &random) {
        text += String(Int.random(in: 0...9, using: &random))
      }
      if Bool.random(using: &random) {
        text += "."
        for _ in 0..<Int.random(in: 1...22, using: &random) {
          text += String(Int.random(in: 0...9, using: &random))
        }
      }
      if Int.random(in: 0...2, using: &random) == 0 {
        text += "e\(Int.random(in: -330...280, using: &random))"
      }
      guard let found = withField(text, { CellParser.double($0) }),
        let expected = Double(text), found.bitPattern == expected.bitPattern
      else {
        Issue.record("seed \(seed): \(text)")
        return
      }
    }
  }

  @Test("random bit patterns come back from their shortest text")
  func doubleRoundTrip() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = TestRandom(seed: seed)
    for _ in 0..<20_000 {
      let value = Double(bitPattern: random.next())
      guard value.isFinite else { continue }
      let found = withField("\(value)") { CellParser.double($0) }
      guard found?.bitPattern == value.bitPattern else {
        Issue.record("seed \(seed): \(value)")
        return
      }
    }
  }

  private func decimal(_ text: String) -> String? {
    withField(text) { field in
      var bytes: [UInt8] = []
      let isParsed = CellParser.decimal(field, into: &bytes)
      #expect(isParsed || bytes.isEmpty)
      return isParsed ? hexadecimal(bytes) : nil
    }
  }

  @Test("decimals are stored as sign, exponent and mantissa without trailing zeros")
  func decimals() {
    #expect(decimal("0") == "000000")
    #expect(decimal("-0.000e5") == "000000")
    #expect(decimal("12.34") == "000302d204")
    #expect(decimal("-12.3400") == "010302d204")
    #expect(decimal("100") == "00040101")
    #expect(decimal("1e-3") == "00050101")
    #expect(
      decimal("340282366920938463463374607431768211455") == "000010"
        + String(repeating: "f", count: 32))
    #expect(decimal("340282366920938463463374607431768211456") == nil)
    #expect(decimal("0.00000000000000000000000000000000000001") == "004b0101")
    #expect(decimal("1" + String(repeating: "0", count: 100)) == "00c8010101")
    #expect(decimal("0." + String(repeating: "0", count: 99) + "1") == "00c7010101")
    for text in ["", ".", "nan", "inf", "1e", "1e1000000", "1e-999999999999", "1 "] {
      #expect(decimal(text) == nil, "\(text)")
    }
  }

  @Test("random decimals keep all 38 digits")
  func randomDecimals() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = TestRandom(seed: seed)
    for _ in 0..<5_000 {
      let high = UInt128(random.next()) << 64 | UInt128(random.next())
      let mantissa = high >> UInt128(Int.random(in: 0...127, using: &random))
      guard mantissa > 0 else { continue }
      let digits = String(mantissa)
      let point = Int.random(in: 0...digits.count, using: &random)
      let text = digits.prefix(point) + "." + digits.dropFirst(point)
      var expectedMantissa = mantissa
      var exponent = point - digits.count
      while expectedMantissa % 10 == 0 {
        expectedMantissa /= 10
        exponent += 1
      }
      var expected: [UInt8] = [0, UInt8(exponent < 0 ? -exponent * 2 - 1 : exponent * 2), 0]
      while expectedMantissa > 0 {
        expected.append(UInt8(truncatingIfNeeded: expectedMantissa))
        expectedMantissa >>= 8
        expected[2] += 1
      }
      guard decimal(String(text)) == hexadecimal(expected) else {
        Issue.record("seed \(seed): \(text)")
        return
      }
    }
  }

  private func bytes(_ parse: (FieldBytes, inout [UInt8]) -> Bool, _ text: String) -> String? {
    withField(text) { field in
      var bytes: [UInt8] = [0xAA]
      let isParsed = parse(field, &bytes)
      #expect(isParsed || bytes == [0xAA], "a refused cell leaves nothing behind")
      return isParsed ? hexadecimal(bytes.dropFirst()) : nil
    }
  }

  @Test("hexadecimal data are pairs of digits in any case")
  func hexadecimalData() {
    #expect(bytes(CellParser.hexadecimal, "") == "")
    #expect(bytes(CellParser.hexadecimal, "00fFA5") == "00ffa5")
    for text in ["0", "0g", "0x00", "00 11"] { #expect(bytes(CellParser.hexadecimal, text) == nil) }
  }

  @Test("base64 data with and without padding")
  func base64Data() {
    let good = [
      ("", ""), ("AA==", "00"), ("AA", "00"), ("AQI=", "0102"), ("AQI", "0102"), ("AQID", "010203"),
      ("+/+/", "fbffbf"), ("-_-_", "fbffbf"),
    ]
    for (text, expected) in good { #expect(bytes(CellParser.base64, text) == expected, "\(text)") }
    for text in ["A", "AB", "AQJ", "====", "A===", "AA=", "AQID=", "AQ ID", "AQ=D", "AAAAA"] {
      #expect(bytes(CellParser.base64, text) == nil, "\(text)")
    }
  }

  @Test("uuids with and without hyphens")
  func uuids() {
    let plain = "00112233445566778899aabbccddeeff"
    #expect(bytes(CellParser.uuid, "00112233-4455-6677-8899-AABBccddeeff") == plain)
    #expect(bytes(CellParser.uuid, plain) == plain)
    for text in [
      "", "00112233-4455-6677-8899-aabbccddeef", "00112233_4455-6677-8899-aabbccddeeff",
      "0011223-34455-6677-8899-aabbccddeeff", "{0112233-4455-6677-8899-aabbccddeef}",
    ] {
      #expect(bytes(CellParser.uuid, text) == nil, "\(text)")
    }
  }
}

@Suite("Cells: dates")
struct DateCellTests {
  private func date(_ text: String, _ format: DateFormat = .rfc3339) -> Int64? {
    withField(text) { CellParser.date($0, format) }
  }

  private static let second: Int64 = 1_000_000_000

  @Test("RFC 3339 with and without a zone, and days alone")
  func rfc3339() {
    let new: Int64 = 1_357_016_400 * Self.second
    for text in [
      "2013-01-01T05:00:00Z", "2013-01-01 05:00:00", "2013-01-01t06:00:00+01:00",
      "2013-01-01T05:00",
      "2013-01-01T01:30:00-0330", "2012-12-31T23:00:00-06", "2013-01-01T05:00:00.000z",
      "2013-01-01T05:00Z",
    ] {
      #expect(date(text) == new, "\(text)")
    }
    #expect(date("1970-01-01") == 0)
    #expect(date("1969-12-31T23:59:59.5Z") == -Self.second / 2)
    #expect(date("2000-02-29") == 951_782_400 * Self.second)
    #expect(date("1970-01-01T00:00:00.123456789000Z") == 123_456_789)
  }

  @Test("leap seconds and digits below nanoseconds are refused, not changed")
  func inexact() throws {
    let leap = try #require(DateFormat(pattern: "%Y%m%d%H%M%S"))
    for text in [
      "2016-12-31T23:59:60Z", "2016-12-31T23:59:60.5Z", "1970-01-01T00:00:00.1234567891Z",
      "1970-01-01T00:00:00.0000000000001Z",
    ] {
      #expect(date(text) == nil, "\(text)")
    }
    #expect(date("20161231235960", leap) == nil)
  }

  @Test("days and times that do not exist are refused")
  func impossible() {
    for text in [
      "", "2013", "2013-1-1", "2013-02-29", "1900-02-29", "2013-13-01", "2013-00-01", "2013-01-00",
      "2013-04-31",
      "2013-01-01T24:00:00", "2013-01-01T00:60:00", "2013-01-01T00:00:61", "2013-01-01T",
      "2013-01-01T00",
      "2013-01-01T00:00:00.", "2013-01-01T00:00:00+1", "2013-01-01T00:00:00+01:",
      "2013-01-01T00:00:00+01:0",
      "2013-01-01T00:00:00Zx", "2013-01-01x00:00:00", "2013/01/01", "2013-01-01T00:00:0",
      "20130101",
      "2013-01-01T00:00:00+24:00", "2013-01-01T00:00:00+01:60",
    ] {
      #expect(date(text) == nil, "\(text)")
    }
  }

  @Test("the range is that of 64-bit nanoseconds, to the nanosecond")
  func range() {
    #expect(date("1677-09-21T00:12:43.145224192Z") == .min)
    #expect(date("1677-09-21T00:12:43.145224191Z") == nil)
    #expect(date("2262-04-11T23:47:16.854775807Z") == .max)
    #expect(date("2262-04-11T23:47:16.854775808Z") == nil)
    #expect(date("0001-01-01") == nil)
    #expect(date("9999-12-31") == nil)
  }

  @Test("days follow each other from 1678 to 2261")
  func calendar() {
    var expected = CivilTime.days(1678, 1, 1)
    for year in 1678...2261 {
      for month in 1...12 {
        for day in 1...CivilTime.daysInMonth(month, year) {
          guard CivilTime.days(year, month, day) == expected else {
            Issue.record("\(year)-\(month)-\(day)")
            return
          }
          expected += 1
        }
      }
    }
  }

  @Test("patterns have fields of fixed width")
  func patterns() throws {
    let dotted = try #require(DateFormat(pattern: "%d.%m.%Y"))
    #expect(date("02.01.1970", dotted) == 86_400 * Self.second)
    for text in ["2.1.1970", "02.01.70", "02.01.1970 ", "30.02.1970", "02/01/1970", ""] {
      #expect(date(text, dotted) == nil, "\(text)")
    }
    let compact = try #require(DateFormat(pattern: "%Y%m%d%H%M%S"))
    #expect(date("19700101000107", compact) == 67 * Self.second)
    #expect(date("1971", try #require(DateFormat(pattern: "%Y"))) == 365 * 86_400 * Self.second)
    #expect(DateFormat(pattern: "100%% %Y") != nil)
    for pattern in ["", "%", "%Y%", "%y", "%d.%m", "%Y é"] {
      #expect(DateFormat(pattern: pattern) == nil, "\(pattern)")
    }
  }

  @Test("type names, whatever their case")
  func typeNames() {
    #expect(ColumnType(named: "Integer") == .integer)
    #expect(ColumnType(named: "FLOAT") == .double)
    #expect(ColumnType(named: "data(Base64)") == .data(.base64))
    #expect(ColumnType(named: "date") == .date(.rfc3339))
    #expect(ColumnType(named: "Date(%Y)") == .date(.pattern([.year])))
    for word in ["", "date(", "date()", "data(x)", "integer(3)", "number", "str"] {
      #expect(ColumnType(named: word) == nil, "\(word)")
    }
    for word in ColumnType.words { #expect(ColumnType(named: word) != nil, "\(word)") }
  }
}
