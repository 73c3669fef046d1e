// Dumps of column blocks of every type and encoding, with every cell.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Dump: columns")
struct ColumnDumpTests {
  /// A block as the only frame of a segment, and what its cells print as.
  private func check(_ raw: Bytes, _ cells: [Value]) throws {
    let hash = Checksum.hash128(cells.flatMap { rowForm($0) })
    let frame = try DumpFrames.segment([(.columnBlock, raw)])
    let lines = try DumpLines.text(frame, values: true)
    #expect(lines[2].contains(" values=\(hash) first="), "\(lines[2])")
    let texts = cells.map { ValueText.text($0) }
    #expect(lines[2].hasSuffix(" first=\(texts.first ?? "") last=\(texts.last ?? "")"))
    #expect(
      lines.dropFirst(3).prefix(cells.count)
        == ArraySlice(texts.enumerated().map { "    row index=\($0.offset) value=\($0.element)" }))
    let json = try DumpLines.json(frame, values: true)
    let wanted = cells.enumerated().map { index, cell in
      let value = DumpLines.json(.value(cell))
      return "{\"kind\":\"row\",\"depth\":2,\"index\":\(index),\"value\":\(value)}"
    }
    #expect(Array(json.dropFirst(3).prefix(cells.count)) == wanted)
  }

  private func rowForm(_ value: Value) -> [UInt8] {
    var writer = ByteWriter()
    value.write(into: &writer)
    return writer.finish().array
  }

  @Test(
    "cells of every type print like values, whatever the encoding",
    arguments: PhysicalType.allCases)
  func types(_ type: PhysicalType) throws {
    var random = TestRun.random()
    for shape in CellShape.allCases {
      for rows in [1, 7, 300] {
        let cells = random.cells(type, rows: rows, shape: shape)
        let raw = ColumnBlockEncoder.encode(
          cells, rows: 0..<rows, entity: 7, attribute: 3, type: type)
        let block = try ColumnBlockDecoder.decode(raw)
        try check(raw, (0..<rows).map { try block.value($0, target: 0) })
      }
    }
  }

  @Test("a cell that is no value of its type makes the block bad, and prints nothing of it")
  func foreignCells() throws {
    let bad: [(PhysicalType, [UInt8])] = [
      (.decimal, [0, 0]), (.decimal, [0, 0, 1, 10]), (.blob, [1, 2]), (.array, [10, 0]),
      (.composite, [3, 0]), (.composite, [1, 0, 0]),
    ]
    for (type, cell) in bad {
      let raw = ColumnBlockEncoder.encode(
        .bytes(offsets: [0, UInt32(cell.count)], heap: cell, present: nil), rows: 0..<1, entity: 7,
        attribute: 3, type: type)
      let lines = try DumpLines.text(try DumpFrames.segment([(.columnBlock, raw)]))
      #expect(lines[2] == "  error offset=128 code=badColumn", "\(type.name) \(cell)")
    }
    let nan = ColumnBlockEncoder.encode(
      .words([0x7FF8_0000_0000_0001], present: nil), rows: 0..<1, entity: 7, attribute: 3,
      type: .double)
    let lines = try DumpLines.text(try DumpFrames.segment([(.columnBlock, nan)]))
    #expect(lines[2] == "  error offset=128 code=badColumn")
  }
}
