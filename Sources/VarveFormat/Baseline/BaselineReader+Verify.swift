// Reads a whole baseline and checks what opening leaves to those who need a block.

extension BaselineReader {
  /// Reads every frame of the file again and holds it to all rules.
  ///
  /// - Throws: The first thing that is wrong, with its place.
  package func verify() throws(FormatError) {
    do throws(FormatError) {
      let again = try BaselineReader(source, store: header.store)
      guard again.seal == seal, again.directory == directory else {
        throw FormatError(.badDirectory, "the file was replaced while it was open")
      }
      try verifyFrames()
    } catch { throw source.path.map { error.at(path: $0) } ?? error }
  }

  private func verifyFrames() throws(FormatError) {
    var position = UInt64(FileHeader.byteCount)
    var (blocks, sides) = (UInt32(0), UInt32(0))
    var rawBytes: UInt64 = 0
    var marks = OverrideCheck(directory)
    try directory.forEachBlock { (place, block) throws(FormatError) in
      try skipIgnorable(from: position, to: block.offset)
      position = block.offset + UInt64(block.frameBytes)
      rawBytes += UInt64(block.rawLength)
      guard let column = directory.columnHeader(at: place) else {
        sides += 1
        _ = try side(block)
        return
      }
      blocks += 1
      let cells = try self.block(
        block, entity: column.entity, attribute: column.attribute, type: column.type)
      do throws(FormatError) {
        try cells.checkCells()
        try marks.check(place, cells)
      } catch { throw error.at(offset: block.offset) }
    }
    for offset in seal.directories {
      try skipIgnorable(from: position, to: offset)
      let frame = try ScannedFrame.read(
        source, at: offset, limit: sealOffset, salt: header.salt, expectedBytes: 64 << 10)
      position = frame.end
      rawBytes += UInt64(frame.header.rawLength)
    }
    try skipIgnorable(from: position, to: sealOffset)
    guard blocks == seal.blocks, sides == seal.sides, rawBytes == seal.rawBytes else {
      throw FormatError(.badSeal, "the SEAL counts other frames", offset: sealOffset)
    }
  }

  /// Only frames that a reader skips may lie between those that the directory names.
  private func skipIgnorable(from start: UInt64, to end: UInt64) throws(FormatError) {
    var position = start
    while position < end {
      let frame = try ScannedFrame.read(
        source, at: position, limit: end, salt: header.salt, expectedBytes: 4_096)
      guard frame.header.type.isIgnorable else {
        let isKnown = frame.header.type.isKnown(in: .baseline)
        throw FormatError(
          isKnown ? .badDirectory : .unknownFrame,
          "a \(frame.header.type.name) frame that no directory names", offset: position)
      }
      position = frame.end
    }
  }
}

/// Checks that marks name creators, rows and columns that there are, in order.
private struct OverrideCheck {
  private let directory: BaselineDirectory
  private var rows: ColumnBlock?
  /// The row and column of the last override of the block of rows that is being read.
  private var last: (place: BaselinePlace?, row: UInt64, column: UInt64) = (nil, 0, 0)
  /// Rows without a birth, for each block of the run that is being read.
  private var unborn: [Int: Set<Int>] = [:]

  init(_ directory: BaselineDirectory) { self.directory = directory }

  mutating func check(_ place: BaselinePlace, _ cells: ColumnBlock) throws(FormatError) {
    switch place {
    case .stamps(_, _, let block):
      try requireNoNil(cells)
      if block == 0 { unborn = [:] }
      unborn[block] = Set((0..<cells.rows).filter { cells.word($0) == 0 })
    case .authors(_, _, let block): try requireAuthors(cells, unborn: unborn[block] ?? [])
    case .overrides(let table, let run, let block, _, let part):
      try requireNoNil(cells)
      switch part {
      case 0: rows = cells
      case 1:
        let group = BaselinePlace.overrides(
          table: table, run: run, block: block, group: 0, part: 0)
        try requireOrder(group, columns: cells)
      case 3: try requireAuthors(cells, unborn: [])
      default: break
      }
    case .column, .side: break
    }
  }

  private func requireNoNil(_ cells: ColumnBlock) throws(FormatError) {
    guard !cells.header.isNullable else {
      throw FormatError(.badColumn, "a mark of a baseline is nil")
    }
  }

  /// Rows that a link names and nobody created have neither stamp nor author.
  private func requireAuthors(
    _ cells: ColumnBlock, unborn: Set<Int>
  ) throws(FormatError) {
    try requireNoNil(cells)
    let limit = UInt64(directory.creators.count)
    for row in 0..<cells.rows {
      guard let author = cells.word(row), author <= limit, author > 0 || unborn.contains(row)
      else {
        throw FormatError(.badColumn, "row \(row) has an author that is no creator")
      }
    }
  }

  private mutating func requireOrder(
    _ group: BaselinePlace, columns: ColumnBlock
  ) throws(FormatError) {
    guard let rows, case .overrides(let table, let run, let block, _, _) = group else { return }
    let rowsHere = BaselineRun.blockRows(
      block, rows: directory.tables[table].runs[run].rows, size: Limits.blockRowsMax)
    let columnsHere = UInt64(directory.tables[table].columns.count)
    for index in 0..<columns.rows {
      guard let row = rows.word(index), let column = columns.word(index),
        row < UInt64(rowsHere), column < columnsHere,
        last.place != group || (last.row, last.column) < (row, column)
      else {
        throw FormatError(.badColumn, "override \(index) is out of place or out of order")
      }
      last = (group, row, column)
    }
  }
}
