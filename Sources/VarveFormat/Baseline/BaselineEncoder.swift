// Writes baselines: blocks in order, then what says where they are. Knows no files.

/// Encodes the frames of one baseline.
///
///     var encoder = BaselineEncoder(store: store, cut: cut)
///     let block = encoder.add(raw, rows: rows)        // all blocks, in the order of the directory
///     encoder.output.withPieces { write($0, at: ...) }  // from time to time
///     encoder.output.removeAll()
///     let side = encoder.addSide(raw)                 // behind all blocks
///     var ending = try encoder.finish(directory)
///     ending.output.withPieces { write($0, at: ...) }
///
/// The order: table by table and run by run the blocks of every column, the stamps, the authors,
/// the overrides; then the sides.
package struct BaselineEncoder: ~Copyable {
  package let header: FileHeader
  /// Bytes encoded and not taken yet; the file header comes first.
  package var output = GroupOutput()
  /// The file offset behind everything encoded.
  package private(set) var offset: UInt64
  private let cut: BaselineCut
  private var seal = BaselineSeal(contentHash: .zero)
  /// Bytes of frames that no directory names.
  private var skippedBytes: UInt64 = 0

  package init(store: StoreID, cut: BaselineCut) {
    header = FileHeader(baselineOf: store, cut)
    self.cut = cut
    offset = UInt64(FileHeader.byteCount)
    output.append(header.encoded)
  }

  /// Appends a column block; compresses it here.
  package mutating func add(_ raw: Bytes, rows: Int) -> BaselineBlock {
    add(EncodedPart(frameType: .columnBlock, raw: raw, column: nil), rows: rows)
  }

  /// Appends a column block that was compressed before, perhaps on another core.
  ///
  /// - Precondition: `part` has the header of its column block.
  package mutating func add(_ part: EncodedPart) -> BaselineBlock {
    guard let column = part.column else { preconditionFailure("a block has a header") }
    return add(part, rows: column.rows)
  }

  private mutating func add(_ part: EncodedPart, rows: Int) -> BaselineBlock {
    precondition(seal.sides == 0, "blocks stand in front of sides")
    precondition(rows >= 1 && rows <= Limits.blockRowsMax, "a block of \(rows) rows")
    seal.blocks += 1
    return frame(part, rows: rows)
  }

  /// Appends registers in row form, at most 4 MiB.
  package mutating func addSide(_ raw: Bytes) -> BaselineBlock {
    addSide(EncodedPart(frameType: .side, raw: raw, column: nil))
  }

  /// Appends registers in row form that were compressed before.
  package mutating func addSide(_ part: EncodedPart) -> BaselineBlock {
    seal.sides += 1
    return frame(part, rows: 0)
  }

  /// Appends a frame of a newer version, which readers skip.
  package mutating func addIgnorable(_ type: FrameType, _ raw: Bytes) {
    precondition(type.isIgnorable, "frames that may be skipped have bit 7 set")
    let block = frame(EncodedPart(frameType: type, raw: raw, column: nil), rows: 0)
    skippedBytes += UInt64(block.frameBytes)
  }

  private mutating func frame(_ part: EncodedPart, rows: Int) -> BaselineBlock {
    let block = BaselineBlock(
      offset: offset, storedLength: UInt32(part.stored.count), rawLength: UInt32(part.rawLength),
      rows: UInt32(rows), hash: part.rawHash)
    let header = FrameHeader(
      type: part.frameType, flags: part.isCompressed ? .compressed : [],
      storedLength: part.stored.count, rawLength: part.rawLength, sequence: 0, syncedOffset: 0)
    output.append(header, part.stored, at: offset, salt: self.header.salt)
    offset += UInt64(header.frameBytes)
    if !part.frameType.isIgnorable, part.frameType != .seal {
      seal.rawBytes += UInt64(part.rawLength)
    }
    return block
  }

  /// Appends directory, SEAL and trailer, after which the file is complete.
  ///
  /// - Throws: `badDirectory` when the directory breaks a rule, or does not name exactly the blocks
  ///   that were added, in this order.
  package consuming func finish(_ directory: BaselineDirectory) throws(FormatError)
    -> BaselineEnding
  {
    guard directory.cut == cut else {
      throw FormatError(.badDirectory, "the directory belongs to another cut than the file")
    }
    let directory = directory.canonical
    let (payloads, contentHash) = DirectoryWriter.encode(directory)
    try check(directory, payloads)
    for payload in payloads {
      seal.directories.append(offset)
      _ = frame(EncodedPart(frameType: .directory, raw: payload, column: nil), rows: 0)
    }
    seal.contentHash = contentHash
    let sealOffset = offset
    _ = frame(EncodedPart(frameType: .seal, raw: seal.encoded, column: nil), rows: 0)
    let trailer = Trailer(
      sealOffset: sealOffset, fileLength: offset + UInt64(Trailer.byteCount), chain: contentHash)
    output.append(trailer.encoded(salt: header.salt))
    return BaselineEnding(
      contentHash: contentHash, generation: directory.generation, byteCount: trailer.fileLength,
      output: output)
  }

  /// What was written must be what a reader accepts.
  private func check(_ directory: BaselineDirectory, _ payloads: [Bytes]) throws(FormatError) {
    guard payloads.count <= Limits.baselineDirectoriesMax else {
      throw FormatError(.badDirectory, "the directory has \(payloads.count) frames")
    }
    let place = offset
    let read = try DirectoryReader.decode(count: payloads.count, limit: offset) {
      (index: Int) throws(FormatError) in (payloads[index], place)
    }
    var (blocks, sides) = (UInt32(0), UInt32(0))
    var bytes: UInt64 = 0
    directory.forEachBlock { place, block in
      if case .side = place { sides += 1 } else { blocks += 1 }
      bytes += UInt64(block.frameBytes)
    }
    let all = offset - UInt64(FileHeader.byteCount) - skippedBytes
    guard read == directory, blocks == seal.blocks, sides == seal.sides, bytes == all else {
      throw FormatError(.badDirectory, "the directory does not name what the file holds")
    }
  }
}

/// What is known of a baseline when it is complete.
package struct BaselineEnding: ~Copyable {
  package let contentHash: Hash128
  package let generation: UInt64
  /// The length of the file.
  package let byteCount: UInt64
  /// The bytes that were not taken before.
  package var output: GroupOutput

  package var name: BaselineName {
    BaselineName(generation: generation, contentHash: contentHash)
  }

  init(
    contentHash: Hash128, generation: UInt64, byteCount: UInt64, output: consuming GroupOutput
  ) {
    self.contentHash = contentHash
    self.generation = generation
    self.byteCount = byteCount
    self.output = output
  }
}

extension FileHeader {
  /// The header of the baseline at a cut: the same for the same cut.
  init(baselineOf store: StoreID, _ cut: BaselineCut) {
    self.init(
      kind: .baseline, store: store, replica: ReplicaID([UInt8](repeating: 0, count: 16)),
      ordinal: cut.generation, firstSequence: 0, salt: DirectoryWriter.salt(store, cut),
      previousChain: cut.parent, created: cut.maxStamp, previousBytes: 0)
  }
}
