// How a group of rows is cut into blocks, and what goes into columns at all.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Cutting columns into blocks")
struct ColumnCuttingTests {
  private func spec(_ rows: Int, _ columns: [ColumnInput]) throws(FormatError) -> TransactionSpec {
    var builder = TransactionBuilder()
    try builder.addColumns(
      form: .create, entity: 3, rows: rows, identifiers: .run(index: 0, firstSerial: 1),
      columns: columns)
    return try TransactionSpec(try builder.finish(), stamp: .zero)
  }

  private func operation(_ spec: TransactionSpec) throws -> ColumnsOperation {
    guard case .columns(let operation) = spec.operations[0] else {
      throw FormatError(.badOperation, "no columns")
    }
    return operation
  }

  private func strings(_ rows: Int, bytes: Int) -> ColumnInput {
    let cells = (0..<rows).map { row in
      Array("\(row) ".utf8) + [UInt8](repeating: 97, count: bytes)
    }
    return ColumnInput(2, .string, ColumnCells(cells, present: nil))
  }

  @Test("blocks have 65,536 rows, and 4,096 or 64 when long strings ask for it")
  func blockRows() throws {
    for (rows, bytes, expected) in [(70_000, 10, 65_536), (9_000, 600, 4_096), (200, 50_000, 64)] {
      let numbers = ColumnInput(1, .integer, .words((0..<rows).map { UInt64($0) }, present: nil))
      let spec = try spec(rows, [numbers, strings(rows, bytes: bytes)])
      let operation = try operation(spec)
      #expect(operation.blockRows == expected)
      #expect(operation.partCount == spec.blocks.count)
      #expect(spec.blocks.allSatisfy { $0.count <= Limits.frameRawBytesMax })
      for (part, block) in spec.blocks.enumerated() {
        let header = try ColumnBlockDecoder.header(of: block)
        #expect(header.rows == operation.rows(ofBlock: part / 2))
        #expect(header.attribute == UInt32(part % 2 + 1))
        #expect(header.entity == 3)
      }
    }
  }

  @Test("rows come back from the blocks in order, through a segment")
  func order() throws {
    var random = TestRun.random()
    let rows = 9_000
    let column = strings(rows, bytes: 600)
    var segment = SegmentSpec(random.header())
    segment.append(.group([try spec(rows, [column])]))
    let read = try SegmentSpec(decoding: try segment.encoded())
    #expect(read == segment)
    var cells: [NaiveCell] = []
    for block in read.transactions[0].blocks {
      cells += NaiveCell.cells(try ColumnBlockDecoder.decode(block))
    }
    #expect(cells == NaiveCell.cells(column.cells))
  }

  @Test("a cell of 60,000 bytes goes into a column and a longer one does not")
  func longCells() throws {
    for (bytes, fits) in [(60_000, true), (60_001, false), (200_000, false)] {
      let cell = [UInt8](repeating: 97, count: bytes)
      let input = ColumnInput(1, .data, ColumnCells([[1], cell], present: nil))
      if fits {
        #expect(try spec(2, [input]).blocks.count == 1)
      } else {
        #expect { _ = try spec(2, [input]) } throws: {
          ($0 as? FormatError)?.code == .badLength
        }
      }
      var random = FormatRandom(seed: 1)
      for encoding in [ColumnEncoding.bytes, .dictionary] {
        let block = NaiveColumnWriter(.data, encoding, isNullable: false)
          .block([.bytes([1]), .bytes(cell)], &random)
        #expect(((try? ColumnBlockDecoder.decode(Bytes(block))) != nil) == fits)
      }
    }
  }

  @Test("ids and keys are the first parts of a block")
  func leadingParts() throws {
    let rows = 3
    let words = ColumnCells.words([1, 2, 3], present: nil)
    let keys = ColumnCells((0..<rows).map { [UInt8($0)] }, present: nil)
    let ids = ColumnCells(
      (0..<rows).map { Checksum.hash128([UInt8($0)]).storedBytes }, present: nil)
    var builder = TransactionBuilder()
    try builder.addColumns(
      form: .create, entity: 3, rows: rows, identifiers: .identities,
      columns: [
        ColumnInput(0, .identityReference, ids), ColumnInput(0, .data, keys),
        ColumnInput(5, .integer, words),
      ])
    try builder.addColumns(
      form: .set, entity: 3, rows: rows, identifiers: .references,
      columns: [ColumnInput(0, .reference, words), ColumnInput(5, .integer, words)])
    let spec = try TransactionSpec(try builder.finish(), stamp: .zero)
    let headers = try spec.blocks.map { try ColumnBlockDecoder.header(of: $0) }
    #expect(headers.map(\.attribute) == [0, 0, 5, 0, 5])
    #expect(headers.map(\.type) == [.identityReference, .data, .integer, .reference, .integer])
    guard case .columns(let second) = spec.operations[1] else {
      Issue.record("no second operation")
      return
    }
    #expect(second.firstPart == 3 && second.columns.map(\.attribute) == [5])
  }

  @Test("more rows, columns or parts than the limits are refused")
  func limits() {
    let one = ColumnInput(1, .integer, .words([1], present: nil))
    #expect(throws: FormatError.self) {
      _ = try spec(1, [ColumnInput](repeating: one, count: Limits.columnsMax + 1))
    }
    #expect(throws: FormatError.self) { _ = try spec(0, []) }
  }
}
