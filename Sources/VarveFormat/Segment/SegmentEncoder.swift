// Writes segments: a state machine from header through commit groups to the seal. Knows no files.

/// Encodes the frames of one segment.
///
///     var encoder = SegmentEncoder(header)        // the 128 header bytes are header.encoded
///     encoder.append(draft, stamp: ...)           // any number, in sequence
///     encoder.endGroup()                          // closes the frame being shared
///     encoder.output.withPieces { write($0, at: offset) }
///     encoder.didSync(upTo: encoder.offset)
///     encoder.seal()
package struct SegmentEncoder: ~Copyable {
  package let header: FileHeader
  /// Bytes encoded and not yet taken (`takeOutput`).
  package var output = GroupOutput()
  /// The file offset behind everything encoded.
  package private(set) var offset: UInt64
  package private(set) var syncedOffset: UInt64
  package private(set) var nextSequence: UInt64
  package private(set) var chain: Hash128
  package private(set) var isSealed = false

  /// The TX frame that small transactions share; empty when none is open.
  private var shared = ByteWriter(capacity: 4_096)
  private var sharedCount = 0
  private var sharedFirst: UInt64 = 0
  private var sharedHasParts = false
  private var sharedIsColumnar = false
  private var summary: Seal
  private var indexStride: UInt64 = 64 << 10
  private var nextIndexOffset: UInt64 = 0

  package init(_ header: FileHeader) {
    self.header = header
    offset = UInt64(FileHeader.byteCount)
    syncedOffset = offset
    nextSequence = header.firstSequence
    chain = header.previousChain
    summary = Seal(firstSequence: header.firstSequence, chain: header.previousChain)
  }

  // MARK: frames

  private mutating func frame(
    _ type: FrameType, _ flags: FrameFlags, stored: Bytes, rawLength: Int, sequence: UInt64
  ) {
    let header = frameHeader(
      type, flags, storedLength: stored.count, rawLength: rawLength, sequence: sequence)
    output.append(header, stored, at: offset, salt: self.header.salt)
    didFrame(header)
  }

  private func frameHeader(
    _ type: FrameType, _ flags: FrameFlags, storedLength: Int, rawLength: Int, sequence: UInt64
  ) -> FrameHeader {
    precondition(!isSealed, "nothing follows a SEAL")
    precondition(rawLength <= Limits.frameRawBytesMax, "what is within the limits fits a frame")
    return FrameHeader(
      type: type, flags: flags, storedLength: storedLength, rawLength: rawLength,
      sequence: sequence, syncedOffset: syncedOffset)
  }

  private mutating func didFrame(_ header: FrameHeader) {
    offset += UInt64(header.frameBytes)
    guard header.type != .seal else { return }
    summary.rawBytes += UInt64(header.rawLength)
    summary.typeCounts[header.type.isKnown(in: .segment) ? Int(header.type.rawValue) : 0] += 1
  }

  /// Frames a raw payload, compressed if that helps.
  private mutating func frame(
    _ type: FrameType, _ flags: FrameFlags, raw: Bytes, sequence: UInt64
  ) {
    if let compressed = Compression.compressed(raw) {
      frame(
        type, flags.union(.compressed), stored: compressed, rawLength: raw.count,
        sequence: sequence)
    } else {
      frame(type, flags, stored: raw, rawLength: raw.count, sequence: sequence)
    }
  }

  /// Notes the first unit that starts in every stride of the file.
  private mutating func indexUnit() {
    guard offset >= nextIndexOffset else { return }
    if summary.index.count == Limits.sealIndexMax {
      indexStride *= 2
      summary.index = summary.index.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
    }
    summary.index.append(Seal.IndexEntry(offset: offset, sequence: nextSequence))
    nextIndexOffset = (offset / indexStride + 1) * indexStride
  }

  // MARK: content

  /// Writes a hint frame: schema or replicas, as far as they are known when the segment starts.
  package mutating func hint(_ type: FrameType, _ payload: Bytes) {
    flushShared(last: false)
    frame(type, [], raw: payload, sequence: nextSequence)
  }

  /// Appends a transaction and returns its sequence and the chain after it.
  @discardableResult
  package mutating func append(
    _ draft: TransactionDraft, stamp: Stamp, dictionary: [DictionaryEntry] = [],
    dependencies: [LogPosition] = [], isFullVector: Bool = false
  ) -> (sequence: UInt64, chain: Hash128) {
    let isSmall = draft.parts.isEmpty
    if sharedCount > 0 {
      let lists =
        dictionary.count * DictionaryEntry.byteCountMax
        + dependencies.count * LogPosition.byteCountMax
      let full = shared.count + draft.estimatedBytes + lists > Limits.sharedFrameBytesMax
      if !isSmall || sharedHasParts || full || sharedCount == Limits.frameTransactionsMax {
        flushShared(last: false)
      }
    }
    if sharedCount == 0 {
      indexUnit()
      let isColumnar = draft.flags.contains(.bulk)
      let offsets = draft.parts.map { writePart($0, isColumnar: isColumnar) }
      sharedIsColumnar = isColumnar
      sharedFirst = nextSequence
      sharedHasParts = !isSmall
      shared.hash128(chain)
      shared.uint32(0)
      shared.uint32(UInt32(offsets.count))
      for offset in offsets { shared.uint64(offset) }
    }
    let hash = writeTransaction(
      draft, stamp: stamp, dictionary: dictionary, dependencies: dependencies,
      isFullVector: isFullVector)
    chain = Checksum.chain(chain, hash)
    let sequence = nextSequence
    nextSequence += 1
    sharedCount += 1
    note(stamp)
    return (sequence, chain)
  }

  /// Appends a transaction of another file byte for byte, with its parts as they are stored.
  ///
  /// The transaction must be the next one of this chain.
  ///
  /// - Throws: `badPart` when a column part cannot be decompressed.
  package mutating func append(
    copying transaction: ScannedTransaction, parts: [ScannedFrame]
  ) throws(FormatError) {
    precondition(transaction.sequence == nextSequence, "transactions are copied in order")
    let isSmall = parts.isEmpty
    let full = shared.count + transaction.bytes.count > Limits.sharedFrameBytesMax
    if sharedCount > 0,
      !isSmall || sharedHasParts || full || sharedCount == Limits.frameTransactionsMax
    {
      flushShared(last: false)
    }
    if sharedCount == 0 {
      indexUnit()
      var offsets: [UInt64] = []
      for part in parts { offsets.append(try copyPart(part)) }
      sharedIsColumnar = transaction.flags.contains(.bulk)
      sharedFirst = nextSequence
      sharedHasParts = !isSmall
      shared.hash128(chain)
      shared.uint32(0)
      shared.uint32(UInt32(offsets.count))
      for offset in offsets { shared.uint64(offset) }
    }
    shared.bytes(transaction.bytes)
    chain = Checksum.chain(chain, transaction.hash)
    nextSequence += 1
    sharedCount += 1
    note(transaction.stamp)
  }

  private mutating func copyPart(_ part: ScannedFrame) throws(FormatError) -> UInt64 {
    let place = offset
    if part.header.type == .columnBlock, summary.columns.count <= Limits.sealColumnsMax {
      let column = try ColumnBlockDecoder.header(of: try part.payload())
      summary.columns.append(
        Seal.ColumnEntry(
          offset: place, sequence: nextSequence, entity: column.entity,
          attribute: column.attribute, rows: UInt32(column.rows), type: column.type.rawValue,
          encoding: column.encoding.rawValue))
    }
    frame(
      part.header.type, part.header.flags.subtracting(.last), stored: part.stored,
      rawLength: part.header.rawLength, sequence: nextSequence)
    return place
  }

  private mutating func note(_ stamp: Stamp) {
    summary.minStamp = summary.transactions == 0 ? stamp : min(summary.minStamp, stamp)
    summary.maxStamp = max(summary.maxStamp, stamp)
    summary.transactions += 1
  }

  /// Appends the bytes of one transaction to the shared frame and returns their hash.
  private mutating func writeTransaction(
    _ draft: TransactionDraft, stamp: Stamp, dictionary: [DictionaryEntry],
    dependencies: [LogPosition], isFullVector: Bool
  ) -> Hash128 {
    let start = shared.count
    var header = TransactionHeader(
      flags: isFullVector ? draft.flags.union(.fullVector) : draft.flags, stamp: stamp,
      sequence: nextSequence, operations: draft.operations)
    header.era = draft.era
    header.schemaVersion = draft.schemaVersion
    header.dictionary = dictionary
    header.dependencies = dependencies
    header.metadata = draft.metadata
    header.parts = draft.parts.map(\.entry)
    header.write(into: &shared)
    shared.bytes(draft.operationBytes)
    shared.setUInt32(
      UInt32(shared.count - start), at: start + TransactionHeader.byteCountOffset)
    return shared.hash128(from: start)
  }

  private mutating func writePart(_ part: EncodedPart, isColumnar: Bool) -> UInt64 {
    let place = offset
    var flags: FrameFlags = part.isCompressed ? .compressed : []
    if isColumnar { flags.insert(.columnar) }
    if let column = part.column {
      if summary.columns.count <= Limits.sealColumnsMax {
        summary.columns.append(
          Seal.ColumnEntry(
            offset: place, sequence: nextSequence, entity: column.entity,
            attribute: column.attribute, rows: UInt32(column.rows), type: column.type.rawValue,
            encoding: column.encoding.rawValue))
      }
    }
    frame(
      part.frameType, flags, stored: part.stored, rawLength: part.rawLength,
      sequence: nextSequence)
    return place
  }

  /// Closes the frame that transactions share.
  private mutating func flushShared(last: Bool) {
    guard sharedCount > 0 else { return }
    shared.setUInt32(UInt32(sharedCount), at: 16)
    var flags: FrameFlags = last ? .last : []
    if sharedIsColumnar { flags.insert(.columnar) }
    let length = shared.count
    if let compressed = Compression.compressed(shared) {
      frame(
        .transaction, flags.union(.compressed), stored: compressed, rawLength: length,
        sequence: sharedFirst)
    } else {
      let header = frameHeader(
        .transaction, flags, storedLength: length, rawLength: length, sequence: sharedFirst)
      let salt = self.header.salt
      let place = offset
      let seed = output.write { header.write(into: &$0, offset: place, salt: salt) }
      let hash = shared.hash64(seed: seed)
      output.write { $0.uint64(hash) }
      output.append(copying: shared)
      output.zeros(header.frameBytes - FrameHeader.byteCount - length)
      didFrame(header)
    }
    shared.removeAll()
    sharedCount = 0
  }

  /// Writes a MARK: the chain, and the durable length in its header.
  package mutating func mark() {
    flushShared(last: false)
    var payload = ByteWriter(capacity: 16)
    payload.hash128(chain)
    frame(.mark, .last, raw: payload.finish(), sequence: nextSequence)
  }

  // MARK: groups

  /// Closes the commit group: everything appended is in `output` now.
  package mutating func endGroup() { flushShared(last: true) }

  /// The file is durable up to `end`: later frames promise it.
  package mutating func didSync(upTo end: UInt64) { syncedOffset = max(syncedOffset, end) }

  /// Whether transactions were appended since the last group ended.
  package var hasOpenGroup: Bool { sharedCount > 0 || output.count > 0 }

  /// Appends SEAL and trailer.
  ///
  /// The file ends at `offset` afterwards.
  package mutating func seal(
    vector: [Seal.VectorEntry] = [], dictionary: [DictionaryEntry] = []
  ) {
    flushShared(last: true)
    summary.lastSequence = nextSequence &- 1
    summary.chain = chain
    summary.vector = vector
    summary.dictionary = dictionary
    summary.dropColumnsWithoutRoom()
    let sealOffset = offset
    frame(.seal, .last, raw: summary.encoded, sequence: nextSequence)
    let trailer = Trailer(
      sealOffset: sealOffset, fileLength: offset + UInt64(Trailer.byteCount), chain: chain)
    output.append(trailer.encoded(salt: header.salt))
    offset += UInt64(Trailer.byteCount)
    isSealed = true
  }
}
