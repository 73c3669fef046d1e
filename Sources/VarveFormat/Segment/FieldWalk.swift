// Names every byte of a segment: what `varve frame` and the annotated golden file show.

/// A run of bytes with one meaning.
package struct ByteSpan: Equatable, Sendable {
  /// The place in the file, or in the decompressed payload.
  package var offset: UInt64
  package var bytes: [UInt8]
  /// What the bytes are, as the documents call it; empty for a value whose place says it.
  package var name: String
  /// What they say; empty when that is nothing beyond the bytes.
  package var value: String
  /// Whether the bytes come from a compressed payload and lie in no file.
  package var isDecompressed: Bool

  /// Name and value.
  package var meaning: String {
    name.isEmpty || value.isEmpty ? name + value : "\(name) \(value)"
  }
}

/// Reads fields one after the other and notes what they are.
struct FieldWalk {
  private(set) var spans: [ByteSpan] = []
  private var reader: ByteReader
  private let isDecompressed: Bool

  init(_ reader: ByteReader, isDecompressed: Bool = false) {
    self.reader = reader
    self.isDecompressed = isDecompressed
  }

  var remaining: Int { reader.remaining }

  /// Notes the bytes that `read` takes, and what they say.
  @discardableResult
  mutating func field<T>(
    _ name: String, _ spelled: (T) -> String, _ read: (inout ByteReader) throws(FormatError) -> T
  ) throws(FormatError) -> T {
    let (start, offset) = (reader.position, reader.fileOffset)
    let value = try read(&reader)
    let taken = [UInt8](reader.passed(from: start))
    if !taken.isEmpty {
      spans.append(
        ByteSpan(
          offset: offset, bytes: taken, name: name, value: spelled(value),
          isDecompressed: isDecompressed))
    }
    return value
  }

  @discardableResult
  mutating func uint8(_ name: String) throws(FormatError) -> UInt8 {
    try field(name, { "\($0)" }) { (r: inout ByteReader) throws(FormatError) in try r.uint8() }
  }

  @discardableResult
  mutating func uint16(_ name: String) throws(FormatError) -> UInt16 {
    try field(name, { "\($0)" }) { (r: inout ByteReader) throws(FormatError) in try r.uint16() }
  }

  @discardableResult
  mutating func uint32(_ name: String) throws(FormatError) -> UInt32 {
    try field(name, { "\($0)" }) { (r: inout ByteReader) throws(FormatError) in try r.uint32() }
  }

  @discardableResult
  mutating func uint64(_ name: String) throws(FormatError) -> UInt64 {
    try field(name, { "\($0)" }) { (r: inout ByteReader) throws(FormatError) in try r.uint64() }
  }

  /// A number that is spelled in hexadecimal: a salt, a check, a stamp.
  mutating func hexadecimal64(_ name: String) throws(FormatError) {
    try field(name, { hexadecimal($0) }) { (r: inout ByteReader) throws(FormatError) in
      try r.uint64()
    }
  }

  mutating func hash(_ name: String) throws(FormatError) {
    try field(name, { "\($0)" }) { (r: inout ByteReader) throws(FormatError) in try r.hash128() }
  }

  @discardableResult
  mutating func varint(_ name: String) throws(FormatError) -> UInt64 {
    try field(name, { "\($0)" }) { (r: inout ByteReader) throws(FormatError) in try r.varint() }
  }

  mutating func identifier<ID: Identifier>(_ type: ID.Type, _ name: String) throws(FormatError) {
    try field(name, { "\($0)" }) { (r: inout ByteReader) throws(FormatError) in
      try r.identifier(type)
    }
  }

  mutating func bytes(_ count: Int, _ name: String) throws(FormatError) {
    try field(name, { _ in "" }) { (r: inout ByteReader) throws(FormatError) in try r.bytes(count) }
  }

  mutating func countedBytes(_ name: String) throws(FormatError) {
    let count = try varint("\(name), bytes")
    guard count > 0 else { return }
    try bytes(Int(min(count, UInt64(Int32.max))), name)
  }

  /// What is left, under one name.
  mutating func rest(_ name: String) throws(FormatError) {
    try bytes(reader.remaining, name)
  }

  /// The fields of the next `count` bytes.
  mutating func sub(_ count: Int, _ body: (inout FieldWalk) throws(FormatError) -> Void)
    throws(FormatError)
  {
    var inner = FieldWalk(try reader.sub(count), isDecompressed: isDecompressed)
    var caught: FormatError?
    do throws(FormatError) {
      try body(&inner)
      try inner.rest("left over")
    } catch { caught = error }
    spans += inner.spans
    if let caught { throw caught }
  }

  mutating func append(_ other: [ByteSpan]) { spans += other }
}
