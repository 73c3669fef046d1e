// Walks over a file and takes it apart field by field, damage included.

/// Annotates whole files and single frames.
package struct FileLayout: ~Copyable {
  private var scanner: SegmentScanner
  /// Whether something was found that is not valid.
  package private(set) var isDamaged = false

  /// - Throws: What is wrong with the file header; without it no frame can be checked.
  package init(_ source: any ByteSource) throws(FormatError) {
    scanner = try SegmentScanner(source)
  }

  /// One piece of a file.
  package enum Piece: Sendable {
    case header
    case frame(ScannedFrame)
    case trailer(offset: UInt64)
    /// Bytes that are no valid frame, up to the next one or the end of the file.
    case damage(FormatError, offset: UInt64, count: UInt64)
    /// Zeros up to the end of the file.
    case zeros(offset: UInt64, count: UInt64)
  }

  /// Hands out all pieces in order.
  package mutating func forEach(_ body: (inout FileLayout, Piece) throws -> Void) throws {
    try body(&self, .header)
    var isSealed = false
    while scanner.position < scanner.limit {
      let piece = try next(isSealed: isSealed)
      if case .frame(let frame) = piece { isSealed = frame.header.type == .seal }
      if case .trailer = piece { isSealed = false }
      try body(&self, piece)
    }
  }

  private mutating func next(isSealed: Bool) throws(FormatError) -> Piece {
    let offset = scanner.position
    if isSealed {
      let bytes = try scanner.raw(offset, Trailer.byteCount)
      if (try? Trailer(bytes, offset: offset, salt: scanner.header.salt)) != nil {
        scanner.position += UInt64(Trailer.byteCount)
        return .trailer(offset: offset)
      }
    }
    if try scanner.remainder(from: offset) == nil {
      scanner.position = scanner.limit
      return .zeros(offset: offset, count: scanner.limit - offset)
    }
    do throws(FormatError) {
      let frame = try scanner.frame(at: offset)
      scanner.position = frame.end
      return .frame(frame)
    } catch {
      if error.code == .unreadable { throw error }
      isDamaged = true
      let found = try scanner.resynchronise(from: offset + 8)?.offset ?? scanner.limit
      scanner.position = found
      return .damage(error, offset: offset, count: found - offset)
    }
  }

  /// The piece that holds the byte at `offset`, and where that piece starts.
  ///
  /// A frame that starts there counts even when damage in front would hide it.
  package mutating func piece(at offset: UInt64) throws(FormatError) -> (Piece, UInt64)? {
    guard offset >= UInt64(FileHeader.byteCount) else { return (.header, 0) }
    if offset % 8 == 0, let frame = try? scanner.frame(at: offset) {
      return (.frame(frame), offset)
    }
    var isSealed = false
    while scanner.position <= offset, scanner.position < scanner.limit {
      let start = scanner.position
      let piece = try next(isSealed: isSealed)
      isSealed = if case .frame(let frame) = piece { frame.header.type == .seal } else { false }
      if scanner.position > offset { return (piece, start) }
    }
    return nil
  }

  /// The fields of a piece.
  package mutating func spans(_ piece: Piece) throws(FormatError) -> [ByteSpan] {
    let bytes = try bytes(piece)
    switch piece {
    case .header: return try SegmentAnnotation.fileHeader(bytes)
    case .frame(let frame):
      return try SegmentAnnotation.frame(frame, bytes, kind: scanner.header.kind)
    case .trailer(let offset): return try SegmentAnnotation.trailer(bytes, at: offset)
    case .damage(let error, let offset, let count):
      let isHeader = bytes.count >= FrameHeader.byteCount
      let head = isHeader ? FrameHeader.byteCount : 0
      var spans =
        try isHeader ? SegmentAnnotation.frameHeader(bytes.slice(0, head), at: offset) : []
      let rest = bytes.slice(head, bytes.count - head)
      spans.append(
        ByteSpan(
          offset: offset + UInt64(head), bytes: rest.array,
          name: "not valid, \(count) bytes up to the next frame:",
          value: "\(error.code): \(error.message)", isDecompressed: false))
      return spans
    case .zeros(let offset, let count):
      return [
        ByteSpan(
          offset: offset, bytes: bytes.array, name: "", value: "\(count) zeros",
          isDecompressed: false)
      ]
    }
  }

  /// The bytes of a piece as they are in the file; of damage and zeros the first ones only.
  package mutating func bytes(_ piece: Piece) throws(FormatError) -> Bytes {
    switch piece {
    case .header: try scanner.raw(0, FileHeader.byteCount)
    case .frame(let frame): try scanner.raw(frame.offset, frame.header.frameBytes)
    case .trailer(let offset): try scanner.raw(offset, Trailer.byteCount)
    case .damage(_, let offset, let count): try scanner.raw(offset, Int(min(count, 512)))
    case .zeros(let offset, let count): try scanner.raw(offset, Int(min(count, 16)))
    }
  }
}
