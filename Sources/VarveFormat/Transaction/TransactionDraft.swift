// A transaction before the log gives it a sequence, a stamp and a place in a segment.

/// A part that is ready to be framed: compressed and hashed outside of any lock.
package struct EncodedPart: Sendable {
  package let frameType: FrameType
  package let rawLength: Int
  package let rawHash: Hash128
  package let stored: Bytes
  package let isCompressed: Bool
  /// The header of a column block; nil for operation bytes.
  package let column: ColumnBlockHeader?

  /// Hashes and compresses a raw payload.
  package init(frameType: FrameType, raw: Bytes, column: ColumnBlockHeader?) {
    precondition(raw.count <= Limits.frameRawBytesMax, "a part fits a frame")
    self.frameType = frameType
    rawLength = raw.count
    rawHash = Checksum.hash128(raw)
    let compressed = Compression.compressed(raw)
    stored = compressed ?? raw
    isCompressed = compressed != nil
    self.column = column
  }

  var entry: PartEntry {
    PartEntry(
      frameType: frameType, rawLength: rawLength, rows: column?.rows ?? 0, hash: rawHash)
  }
}

/// The content of a transaction.
package struct TransactionDraft: Sendable {
  package let flags: TransactionFlags
  package let operations: Int
  /// Operation bytes that go into the TX frame.
  package let operationBytes: Bytes
  package let parts: [EncodedPart]
  package let metadata: Metadata
  package let schemaVersion: UInt64
  package let era: Era
  /// Schema operations inside, which the log repeats as hints in later segments.
  package let schema: [SchemaOperation]

  init(
    flags: TransactionFlags, operations: Int, operationBytes: Bytes, parts: [EncodedPart],
    metadata: Metadata, schemaVersion: UInt64, era: Era, schema: [SchemaOperation]
  ) {
    self.flags = flags
    self.operations = operations
    self.operationBytes = operationBytes
    self.parts = parts
    self.metadata = metadata
    self.schemaVersion = schemaVersion
    self.era = era
    self.schema = schema
  }

  /// Bytes that the transaction takes in a frame, at most, apart from dictionary and dependencies.
  var estimatedBytes: Int {
    operationBytes.count + parts.count * 32 + metadata.byteCountMax + 128
  }
}

/// Collects operations and parts into a draft.
package struct TransactionBuilder: ~Copyable {
  private var writer: ByteWriter
  private var scratch = ByteWriter(capacity: 256)
  private var operations = 0
  private var parts: [EncodedPart] = []
  private var schema: [SchemaOperation] = []
  private var flags: TransactionFlags = []
  private var elements = 0
  /// The first operation that no reader would take.
  private var problem: FormatError?

  package var metadata = Metadata()
  package var schemaVersion: UInt64 = 0
  package var era = Era()

  package init(capacity: Int = 256) { writer = ByteWriter(capacity: capacity) }

  /// Whether nothing was added.
  package var isEmpty: Bool { operations == 0 }

  /// Adds an operation.
  ///
  /// Parts that a columns operation names are added with `add(part:)`.
  package mutating func add(_ operation: Operation) {
    if problem == nil { problem = operation.problem }
    elements += operation.elementCount
    operation.write(into: &writer, scratch: &scratch)
    operations += 1
    if case .schema(let declaration) = operation { schema.append(declaration) }
    if case .adoption = operation { flags.insert(.adoption) }
  }

  /// Adds a write of one number: the same bytes as its operation.
  package mutating func add(_ write: WordWrite) {
    elements += 1
    write.write(into: &writer)
    operations += 1
  }

  /// The place that the next part gets in the part list.
  package var nextPart: Int { parts.count }

  /// Adds a column part.
  package mutating func add(part: EncodedPart) {
    parts.append(part)
    flags.insert(.bulk)
  }

  /// The draft.
  ///
  /// - Throws: `badLength` when a limit of the format is exceeded, `badValue` for a nil among
  ///   values.
  package consuming func finish() throws(FormatError) -> TransactionDraft {
    guard writer.count <= Limits.operationBytesMax, operations <= Limits.operationsMax else {
      throw FormatError(
        .badLength,
        "\(operations) operations of \(writer.count) bytes are too many for one transaction")
    }
    if let problem { throw problem }
    guard elements <= Limits.elementsMax else {
      throw FormatError(
        .badLength,
        "\(elements) fields and other elements in one transaction; at most "
          + "\(Limits.elementsMax) are allowed")
    }
    guard
      metadata.byteCountMax <= Limits.metadataBytesMax
        || metadata.byteCount <= Limits.metadataBytesMax
    else {
      throw FormatError(
        .badLength,
        "\(metadata.byteCount) bytes of metadata, at most \(Limits.metadataBytesMax) are allowed")
    }
    let own =
      writer.count + parts.count * Limits.partOwnBytesMax + 3
      + min(metadata.byteCountMax, Limits.metadataBytesMax)
    let isInline = writer.count <= Limits.inlineOperationBytesMax && own <= Limits.ownBytesMax
    let pieces =
      isInline
      ? 0 : (writer.count + Limits.frameRawBytesMax - 1) / Limits.frameRawBytesMax
    guard parts.count + pieces <= Limits.partsMax else {
      throw FormatError(
        .badLength,
        "\(parts.count) column parts and \(writer.count) operation bytes are too many "
          + "for one transaction")
    }
    let (flags, operations, schema) = (self.flags, self.operations, self.schema)
    let (metadata, schemaVersion, era) = (self.metadata, self.schemaVersion, self.era)
    var parts = self.parts
    let all = writer.finish()
    guard !isInline else {
      return TransactionDraft(
        flags: flags, operations: operations, operationBytes: all, parts: parts,
        metadata: metadata, schemaVersion: schemaVersion, era: era, schema: schema)
    }
    // Operation parts go behind the column parts, so that part numbers in operations stay right.
    for start in stride(from: 0, to: all.count, by: Limits.frameRawBytesMax) {
      let piece = all.slice(start, min(Limits.frameRawBytesMax, all.count - start))
      parts.append(EncodedPart(frameType: .transactionPart, raw: piece, column: nil))
    }
    return TransactionDraft(
      flags: flags.union(.parted), operations: operations, operationBytes: .empty, parts: parts,
      metadata: metadata, schemaVersion: schemaVersion, era: era, schema: schema)
  }
}
