// Walks the frames of a file. Knows frames, not what they mean.

/// A frame whose header and hash were checked.
package struct ScannedFrame: Sendable {
  package let offset: UInt64
  package let header: FrameHeader
  /// The stored payload.
  package let stored: Bytes

  /// The offset behind the frame and its padding.
  package var end: UInt64 { offset + UInt64(header.frameBytes) }

  /// The raw payload.
  package func payload() throws(FormatError) -> Bytes {
    guard header.flags.contains(.compressed) else { return stored }
    do throws(FormatError) {
      return try Compression.decompressed(stored, rawLength: header.rawLength)
    } catch { throw error.at(offset: offset) }
  }

  /// Reads the raw payload; what is wrong inside of it is found at the frame.
  package func content<R>(
    _ body: (inout ByteReader) throws(FormatError) -> R
  ) throws(FormatError) -> R {
    let payload = try payload()
    do throws(FormatError) { return try payload.read(body) } catch {
      throw error.inContent().at(offset: offset)
    }
  }
}

extension ScannedFrame {
  /// Checks hash and padding of a whole frame.
  init(checking whole: Bytes, _ header: FrameHeader, offset: UInt64) throws(FormatError) {
    try whole.read { (reader: inout ByteReader) throws(FormatError) in
      try reader.skip(FrameHeader.byteCount)
      try header.verify(&reader, offset: offset)
    }
    self.init(
      offset: offset, header: header,
      stored: whole.slice(FrameHeader.byteCount, header.storedLength))
  }

  /// Reads and checks the one frame at `offset`, which ends at `limit` at the latest.
  ///
  /// `expectedBytes` are read at once; the rest of a longer frame costs another read.
  package static func read(
    _ source: any ByteSource, at offset: UInt64, limit: UInt64, salt: UInt64, expectedBytes: Int
  ) throws(FormatError) -> ScannedFrame {
    let available = limit > offset ? limit - offset : 0
    let wanted = max(expectedBytes, FrameHeader.byteCount)
    var bytes = try source.read(offset, Int(min(UInt64(wanted), available)))
    guard bytes.count >= FrameHeader.byteCount else {
      throw FormatError(
        .truncated, "\(bytes.count) bytes are too few for a frame header", offset: offset)
    }
    let header = try bytes.read(origin: offset) { (reader: inout ByteReader) throws(FormatError) in
      try FrameHeader(&reader, offset: offset, salt: salt)
    }
    if header.frameBytes > bytes.count, UInt64(header.frameBytes) <= available {
      bytes = try source.read(offset, header.frameBytes)
    }
    guard header.frameBytes <= bytes.count else {
      throw FormatError(
        .truncated, "a frame of \(header.frameBytes) bytes passes the end", offset: offset)
    }
    return try ScannedFrame(
      checking: bytes.slice(0, header.frameBytes), header, offset: offset)
  }
}

/// Reads frames one after the other through a window of bounded size.
package struct SegmentScanner: ~Copyable {
  package let source: any ByteSource
  package let header: FileHeader
  /// The offset of the next frame.
  package var position: UInt64
  /// Frames end here: the file's end, or less for a reader that must not look further.
  package let limit: UInt64
  private(set) var window = Bytes.empty
  private(set) var windowOffset: UInt64 = 0
  /// Bytes read at a time: as long as frames are small, what the caches of a core hold.
  private var windowBytes = SegmentScanner.windowBytesMin
  /// Bytes of frames hashed so far.
  var hashedBytes: UInt64 = 0

  private static let windowBytesMin = 256 << 10
  /// Only a larger frame makes a larger window.
  private static let windowBytesMax = 8 << 20
  /// Frames that a window should hold, so that few bytes are read twice.
  private static let framesPerWindow = 16

  /// Reads and checks the file header.
  package init(_ source: any ByteSource, limit: UInt64? = nil) throws(FormatError) {
    self.source = source
    self.limit = min(limit ?? source.length, source.length)
    position = UInt64(FileHeader.byteCount)
    do throws(FormatError) {
      window = try source.read(0, SegmentScanner.windowBytesMin)
      header = try FileHeader(window)
    } catch { throw source.path.map { error.at(path: $0) } ?? error }
  }

  /// Where in the window `count` bytes at `offset` lie, or fewer at the end.
  private mutating func reach(_ offset: UInt64, _ count: Int) throws(FormatError) -> Range<Int> {
    let available = limit > offset ? limit - offset : 0
    let wanted = Int(min(UInt64(count), available))
    if offset < windowOffset || offset + UInt64(wanted) > windowOffset + UInt64(window.count) {
      try fill(offset, Int(min(UInt64(max(windowBytes, wanted)), available)))
    }
    let start = Int(offset - windowOffset)
    return start..<start + max(min(wanted, window.count - start), 0)
  }

  /// Moves the window, in the same memory unless somebody kept a slice of it.
  private mutating func fill(_ offset: UInt64, _ count: Int) throws(FormatError) {
    var spare: Memory? = window.owner
    window = .empty
    windowOffset = offset
    if !isKnownUniquelyReferenced(&spare) { spare = nil }
    window = try source.read(offset, count, reusing: spare)
  }

  /// `count` bytes at `offset`, or fewer at the end.
  private mutating func bytes(_ offset: UInt64, _ count: Int) throws(FormatError) -> Bytes {
    let place = try reach(offset, count)
    return window.slice(place.lowerBound, place.count)
  }

  /// What lies at the scanner's position.
  package enum Step: Sendable {
    case frame(ScannedFrame)
    /// Zeros, or the end of the file.
    case end
  }

  /// Checks the frame at the position and moves behind it.
  ///
  /// - Throws: What is wrong with the bytes there; the position stays.
  package mutating func next() throws(FormatError) -> Step {
    let place = try reach(position, FrameHeader.byteCount)
    let isEnd = try window.read { (reader: inout ByteReader) throws(FormatError) in
      try reader.skip(place.lowerBound)
      return try reader.areZero(place.count)
    }
    if isEnd { return .end }
    let frame = try frame(at: position)
    guard frame.header.type.isKnown(in: header.kind) || frame.header.type.isIgnorable else {
      throw FormatError(
        .unknownFrame, "frame type \(frame.header.type.rawValue) is from a newer version",
        offset: position)
    }
    position = frame.end
    return .frame(frame)
  }

  /// Checks the frame at any offset, whatever its type.
  package mutating func frame(at offset: UInt64) throws(FormatError) -> ScannedFrame {
    var place = try reach(offset, FrameHeader.byteCount)
    guard place.count == FrameHeader.byteCount else {
      throw FormatError(
        .truncated, "\(place.count) bytes are too few for a frame header", offset: offset)
    }
    let salt = self.header.salt
    let header = try window.read(origin: windowOffset) {
      (reader: inout ByteReader) throws(FormatError) in
      try reader.skip(place.lowerBound)
      return try FrameHeader(&reader, offset: offset, salt: salt)
    }
    let frameBytes = header.frameBytes
    hashedBytes += UInt64(frameBytes)
    windowBytes = max(
      windowBytes,
      min(frameBytes * SegmentScanner.framesPerWindow, SegmentScanner.windowBytesMax))
    place = try reach(offset, frameBytes)
    guard place.count == frameBytes else {
      throw FormatError(
        .truncated, "a frame of \(frameBytes) bytes passes the end of the file", offset: offset)
    }
    let start = place.lowerBound + FrameHeader.byteCount
    try window.read { (reader: inout ByteReader) throws(FormatError) in
      try reader.skip(start)
      try header.verify(&reader, offset: offset)
    }
    return ScannedFrame(
      offset: offset, header: header, stored: window.slice(start, header.storedLength))
  }

  /// Whether searches have hashed so much that only a crafted file explains it.
  ///
  /// Headers that overlap make each of them worth a hash of megabytes.
  package var isSearchExhausted: Bool { hashedBytes > 64 << 20 + 8 * limit }

  /// The raw bytes of a range, for tools.
  package mutating func raw(_ offset: UInt64, _ count: Int) throws(FormatError) -> Bytes {
    try bytes(offset, count)
  }

  /// The first valid frame at or behind `start`, looking at every multiple of 8.
  package mutating func resynchronise(from start: UInt64) throws(FormatError) -> ScannedFrame? {
    var offset = (start + 7) / 8 * 8
    while offset + UInt64(FrameHeader.byteCount) <= limit {
      let headerBytes = try bytes(offset, FrameHeader.byteCount)
      guard headerBytes.count == FrameHeader.byteCount else { return nil }
      if hasHeaderCheck(headerBytes, offset) {
        if isSearchExhausted { return nil }
        do throws(FormatError) {
          return try frame(at: offset)
        } catch  where error.code == .unreadable {
          throw error
        } catch {}
      }
      offset += 8
    }
    return nil
  }

  /// Whether the bytes look like a frame header: a quick test before the full one.
  private func hasHeaderCheck(_ bytes: Bytes, _ offset: UInt64) -> Bool {
    let hash = Checksum.hash64(seed: header.salt ^ offset, bytes.slice(4, 28))
    return bytes.read { (reader: inout ByteReader) in
      (try? reader.uint32()) == UInt32(truncatingIfNeeded: hash)
    }
  }
}
