// Identifiers and their spelling in base32.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Identifiers")
struct IdentifierTests {
  @Test("sixteen bytes are spelled as RFC 4648 says, in lower case and without padding")
  func known() {
    let cases: [(String, [UInt8])] = [
      ("aaaaaaaaaaaaaaaaaaaaaaaaaa", [UInt8](repeating: 0, count: 16)),
      ("77777777777777777777777774", [UInt8](repeating: 0xFF, count: 16)),
      ("mzxw6ytboi2dknrxha4tayldmi", Array("foobar4567890acb".utf8)),
    ]
    for (text, bytes) in cases {
      #expect(StoreID(bytes).description == text)
      #expect(StoreID(text)?.array == bytes)
    }
  }

  @Test("random identifiers read back from their spelling")
  func random() {
    var random = TestRun.random()
    for _ in 0..<1_000 * TestRun.scale {
      let id = random.replica()
      #expect(id.description.utf8.count == 26)
      #expect(ReplicaID(id.description) == id)
    }
  }

  @Test("anything but 26 characters of the alphabet without padding bits is refused")
  func refused() {
    let good = "aaaaaaaaaaaaaaaaaaaaaaaaaa"
    #expect(StoreID(good) != nil)
    for bad in ["", "a", String(good.dropLast()), good + "a"] { #expect(StoreID(bad) == nil) }
    for character in "A01891=-. /é" {
      #expect(StoreID(String(character) + good.dropFirst()) == nil, "\(character)")
    }
    // The last character carries three bits; the other two must be zero.
    for character in "bcdfgh" {
      #expect(StoreID(String(good.dropLast()) + String(character)) == nil, "\(character)")
    }
    #expect(StoreID(String(good.dropLast()) + "e") != nil)
  }

  @Test("replicas are ordered by their bytes, not by their spelling")
  func order() {
    let low = ReplicaID([0x00] + [UInt8](repeating: 0xFF, count: 15))
    let high = ReplicaID([0xD0] + [UInt8](repeating: 0, count: 15))
    #expect(low < high)
    // `2` sorts before `a` as text and means more.
    #expect(high.description < low.description)
  }
}
