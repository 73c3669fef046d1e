// Column blocks: cells of every type, shape and number of rows come back, by the fast and the
// slow way.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Column blocks")
struct ColumnRoundTripTests {
  private func check(_ type: PhysicalType, _ rows: Int, _ shape: CellShape, _ cells: ColumnCells)
    throws
  {
    let label = Comment("\(type.name), \(rows) rows, \(shape)")
    let raw = ColumnBlockEncoder.encode(
      cells, rows: 0..<rows, entity: 7, attribute: 9, type: type)
    let block = try ColumnBlockDecoder.decode(raw)
    let expected = NaiveCell.cells(cells)
    #expect(NaiveCell.cells(block) == expected, label)
    #expect(try NaiveColumnReader.cells(raw.array) == expected, label)
    #expect(block.header.entity == 7 && block.header.attribute == 9 && block.header.type == type)
    #expect((0..<rows).allSatisfy { block.isNil($0) == (expected[$0] == .none) }, label)
    #expect(block.header.encoding == ExpectedEncoding.of(type, expected), label)
    #expect(block.header.isNullable == expected.contains(.none), label)
    let again = ColumnBlockEncoder.encode(
      cells, rows: 0..<rows, entity: 7, attribute: 9, type: type)
    #expect(again == raw, label)
  }

  @Test("cells of every shape come back from small blocks", arguments: PhysicalType.allCases)
  func small(_ type: PhysicalType) throws {
    var random = TestRun.random("small blocks of \(type.name)")
    for _ in 0..<3 * TestRun.scale {
      for shape in CellShape.allCases {
        for rows in [1, 2, 3, 63, 64, 65, 127, 128, 129, random.within(1...700)] {
          try check(type, rows, shape, random.cells(type, rows: rows, shape: shape))
        }
      }
    }
  }

  @Test("cells come back from blocks around the sizes of groups", arguments: PhysicalType.allCases)
  func groups(_ type: PhysicalType) throws {
    var random = TestRun.random("groups of \(type.name)")
    for _ in 0..<TestRun.scale {
      for rows in [4_095, 4_096, 4_097] {
        let shape = random.pick(CellShape.allCases)
        try check(type, rows, shape, random.cells(type, rows: rows, shape: shape))
      }
    }
  }

  @Test("cells come back from the largest blocks")
  func large() throws {
    var random = TestRun.random()
    for _ in 0..<2 * TestRun.scale {
      for rows in [65_535, 65_536] {
        let type = random.pick(PhysicalType.allCases)
        let shape = random.pick(CellShape.allCases)
        try check(type, rows, shape, random.cells(type, rows: rows, shape: shape))
      }
    }
  }

  @Test("a block from the middle of a column has its own rows only")
  func middle() throws {
    var random = TestRun.random()
    for type in PhysicalType.allCases {
      let cells = random.cells(type, rows: 400, shape: .someNil)
      let expected = NaiveCell.cells(cells)
      for rows in [64..<400, 128..<129, 320..<384] {
        let raw = ColumnBlockEncoder.encode(
          cells, rows: rows, entity: 1, attribute: 1, type: type)
        #expect(NaiveCell.cells(try ColumnBlockDecoder.decode(raw)) == Array(expected[rows]))
      }
    }
  }

  @Test("special words come back bit by bit: negative zero, NaN, the ends of the ranges")
  func special() throws {
    let words: [UInt64] = [
      0, 1 << 63, Value.canonicalNaN, .max, .max - 1, (1 << 63) - 1, 1, 0x7FF0_0000_0000_0000,
      0x8000_0000_0000_0001,
    ]
    for type in PhysicalType.allCases where type.isWord {
      for nils in [false, true] {
        var presence = Presence()
        for row in words.indices { presence.append(!nils || row != 4) }
        // No double has the word 2^64-1.
        let list = type == .double ? words.map { $0 >= .max - 1 ? 5 : $0 } : words
        let cells = ColumnCells.words(list, present: presence)
        try check(type, words.count, .random, cells)
      }
    }
  }

  @Test("empty strings are not nil, also when nothing else is there")
  func emptyStrings() throws {
    for type in [PhysicalType.string, .data] {
      for rows in [1, 2, 100] {
        var presence = Presence()
        for row in 0..<rows { presence.append(row % 2 == 0) }
        let empty = [[UInt8]](repeating: [], count: rows)
        try check(type, rows, .allNil, ColumnCells(empty, present: nil))
        try check(type, rows, .allNil, ColumnCells(empty, present: presence))
        try check(
          type, rows, .allNil, ColumnCells(empty, present: Presence(allNil: rows)))
      }
    }
  }

  @Test("the same cells give the same bytes, whatever lies in nil cells and in other blocks")
  func determinism() throws {
    var random = TestRun.random()
    for type in PhysicalType.allCases {
      for _ in 0..<5 * TestRun.scale {
        let rows = random.within(1...200)
        let shape = random.pick([CellShape.allNil, .someNil, .mostlyNil])
        let cells = random.cells(type, rows: rows, shape: shape)
        let clean = cells.withClearedNils
        let first = ColumnBlockEncoder.encode(
          cells, rows: 0..<rows, entity: 1, attribute: 1, type: type)
        let second = ColumnBlockEncoder.encode(
          clean, rows: 0..<rows, entity: 1, attribute: 1, type: type)
        #expect(first == second, "\(type.name), \(rows) rows, \(shape)")
        let longer = clean.appending(random.cells(type, rows: 50, shape: .random))
        let third = ColumnBlockEncoder.encode(
          longer, rows: 0..<rows, entity: 1, attribute: 1, type: type)
        #expect(third == first, "\(type.name), \(rows) rows, \(shape), in a longer column")
      }
    }
  }
}
