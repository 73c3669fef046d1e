// Every kind of bad input: what is rejected, with which code, and what is not affected.

import Testing

@testable import VarveImport

@Suite("Delimited text: bad input")
struct BadInputTests {
  @Test("a row with too few fields is reported and dropped alone")
  func missingFields() throws {
    #expect(
      try ImportText.show("a,b\n1,x\n2\n3,z\n") == """
        a:integer b:string
        1 "x"
        3 "z"
        row 2 at byte 8: E-MISSING: 1 field where the table has 2 columns
        """)
  }

  @Test("a row with too many fields is reported and dropped alone")
  func extraFields() throws {
    #expect(
      try ImportText.show("a,b\n1,x\n2,y,z\n3,z\n") == """
        a:integer b:string
        1 "x"
        3 "z"
        row 2 at byte 8: E-EXTRA: 3 fields where the table has 2 columns
        """)
  }

  @Test("a quote inside an unquoted field rejects the row")
  func quoteInside() throws {
    #expect(
      try ImportText.show("a,b\n1,5\" pipe\n2,y\n") == """
        a:integer b:string
        2 "y"
        row 1 at byte 4: E-QUOTE: a quote at byte 7 neither opens nor closes a field
        """)
  }

  @Test("text behind a closing quote rejects the row")
  func textBehindQuote() throws {
    #expect(
      try ImportText.show("a,b\n1,\"x\"y\n2,y\n") == """
        a:integer b:string
        2 "y"
        row 1 at byte 4: E-QUOTE: a quote at byte 9 neither opens nor closes a field
        """)
  }

  @Test("a quote that is never closed costs its own line only", arguments: [nil, 4])
  func unterminatedQuote(windowBytes: Int?) throws {
    #expect(
      try ImportText.show("a,b\n1,\"x\n2,y\n3,z\n", windowBytes: windowBytes) == """
        a:integer b:string
        2 "y"
        3 "z"
        row 1 at byte 4: E-QUOTE: the quote at byte 6 is never closed
        """)
  }

  @Test("a quote that is closed by the next one costs its own line only", arguments: [nil, 4])
  func quoteClosedTooLate(windowBytes: Int?) throws {
    #expect(
      try ImportText.show("a,b\n1,\"x\n2,\"y\"\n3,z\n", windowBytes: windowBytes) == """
        a:integer b:string
        2 "y"
        3 "z"
        row 1 at byte 4: E-QUOTE: a quote at byte 12 neither opens nor closes a field
        """)
  }

  @Test("a quote that is open at the end of the text costs its own line only")
  func quoteAtEnd() throws {
    #expect(
      try ImportText.show("a\n1\n\"") == """
        a:integer
        1
        row 2 at byte 4: E-QUOTE: the quote at byte 4 is never closed
        """)
  }

  @Test("a NUL byte rejects its row")
  func nulByte() throws {
    #expect(
      try ImportText.show("a,b\n1,x\0\n2,y\n") == """
        a:integer b:string
        2 "y"
        row 1 at byte 4: E-UTF8: a NUL byte at byte 7
        """)
  }

  @Test(
    "bytes that are not UTF-8 reject their row",
    arguments: [
      [0xFF], [0xC0, 0x80], [0xC3], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
      [0x80], [0xE0, 0x80, 0x80], [0xF0, 0x80, 0x80, 0x80],
    ])
  func invalidUTF8(bad: [UInt8]) throws {
    let text = Array("a,b\n1,é\n2,".utf8) + bad + Array("\n3,z\n".utf8)
    #expect(
      try ImportText.show(bytes: text) == """
        a:integer b:string
        1 "é"
        3 "z"
        row 2 at byte 9: E-UTF8: no valid UTF-8 at byte 11
        """)
  }

  @Test("a cell of another type rejects its row, and no column keeps a part of it")
  func castFailure() throws {
    let typed = options { $0.types = ["b": .integer, "c": .date(.rfc3339)] }
    #expect(
      try ImportText.show("a,b,c\nx,1,\ny,one,2020-01-01\n,2,2020-02-30\nz,\"\",\nw,3,\n", typed)
        == """
        a:string b:integer c:date
        "x" 1 nil
        "w" 3 nil
        row 2 at byte 11, column "b": E-CAST: "one" is no value of type integer
        row 3 at byte 28, column "c": E-CAST: "2020-02-30" is no value of type date
        row 4 at byte 42, column "b": E-CAST: "" is no value of type integer
        """)
  }

  @Test("a cell of more than 60,000 bytes rejects its row")
  func longCell() throws {
    let fits = String(repeating: "x", count: 60_000)
    let table = try ImportText.table(bytes: Array("a,b\n1,\(fits)\n2,\(fits)y\n3,z\n".utf8))
    #expect(table.rowsKept == 2)
    #expect(
      table.problems.map(\.description) == [
        "row 2 at byte 60007, column \"b\": E-LONG: the cell has 60001 bytes; at most 60000 "
          + "can be stored"
      ])
    #expect(table.problems[0].raw.count == 60_003)
  }

  @Test("a full column rejects rows, and other rows still fit")
  func fullHeap() throws {
    let source = try TextSource(.bytes(Array("a\nxxxx\nyyyy\nz\n".utf8), name: "t"))
    let reader = try RowReader(source, DelimitedOptions())
    let columns = [ColumnPlan(name: "a", type: .string)]
    var assembler = TableAssembler(reader, name: "t", columns: columns, heapBytesMax: 7)
    while try assembler.step() {}
    #expect(
      ImportText.show(assembler.take()) == """
        a:string
        "xxxx"
        "z"
        row 2 at byte 7, column "a": E-LONG: the column has no room for more in one table
        """)
  }

  @Test("a row beyond the limit is skipped to its line end", arguments: [4, 32, 4_096])
  func longRow(windowBytes: Int) throws {
    let long = String(repeating: "x", count: 300)
    var run = DelimitedImport(.bytes(Array("a,b\n1,\(long)\n2,y\n3,\(long)".utf8), name: "t"))
    run.sizes = TokenizerSizes(windowBytes: windowBytes, rowBytesMax: 100)
    let table = try run.table()
    // A row is refused when the window is at its limit; a window that holds all of it makes no
    // fuss.
    #expect(table.rowsRead == 3)
    if windowBytes < 300 {
      #expect(table.rowsKept == 1)
      #expect(table.problems.map(\.code) == [.long, .long])
      #expect(table.problems.map(\.offset) == [4, 311])
    }
  }

  @Test("a quote that is open beyond the limit costs its own line only", arguments: [4, 32])
  func longQuote(windowBytes: Int) throws {
    let lines = (0..<100).map { "\($0),y\n" }.joined()
    var run = DelimitedImport(.bytes(Array("a,b\n1,\"x\n\(lines)".utf8), name: "t"))
    run.sizes = TokenizerSizes(windowBytes: windowBytes, rowBytesMax: 100)
    let table = try run.table()
    #expect(table.rowsKept == 100)
    #expect(table.problems.map(\.code) == [.quote])
    #expect(table.problems[0].raw == Array("1,\"x".utf8))
  }

  @Test("an open quote on a line without end is reported once", arguments: [4, 32])
  func longQuotedLine(windowBytes: Int) throws {
    let long = String(repeating: "x", count: 1_000)
    var run = DelimitedImport(.bytes(Array("a,b\n1,\"\(long)\n2,y\n".utf8), name: "t"))
    run.sizes = TokenizerSizes(windowBytes: windowBytes, rowBytesMax: 100)
    let table = try run.table()
    #expect(table.rowsKept == 1)
    #expect(table.problems.map(\.code) == [.quote])
  }

  @Test("the raw text of a rejected row is kept")
  func rawRow() throws {
    let table = try ImportText.table(bytes: Array("a,b\r\n1,\"x\"\"\"y\r\n2,y\r\n".utf8))
    #expect(table.problems.map { String(decoding: $0.raw, as: UTF8.self) } == ["1,\"x\"\"\"y"])
  }
}

@Suite("Delimited text: refused inputs")
struct RefusedInputTests {
  private func refusal(
    _ bytes: [UInt8], _ options: DelimitedOptions = DelimitedOptions()
  ) -> String {
    do {
      _ = try DelimitedImport(.bytes(bytes, name: "t.csv"), options: options).table()
      return "accepted"
    } catch { return "\(error.code): \(error)" }
  }

  private func refusal(_ text: String, _ change: (inout DelimitedOptions) -> Void = { _ in })
    -> String
  {
    refusal(Array(text.utf8), options(change))
  }

  @Test("UTF-16 is recognised by its mark and by its zeros")
  func utf16() {
    let little = "a,b\n1,x\n".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    let big = "a,b\n1,x\n".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    let marked =
      "unsupportedEncoding: t.csv@0: the text is UTF-16; convert it with: iconv -f utf16 -t utf8"
    #expect(refusal([0xFF, 0xFE] + little) == marked)
    #expect(refusal([0xFE, 0xFF] + big) == marked)
    #expect(refusal(little).contains("without a byte order mark"))
    #expect(refusal(big).contains("without a byte order mark"))
  }

  @Test("Latin-1 is recognised by several bytes that are not UTF-8")
  func latin1() {
    let text = "name,city\nJos\u{E9},M\u{FC}nchen\nZo\u{EB},K\u{F6}ln\n"
    let bytes = text.unicodeScalars.map { UInt8($0.value) }
    #expect(
      refusal(bytes)
        == "unsupportedEncoding: t.csv@0: the text is not UTF-8 and looks like Latin-1; "
        + "convert it with: "
        + "iconv -f latin1 -t utf8")
    #expect(refusal(Array(text.utf8)) == "accepted")
  }

  @Test("an empty text has nothing to import")
  func empty() {
    let message = "empty: t.csv: there is nothing to import, not even a header"
    #expect(refusal("") == message)
    #expect(refusal("\n\n") == message)
    #expect(refusal("\u{FEFF}") == message)
  }

  @Test("a header that cannot be used is refused")
  func headers() {
    #expect(
      refusal("a,b,a\n")
        == "badHeader: t.csv: columns 1 and 3 are both named \"a\"; name the columns yourself")
    #expect(
      refusal("e\u{301},\u{E9}\n").hasPrefix("badHeader: t.csv: columns 1 and 2 are both named"))
    #expect(
      refusal("a,\"b\n")
        == "badHeader: t.csv@0: the first row cannot be read: the quote at byte 2 is never closed")
    #expect(
      refusal("a,b\n") { $0.columnNames = ["x"] }
        == "badHeader: t.csv: 1 column names are given and the first row has 2 fields")
    let long = String(repeating: "n", count: 1_025)
    #expect(
      refusal("\(long),b\n") == "badHeader: t.csv: the name of column 1 is longer than 1024 bytes")
    let wide = (0...4_096).map { "c\($0)" }.joined(separator: ",")
    #expect(refusal(wide + "\n") == "badHeader: t.csv: 4097 columns are more than 4096")
    let wider = (0...9_000).map { "c\($0)" }.joined(separator: ",")
    #expect(refusal(wider + "\n").hasPrefix("badHeader: t.csv: "))
    #expect(refusal(wider + "\n") { $0.hasHeader = false }.hasPrefix("badHeader: t.csv: 9001"))
  }

  @Test("a type for a column that is not there is refused")
  func unknownColumn() {
    #expect(
      refusal("a,b\n") { $0.types = ["c": .integer] }
        == "badType: t.csv: a type is given for the column \"c\", which is not there; the "
        + "columns are a, b"
    )
  }

  @Test("bytes that structure a text must differ")
  func optionBytes() {
    #expect(
      refusal("a\n") { $0.delimiter = UInt8(ascii: "\"") }
        == "badOption: delimiter and quote are the same character")
    #expect(
      refusal("a\n") { $0.comment = UInt8(ascii: "\n") }
        == "badOption: the comment must be one ASCII character, not a line end")
    #expect(
      refusal("a\n") { $0.delimiter = 0xC3 }
        == "badOption: the delimiter must be one ASCII character, not a line end")
  }

  @Test("a file that is not there or is a folder is refused with its path")
  func unreadable() {
    #expect(
      throws: ImportError(.unreadable, "open: No such file or directory", path: "/nowhere/x.csv")
    ) {
      try DelimitedImport(.file("/nowhere/x.csv")).table()
    }
    #expect(throws: ImportError(.unreadable, "read: Is a directory", path: "/", offset: 0)) {
      try DelimitedImport(.file("/")).table()
    }
  }
}
