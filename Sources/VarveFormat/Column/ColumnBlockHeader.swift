// The 32 bytes in front of a column block. See Formats/Transaction.md section 4.
//
//   0  u32 entity       8 u8 type       12 u32 rows                20 u32 dictionaryBytes
//   4  u32 attribute    9 u8 encoding   16 u32 dictionaryEntries   24 u32 heapBytes
//                      10 u8 flags, 11 zero                        28 u32 dataBytes

/// The five ways to store cells.
package enum ColumnEncoding: UInt8, Sendable, CaseIterable {
  case plain = 1
  case packed, bitmap, bytes, dictionary

  package var name: String { String(describing: self) }
}

/// What a column block says of itself.
package struct ColumnBlockHeader: Sendable, Equatable {
  package static let byteCount = 32

  package var entity: UInt32
  package var attribute: UInt32
  package var type: PhysicalType
  package var encoding: ColumnEncoding
  package var isNullable: Bool
  package var rows: Int
  package var dictionaryEntries = 0
  package var dictionaryBytes = 0
  package var heapBytes = 0
  package var dataBytes = 0

  package init(
    entity: UInt32, attribute: UInt32, type: PhysicalType, encoding: ColumnEncoding,
    isNullable: Bool, rows: Int
  ) {
    self.entity = entity
    self.attribute = attribute
    self.type = type
    self.encoding = encoding
    self.isNullable = isNullable
    self.rows = rows
  }

  /// Reads and checks the header of a block of `payloadBytes` raw bytes.
  package init(_ reader: inout ByteReader, payloadBytes: Int) throws(FormatError) {
    entity = try reader.uint32()
    attribute = try reader.uint32()
    let rawType = try reader.uint8()
    let rawEncoding = try reader.uint8()
    let flags = try reader.uint8()
    let zero = try reader.uint8()
    rows = Int(try reader.uint32())
    dictionaryEntries = Int(try reader.uint32())
    dictionaryBytes = Int(try reader.uint32())
    heapBytes = Int(try reader.uint32())
    dataBytes = Int(try reader.uint32())
    guard let type = PhysicalType(rawValue: rawType) else {
      throw reader.error(.badColumn, "physical type \(rawType) is not known")
    }
    guard let encoding = ColumnEncoding(rawValue: rawEncoding) else {
      throw reader.error(.badColumn, "encoding \(rawEncoding) is not known")
    }
    guard flags <= 1, zero == 0 else {
      throw reader.error(.badPadding, "reserved bits of a column block are not zero")
    }
    self.type = type
    self.encoding = encoding
    isNullable = flags == 1
    guard rows >= 1, rows <= Limits.blockRowsMax else {
      throw reader.error(.badColumn, "a block of \(rows) rows")
    }
    try check(reader, payloadBytes: payloadBytes)
  }

  /// Checks the section lengths against each other, and the encoding against the type.
  private func check(_ reader: ByteReader, payloadBytes: Int) throws(FormatError) {
    let hasDictionary = encoding == .dictionary
    guard
      hasDictionary ? dictionaryEntries <= rows : dictionaryEntries == 0 && dictionaryBytes == 0,
      dictionaryBytes % 8 == 0, dataBytes % 8 == 0
    else { throw reader.error(.badColumn, "the dictionary of a column block has a wrong size") }
    // Four numbers below 2^32 each: their sum cannot overflow 64 bits.
    let sum = Self.byteCount + dictionaryBytes + (heapBytes + 7) / 8 * 8 + dataBytes
    guard sum == payloadBytes else {
      throw reader.error(.badColumn, "sections of \(sum) bytes in a payload of \(payloadBytes)")
    }
    let fits: Bool
    switch encoding {
    case .plain: fits = type.isWord && dataBytes == rows * 8 && (!isNullable || type == .double)
    case .packed: fits = type.isWord
    case .bitmap: fits = type == .bool
    case .bytes: fits = !type.isWord && type != .bool
    case .dictionary:
      fits = type != .bool && (!type.isWord || dictionaryBytes == dictionaryEntries * 8)
    }
    let mayHaveHeap = !type.isWord && (encoding == .bytes || encoding == .dictionary)
    guard fits, mayHaveHeap || heapBytes == 0 else {
      throw reader.error(.badColumn, "\(type.name) cells cannot be \(encoding.name)")
    }
  }

  func write(into writer: inout ByteWriter) {
    writer.uint32(entity)
    writer.uint32(attribute)
    writer.uint8(type.rawValue)
    writer.uint8(encoding.rawValue)
    writer.uint8(isNullable ? 1 : 0)
    writer.uint8(0)
    writer.uint32(UInt32(rows))
    writer.uint32(UInt32(dictionaryEntries))
    writer.uint32(UInt32(dictionaryBytes))
    writer.uint32(UInt32(heapBytes))
    writer.uint32(UInt32(dataBytes))
  }
}
