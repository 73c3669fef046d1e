// What is in the frames: hints, marks, column blocks, SEAL and trailer. See Formats/Dump.md.

extension SegmentDump {
  mutating func visitContent(_ frame: ScannedFrame) throws {
    let type = frame.header.type
    let raw: Bytes
    do throws(FormatError) {
      raw = try frame.payload()
    } catch {
      if type == .transactionPart || type == .columnBlock { try add(part: frame, nil) }
      if type == .transaction { (nextSequence, chain) = (nil, nil) }
      throw ContentError(.badCompression)
    }
    switch type {
    case .transaction: try visitTransactions(frame, raw)
    case .columnBlock: try visitBlock(frame, raw)
    case .transactionPart:
      try add(part: frame, raw)
      try visitBytes(raw)
    case .mark: try visitMark(frame, raw)
    case .schema: try visitSchema(raw)
    case .seal: try visitSeal(frame, raw)
    case .replicas:
      try ContentError.naming(.badTransaction) { () throws(FormatError) in
        try raw.read { (reader: inout ByteReader) throws(FormatError) in
          _ = try reader.dictionary()
          try reader.finish(.badTransaction, "a REPLICAS frame")
        }
      }
      try visitBytes(raw)
    default: try visitBytes(raw)
    }
  }

  func visitBytes(_ raw: Bytes) throws {
    try emit(1, "bytes", [DumpField("count", .number(raw.count))])
  }

  private mutating func visitMark(_ frame: ScannedFrame, _ raw: Bytes) throws {
    guard raw.count == 16 else { throw ContentError(.badLength) }
    let stated = try raw.read { (reader: inout ByteReader) throws(FormatError) in
      try reader.hash128()
    }
    try emit(1, "mark", [DumpField("chain", .hash(stated))])
    if let chain, chain != stated { try reportContent(frame, .badChain) }
    chain = stated
  }

  private func visitSchema(_ raw: Bytes) throws {
    try raw.read { (reader: inout ByteReader) throws in
      var left = try ContentError.naming(.badOperation) { () throws(FormatError) in
        try reader.varint()
      }
      while left > 0 {
        left -= 1
        let declaration = try ContentError.naming(.badOperation) { () throws(FormatError) in
          var body = try reader.sub(try reader.count(max: reader.remaining, "declaration length"))
          let declaration = try SchemaOperation(&body)
          try body.finish(.badOperation, "a declaration")
          return declaration
        }
        try emit(1, "schema", OperationText.schemaFields(declaration))
      }
      guard reader.isAtEnd else { throw ContentError(.badOperation) }
    }
  }

  // MARK: parts

  /// Keeps a part for its transaction.
  private mutating func add(part frame: ScannedFrame, _ raw: Bytes?) throws {
    let isOperations = frame.header.type == .transactionPart
    if isOperations { pendingBytes += frame.header.rawLength }
    guard pending.count < Limits.partsMax, pendingBytes <= Limits.operationBytesMax else {
      throw ContentError(.badPart)
    }
    pending.append(
      Part(
        offset: frame.offset, type: frame.header.type, rawLength: frame.header.rawLength,
        raw: isOperations ? raw : nil, hash: raw.map { Checksum.hash128($0) }))
  }

  private mutating func visitBlock(_ frame: ScannedFrame, _ raw: Bytes) throws {
    try add(part: frame, raw)
    pending[pending.count - 1].column = try visitColumn(raw)
  }

  /// Prints a column block and returns its header.
  func visitColumn(_ raw: Bytes) throws -> ColumnBlockHeader {
    let block = try ContentError.naming(.badColumn) { () throws(FormatError) in
      let block = try ColumnBlockDecoder.decode(raw)
      try block.checkCells()
      return block
    }
    let header = block.header
    if options.headersOnly { return header }
    try emit(
      1, "block",
      [
        DumpField("entity", .number(header.entity)),
        DumpField("attribute", .number(header.attribute)),
        DumpField("type", .word(header.type.name)),
        DumpField("encoding", .word(header.encoding.name)),
        DumpField("nullable", .flag(header.isNullable)), DumpField("rows", .number(header.rows)),
        DumpField("dictionary", .number(header.dictionaryEntries)),
        DumpField("values", .hash(block.rowsHash())),
        DumpField("first", .cell(block, row: 0)),
        DumpField("last", .cell(block, row: header.rows - 1)),
      ])
    if options.values { try emitRows(block) }
    return header
  }

  private func emitRows(_ block: ColumnBlock) throws {
    var record = DumpRecord(
      2, "row", [DumpField("index", .number(0)), DumpField("value", .cell(block, row: 0))])
    for row in 0..<block.rows {
      record.fields[0].value = .number(row)
      record.fields[1].value = .cell(block, row: row)
      try emit(record)
    }
  }

  // MARK: seal and trailer

  private mutating func visitSeal(_ frame: ScannedFrame, _ raw: Bytes) throws {
    let seal = try ContentError.naming(.badSeal) { () throws(FormatError) in
      try raw.read { (reader: inout ByteReader) throws(FormatError) in try Seal(&reader) }
    }
    try emit(
      1, "seal",
      [
        DumpField("firstSequence", .number(seal.firstSequence)),
        DumpField("lastSequence", .number(seal.lastSequence)),
        DumpField("transactions", .number(seal.transactions)),
        DumpField("minStamp", .stamp(seal.minStamp)), DumpField("maxStamp", .stamp(seal.maxStamp)),
        DumpField("chain", .hash(seal.chain)), DumpField("rawBytes", .number(seal.rawBytes)),
        DumpField("index", .number(seal.index.count)),
        DumpField("vector", .number(seal.vector.count)),
        DumpField("columns", .number(seal.columns.count)),
      ])
    let first = scanner.header.firstSequence
    guard firstProblem == nil, options.fromOffset == nil else { return }
    guard seal.firstSequence == first, seal.lastSequence == first &+ transactions &- 1,
      seal.transactions == transactions, seal.chain == chain
    else { throw ContentError(.badSeal) }
  }

  /// Behind a SEAL stands the trailer, and behind that only zeros.
  mutating func visitTrailer(_ frame: ScannedFrame) throws -> Bool {
    let offset = frame.end
    let trailer: Trailer
    do throws(FormatError) {
      trailer = try Trailer(
        try scanner.raw(offset, Trailer.byteCount), offset: offset, salt: scanner.header.salt)
    } catch {
      if error.code == .unreadable { throw error }
      let isTorn = try scanner.hasZeroPiece(at: offset, length: Trailer.byteCount)
      try report(offset, .badTrailer, isTorn ? .torn : .corrupt)
      return try resynchronise(from: offset, bad: offset)
    }
    try emit(
      0, "trailer",
      [
        DumpField("sealOffset", .number(trailer.sealOffset)),
        DumpField("bytes", .number(trailer.fileLength)), DumpField("chain", .hash(trailer.chain)),
      ])
    let end = offset + UInt64(Trailer.byteCount)
    if trailer.sealOffset != frame.offset || (chain != nil && chain != trailer.chain) {
      try report(offset, .badTrailer, .corrupt)
    }
    if try scanner.remainder(from: end) != nil { try report(end, .badTrailer, .corrupt) }
    isSealed = true
    if firstProblem == nil { accepted = end }
    return false
  }
}
