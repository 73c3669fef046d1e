// Random tables are written and read back; damaged texts never trap.

import Testing
import VarveFormat

@testable import VarveImport

/// A random table as text, with what must come back.
private struct RandomTable {
  var text: [UInt8] = []
  var options = DelimitedOptions()
  var rows: [[String?]] = []

  init(_ random: inout TestRandom, rowCount: Int) {
    let pieces = [
      "a", "Zoë", "", "1", "-0.5", ",", ";", "\"", "\n", "\r\n", " ", "NA", "日本", "\u{1F600}",
      "x\"y",
    ]
    let columnCount = Int.random(in: 1...5, using: &random)
    let delimiter = [",", ";", "\t"].randomElement(using: &random) ?? ","
    options.delimiter = Array(delimiter.utf8)[0]
    options.nilMarkers = ["NA"]
    options.infersTypes = false
    let lineEnd = ["\n", "\r\n", "\r"].randomElement(using: &random) ?? "\n"
    if Bool.random(using: &random) { text += [0xEF, 0xBB, 0xBF] }
    text += Array((0..<columnCount).map { "c\($0)" }.joined(separator: delimiter).utf8)
    for _ in 0..<rowCount {
      text += Array(lineEnd.utf8)
      var row: [String?] = []
      for column in 0..<columnCount {
        if column > 0 { text += Array(delimiter.utf8) }
        var value: String? = ""
        for _ in 0..<Int.random(in: 0...3, using: &random) {
          value? += pieces.randomElement(using: &random) ?? ""
        }
        if Int.random(in: 0...5, using: &random) == 0 { value = nil }
        text += Array(RandomTable.field(value, delimiter, &random).utf8)
        row.append(value)
      }
      rows.append(row)
    }
    if Bool.random(using: &random) || rows.last == [nil] { text += Array(lineEnd.utf8) }
  }

  private static func field(_ value: String?, _ delimiter: String, _ random: inout TestRandom)
    -> String
  {
    guard let value else { return Bool.random(using: &random) ? "NA" : "" }
    let special = ["\"", "\n", "\r", delimiter]
    let needsQuotes =
      value.isEmpty || value == "NA"
      || special.contains { mark in value.unicodeScalars.contains { String($0) == mark } }
    if !needsQuotes, Bool.random(using: &random) { return value }
    var text = "\""
    for scalar in value.unicodeScalars {
      text.unicodeScalars.append(scalar)
      if scalar == "\"" { text += "\"" }
    }
    return text + "\""
  }
}

@Suite("Delimited text: properties")
struct RoundTripTests {
  @Test("random tables come back as they were written")
  func roundTrip() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = TestRandom(seed: seed)
    for run in 0..<500 {
      let written = RandomTable(&random, rowCount: Int.random(in: 0...20, using: &random))
      let windowBytes = [4, 13, 64, 1 << 20].randomElement(using: &random)
      let table = try ImportText.table(
        bytes: written.text, written.options, windowBytes: windowBytes)
      let rows = (0..<table.rowsKept).map { row in
        table.columns.map { ImportText.cell($0, row) }
      }
      let expected = written.rows.map { $0.map { $0.map { "\"\($0)\"" } ?? "nil" } }
      // Equality of strings would accept other spellings.
      let isEqual =
        rows.map { $0.map { Array($0.utf8) } } == expected.map { $0.map { Array($0.utf8) } }
      if !isEqual || !table.problems.isEmpty {
        Issue.record("seed \(seed), run \(run): \(written.text.debugText)\n\(table.problems)")
        return
      }
    }
  }

  @Test("a text larger than the window comes back as it was written")
  func large() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = TestRandom(seed: seed)
    let written = RandomTable(&random, rowCount: 60_000)
    let table = try ImportText.table(bytes: written.text, written.options, windowBytes: 1 << 16)
    #expect(table.problems.isEmpty && table.rowsKept == 60_000, "seed \(seed)")
    for (index, column) in table.columns.enumerated() {
      let isEqual = (0..<table.rowsKept).allSatisfy { row in
        let expected = written.rows[row][index].map { "\"\($0)\"" } ?? "nil"
        return Array(ImportText.cell(column, row).utf8) == Array(expected.utf8)
      }
      #expect(isEqual, "seed \(seed), column \(index)")
    }
  }

  private static let sample = Array(
    #"""
    id:integer,name,price:decimal,when:date,raw:data(hex),key:uuid,ok:bool,x:double
    1,"Zoë, ""x""",12.50,2013-01-01T05:00:00Z,00ff,00112233-4455-6677-8899-aabbccddeeff,true,-0.5e3
    2,,,,,,,
    3,"two
    lines",1e3,2013-01-01,,00112233445566778899aabbccddeeff,0,nan

    """#.utf8)

  @Test("a text with any byte changed is imported, rejected or refused, and never traps")
  func flippedBytes() throws {
    for index in Self.sample.indices {
      for change: UInt8 in [
        0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xFF, Self.sample[index],
      ] {
        var bytes = Self.sample
        bytes[index] ^= change
        do {
          let table = try ImportText.table(bytes: bytes, windowBytes: 64)
          #expect(table.rowsRead <= 6)
        } catch is ImportError {}
      }
    }
  }

  @Test("a text that is cut anywhere is imported, rejected or refused, and never traps")
  func cutTexts() throws {
    for length in Self.sample.indices {
      do {
        _ = try ImportText.table(bytes: Array(Self.sample.prefix(length)), windowBytes: 16)
      } catch is ImportError {}
    }
  }

  @Test("random bytes never trap", arguments: [4, 64, 1 << 20])
  func randomBytes(windowBytes: Int) throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = TestRandom(seed: seed)
    for _ in 0..<500 {
      let isText = Bool.random(using: &random)
      let bytes = (0..<Int.random(in: 0...300, using: &random)).map { _ in
        isText
          ? Array(",\"\n\r aé0".utf8).randomElement(using: &random) ?? 0
          : UInt8.random(in: 0...255, using: &random)
      }
      do {
        let change = options {
          $0.trims = Bool.random(using: &random)
          $0.comment = Bool.random(using: &random) ? UInt8(ascii: "0") : nil
          $0.hasHeader = Bool.random(using: &random)
          $0.quote = Bool.random(using: &random) ? UInt8(ascii: "\"") : nil
        }
        _ = try ImportText.table(bytes: bytes, change, windowBytes: windowBytes)
      } catch is ImportError {}
    }
  }
}
