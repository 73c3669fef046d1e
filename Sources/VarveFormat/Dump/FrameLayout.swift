// Where every field of a file lies and what it says: the content of annotated hex dumps.

/// One field of a file.
package struct LayoutField: Sendable {
  /// The part of the file that it belongs to, for example `frame 128 tx`.
  package var section: String
  package var name: String
  /// The place in the file, or in the decompressed payload.
  package var offset: UInt64
  package var isDecompressed: Bool
  package var bytes: Bytes
  /// What the bytes say; empty when there is nothing to say.
  package var value: String
}

/// Takes bytes apart field by field.
struct LayoutReader {
  let section: String
  let bytes: Bytes
  let origin: UInt64
  let isDecompressed: Bool
  private(set) var fields: [LayoutField] = []

  init(_ section: String, _ bytes: Bytes, origin: UInt64, isDecompressed: Bool = false) {
    self.section = section
    self.bytes = bytes
    self.origin = origin
    self.isDecompressed = isDecompressed
  }

  /// Reads one field and notes where it was.
  mutating func field<Stored>(
    _ name: String, _ reader: inout ByteReader,
    _ read: (inout ByteReader) throws(FormatError) -> Stored,
    text: (Stored) -> String = { "\($0)" }
  ) throws(FormatError) -> Stored {
    let start = reader.position
    let stored = try read(&reader)
    add(name, start, reader.position - start, text(stored))
    return stored
  }

  mutating func add(_ name: String, _ start: Int, _ length: Int, _ value: String) {
    guard length > 0 else { return }
    fields.append(
      LayoutField(
        section: section, name: name, offset: origin + UInt64(start),
        isDecompressed: isDecompressed, bytes: bytes.slice(start, length), value: value))
  }

  /// Notes what is left as one field.
  mutating func rest(_ name: String, _ reader: inout ByteReader, _ value: String = "") {
    add(name, reader.position, reader.remaining, value)
    try? reader.skip(reader.remaining)
  }

  /// Runs `body` over all bytes; what it cannot read becomes a field of its own.
  mutating func take(
    _ body: (inout LayoutReader, inout ByteReader) throws(FormatError) -> Void
  ) {
    bytes.read { (reader: inout ByteReader) in
      do throws(FormatError) {
        try body(&self, &reader)
        rest("leftOver", &reader, "unexpected")
      } catch {
        rest("undecoded", &reader, "\(error.code): \(error.message)")
      }
    }
  }

  // MARK: kinds of fields

  mutating func number16(_ name: String, _ reader: inout ByteReader) throws(FormatError) -> UInt16 {
    try field(name, &reader) { (reader: inout ByteReader) throws(FormatError) in
      try reader.uint16()
    }
  }

  mutating func number32(_ name: String, _ reader: inout ByteReader) throws(FormatError) -> UInt32 {
    try field(name, &reader) { (reader: inout ByteReader) throws(FormatError) in
      try reader.uint32()
    }
  }

  mutating func number64(_ name: String, _ reader: inout ByteReader) throws(FormatError) -> UInt64 {
    try field(name, &reader) { (reader: inout ByteReader) throws(FormatError) in
      try reader.uint64()
    }
  }

  mutating func varint(_ name: String, _ reader: inout ByteReader) throws(FormatError) -> UInt64 {
    try field(name, &reader) { (reader: inout ByteReader) throws(FormatError) in
      try reader.varint()
    }
  }

  mutating func hexadecimal64(_ name: String, _ reader: inout ByteReader) throws(FormatError) {
    _ = try field(
      name, &reader, { (reader: inout ByteReader) throws(FormatError) in try reader.uint64() },
      text: { hexadecimal($0) })
  }

  mutating func stamp(_ name: String, _ reader: inout ByteReader) throws(FormatError) {
    _ = try field(
      name, &reader, { (reader: inout ByteReader) throws(FormatError) in try reader.uint64() },
      text: { "\(hexadecimal($0)), \(TimeText.text(Stamp(rawValue: $0)))" })
  }

  mutating func hash(_ name: String, _ reader: inout ByteReader) throws(FormatError) {
    _ = try field(name, &reader) { (reader: inout ByteReader) throws(FormatError) in
      try reader.hash128()
    }
  }

  /// A byte that stands for a word.
  mutating func byte(
    _ name: String, _ reader: inout ByteReader, text: (UInt8) -> String = { "\($0)" }
  ) throws(FormatError) -> UInt8 {
    try field(
      name, &reader, { (reader: inout ByteReader) throws(FormatError) in try reader.uint8() },
      text: text)
  }

  /// Bytes without a meaning of their own.
  mutating func skip(
    _ name: String, _ length: Int, _ reader: inout ByteReader, _ value: String = ""
  ) throws(FormatError) {
    _ = try field(
      name, &reader, { (reader: inout ByteReader) throws(FormatError) in try reader.skip(length) },
      text: { value })
  }

  /// Several fields together as one, spelled by `text`.
  mutating func whole<Stored>(
    _ name: String, _ reader: inout ByteReader,
    _ read: (inout ByteReader) throws(FormatError) -> Stored, fields: (Stored) -> [DumpField]
  ) throws(FormatError) {
    _ = try field(name, &reader, read, text: { LayoutReader.text(fields($0)) })
  }

  /// The fields of a record as text.
  static func text(_ fields: [DumpField]) -> String {
    var writer = ByteWriter()
    for (index, field) in fields.enumerated() {
      if index > 0 { writer.character(" ") }
      writer.characters(field.name)
      writer.character("=")
      DumpText.write(field.value, into: &writer)
    }
    return writer.text
  }
}

/// The fields of a file made of frames.
package enum FrameLayout {
  /// The file header.
  package static func fileHeader(_ bytes: Bytes) -> [LayoutField] {
    let count = min(FileHeader.byteCount, bytes.count)
    var layout = LayoutReader("file", bytes.slice(0, count), origin: 0)
    layout.take { (layout, reader) throws(FormatError) in
      try layout.skip("magic", 8, &reader)
      _ = try layout.number16("majorVersion", &reader)
      _ = try layout.number16("minorVersion", &reader)
      _ = try layout.number32("incompatibleFeatures", &reader)
      _ = try layout.number32("compatibleFeatures", &reader)
      _ = try layout.byte("kind", &reader) { FileKind(rawValue: $0)?.name ?? "kind-\($0)" }
      _ = try layout.byte("alignment", &reader) { "\($0), multiples of \(1 &<< UInt64($0 & 31))" }
      _ = try layout.number16("headerLength", &reader)
      _ = try layout.field("store", &reader) { (reader: inout ByteReader) throws(FormatError) in
        try reader.identifier(StoreID.self)
      }
      _ = try layout.field("replica", &reader) { (reader: inout ByteReader) throws(FormatError) in
        try reader.identifier(ReplicaID.self)
      }
      _ = try layout.number64("ordinal", &reader)
      _ = try layout.number64("firstSequence", &reader)
      try layout.hexadecimal64("salt", &reader)
      try layout.hash("previousChain", &reader)
      try layout.stamp("created", &reader)
      _ = try layout.number64("previousBytes", &reader)
      _ = try layout.number64("keyID", &reader)
      try layout.hexadecimal64("check", &reader)
    }
    return layout.fields
  }

  /// The header of a frame at `offset`, right or wrong.
  package static func frameHeader(_ bytes: Bytes, at offset: UInt64) -> [LayoutField] {
    let type = bytes.count > 4 ? FrameType(rawValue: bytes.array[4]).name : "cut"
    let count = min(FrameHeader.byteCount, bytes.count)
    var layout = LayoutReader("frame \(offset) \(type)", bytes.slice(0, count), origin: offset)
    layout.take { (layout, reader) throws(FormatError) in
      _ = try layout.field(
        "headerCheck", &reader,
        { (reader: inout ByteReader) throws(FormatError) in try reader.uint32() },
        text: { hexadecimal(UInt64($0), width: 8) })
      _ = try layout.byte("type", &reader) { "\($0) \(FrameType(rawValue: $0).name)" }
      _ = try layout.byte("flags", &reader) { FrameFlags(rawValue: $0).text }
      _ = try layout.number16("zero", &reader)
      _ = try layout.number32("storedLength", &reader)
      _ = try layout.number32("rawLength", &reader)
      _ = try layout.number64("sequence", &reader)
      _ = try layout.number64("syncedOffset", &reader)
      try layout.hexadecimal64("frameHash", &reader)
    }
    return layout.fields
  }

  /// Everything of a valid frame; `bytes` are those of the frame in the file.
  package static func frame(_ frame: ScannedFrame, _ bytes: Bytes) -> [LayoutField] {
    let section = "frame \(frame.offset) \(frame.header.type.name)"
    var fields = frameHeader(bytes, at: frame.offset)
    let start = frame.offset + UInt64(FrameHeader.byteCount)
    if frame.header.flags.contains(.compressed) {
      var stored = LayoutReader(section, frame.stored, origin: start)
      stored.add("payload", 0, frame.stored.count, "lz4 of \(frame.header.rawLength) bytes")
      fields += stored.fields
      if let raw = try? frame.payload() {
        fields += payload(frame, LayoutReader(section, raw, origin: 0, isDecompressed: true))
      }
    } else {
      fields += payload(frame, LayoutReader(section, frame.stored, origin: start))
    }
    var whole = LayoutReader(section, bytes, origin: frame.offset)
    let end = FrameHeader.byteCount + frame.header.storedLength
    whole.add("padding", end, bytes.count - end, "")
    return fields + whole.fields
  }

  /// The trailer at `offset`.
  package static func trailer(_ bytes: Bytes, at offset: UInt64) -> [LayoutField] {
    var layout = LayoutReader("trailer", bytes, origin: offset)
    layout.take { (layout, reader) throws(FormatError) in
      _ = try layout.number64("sealOffset", &reader)
      _ = try layout.number64("fileLength", &reader)
      try layout.hash("chain", &reader)
      try layout.hexadecimal64("check", &reader)
      try layout.skip("magic", 8, &reader)
    }
    return layout.fields
  }
}

extension FrameFlags {
  /// The flags that are set, in words.
  var text: String {
    let words = FrameFlags.names.filter { contains($0.0) }.map(\.1)
    return words.isEmpty ? "none" : words.joined(separator: "+")
  }
}
