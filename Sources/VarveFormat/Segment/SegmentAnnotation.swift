// The meaning of every byte of a segment, from its documents. Damage ends the names, not the
// listing.

/// Lists the fields of a file.
package enum SegmentAnnotation {
  /// Every byte of a segment, in order.
  package static func spans(_ file: Bytes) -> [ByteSpan] {
    var spans = named(file)
    let end = spans.last { !$0.isDecompressed }.map { Int($0.offset) + $0.bytes.count } ?? 0
    if end < file.count {
      let rest = file.slice(end, file.count - end)
      spans.append(
        ByteSpan(
          offset: UInt64(end), bytes: rest.array, name: "",
          value: rest.isZero ? "\(rest.count) zeros" : "not understood", isDecompressed: false))
    }
    return spans
  }

  private static func named(_ file: Bytes) -> [ByteSpan] {
    var spans: [ByteSpan] = []
    do throws(FormatError) {
      spans += try fileHeader(file.slice(0, min(file.count, FileHeader.byteCount)))
      var scanner = try SegmentScanner(MemorySource(file))
      while case .frame(let frame) = try scanner.next() {
        let whole = file.slice(Int(frame.offset), frame.header.frameBytes)
        spans += try self.frame(frame, whole, kind: scanner.header.kind)
        if frame.header.type == .seal {
          let start = Int(frame.end)
          let length = min(Trailer.byteCount, file.count - start)
          spans += try trailer(file.slice(start, length), at: frame.end)
          break
        }
      }
    } catch {
      // The caller lists what has no name.
    }
    return spans
  }

  private static func fields(
    of bytes: Bytes, origin: UInt64 = 0, isDecompressed: Bool = false,
    _ body: (inout FieldWalk) throws(FormatError) -> Void
  ) throws(FormatError) -> [ByteSpan] {
    try bytes.read(origin: origin) { (reader: inout ByteReader) throws(FormatError) in
      var walk = FieldWalk(reader, isDecompressed: isDecompressed)
      try body(&walk)
      return walk.spans
    }
  }

  // MARK: header and trailer

  /// The fields of a file header.
  static func fileHeader(_ bytes: Bytes) throws(FormatError) -> [ByteSpan] {
    try fields(of: bytes, fileHeader)
  }

  private static func fileHeader(_ walk: inout FieldWalk) throws(FormatError) {
    try walk.bytes(8, "magic")
    try walk.uint16("major version")
    try walk.uint16("minor version")
    try walk.uint32("incompatible features")
    try walk.uint32("compatible features")
    try walk.field("kind", { "\($0): \(FileKind(rawValue: $0)?.name ?? "unknown")" }) {
      (r: inout ByteReader) throws(FormatError) in try r.uint8()
    }
    try walk.uint8("alignment, 2 to the power")
    try walk.uint16("header length")
    try walk.identifier(StoreID.self, "store")
    try walk.identifier(ReplicaID.self, "replica")
    try walk.uint64("ordinal")
    try walk.uint64("first sequence")
    try walk.hexadecimal64("salt")
    try walk.hash("previous chain")
    try walk.hexadecimal64("created")
    try walk.uint64("previous bytes")
    try walk.uint64("key id")
    try walk.hexadecimal64("check")
  }

  /// The fields of a trailer.
  static func trailer(_ bytes: Bytes, at offset: UInt64) throws(FormatError) -> [ByteSpan] {
    try fields(of: bytes, origin: offset, trailer)
  }

  private static func trailer(_ walk: inout FieldWalk) throws(FormatError) {
    try walk.uint64("trailer: offset of the SEAL")
    try walk.uint64("file length")
    try walk.hash("chain")
    try walk.hexadecimal64("check")
    try walk.bytes(8, "end magic")
  }

  // MARK: frames

  /// The fields of a valid frame, whose bytes in the file are `whole`.
  static func frame(
    _ frame: ScannedFrame, _ whole: Bytes, kind: FileKind = .segment
  ) throws(FormatError) -> [ByteSpan] {
    var spans = try frameHeader(whole.slice(0, FrameHeader.byteCount), at: frame.offset)
    let payloadOffset = frame.offset + UInt64(FrameHeader.byteCount)
    let isCompressed = frame.header.flags.contains(.compressed)
    if isCompressed {
      spans += try fields(of: frame.stored, origin: payloadOffset) {
        (walk: inout FieldWalk) throws(FormatError) in
        try walk.rest("LZ4 block of \(frame.header.rawLength) raw bytes, which follow with +")
      }
    }
    spans += try payload(
      frame, kind, origin: isCompressed ? 0 : payloadOffset, isCompressed)
    let used = FrameHeader.byteCount + frame.header.storedLength
    spans += try fields(
      of: whole.slice(used, frame.header.frameBytes - used),
      origin: frame.offset + UInt64(used)
    ) { (walk: inout FieldWalk) throws(FormatError) in try walk.rest("padding") }
    return spans
  }

  /// The fields of a frame header, right or wrong.
  static func frameHeader(_ bytes: Bytes, at offset: UInt64) throws(FormatError) -> [ByteSpan] {
    try fields(of: bytes, origin: offset, frameHeader)
  }

  private static func frameHeader(_ walk: inout FieldWalk) throws(FormatError) {
    try walk.field("header check", { hexadecimal(UInt64($0), width: 8) }) {
      (r: inout ByteReader) throws(FormatError) in try r.uint32()
    }
    try walk.field("type", { "\($0): \(FrameType(rawValue: $0).name)" }) {
      (r: inout ByteReader) throws(FormatError) in try r.uint8()
    }
    try walk.field("flags", { "\($0): \(FrameFlags(rawValue: $0).words)" }) {
      (r: inout ByteReader) throws(FormatError) in try r.uint8()
    }
    try walk.uint16("zero")
    try walk.uint32("stored length")
    try walk.uint32("raw length")
    try walk.uint64("sequence")
    try walk.uint64("synced offset")
    try walk.hexadecimal64("frame hash")
  }

  /// The fields of a payload; what cannot be decoded is listed in one piece.
  private static func payload(
    _ frame: ScannedFrame, _ kind: FileKind, origin: UInt64, _ isDecompressed: Bool
  ) throws(FormatError) -> [ByteSpan] {
    // A payload that does not decompress is shown as it is stored.
    guard let raw = try? frame.payload() else { return [] }
    return try raw.read(origin: origin) { (reader: inout ByteReader) throws(FormatError) in
      var walk = FieldWalk(reader, isDecompressed: isDecompressed)
      do throws(FormatError) {
        switch frame.header.type {
        case .transaction: try PayloadFields.transactions(&walk)
        case .mark: try walk.hash("chain")
        case .seal where kind == .baseline: try PayloadFields.baselineSeal(&walk)
        case .seal: try PayloadFields.seal(&walk)
        case .directory where kind == .baseline: try PayloadFields.directory(&walk)
        case .schema: try PayloadFields.schema(&walk)
        case .replicas: try PayloadFields.dictionary(&walk)
        case .columnBlock: try PayloadFields.columnBlock(&walk)
        default: break
        }
        try walk.rest(frame.header.type == .transactionPart ? "operation bytes" : "payload")
      } catch {
        let named = walk.spans.reduce(0) { $0 + $1.bytes.count }
        let rest = raw.slice(named, raw.count - named)
        walk.append([
          ByteSpan(
            offset: origin + UInt64(named), bytes: rest.array, name: "not understood:",
            value: error.message, isDecompressed: isDecompressed)
        ])
      }
      return walk.spans
    }
  }
}

// MARK: text

extension SegmentAnnotation {
  /// Lines of offset, bytes and meaning, as `Formats/Golden/v0/tiny.hex` describes them.
  package static func text(_ spans: [ByteSpan], lineBytes: Int = 16) -> [String] {
    spans.flatMap { span in
      stride(from: 0, to: span.bytes.count, by: lineBytes).map { start in
        let piece = span.bytes[start..<min(start + lineBytes, span.bytes.count)]
        let mark = span.isDecompressed ? "+" : " "
        let offset = hexadecimal(span.offset + UInt64(start), width: 8)
        let digits = piece.map { hexadecimal(UInt64($0), width: 2) }.joined(separator: " ")
        guard start == 0 else { return "\(mark)\(offset)  \(digits)" }
        let gap = String(repeating: " ", count: lineBytes * 3 - 1 - digits.utf8.count)
        return "\(mark)\(offset)  \(digits)\(gap)  \(span.meaning)"
      }
    }
  }
}

extension FrameFlags {
  /// The words of the flags joined with `+`.
  fileprivate var words: String {
    let words = FrameFlags.names.filter { contains($0.0) }.map(\.1)
    return words.isEmpty ? "none" : words.joined(separator: "+")
  }
}
