// Decodes directories of baselines and holds them to their rules. See Formats/Baseline.md sections
// 3 and 6.

/// Reads the records of a directory, frame by frame.
struct DirectoryReader {
  /// The raw payload of DIRECTORY frame `index`, and the frame's place.
  typealias Frames = (_ index: Int) throws(FormatError) -> (raw: Bytes, offset: UInt64)

  private let frames: Frames
  private let frameCount: Int
  /// Frames that the directory names end here at the latest.
  private let limit: UInt64
  private var frameIndex = 0
  private var frame = Bytes.empty
  private var frameOffset: UInt64 = 0
  private var position = 0
  /// The end of the frame that the last block names.
  private var end = UInt64(FileHeader.byteCount)
  private var slots = 0

  private init(frames: @escaping Frames, count: Int, limit: UInt64) {
    self.frames = frames
    frameCount = count
    self.limit = limit
  }

  /// Decodes a directory of `count` frames, which names frames below `limit`.
  static func decode(
    count: Int, limit: UInt64, frames: @escaping Frames
  ) throws(FormatError) -> BaselineDirectory {
    var reader = DirectoryReader(frames: frames, count: count, limit: limit)
    return try reader.directory()
  }

  private func refused(_ message: String) -> FormatError {
    FormatError(.badDirectory, message, offset: frameOffset)
  }

  private func require(_ condition: Bool, _ message: @autoclosure () -> String) throws(FormatError)
  {
    guard condition else { throw refused(message()) }
  }

  // MARK: records

  /// Reads one record, which lies in one frame.
  private mutating func record<R>(
    _ body: (inout ByteReader) throws(FormatError) -> R
  ) throws(FormatError) -> R {
    if position == frame.count {
      try require(frameIndex < frameCount, "the directory ends before its last record")
      (frame, frameOffset) = try frames(frameIndex)
      position = 0
      let number = try decoded { (reader: inout ByteReader) throws(FormatError) in
        try reader.varint()
      }
      try require(number == UInt64(frameIndex), "DIRECTORY frame \(number) is out of turn")
      frameIndex += 1
    }
    return try decoded(body)
  }

  /// What `body` reads at the position, which it moves.
  private mutating func decoded<R>(
    _ body: (inout ByteReader) throws(FormatError) -> R
  ) throws(FormatError) -> R {
    let rest = frame.slice(position, frame.count - position)
    let result: (R, Int)
    do throws(FormatError) {
      result = try rest.read { (reader: inout ByteReader) throws(FormatError) in
        let value = try body(&reader)
        return (value, reader.position)
      }
    } catch {
      throw refused("a record cannot be decoded: \(error.message)")
    }
    position += result.1
    return result.0
  }

  private struct Head {
    var era: Era
    var generation: UInt64
    var parent: Hash128
    var maxStamp: Stamp
    var creators: Int
    var declarations: Int
    var tables: Int
    var sides: Int

    init(_ reader: inout ByteReader) throws(FormatError) {
      let number = try reader.varint()
      era = Era(number: number, opened: number == 0 ? [] : try reader.bytes(8))
      generation = try reader.varint()
      parent = try reader.hash128()
      maxStamp = Stamp(rawValue: try reader.uint64())
      creators = try reader.count(max: Limits.dictionaryMax, "creators")
      declarations = try reader.count(max: Limits.baselineDeclarationsMax, "declarations")
      tables = try reader.count(max: Limits.baselineTablesMax, "tables")
      sides = try reader.count(max: Limits.baselineSlotsMax, "sides")
    }
  }

  private mutating func directory() throws(FormatError) -> BaselineDirectory {
    let head = try record { (reader: inout ByteReader) throws(FormatError) in try Head(&reader) }
    try require(
      head.generation <= SegmentName.numberMax, "generation \(head.generation) fits no name")
    var directory = BaselineDirectory(
      era: head.era, generation: head.generation, parent: head.parent, maxStamp: head.maxStamp)
    for _ in 0..<head.creators {
      let creator = try record { (reader: inout ByteReader) throws(FormatError) in
        try BaselineCreator(&reader)
      }
      let isNext = directory.creators.last.map { $0.name < creator.name } ?? true
      try require(isNext, "the creators are not in order")
      directory.creators.append(creator)
    }
    try readSchema(head.declarations, into: &directory)
    for _ in 0..<head.tables {
      let table = try table(creators: head.creators)
      let isNext = directory.tables.last.map { $0.entity < table.entity } ?? true
      try require(isNext, "the tables are not in order")
      directory.tables.append(table)
    }
    for _ in 0..<head.sides {
      try takeSlot()
      let (kind, fields) = try record { (reader: inout ByteReader) throws(FormatError) in
        let kind = try reader.uint8()
        return (kind, try BlockFields(&reader))
      }
      let side = BaselineSide(kind: kind, block: try block(fields, rows: 0))
      try require((directory.sides.last?.kind ?? 0) <= kind, "the sides are not in order")
      directory.sides.append(side)
    }
    try require(
      position == frame.count && frameIndex == frameCount, "bytes follow the last record")
    return directory
  }

  private mutating func readSchema(
    _ count: Int, into directory: inout BaselineDirectory
  ) throws(FormatError) {
    var last: [UInt8] = []
    for _ in 0..<count {
      let (body, declaration) = try record { (reader: inout ByteReader) throws(FormatError) in
        let length = try reader.count(max: reader.remaining, "declaration length")
        let start = reader.position
        var body = try reader.sub(length)
        let bytes = [UInt8](reader.passed(from: start))
        let operation = try SchemaOperation(&body)
        try body.finish(.badOperation, "a declaration")
        let latest = try BaselineDeclaration.Claim(&reader)
        let earliest = try BaselineDeclaration.Claim(&reader)
        return (bytes, BaselineDeclaration(operation, latest: latest, earliest: earliest))
      }
      try require(last.lexicographicallyPrecedes(body), "the declarations are not in order")
      last = body
      directory.schema.append(declaration)
    }
  }

  // MARK: tables

  private mutating func table(creators: Int) throws(FormatError) -> BaselineTable {
    var (table, runs) = try record { (reader: inout ByteReader) throws(FormatError) in
      let table = try BaselineTable(&reader)
      return (table, try reader.count(max: creators + 1, "runs"))
    }
    for (a, b) in zip(table.columns, table.columns.dropFirst()) {
      try require(BaselineColumn.precedes(a, b), "the columns of a table are not in order")
    }
    for column in table.columns {
      try require(column.type != nil, "a column of kind \(column.kind) is not known")
    }
    for _ in 0..<runs {
      let run = try run(columns: table.columns.count, creators: creators)
      let isNext = table.runs.last.map { $0.creator < run.creator } ?? true
      try require(isNext, "the runs of a table are not in order")
      table.runs.append(run)
    }
    return table
  }

  private mutating func run(columns: Int, creators: Int) throws(FormatError) -> BaselineRun {
    let (creator, rows, codes) = try record { (reader: inout ByteReader) throws(FormatError) in
      let creator = UInt32(try reader.count(max: creators, "creator"))
      let rows = try reader.varint()
      return (creator, rows, try reader.bytes(columns))
    }
    try require(rows >= 1 && rows <= Limits.serialMax, "a run of \(rows) rows")
    try require(codes.allSatisfy { $0 < 3 }, "a column is cut into blocks of an unknown size")
    let sizes = codes.map { BaselineRun.blockRowsChoices[Int($0)] }
    var run = BaselineRun(
      creator: creator, rows: rows, blockRows: sizes, columns: [], stamps: [], authors: [],
      overrides: [])
    for size in sizes { run.columns.append(try slots(rows: rows, size: size)) }
    run.stamps = try marks(rows: rows)
    run.authors = try marks(rows: rows)
    for _ in 0..<BaselineRun.blockCount(rows: rows, size: Limits.blockRowsMax) {
      run.overrides.append(try overrides(columns: columns))
    }
    return run
  }

  /// A slot counts before memory is used for it.
  private mutating func takeSlot(_ count: Int = 1) throws(FormatError) {
    slots += count
    try require(slots <= Limits.baselineSlotsMax, "the directory has too many blocks")
  }

  private mutating func slots(rows: UInt64, size: Int) throws(FormatError) -> [BaselineBlock?] {
    var slots: [BaselineBlock?] = []
    for index in 0..<BaselineRun.blockCount(rows: rows, size: size) {
      try takeSlot()
      let fields = try record { (reader: inout ByteReader) throws(FormatError) in
        switch try reader.uint8() {
        case 0: return nil as BlockFields?
        case 1: return try BlockFields(&reader)
        default: throw reader.error(.badDirectory, "a slot that is neither empty nor a block")
        }
      }
      let expected = BaselineRun.blockRows(index, rows: rows, size: size)
      if let fields {
        slots.append(try block(fields, rows: expected))
      } else {
        slots.append(nil)
      }
    }
    return slots
  }

  private mutating func marks(rows: UInt64) throws(FormatError) -> [BaselineBlock] {
    let size = Limits.blockRowsMax
    var blocks: [BaselineBlock] = []
    for index in 0..<BaselineRun.blockCount(rows: rows, size: size) {
      blocks.append(
        try nextBlock(rows: BaselineRun.blockRows(index, rows: rows, size: size)))
    }
    return blocks
  }

  private mutating func overrides(columns: Int) throws(FormatError) -> [BaselineOverrides] {
    let count = try record { (reader: inout ByteReader) throws(FormatError) in
      try reader.count(max: columns, "groups of overrides")
    }
    var groups: [BaselineOverrides] = []
    for index in 0..<count {
      let row = try nextBlock(rows: nil)
      let column = try nextBlock(rows: row.rows)
      let stamp = try nextBlock(rows: row.rows)
      let author = try nextBlock(rows: row.rows)
      let isFull = row.rows == UInt32(Limits.blockRowsMax)
      try require(isFull || index == count - 1, "a group of overrides is not full")
      groups.append(BaselineOverrides(row: row, column: column, stamp: stamp, author: author))
    }
    return groups
  }

  // MARK: blocks

  private struct BlockFields {
    var gap: UInt64
    var stored: UInt64
    var raw: UInt64
    var rows: UInt64
    var hash: Hash128

    init(_ reader: inout ByteReader) throws(FormatError) {
      gap = try reader.varint()
      stored = try reader.varint()
      raw = try reader.varint()
      rows = try reader.varint()
      hash = try reader.hash128()
    }
  }

  private mutating func nextBlock(rows: UInt32?) throws(FormatError) -> BaselineBlock {
    try takeSlot()
    let fields = try record { (reader: inout ByteReader) throws(FormatError) in
      try BlockFields(&reader)
    }
    return try block(fields, rows: rows)
  }

  /// Checks a block's place and sizes; without `rows` any count that a block can have is right.
  private mutating func block(_ fields: BlockFields, rows: UInt32?) throws(FormatError)
    -> BaselineBlock
  {
    let rawMax = UInt64(Limits.frameRawBytesMax)
    try require(fields.stored <= fields.raw && fields.raw <= rawMax, "a block is too long")
    let isExpected = rows.map { fields.rows == UInt64($0) }
    try require(
      isExpected ?? (1...UInt64(Limits.blockRowsMax)).contains(fields.rows),
      "a block of \(fields.rows) rows where \(rows ?? 0) are due")
    try require(
      fields.gap <= limit - end && fields.gap % 8 == 0, "a frame lies behind the directory")
    let block = BaselineBlock(
      offset: end + fields.gap, storedLength: UInt32(fields.stored),
      rawLength: UInt32(fields.raw), rows: UInt32(fields.rows), hash: fields.hash)
    try require(
      UInt64(block.frameBytes) <= limit - block.offset, "a frame lies behind the directory")
    end = block.offset + UInt64(block.frameBytes)
    return block
  }
}

extension BaselineDeclaration.Claim {
  init(_ reader: inout ByteReader) throws(FormatError) {
    stamp = Stamp(rawValue: try reader.uint64())
    author = try reader.identifier(ReplicaID.self)
    ordinal = try reader.varint()
  }
}

extension BaselineTable {
  /// Everything but the runs.
  init(_ reader: inout ByteReader) throws(FormatError) {
    let entity = try reader.varint32("entity")
    let count = try reader.count(max: Limits.columnsMax, "columns")
    var columns: [BaselineColumn] = []
    for _ in 0..<count {
      let tag = try reader.varint32("tag")
      let kind = try reader.uint8()
      columns.append(
        BaselineColumn(tag: tag, kind: kind, target: try reader.varint32("target entity")))
    }
    let (created, dead, hidden) = (try reader.varint(), try reader.varint(), try reader.varint())
    self.init(entity: entity, columns: columns, created: created, dead: dead, hidden: hidden)
  }
}

extension BaselineDirectory {
  /// Decodes raw payloads of DIRECTORY frames, which name frames below `limit`.
  ///
  /// - Throws: `badDirectory` for anything that breaks a rule.
  package init(decoding payloads: [Bytes], limit: UInt64) throws(FormatError) {
    self = try DirectoryReader.decode(count: payloads.count, limit: limit) {
      (index: Int) throws(FormatError) in (payloads[index], 0)
    }
  }

  /// The raw payloads of the DIRECTORY frames.
  package var encodedPayloads: [Bytes] { DirectoryWriter.encode(self).frames }
}
