// What is in TX frames: transactions, their headers and operations. See Formats/Dump.md.

extension SegmentDump {
  /// A TX payload, cut by the byte counts of its transactions.
  private struct CutPayload {
    var previousChain = Hash128.zero
    var partOffsets: [UInt64] = []
    var transactions: [Bytes] = []
  }

  mutating func visitTransactions(_ frame: ScannedFrame, _ raw: Bytes) throws {
    let expected = chain
    // Until the payload is cut, nobody knows what the next frame continues.
    (nextSequence, chain) = (nil, nil)
    let payload = try cut(raw, sequence: frame.header.sequence)
    let hashes = payload.transactions.map { Checksum.hash128($0) }
    var chains: [Hash128] = []
    for hash in hashes { chains.append(Checksum.chain(chains.last ?? payload.previousChain, hash)) }
    nextSequence = frame.header.sequence &+ UInt64(payload.transactions.count)
    chain = chains.last
    try emit(1, "chain", [DumpField("previous", .hash(payload.previousChain))])
    if let expected, expected != payload.previousChain { try reportContent(frame, .badChain) }
    for (index, bytes) in payload.transactions.enumerated() {
      try visitTransaction(bytes, payload.partOffsets, hash: hashes[index], chain: chains[index])
    }
  }

  private func cut(_ raw: Bytes, sequence: UInt64) throws(ContentError) -> CutPayload {
    var payload = CutPayload()
    var newer = false
    var misplaced = false
    do throws(FormatError) {
      try raw.read { (reader: inout ByteReader) throws(FormatError) in
        payload.previousChain = try reader.hash128()
        let count = Int(try reader.uint32())
        let parts = Int(try reader.uint32())
        guard count >= 1, count <= Limits.frameTransactionsMax, parts <= Limits.partsMax,
          parts == 0 || count == 1
        else { throw reader.error(.badTransaction, "\(count) transactions, \(parts) parts") }
        for _ in 0..<parts { payload.partOffsets.append(try reader.uint64()) }
        for index in 0..<count {
          var head = reader
          newer = try head.uint8() != FormatVersion.transaction
          if newer { throw head.error(.unknownVersion, "a newer transaction") }
          try head.skip(3)
          let byteCount = Int(try head.uint32())
          try head.skip(8)
          misplaced = try head.uint64() != sequence &+ UInt64(index)
          if misplaced { throw head.error(.badSequence, "transactions are out of order") }
          guard byteCount >= TransactionHeader.fixedBytes else {
            throw head.error(.badTransaction, "a transaction of \(byteCount) bytes")
          }
          let start = reader.position
          try reader.skip(byteCount)
          payload.transactions.append(raw.slice(start, byteCount))
        }
        try reader.finish(.badTransaction, "a TX frame")
      }
    } catch {
      throw ContentError(newer ? .unknownVersion : misplaced ? .badSequence : .badTransaction)
    }
    return payload
  }

  private mutating func visitTransaction(
    _ bytes: Bytes, _ partOffsets: [UInt64], hash: Hash128, chain: Hash128
  ) throws {
    let (header, inline) = try ContentError.naming(.badTransaction) { () throws(FormatError) in
      try ScannedTransaction.decode(bytes)
    }
    transactions += 1
    try emit(
      1, "transaction",
      [
        DumpField("sequence", .number(header.sequence)), DumpField("stamp", .stamp(header.stamp)),
        DumpField("time", .word(TimeText.text(header.stamp))),
        DumpField("flags", .words(header.flags, TransactionFlags.names)),
        DumpField("bytes", .number(bytes.count)),
        DumpField("operations", .number(header.operations)),
        DumpField("parts", .number(header.parts.count)),
        DumpField("schema", .number(header.schemaVersion)), DumpField("hash", .hash(hash)),
        DumpField("chain", .hash(chain)),
      ])
    try emitHead(header, partOffsets)
    try checkDictionary(header)
    try checkParts(header, partOffsets)
    try visitOperations(header, inline)
  }

  /// The records between the transaction's own and its operations.
  private func emitHead(_ header: TransactionHeader, _ partOffsets: [UInt64]) throws {
    if header.era.number != 0 {
      try emit(
        2, "era",
        [
          DumpField("number", .number(header.era.number)),
          DumpField("opened", .bytes(header.era.opened)),
        ])
    }
    for entry in header.dictionary { try emit(2, "dictionary", entry.fields) }
    for position in header.dependencies {
      try emit(2, "depends", OperationText.positionFields(position))
    }
    for fields in header.metadata.records { try emit(2, "meta", fields) }
    for (index, (part, offset)) in zip(header.parts, partOffsets).enumerated() {
      try emit(
        2, "part",
        [
          DumpField("index", .number(index)), DumpField("type", .word(part.frameType.name)),
          DumpField("offset", .number(offset)), DumpField("raw", .number(part.rawLength)),
          DumpField("rows", .number(part.rows)), DumpField("hash", .hash(part.hash)),
        ])
    }
  }

  /// Indices are dense, as far as the dictionary is known.
  private mutating func checkDictionary(_ header: TransactionHeader) throws(ContentError) {
    if header.flags.contains(.fullVector) { dictionaryCount = 0 }
    guard let known = dictionaryCount else { return }
    for (place, entry) in header.dictionary.enumerated() where Int(entry.index) != known + place + 1
    {
      throw ContentError(.badTransaction)
    }
    dictionaryCount = known + header.dictionary.count
  }

  /// The part list describes the frames in front; what could not be decoded there is not compared.
  private func checkParts(
    _ header: TransactionHeader, _ partOffsets: [UInt64]
  ) throws(ContentError) {
    guard partOffsets == pending.map(\.offset), header.parts.count == pending.count else {
      throw ContentError(.badPart)
    }
    for (entry, part) in zip(header.parts, pending) {
      guard entry.frameType == part.type, entry.rawLength == part.rawLength,
        part.hash.map({ $0 == entry.hash }) ?? true,
        part.column.map({ $0.rows == entry.rows }) ?? true
      else { throw ContentError(.badPart) }
    }
  }

  // MARK: operations

  private mutating func visitOperations(_ header: TransactionHeader, _ inline: Bytes) throws {
    let stream = try stream(inline)
    try stream.read { (reader: inout ByteReader) throws in
      for _ in 0..<header.operations {
        guard !reader.isAtEnd else { throw ContentError(.badTransaction) }
        let operation = try ContentError.naming(.badOperation) { () throws(FormatError) in
          try Operation(&reader)
        }
        if case .columns(let columns) = operation { try check(columns) }
        if case .unknown = operation { summary.skipped += 1 }
        if options.headersOnly { continue }
        for record in OperationText.records(operation, depth: 2) { try emit(record) }
      }
      guard reader.isAtEnd else { throw ContentError(.badTransaction) }
    }
  }

  /// The operation parts, then the inline bytes.
  private func stream(_ inline: Bytes) throws(ContentError) -> Bytes {
    let parts = pending.filter { $0.type == .transactionPart }
    guard !parts.isEmpty else { return inline }
    var writer = ByteWriter(capacity: pendingBytes + inline.count)
    for part in parts {
      guard let raw = part.raw else { throw ContentError(.badPart) }
      writer.bytes(raw)
    }
    writer.bytes(inline)
    return writer.finish()
  }

  private func linksIdentities(_ columns: ColumnsOperation) -> Bool {
    columns.columns.map(\.type) == [.identityReference]
  }

  /// The columns belong to the form, and the blocks are what the operation says.
  private func check(_ columns: ColumnsOperation) throws(ContentError) {
    switch columns.form {
    case .delete where !columns.columns.isEmpty: throw ContentError(.badOperation)
    case .link where columns.columns.map(\.type) != [.reference] && !linksIdentities(columns):
      throw ContentError(.badOperation)
    default: break
    }
    let list = columns.partColumns
    guard columns.firstPart + columns.partCount <= pending.count else {
      throw ContentError(.badPart)
    }
    for index in 0..<columns.partCount {
      let part = pending[columns.firstPart + index]
      guard part.type == .columnBlock else { throw ContentError(.badColumn) }
      guard let block = part.column else { continue }
      let column = list[index % list.count]
      let isLeading = index % list.count < list.count - columns.columns.count
      guard block.entity == columns.entity, block.attribute == column.attribute,
        block.type == column.type, block.rows == columns.rows(ofBlock: index / list.count),
        !(isLeading && block.isNullable)
      else { throw ContentError(.badColumn) }
    }
  }
}

extension DictionaryEntry {
  /// The fields of its record.
  package var fields: [DumpField] {
    let first = DumpField("index", .number(index))
    switch name {
    case .replica(let replica): return [first, DumpField("replica", .word(replica.description))]
    case .branch(let parent, let fork, let prefix):
      return [
        first, DumpField("parent", .number(parent)), DumpField("fork", .number(fork)),
        DumpField("chain", .bytes(prefix)),
      ]
    }
  }
}

extension Metadata {
  /// The fields of a record for each entry, by ascending key.
  package var records: [[DumpField]] {
    var list: [[DumpField]] = []
    if let author { list.append([DumpField("author", .string(author))]) }
    if let label { list.append([DumpField("label", .string(label))]) }
    if let origin { list.append([DumpField("origin", .word(origin.name))]) }
    let newerOrigin = unknown.filter { $0.key == 3 }
    list += newerOrigin.map { entry in
      entry.bytes.count == 1
        ? [DumpField("origin", .word("origin-\(entry.bytes[0])"))] : Metadata.fields(entry)
    }
    if let checkpoint { list.append([DumpField("checkpoint", .string(checkpoint))]) }
    return list + unknown.filter { $0.key != 3 }.map(Metadata.fields)
  }

  private static func fields(_ entry: Entry) -> [DumpField] {
    [DumpField("key", .number(entry.key)), DumpField("bytes", .bytes(entry.bytes))]
  }
}
