// Gzip: recognised, streamed, several members, and every way to be damaged.

import Testing
import VarveFormat

@testable import VarveImport

@Suite("Gzip")
struct GzipTests {
  /// `gzip -9n` of the text.
  private static let packed = unhex(
    "1f8b08000000000002034bd449e232d451aad051a854e232d2a9e232d6e132d1c948cdc9c957c04b720100c726"
      + "b30d3a000000"
  )
  private static let shown = """
    a:integer b:string
    1 "x, y"
    2 "z"
    3 nil
    4 "hello hello hello hello hello hello"
    """

  private static func unhex(_ text: String) -> [UInt8] {
    let digits = Array(text.utf8)
    return stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(decoding: digits[$0..<($0 + 2)], as: UTF8.self), radix: 16)
    }
  }

  private func error(_ bytes: [UInt8]) -> ImportError? {
    do {
      _ = try DelimitedImport(.bytes(bytes, name: "t.gz")).table()
      return nil
    } catch { return error }
  }

  @Test("gzip is recognised by its first bytes, not by its name")
  func recognised() throws {
    #expect(try ImportText.show(bytes: Self.packed) == Self.shown)
    #expect(try ImportText.show(bytes: Self.packed, windowBytes: 4) == Self.shown)
    #expect(try TextSource(.bytes(Self.packed, name: "t")).isCompressed)
    #expect(try !TextSource(.bytes([0x61], name: "t")).isCompressed)
  }

  @Test("several members are one text, also when a row spans them")
  func members() throws {
    let first = Gzip.stored(Array("a,b\n1,\"x".utf8))
    let second = Gzip.stored(Array(", y\"\n2,z\n".utf8))
    let empty = Gzip.stored([])
    #expect(
      try ImportText.show(bytes: first + empty + second + empty)
        == "a:integer b:string\n1 \"x, y\"\n2 \"z\"")
  }

  @Test("zeros behind the last member are padding, other bytes are damage")
  func padding() throws {
    #expect(try ImportText.show(bytes: Self.packed + [0, 0, 0, 0]) == Self.shown)
    let length = UInt64(Self.packed.count)
    #expect(error(Self.packed + [0x41])?.code == .corruptGzip)
    #expect(error(Self.packed + [0x41])?.offset == length)
    #expect(error(Self.packed + [0, 0x1F, 0x8B])?.offset == length + 1)
    #expect(error(Self.packed + [0x1F])?.code == .truncatedGzip)
  }

  @Test("a gzip file that is cut anywhere is refused with the place of the cut")
  func truncated() {
    for length in 1..<Self.packed.count {
      let error = error(Array(Self.packed.prefix(length)))
      #expect(error?.code == .truncatedGzip, "\(length) bytes")
      #expect(error?.offset == UInt64(length), "\(length) bytes")
    }
    #expect(error([])?.code == .empty)
  }

  @Test("a gzip file with any bit changed is refused or gives the same text")
  func damaged() throws {
    for index in Self.packed.indices {
      for bit in 0..<8 {
        var bytes = Self.packed
        bytes[index] ^= 1 << UInt8(bit)
        do {
          let shown = try ImportText.show(bytes: bytes)
          // Some bits of the header do not matter, nor does padding; without the magic it is (bad)
          // text.
          if index >= 2 { #expect(shown == Self.shown, "byte \(index) bit \(bit)") }
        } catch let error as ImportError {
          let codes: [ImportError.Code] = [
            .corruptGzip, .truncatedGzip, .unsupportedEncoding, .badHeader, .empty,
          ]
          #expect(codes.contains(error.code), "byte \(index) bit \(bit): \(error)")
        }
      }
    }
  }

  @Test("large members are streamed")
  func large() throws {
    var text = "a,b\n"
    for row in 0..<200_000 { text += "\(row),value \(row % 97)\n" }
    let bytes = Gzip.stored(Array(text.utf8))
    let table = try ImportText.table(bytes: bytes)
    #expect(table.rowsKept == 200_000)
    guard case .words(let words, nil) = table.columns[0].cells else {
      Issue.record("no words")
      return
    }
    #expect(words == Array(0..<200_000))
  }
}

/// Writes gzip without compressing.
enum Gzip {
  static func stored(_ text: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
    var start = 0
    repeat {
      let count = min(text.count - start, 65_535)
      let isLast = start + count == text.count
      bytes += [isLast ? 1 : 0, UInt8(count & 255), UInt8(count >> 8)]
      bytes += [UInt8(~count & 255), UInt8((~count >> 8) & 255)]
      bytes += text[start..<(start + count)]
      start += count
    } while start < text.count
    for number in [crc32(text), UInt32(truncatingIfNeeded: text.count)] {
      for shift in [0, 8, 16, 24] {
        bytes.append(UInt8(truncatingIfNeeded: number >> UInt32(shift)))
      }
    }
    return bytes
  }

  private static let table: [UInt32] = (0..<256).map { start in
    (0..<8).reduce(UInt32(start)) { value, _ in
      value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1
    }
  }

  private static func crc32(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(UInt32.max) { table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ ($0 >> 8) }
  }
}
