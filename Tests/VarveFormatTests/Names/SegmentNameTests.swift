// Names of segment files: a strict full match, or not ours.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Segment names")
struct SegmentNameTests {
  @Test("names have the form that the specification gives")
  func known() {
    #expect(SegmentName.open(ordinal: 31).description == "open-000000001f.vlog")
    #expect(
      SegmentName.sealed(first: 1, last: 0xABC, hash: 0xDEAD_BEEF).description
        == "0000000001-0000000abc-00000000deadbeef.vlog")
  }

  @Test("random names read back")
  func random() {
    var random = TestRun.random()
    for _ in 0..<1_000 * TestRun.scale {
      let open = SegmentName.open(ordinal: random.number(max: (1 << 40) - 1))
      #expect(SegmentName(open.description) == open)
      let sealed = SegmentName.sealed(
        first: random.number(max: (1 << 40) - 1), last: random.number(max: (1 << 40) - 1),
        hash: random.word())
      #expect(SegmentName(sealed.description) == sealed)
    }
  }

  @Test("other names are refused")
  func refused() {
    let bad = [
      "", ".vlog", "open.vlog", "open-.vlog", "open-1.vlog", "open-000000001F.vlog",
      "open-0000000001.vlog.tmp", "open-0000000001.VLOG", "Open-0000000001.vlog",
      ".open-0000000001.vlog", "open-0000000001", "open-00000000001.vlog",
      "open-0000000001-0000000002.vlog", "0000000001-0000000002.vlog",
      "0000000001-0000000002-0000000000000003-0.vlog", " open-0000000001.vlog",
      "0000000001-0000000002-000000000000003.vlog", "open-+000000001.vlog",
      "open-00000000é.vlog", "open-0000000001 (conflict).vlog",
      "-0000000001-0000000002-0000000000000003.vlog",
    ]
    for name in bad { #expect(SegmentName(name) == nil, "\(name)") }
  }

  @Test("no name with one character changed is read as the same name")
  func changed() {
    let name = "0000000001-0000000abc-00000000deadbeef.vlog"
    let original = SegmentName(name)
    for index in name.indices {
      for character in "0fgG-. é" where character != name[index] {
        var text = name
        text.replaceSubrange(index...index, with: String(character))
        #expect(SegmentName(text) == nil || SegmentName(text) != original, "\(text)")
      }
    }
  }

  @Test("a number of more than ten digits is an error and not a shorter name")
  func tooLarge() throws {
    let largest: UInt64 = (1 << 40) - 1
    let names: [SegmentName] = [
      .open(ordinal: largest + 1), .sealed(first: largest + 1, last: 1, hash: 0),
      .sealed(first: 1, last: .max, hash: 0),
    ]
    for name in names {
      let error = #expect(throws: FormatError.self) { try name.checked() }
      #expect(error?.code == .badLength)
    }
    #expect(try SegmentName.open(ordinal: largest).checked().description == "open-ffffffffff.vlog")
  }
}
