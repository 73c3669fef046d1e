// Column blocks made by hand to trap, to read beyond their bytes or to lie about their cells.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Hostile column blocks")
struct ColumnHostileTests {
  private func code(_ block: [UInt8]) -> FormatError.Code? {
    do throws(FormatError) {
      let block = try ColumnBlockDecoder.decode(Bytes(block))
      _ = NaiveCell.cells(block)
      return nil
    } catch { return error.code }
  }

  private func integers(_ numbers: [UInt8], nullable: Bool, base: UInt64, width: UInt8) -> [UInt8] {
    // One miniblock of one row with an 8-byte base.
    var bytes: [UInt8] = [1, 0, 0, 0, 1, 0, 0, 0, 3, 2, nullable ? 1 : 0, 0, 1, 0, 0, 0]
    bytes += [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 48, 0, 0, 0]
    bytes += [UInt8](repeating: 0, count: 8) + [1, 0, 0, 0, 0, 0, 0, 0] + [8]
    bytes += [UInt8](repeating: 0, count: 7)
    bytes += (0..<8).map { UInt8(truncatingIfNeeded: base >> UInt64(8 * $0)) }
    bytes += [width] + [UInt8](repeating: 0, count: 7)
    bytes += numbers + [UInt8](repeating: 0, count: 8 - numbers.count)
    bytes[28] = UInt8(bytes.count - 32)
    return bytes
  }

  @Test("a value whose code would be that of nil is refused and not read as nil")
  func wrapsToNil() throws {
    // The number is 2^64-1, so its code would be 2^64.
    #expect(code(integers([1], nullable: true, base: .max, width: 1)) == .badColumn)
    #expect(code(integers([2], nullable: true, base: .max - 1, width: 2)) == .badColumn)
    #expect(code(integers([255], nullable: true, base: .max - 3, width: 8)) == .badColumn)
    let largest = try ColumnBlockDecoder.decode(
      Bytes(integers([1], nullable: true, base: .max - 1, width: 1)))
    #expect(largest.word(0) == UInt64.max - 1)
    let wrapped = try ColumnBlockDecoder.decode(
      Bytes(integers([3], nullable: false, base: .max - 1, width: 2)))
    #expect(wrapped.word(0) == 1)
  }

  @Test("claimed rows, lengths and widths are refused before they are believed")
  func claims() {
    let good = integers([5], nullable: false, base: 0, width: 8)
    #expect(code(good) == nil)
    for offset in 12..<32 {
      for value: UInt8 in [1, 0x7F, 0x80, 0xFF] where good[offset] != value {
        var hostile = good
        hostile[offset] = value
        #expect(code(hostile) != nil, "offset \(offset), value \(value)")
      }
    }
    for width in 65...255 {
      #expect(code(integers([], nullable: false, base: 0, width: UInt8(width))) == .badColumn)
    }
    var scaleless = good
    scaleless[40] = 0
    #expect(code(scaleless) == .badColumn)
    for baseWidth in [3, 5, 6, 7, 9, 16, 255] {
      var hostile = good
      hostile[48] = UInt8(baseWidth)
      #expect(code(hostile) == .badColumn)
    }
  }

  @Test("65,536 rows can be claimed by few bytes and take little memory")
  func manyRows() throws {
    var random = FormatRandom(seed: 1)
    let cells = [NaiveCell](repeating: .word(7), count: 65_536)
    let rule = ColumnBlockEncoder.encode(
      .words([UInt64](repeating: 7, count: 65_536), present: nil), rows: 0..<65_536, entity: 1,
      attribute: 1, type: .integer)
    #expect(rule.count < 600)
    let block = try ColumnBlockDecoder.decode(rule)
    #expect(NaiveCell.cells(block) == cells)
    #expect(block.memoryBytes < 1 << 20)
    let tooMany = NaiveColumnWriter(.integer, .packed, isNullable: false)
      .block([NaiveCell](repeating: .word(7), count: 65_537), &random)
    #expect(code(tooMany) == .badColumn)
  }

  @Test("strings must be valid one by one, not only together")
  func strings() {
    var random = FormatRandom(seed: 1)
    let euro = Array("€".utf8)
    let pieces: [[[UInt8]]] = [
      [Array(euro[..<1]), Array(euro[1...])], [[0x61], [0x80]], [[0xFF]],
      [euro, Array(euro[..<2])],
    ]
    for cells in pieces {
      for encoding in [ColumnEncoding.bytes, .dictionary] {
        let block = NaiveColumnWriter(.string, encoding, isNullable: false)
          .block(cells.map { .bytes($0) }, &random)
        #expect(code(block) == .badColumn)
        let data = NaiveColumnWriter(.data, encoding, isNullable: false)
          .block(cells.map { .bytes($0) }, &random)
        #expect(code(data) == nil)
      }
    }
  }
}
