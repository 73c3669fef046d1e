// A transaction as a value: part of `SegmentSpec`.

/// What a transaction says, without its sequence and hashes.
package struct TransactionSpec: Equatable, Sendable {
  package var stamp: Stamp
  package var isCritical = false
  package var isFullVector = false
  package var era = Era()
  package var schemaVersion: UInt64 = 0
  package var dictionary: [DictionaryEntry] = []
  package var dependencies: [LogPosition] = []
  package var metadata = Metadata()
  package var operations: [Operation] = []
  /// The raw payloads of the column parts, which `columns` operations number.
  package var blocks: [Bytes] = []

  package init(stamp: Stamp, operations: [Operation] = [], blocks: [Bytes] = []) {
    self.stamp = stamp
    self.operations = operations
    self.blocks = blocks
  }

  /// The content of a draft.
  package init(_ draft: TransactionDraft, stamp: Stamp) throws(FormatError) {
    self.init(stamp: stamp)
    isCritical = draft.flags.contains(.critical)
    era = draft.era
    schemaVersion = draft.schemaVersion
    metadata = draft.metadata
    var stream = ByteWriter(capacity: draft.operationBytes.count + 64)
    for part in draft.parts {
      let raw =
        part.isCompressed
        ? try Compression.decompressed(part.stored, rawLength: part.rawLength) : part.stored
      if part.frameType == .columnBlock { blocks.append(raw) } else { stream.bytes(raw) }
    }
    stream.bytes(draft.operationBytes)
    let count = draft.operations
    operations = try stream.finish().read { (reader: inout ByteReader) throws(FormatError) in
      var list: [Operation] = []
      for _ in 0..<count { list.append(try Operation(&reader)) }
      return list
    }
  }

  /// Decodes all of a transaction, its parts included.
  package init(_ transaction: ScannedTransaction, parts: [ScannedFrame]) throws(FormatError) {
    let (header, _) = try transaction.decoded()
    self.init(stamp: header.stamp)
    isCritical = header.flags.contains(.critical)
    isFullVector = header.flags.contains(.fullVector)
    era = header.era
    schemaVersion = header.schemaVersion
    dictionary = header.dictionary
    dependencies = header.dependencies
    metadata = header.metadata
    var hasAdoption = false
    var list: [Operation] = []
    try OperationStream.forEach(transaction, parts: parts) {
      (operation: Operation) throws(FormatError) in
      if case .adoption = operation { hasAdoption = true }
      list.append(operation)
    }
    operations = list
    guard hasAdoption == header.flags.contains(.adoption) else {
      throw FormatError(.badTransaction, "the flag for adoptions contradicts the operations")
    }
    for (entry, part) in zip(header.parts, parts) where entry.frameType == .columnBlock {
      blocks.append(try TransactionSpec.block(entry, part))
    }
  }

  private static func block(_ entry: PartEntry, _ part: ScannedFrame) throws(FormatError) -> Bytes {
    let raw = try part.payload()
    let header = try ColumnBlockDecoder.header(of: raw)
    guard Checksum.hash128(raw) == entry.hash, header.rows == entry.rows else {
      throw FormatError(
        .badPart, "the column part is not the one listed", offset: part.offset)
    }
    return raw
  }

  /// The transaction ready to be appended.
  ///
  /// - Throws: `badLength` when it exceeds a limit, `badColumn` when a block is none.
  package func draft() throws(FormatError) -> TransactionDraft {
    var builder = TransactionBuilder()
    builder.metadata = metadata
    builder.schemaVersion = schemaVersion
    builder.era = era
    for block in blocks {
      let header = try ColumnBlockDecoder.header(of: block)
      builder.add(part: EncodedPart(frameType: .columnBlock, raw: block, column: header))
    }
    for operation in operations { builder.add(operation) }
    let draft = try builder.finish()
    return TransactionDraft(
      flags: isCritical ? draft.flags.union(.critical) : draft.flags,
      operations: draft.operations, operationBytes: draft.operationBytes, parts: draft.parts,
      metadata: draft.metadata, schemaVersion: draft.schemaVersion, era: draft.era,
      schema: draft.schema)
  }

  func append(to encoder: inout SegmentEncoder) throws(FormatError) {
    encoder.append(
      try draft(), stamp: stamp, dictionary: dictionary, dependencies: dependencies,
      isFullVector: isFullVector)
  }
}
