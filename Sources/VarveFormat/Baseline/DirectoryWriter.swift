// Encodes directories of baselines: records, cut into frames, and their canonical form. See
// Formats/Baseline.md sections 3 and 4.

/// Writes the records of a directory.
struct DirectoryWriter: ~Copyable {
  /// The raw payloads of the DIRECTORY frames that are complete.
  private(set) var frames: [Bytes] = []
  private var frame = ByteWriter(capacity: 4_096)
  /// The record being written, as it is stored, and without what depends on the compressor.
  private var record = ByteWriter()
  private var canonical = ByteWriter()
  private var hash = StreamHash128()
  /// The end of the frame that the last block names.
  private var end = UInt64(FileHeader.byteCount)

  /// The raw payloads of the frames, and the content hash.
  static func encode(_ directory: BaselineDirectory) -> (frames: [Bytes], contentHash: Hash128) {
    var writer = DirectoryWriter()
    writer.write(directory)
    return writer.finish()
  }

  /// The salt of a baseline at this cut.
  static func salt(_ store: StoreID, _ cut: BaselineCut) -> UInt64 {
    var writer = ByteWriter()
    writer.bytes(store.array)
    let empty = BaselineDirectory(
      era: cut.era, generation: cut.generation, parent: cut.parent, creators: cut.creators,
      maxStamp: cut.maxStamp)
    head(empty, into: &writer)
    for creator in cut.creators { creator.write(into: &writer) }
    return writer.hash64(seed: 0)
  }

  private mutating func write(_ directory: BaselineDirectory) {
    plain { DirectoryWriter.head(directory, into: &$0) }
    for creator in directory.creators { plain { creator.write(into: &$0) } }
    for declaration in directory.schema { plain { declaration.write(into: &$0) } }
    for table in directory.tables {
      plain { table.write(into: &$0) }
      for run in table.runs { write(run) }
    }
    for side in directory.sides {
      uint8(side.kind)
      fields(side.block)
      endRecord()
    }
  }

  /// The cut's own numbers; those of the rest are 0 in the salt.
  private static func head(_ directory: BaselineDirectory, into writer: inout ByteWriter) {
    writer.varint(directory.era.number)
    writer.bytes(directory.era.opened)
    writer.varint(directory.generation)
    writer.hash128(directory.parent)
    writer.uint64(directory.maxStamp.rawValue)
    writer.varint(directory.creators.count)
    writer.varint(directory.schema.count)
    writer.varint(directory.tables.count)
    writer.varint(directory.sides.count)
  }

  private mutating func write(_ run: BaselineRun) {
    plain { run.write(into: &$0) }
    for column in run.columns {
      for block in column {
        uint8(block == nil ? 0 : 1)
        if let block { fields(block) }
        endRecord()
      }
    }
    for block in run.stamps + run.authors {
      fields(block)
      endRecord()
    }
    for groups in run.overrides {
      plain { $0.varint(groups.count) }
      for block in groups.flatMap(\.blocks) {
        fields(block)
        endRecord()
      }
    }
  }

  // MARK: records

  /// A record without blocks.
  private mutating func plain(_ body: (inout ByteWriter) -> Void) {
    body(&record)
    record.withUnsafeBytes { canonical.bytes($0) }
    endRecord()
  }

  private mutating func uint8(_ value: UInt8) {
    record.uint8(value)
    canonical.uint8(value)
  }

  private mutating func fields(_ block: BaselineBlock) {
    // Wraps when blocks are not in order, which the reader of the result refuses.
    record.varint(block.offset &- end)
    record.varint(UInt64(block.storedLength))
    block.write(into: &record)
    block.write(into: &canonical)
    end = block.offset &+ UInt64(block.frameBytes)
  }

  private mutating func endRecord() {
    if frame.count + record.count > Limits.baselineDirectoryBytes { endFrame() }
    if frame.count == 0 { frame.varint(frames.count) }
    record.withUnsafeBytes { frame.bytes($0) }
    canonical.withUnsafeBytes { hash.add($0) }
    record.removeAll()
    canonical.removeAll()
  }

  private mutating func endFrame() {
    guard frame.count > 0 else { return }
    frames.append(frame.withUnsafeBytes { Bytes(copying: $0) })
    frame.removeAll()
  }

  private consuming func finish() -> (frames: [Bytes], contentHash: Hash128) {
    endFrame()
    let frames = frames
    return (frames, hash.finish())
  }
}

extension BaselineDirectory {
  /// Hash128 over the canonical form: equal for equal states, whatever compressed them.
  package var contentHash: Hash128 { DirectoryWriter.encode(self).contentHash }

  /// The same with the registers of the schema in the order of the file.
  package var canonical: BaselineDirectory {
    var copy = self
    copy.schema = schema.map { ($0, $0.operation.bodyBytes) }
      .sorted { $0.1.lexicographicallyPrecedes($1.1) }.map(\.0)
    return copy
  }
}

extension SchemaOperation {
  /// The bytes of the body, by which registers are ordered.
  var bodyBytes: [UInt8] {
    var writer = ByteWriter()
    write(into: &writer)
    return writer.finish().array
  }
}

extension BaselineDeclaration {
  func write(into writer: inout ByteWriter) {
    writer.countedBytes(operation.bodyBytes)
    for claim in [latest, earliest] {
      writer.uint64(claim.stamp.rawValue)
      writer.bytes(claim.author.array)
      writer.varint(claim.ordinal)
    }
  }
}

extension BaselineTable {
  func write(into writer: inout ByteWriter) {
    writer.varint(UInt64(entity))
    writer.varint(columns.count)
    for column in columns {
      writer.varint(UInt64(column.tag))
      writer.uint8(column.kind)
      writer.varint(UInt64(column.target))
    }
    for count in [created, dead, hidden] { writer.varint(count) }
    writer.varint(runs.count)
  }
}

extension BaselineRun {
  func write(into writer: inout ByteWriter) {
    writer.varint(UInt64(creator))
    writer.varint(rows)
    // 3 is no code: the reader of the result refuses it.
    for size in blockRows {
      writer.uint8(UInt8(BaselineRun.blockRowsChoices.firstIndex(of: size) ?? 3))
    }
  }
}

extension BaselineBlock {
  /// What does not depend on the compressor.
  fileprivate func write(into writer: inout ByteWriter) {
    writer.varint(UInt64(rawLength))
    writer.varint(UInt64(rows))
    writer.hash128(hash)
  }
}
