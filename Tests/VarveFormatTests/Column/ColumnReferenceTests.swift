// The fast decoder against a slow one that was written from the specification alone.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Column decoder against the slow one")
struct ColumnReferenceTests {
  struct Combination: CustomTestStringConvertible, Sendable {
    var type: PhysicalType
    var encoding: ColumnEncoding
    var isNullable: Bool

    var testDescription: String {
      "\(type.name) as \(encoding.name)\(isNullable ? ", nullable" : "")"
    }
  }

  static let combinations = PhysicalType.allCases.flatMap { type in
    ColumnEncoding.allCases.flatMap { encoding in
      [false, true].compactMap { isNullable in
        NaiveColumnWriter.fits(type, encoding, isNullable: isNullable)
          ? Combination(type: type, encoding: encoding, isNullable: isNullable) : nil
      }
    }
  }

  private func cells(
    _ combination: Combination, rows: Int, _ random: inout FormatRandom
  ) -> [NaiveCell] {
    let shapes: [CellShape] =
      combination.isNullable
      ? [.someNil, .mostlyNil, .allNil, .random] : [.random, .constant, .sorted, .fullRange]
    let cells = random.cells(combination.type, rows: rows, shape: random.pick(shapes))
    return NaiveCell.cells(cells)
  }

  @Test("every valid choice of a writer is read", arguments: combinations)
  func freedom(_ combination: Combination) throws {
    var random = TestRun.random(combination.testDescription)
    let writer = NaiveColumnWriter(
      combination.type, combination.encoding, isNullable: combination.isNullable)
    for round in 0..<12 * TestRun.scale {
      let rows = round == 0 ? 4_200 : random.within(1...400)
      let cells = cells(combination, rows: rows, &random)
      let block = writer.block(cells, &random)
      #expect(try NaiveColumnReader.cells(block) == cells)
      #expect(NaiveCell.cells(try ColumnBlockDecoder.decode(Bytes(block))) == cells)
    }
  }

  @Test("changed blocks are refused by both or read alike by both", arguments: combinations)
  func changed(_ combination: Combination) {
    var random = TestRun.random("changed \(combination.testDescription)")
    let writer = NaiveColumnWriter(
      combination.type, combination.encoding, isNullable: combination.isNullable)
    for _ in 0..<80 * TestRun.scale {
      var block = writer.block(cells(combination, rows: random.within(1...150), &random), &random)
      for _ in 0..<random.within(1...3) {
        let place =
          random.chance(50) ? random.below(min(80, block.count)) : random.below(block.count)
        block[place] =
          random.chance(50)
          ? block[place] ^ 1 << UInt8(random.below(8)) : UInt8(truncatingIfNeeded: random.word())
      }
      compare(block)
    }
  }

  @Test("blocks that are cut or too long are refused by both")
  func lengths() {
    var random = TestRun.random()
    for combination in ColumnReferenceTests.combinations {
      let writer = NaiveColumnWriter(
        combination.type, combination.encoding, isNullable: combination.isNullable)
      let block = writer.block(cells(combination, rows: 130, &random), &random)
      for length in 0..<block.count { compare(Array(block[..<length])) }
      compare(block + [0])
      compare(block + [UInt8](repeating: 0, count: 8))
    }
  }

  private func compare(_ block: [UInt8]) {
    let slow = try? NaiveColumnReader.cells(block)
    let fast = (try? ColumnBlockDecoder.decode(Bytes(block))).map { NaiveCell.cells($0) }
    #expect(fast == slow, "block \(hexadecimal(block))")
  }
}
