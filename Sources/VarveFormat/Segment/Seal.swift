// The last frame of a sealed segment and the trailer behind it. See Formats/Segment.md section 3.

/// What a SEAL says: hints that a scan can rebuild.
package struct Seal: Hashable, Sendable {
  package struct IndexEntry: Hashable, Sendable {
    package var offset: UInt64
    package var sequence: UInt64

    package init(offset: UInt64, sequence: UInt64) {
      self.offset = offset
      self.sequence = sequence
    }
  }

  package struct VectorEntry: Hashable, Sendable {
    package var index: UInt32
    package var sequence: UInt64

    package init(index: UInt32, sequence: UInt64) {
      self.index = index
      self.sequence = sequence
    }
  }

  package struct ColumnEntry: Hashable, Sendable {
    package var offset: UInt64
    package var sequence: UInt64
    package var entity: UInt32
    package var attribute: UInt32
    package var rows: UInt32
    package var type: UInt8
    package var encoding: UInt8
  }

  static let fixedBytes = 120

  package var firstSequence: UInt64
  package var lastSequence: UInt64
  package var transactions: UInt64 = 0
  package var minStamp = Stamp.zero
  package var maxStamp = Stamp.zero
  package var chain: Hash128
  package var rawBytes: UInt64 = 0
  package var typeCounts = [UInt32](repeating: 0, count: 10)
  package var index: [IndexEntry] = []
  package var vector: [VectorEntry] = []
  package var dictionary: [DictionaryEntry] = []
  package var columns: [ColumnEntry] = []

  package init(firstSequence: UInt64, chain: Hash128) {
    self.firstSequence = firstSequence
    lastSequence = firstSequence &- 1
    self.chain = chain
  }

  package init(_ reader: inout ByteReader) throws(FormatError) {
    firstSequence = try reader.uint64()
    lastSequence = try reader.uint64()
    transactions = try reader.uint64()
    minStamp = Stamp(rawValue: try reader.uint64())
    maxStamp = Stamp(rawValue: try reader.uint64())
    chain = try reader.hash128()
    rawBytes = try reader.uint64()
    for type in 0..<10 { typeCounts[type] = try reader.uint32() }
    let indexCount = Int(try reader.uint32())
    let vectorCount = Int(try reader.uint32())
    let dictionaryBytes = Int(try reader.uint32())
    let columnCount = Int(try reader.uint32())
    guard indexCount <= Limits.sealIndexMax, vectorCount <= Limits.dictionaryMax,
      columnCount <= Limits.sealColumnsMax
    else { throw reader.error(.badSeal, "a list of a SEAL is too long") }
    for _ in 0..<indexCount {
      let offset = try reader.uint64()
      index.append(IndexEntry(offset: offset, sequence: try reader.uint64()))
    }
    for _ in 0..<vectorCount {
      let index = try reader.uint32()
      try reader.zeros(4)
      vector.append(VectorEntry(index: index, sequence: try reader.uint64()))
    }
    var entries = try reader.sub(dictionaryBytes)
    while !entries.isAtEnd { dictionary.append(try DictionaryEntry(&entries)) }
    try reader.zeros((8 - dictionaryBytes % 8) % 8)
    for _ in 0..<columnCount { columns.append(try ColumnEntry(&reader)) }
    try reader.finish(.badSeal, "a SEAL")
  }

  /// The column directory is a hint: it stays empty when there is no room for it.
  mutating func dropColumnsWithoutRoom() {
    let lists = index.count * 16 + vector.count * 16 + columns.count * 32
    let entries = dictionary.count * DictionaryEntry.byteCountMax + 7
    let fits = Seal.fixedBytes + lists + entries <= Limits.frameRawBytesMax
    if columns.count > Limits.sealColumnsMax || !fits { columns = [] }
  }

  package var encoded: Bytes {
    var entries = ByteWriter()
    for entry in dictionary { entry.write(into: &entries) }
    var writer = ByteWriter(capacity: 256 + index.count * 16 + columns.count * 32)
    writer.uint64(firstSequence)
    writer.uint64(lastSequence)
    writer.uint64(transactions)
    writer.uint64(minStamp.rawValue)
    writer.uint64(maxStamp.rawValue)
    writer.hash128(chain)
    writer.uint64(rawBytes)
    for count in typeCounts { writer.uint32(count) }
    writer.uint32(UInt32(index.count))
    writer.uint32(UInt32(vector.count))
    writer.uint32(UInt32(entries.count))
    writer.uint32(UInt32(columns.count))
    for entry in index {
      writer.uint64(entry.offset)
      writer.uint64(entry.sequence)
    }
    for entry in vector {
      writer.uint32(entry.index)
      writer.uint32(0)
      writer.uint64(entry.sequence)
    }
    entries.withUnsafeBytes { writer.bytes($0) }
    writer.pad()
    for column in columns { column.write(into: &writer) }
    return writer.finish()
  }
}

extension Seal.ColumnEntry {
  init(_ reader: inout ByteReader) throws(FormatError) {
    offset = try reader.uint64()
    sequence = try reader.uint64()
    entity = try reader.uint32()
    attribute = try reader.uint32()
    rows = try reader.uint32()
    type = try reader.uint8()
    encoding = try reader.uint8()
    try reader.zeros(2)
  }

  func write(into writer: inout ByteWriter) {
    writer.uint64(offset)
    writer.uint64(sequence)
    writer.uint32(entity)
    writer.uint32(attribute)
    writer.uint32(rows)
    writer.uint8(type)
    writer.uint8(encoding)
    writer.uint16(0)
  }
}

/// The 48 bytes that end a sealed segment.
package struct Trailer: Hashable, Sendable {
  package static let byteCount = 48
  static let magic: [UInt8] = [0x56, 0x52, 0x56, 0x45, 0x4E, 0x44, 0x0D, 0x0A]

  package var sealOffset: UInt64
  package var fileLength: UInt64
  package var chain: Hash128

  package init(sealOffset: UInt64, fileLength: UInt64, chain: Hash128) {
    self.sealOffset = sealOffset
    self.fileLength = fileLength
    self.chain = chain
  }

  /// Reads a trailer at `offset` of a file with `salt`.
  package init(_ bytes: Bytes, offset: UInt64, salt: UInt64) throws(FormatError) {
    guard bytes.count == Trailer.byteCount else {
      throw FormatError(.truncated, "\(bytes.count) bytes are no trailer", offset: offset)
    }
    let expected = Checksum.hash64(seed: salt, bytes.slice(0, 32))
    self = try bytes.read(origin: offset) { (reader: inout ByteReader) throws(FormatError) in
      let sealOffset = try reader.uint64()
      let fileLength = try reader.uint64()
      let chain = try reader.hash128()
      guard try reader.uint64() == expected, try reader.bytes(8) == Trailer.magic,
        fileLength == offset + UInt64(Trailer.byteCount), sealOffset < offset
      else { throw FormatError(.badTrailer, "the trailer does not match", offset: offset) }
      return Trailer(sealOffset: sealOffset, fileLength: fileLength, chain: chain)
    }
  }

  package func encoded(salt: UInt64) -> Bytes {
    var writer = ByteWriter(capacity: Trailer.byteCount)
    writer.uint64(sealOffset)
    writer.uint64(fileLength)
    writer.hash128(chain)
    let check = writer.withUnsafeBytes { Checksum.hash64(seed: salt, $0) }
    writer.uint64(check)
    writer.bytes(Trailer.magic)
    return writer.finish()
  }
}
