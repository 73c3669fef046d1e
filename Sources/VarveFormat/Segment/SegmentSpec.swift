// A whole segment file as a value: for golden files, tests and tools. Whatever the encoder writes
// can be decoded into one, and encodes to the same bytes again.

/// What a segment file says, without offsets and hashes.
package struct SegmentSpec: Equatable, Sendable {
  /// A hint, a commit group or a mark.
  package struct Item: Equatable, Sendable {
    package enum Content: Equatable, Sendable {
      case schema([SchemaOperation])
      case replicas([DictionaryEntry])
      /// A frame of a newer version that readers may skip; bit 7 of the type is set.
      case ignorable(type: UInt8, Bytes)
      /// At least one transaction.
      case group([TransactionSpec])
      case mark
    }

    package var content: Content
    /// How many of the items before this one were durable when it was written; never goes down.
    package var durableItems: Int

    package init(_ content: Content, durableItems: Int) {
      self.content = content
      self.durableItems = durableItems
    }
  }

  /// What is not derived from the items when a segment is sealed.
  package struct Ending: Equatable, Sendable {
    package var vector: [Seal.VectorEntry]
    package var dictionary: [DictionaryEntry]
    package var durableItems: Int

    package init(
      vector: [Seal.VectorEntry] = [], dictionary: [DictionaryEntry] = [], durableItems: Int
    ) {
      self.vector = vector
      self.dictionary = dictionary
      self.durableItems = durableItems
    }
  }

  package var header: FileHeader
  package var items: [Item] = []
  package var seal: Ending?
  /// Zeros behind the data: space that was preallocated.
  package var trailingZeros = 0

  package init(_ header: FileHeader) { self.header = header }

  /// Appends content at a time when everything before it is durable.
  package mutating func append(_ content: Item.Content) {
    items.append(Item(content, durableItems: items.count))
  }

  /// Seals at a time when everything is durable.
  package mutating func seal(
    vector: [Seal.VectorEntry] = [], dictionary: [DictionaryEntry] = []
  ) {
    seal = Ending(vector: vector, dictionary: dictionary, durableItems: items.count)
  }

  /// All transactions in order.
  package var transactions: [TransactionSpec] {
    items.flatMap { item -> [TransactionSpec] in
      guard case .group(let transactions) = item.content else { return [] }
      return transactions
    }
  }
}

// MARK: encoding

extension SegmentSpec {
  /// The file.
  ///
  /// - Throws: `badLength` when a transaction exceeds a limit.
  package func encoded() throws(FormatError) -> Bytes {
    var encoder = SegmentEncoder(header)
    // The file offset behind the header and behind every item.
    var ends = [encoder.offset]
    for item in items {
      precondition(item.durableItems < ends.count, "only items before this one can be durable")
      encoder.didSync(upTo: ends[item.durableItems])
      switch item.content {
      case .schema(let schema): encoder.hint(.schema, SchemaHint.encode(schema))
      case .replicas(let entries): encoder.hint(.replicas, SegmentSpec.encode(entries))
      case .ignorable(let type, let payload):
        precondition(type & 0x80 != 0, "frames that may be skipped have bit 7 set")
        encoder.hint(FrameType(rawValue: type), payload)
      case .mark: encoder.mark()
      case .group(let transactions):
        precondition(!transactions.isEmpty, "an empty group has no frame")
        for transaction in transactions {
          try transaction.append(to: &encoder)
        }
        encoder.endGroup()
      }
      ends.append(encoder.offset)
    }
    if let seal {
      encoder.didSync(upTo: ends[seal.durableItems])
      encoder.seal(vector: seal.vector, dictionary: seal.dictionary)
    }
    var writer = ByteWriter(capacity: Int(encoder.offset) + trailingZeros)
    writer.bytes(header.encoded)
    encoder.output.withPieces { pieces in
      for piece in pieces { writer.bytes(piece) }
    }
    writer.zeros(trailingZeros)
    return writer.finish()
  }

  private static func encode(_ entries: [DictionaryEntry]) -> Bytes {
    var writer = ByteWriter()
    writer.varint(entries.count)
    for entry in entries { entry.write(into: &writer) }
    return writer.finish()
  }
}

// MARK: decoding

extension SegmentSpec {
  /// Decodes a whole file, in which nothing may be damaged or missing.
  ///
  /// - Throws: What is wrong with the file, or that no encoder writes it like that.
  package init(decoding bytes: Bytes) throws(FormatError) {
    var scanner = try SegmentScanner(MemorySource(bytes))
    let reading = try scanner.readAll()
    guard reading.verdict == .clean || reading.verdict == .sealed else {
      throw reading.problem ?? FormatError(.truncated, "the segment is \(reading.verdict)")
    }
    self.init(scanner.header)
    scanner.position = UInt64(FileHeader.byteCount)
    var walk = Walk(SegmentState(header), ends: [scanner.position])
    while case .frame(let frame) = try scanner.next() {
      if frame.header.type == .seal {
        try walk.finish(at: frame.offset)
        guard let seal = reading.seal else { break }
        self.seal = Ending(
          vector: seal.vector, dictionary: seal.dictionary,
          durableItems: try walk.durableItems(frame))
        scanner.position = frame.end + UInt64(Trailer.byteCount)
        break
      }
      try walk.add(frame)
    }
    try walk.finish(at: scanner.position)
    items = walk.items
    trailingZeros = bytes.count - Int(scanner.position)
  }

  /// Turns frames into items.
  private struct Walk {
    var state: SegmentState
    var ends: [UInt64]
    var items: [Item] = []
    /// Transactions of the group that is being read, and the synced offset of its frames.
    var group: [TransactionSpec] = []
    var groupSynced: UInt64?

    init(_ state: SegmentState, ends: [UInt64]) {
      self.state = state
      self.ends = ends
    }

    mutating func add(_ frame: ScannedFrame) throws(FormatError) {
      switch frame.header.type {
      case .transaction, .transactionPart, .columnBlock: try addToGroup(frame)
      default:
        try finish(at: frame.offset)
        _ = try state.accept(frame)
        let content = try content(frame)
        items.append(Item(content, durableItems: try durableItems(frame)))
        ends.append(frame.end)
      }
    }

    private func content(_ frame: ScannedFrame) throws(FormatError) -> Item.Content {
      switch frame.header.type {
      case .schema: return .schema(try SchemaHint.decode(try frame.payload()))
      case .mark: return .mark
      case .replicas:
        return .replicas(
          try frame.payload().read { (reader: inout ByteReader) throws(FormatError) in
            let entries = try reader.dictionary()
            try reader.finish(.badTransaction, "a REPLICAS frame")
            return entries
          })
      case let type where type.isIgnorable:
        return .ignorable(type: type.rawValue, try frame.payload())
      case let type:
        throw FormatError(
          .badSequence, "a \(type.name) frame in a segment", offset: frame.offset)
      }
    }

    private mutating func addToGroup(_ frame: ScannedFrame) throws(FormatError) {
      guard groupSynced ?? frame.header.syncedOffset == frame.header.syncedOffset else {
        throw FormatError(
          .badSequence, "the synced offset changes inside a group", offset: frame.offset)
      }
      groupSynced = frame.header.syncedOffset
      guard let unit = try state.accept(frame) else { return }
      for transaction in unit.transactions {
        group.append(try TransactionSpec(transaction, parts: unit.parts))
      }
      guard frame.header.flags.contains(.last) else { return }
      items.append(Item(.group(group), durableItems: try durableItems(frame)))
      ends.append(frame.end)
      group = []
      groupSynced = nil
    }

    func durableItems(_ frame: ScannedFrame) throws(FormatError) -> Int {
      guard let index = ends.firstIndex(of: frame.header.syncedOffset) else {
        throw FormatError(
          .badSequence, "the synced offset \(frame.header.syncedOffset) ends no group",
          offset: frame.offset)
      }
      // A spec cannot say that a promise is taken back, which no writer does.
      guard index >= items.last?.durableItems ?? 0 else {
        throw FormatError(
          .badSequence, "the synced offset \(frame.header.syncedOffset) is below an earlier one",
          offset: frame.offset)
      }
      return index
    }

    /// No group may be open here.
    func finish(at offset: UInt64) throws(FormatError) {
      guard group.isEmpty, groupSynced == nil else {
        throw FormatError(.truncated, "a commit group has no last frame", offset: offset)
      }
    }
  }
}
