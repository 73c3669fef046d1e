// Options as command lines spell them.

import Testing

@testable import VarveImport

@Suite("Delimited text: options")
struct DelimitedOptionsTests {
  @Test("types are assigned to columns")
  func types() throws {
    var options = DelimitedOptions()
    try options.setType("zip=string")
    try options.setType("a=b=Integer")
    try options.setType("when=date(%Y=%m)")
    #expect(options.types["zip"] == .string)
    #expect(options.types["a=b"] == .integer)
    #expect(options.types["when"] == .date(.pattern([.year, .literal(0x3D), .month])))
    for text in ["", "zip", "zip=", "zip=text(3)", "=x"] {
      let error = #expect(throws: ImportError.self) { try options.setType(text) }
      #expect(error?.code == .badType)
    }
  }

  @Test("bytes are spelled as characters")
  func bytes() throws {
    #expect(try DelimitedOptions.byte(";") == 0x3B)
    #expect(try DelimitedOptions.byte("\\t") == 9)
    #expect(try DelimitedOptions.byte("TAB") == 9)
    for text in ["", ";;", "é"] {
      #expect(throws: ImportError.self) { try DelimitedOptions.byte(text) }
    }
  }
}
