// Opens baselines from the end, and reads their blocks one by one. See Formats/Baseline.md section
// 6.

/// A baseline whose directory was read and checked.
package struct BaselineReader: Sendable {
  package let source: any ByteSource
  package let header: FileHeader
  package let directory: BaselineDirectory
  package let seal: BaselineSeal
  package let sealOffset: UInt64

  package var contentHash: Hash128 { seal.contentHash }

  /// Frames that the end of a file is likely to hold are read with one call.
  private static let tailBytes = 64 << 10

  /// Reads header, trailer, SEAL and directory, and nothing else.
  ///
  /// - Throws: `wrongFile` for a file of another kind or store, or under a name that contradicts
  ///   it; what is wrong with the bytes otherwise.
  package init(
    _ source: any ByteSource, store: StoreID? = nil, name: BaselineName? = nil
  ) throws(FormatError) {
    do throws(FormatError) {
      try self.init(opening: source, store, name)
    } catch { throw source.path.map { error.at(path: $0) } ?? error }
  }

  private init(
    opening source: any ByteSource, _ store: StoreID?, _ name: BaselineName?
  ) throws(FormatError) {
    self.source = source
    header = try FileHeader(try source.read(0, FileHeader.byteCount))
    guard header.kind == .baseline else {
      throw FormatError(.wrongFile, "a \(header.kind.name) file is no baseline", offset: 20)
    }
    guard store == nil || header.store == store else {
      throw FormatError(.wrongFile, "the baseline belongs to store \(header.store)", offset: 24)
    }
    let tail = try BaselineReader.tail(of: source, header)
    (sealOffset, seal) = (tail.sealOffset, tail.seal)
    directory = try BaselineReader.directory(of: source, header, tail)
    guard header == FileHeader(baselineOf: header.store, directory.cut).versioned(like: header)
    else {
      throw FormatError(.badHeader, "the file header contradicts the directory", offset: 40)
    }
    guard directory.contentHash == seal.contentHash else {
      throw FormatError(
        .badDirectory, "the directory has another content hash than the SEAL",
        offset: seal.directories[0])
    }
    let ownName = BaselineName(
      generation: directory.generation, contentHash: seal.contentHash)
    guard name == nil || name == ownName else {
      throw FormatError(.wrongFile, "the name of this baseline is \(ownName)")
    }
  }

  private struct Tail {
    var sealOffset: UInt64
    var seal: BaselineSeal
  }

  private static func tail(of source: any ByteSource, _ header: FileHeader) throws(FormatError)
    -> Tail
  {
    let trailerBytes = UInt64(Trailer.byteCount)
    guard source.length >= UInt64(FileHeader.byteCount) + trailerBytes else {
      throw FormatError(
        .truncated, "\(source.length) bytes are too few for a baseline", offset: source.length)
    }
    let end = source.length - trailerBytes
    let trailer = try Trailer(
      try source.read(end, Trailer.byteCount), offset: end, salt: header.salt)
    let offset = trailer.sealOffset
    guard offset >= UInt64(FileHeader.byteCount), offset % 8 == 0 else {
      throw FormatError(.badTrailer, "the SEAL cannot lie at \(offset)", offset: end)
    }
    let frame = try ScannedFrame.read(
      source, at: offset, limit: end, salt: header.salt,
      expectedBytes: Int(min(end - offset, UInt64(tailBytes))))
    try frame.require(.seal)
    let seal = try frame.content {
      (reader: inout ByteReader) throws(FormatError) in try BaselineSeal(&reader)
    }
    guard frame.end == end, seal.contentHash == trailer.chain else {
      throw FormatError(.badTrailer, "the trailer contradicts the SEAL", offset: end)
    }
    var next = UInt64(FileHeader.byteCount)
    for place in seal.directories {
      guard place >= next, place < offset, place % 8 == 0 else {
        throw FormatError(.badSeal, "a DIRECTORY frame cannot lie at \(place)", offset: offset)
      }
      next = place + UInt64(FrameHeader.byteCount)
    }
    return Tail(sealOffset: offset, seal: seal)
  }

  private static func directory(
    of source: any ByteSource, _ header: FileHeader, _ tail: Tail
  ) throws(FormatError) -> BaselineDirectory {
    let places = tail.seal.directories
    return try DirectoryReader.decode(count: places.count, limit: places[0]) {
      (index: Int) throws(FormatError) in
      let limit = index + 1 < places.count ? places[index + 1] : tail.sealOffset
      let frame = try ScannedFrame.read(
        source, at: places[index], limit: limit, salt: header.salt,
        expectedBytes: Int(min(limit - places[index], UInt64(2 << 20))))
      try frame.require(.directory)
      return (try frame.payload(), places[index])
    }
  }

  // MARK: blocks

  /// Reads one block and checks it against the directory.
  ///
  /// - Throws: What is wrong with the frame; `badColumn` when it holds another column.
  package func block(
    _ block: BaselineBlock, entity: UInt32, attribute: UInt32, type: PhysicalType
  ) throws(FormatError) -> ColumnBlock {
    do throws(FormatError) {
      let column = try ColumnBlockDecoder.decode(try payload(block, .columnBlock))
      let header = column.header
      guard header.entity == entity, header.attribute == attribute, header.type == type,
        header.rows == Int(block.rows)
      else {
        throw FormatError(
          .badColumn,
          "a block of \(header.entity).\(header.attribute) \(header.type.name), \(header.rows) "
            + "rows, where \(entity).\(attribute) \(type.name), \(block.rows) rows is due")
      }
      return column
    } catch { throw placed(error, block) }
  }

  /// Reads registers in row form.
  package func side(_ block: BaselineBlock) throws(FormatError) -> Bytes {
    do throws(FormatError) {
      return try payload(block, .side)
    } catch { throw placed(error, block) }
  }

  func placed(_ error: FormatError, _ block: BaselineBlock) -> FormatError {
    // Places inside a payload are of no use to anybody who looks at the file.
    var error = error
    if error.code != .unreadable { error.offset = block.offset }
    return source.path.map { error.at(path: $0) } ?? error
  }

  /// The raw payload of a block's frame.
  func payload(_ block: BaselineBlock, _ type: FrameType) throws(FormatError) -> Bytes {
    let frame = try ScannedFrame.read(
      source, at: block.offset, limit: sealOffset, salt: header.salt,
      expectedBytes: block.frameBytes)
    try frame.require(type)
    guard frame.header.storedLength == Int(block.storedLength),
      frame.header.rawLength == Int(block.rawLength)
    else {
      throw FormatError(
        .badLength, "a frame has other lengths than the directory says", offset: block.offset)
    }
    let raw = try frame.payload()
    guard Checksum.hash128(raw) == block.hash else {
      throw FormatError(
        .badFrameHash, "a payload has another hash than the directory says", offset: block.offset)
    }
    return raw
  }
}

extension ScannedFrame {
  /// The frame must be of this type, and have nothing of a segment's frames in its header.
  func require(_ type: FrameType) throws(FormatError) {
    guard header.type == type else {
      throw FormatError(
        .badDirectory, "a \(header.type.name) frame where a \(type.name) frame is due",
        offset: offset)
    }
    guard header.sequence == 0, header.syncedOffset == 0,
      header.flags.subtracting(.compressed).isEmpty
    else {
      throw FormatError(
        .badPadding, "a frame of a baseline has fields of a segment", offset: offset)
    }
  }
}

extension FileHeader {
  /// The same with the minor version and the features of another header.
  fileprivate func versioned(like other: FileHeader) -> FileHeader {
    var copy = self
    copy.minor = other.minor
    copy.compatibleFeatures = other.compatibleFeatures
    return copy
  }
}
