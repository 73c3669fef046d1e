// What the tokenizer accepts beyond RFC 4180, one requirement per test.

import Testing

@testable import VarveImport

@Suite("Delimited text: tolerance")
struct TokenizerToleranceTests {
  private static let plain = """
    a:integer b:string
    1 "x"
    2 "y"
    """

  @Test(
    "LF, CR LF and CR end lines, and the last line needs no end",
    arguments: [
      "a,b\n1,x\n2,y\n", "a,b\r\n1,x\r\n2,y\r\n", "a,b\r1,x\r2,y\r", "a,b\n1,x\r\n2,y",
      "a,b\r\n1,x\r\n2,y\r", "a,b\r1,x\r2,y",
    ])
  func lineEnds(text: String) throws {
    #expect(try ImportText.show(text) == Self.plain)
    #expect(try ImportText.show(text, windowBytes: 4) == Self.plain)
  }

  @Test("a byte order mark is skipped")
  func byteOrderMark() throws {
    #expect(try ImportText.show("\u{FEFF}a,b\n1,x\n2,y\n") == Self.plain)
  }

  @Test("empty lines are skipped when there are several columns")
  func emptyLines() throws {
    #expect(try ImportText.show("\n\na,b\n\n1,x\r\n\r\n2,y\n\n\n") == Self.plain)
  }

  @Test("an empty line is a nil cell when there is one column")
  func emptyLineOfOneColumn() throws {
    #expect(try ImportText.show("a\n1\n\r\n3\n") == "a:integer\n1\nnil\n3")
  }

  @Test("quoted fields hold delimiters, line ends and doubled quotes")
  func quotedFields() throws {
    let text = "a,b\n1,\"x,\"\"y\"\"\r\nz\"\n\"2\",\"\"\n"
    let expected = "a:integer b:string\n1 \"x,\"y\"\r\nz\"\n2 \"\""
    #expect(try ImportText.show(text) == expected)
    #expect(try ImportText.show(text, windowBytes: 4) == expected)
  }

  @Test("a quoted empty field is an empty string, an unquoted one is nil")
  func emptyFields() throws {
    #expect(try ImportText.show("a,b\n\"\",\n,\"\"\n") == "a:string b:string\n\"\" nil\nnil \"\"")
  }

  @Test("nil markers are unquoted fields with exactly their text, as in the flights data")
  func nilMarkers() throws {
    let text = "tailnum,year,name\nN10156,2004,NA\nN102UW,NA,\"NA\"\nNA,1998,NAN\n"
    let marked = try ImportText.show(text, options { $0.nilMarkers = ["NA", "\\N"] })
    #expect(
      marked == """
        tailnum:string year:integer name:string
        "N10156" 2004 nil
        "N102UW" nil "NA"
        nil 1998 "NAN"
        """)
    let unmarked = try ImportText.show(text)
    #expect(
      unmarked.hasPrefix("tailnum:string year:string name:string\n\"N10156\" \"2004\" \"NA\""))
  }

  @Test("lines that start with the comment byte are skipped, however they end")
  func comments() throws {
    let text = "# one\r\na,b\n#\n1,x\n# \"open\n2,y\n# last"
    #expect(try ImportText.show(text, options { $0.comment = UInt8(ascii: "#") }) == Self.plain)
    let single = "#c\r\na\r\n#d\r\n5\r\n"
    let numbers = options { $0.comment = UInt8(ascii: "#") }
    #expect(try ImportText.show(single, numbers) == "a:integer\n5")
    #expect(try ImportText.show(single, numbers, windowBytes: 4) == "a:integer\n5")
  }

  @Test("trimming drops blanks around fields and around quotes")
  func trims() throws {
    let text = "a , b\n 1 ,\tx\n2, \"y\" \n"
    #expect(try ImportText.show(text, options { $0.trims = true }) == Self.plain)
  }

  @Test("delimiter and quote can be other bytes, or no quote at all")
  func dialects() throws {
    let semicolons = options {
      $0.delimiter = UInt8(ascii: ";")
      $0.quote = UInt8(ascii: "'")
    }
    #expect(try ImportText.show("a;b\n1;'x'\n'2';y\n", semicolons) == Self.plain)
    let tabs = options {
      $0.delimiter = UInt8(ascii: "\t")
      $0.quote = nil
    }
    #expect(try ImportText.show("a\tb\n1\tx\"\n", tabs) == "a:integer b:string\n1 \"x\"\"")
  }

  @Test("without a header the columns are numbered or named by the options")
  func noHeader() throws {
    let numbered = try ImportText.show("1,x\n2,y\n", options { $0.hasHeader = false })
    #expect(numbered == "column1:integer column2:string\n1 \"x\"\n2 \"y\"")
    let named = options {
      $0.hasHeader = false
      $0.columnNames = ["a", "b"]
    }
    #expect(try ImportText.show("1,x\n2,y\n", named) == Self.plain)
    #expect(
      try ImportText.show("p,q\n1,x\n2,y\n", options { $0.columnNames = ["a", "b"] }) == Self.plain)
  }

  @Test("a header without rows is a table without rows")
  func headerOnly() throws {
    #expect(try ImportText.show("a,b") == "a:string b:string")
  }

  @Test("types in the header and in the options")
  func typedHeader() throws {
    let text = "a:Integer,b:date(%d.%m.%Y),c:data(base64),time:local\n7,03.01.1970,AQI=,1\n"
    #expect(
      try ImportText.show(text, options { $0.types = ["a": .unsigned] }) == """
        a:unsigned b:date c:data time:local:integer
        7 172800000000000 0102 1
        """)
  }

  @Test("the offset behind a batch continues where the next row starts")
  func offsets() throws {
    let text = "\u{FEFF}a\n1\n22\n333"
    var ends: [UInt64] = []
    try DelimitedImport(.bytes(Array(text.utf8), name: "t")).forEachBatch(ofRows: 1) {
      ends.append($0.endOffset)
    }
    #expect(ends == [7, 10, 13])
  }
}
