// What stands in front of a transaction's operations. See Formats/Transaction.md section 2.
//
//   0 u8 version   4 u32 byteCount   24 u32 operations   32.. era, schema version, dictionary,
//   1 u8 flags     8 u64 stamp       28 u32 parts             dependencies, metadata, part list
//   2 u16 zero    16 u64 sequence

/// Bits of a transaction.
package struct TransactionFlags: OptionSet, Sendable, Hashable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let critical = TransactionFlags(rawValue: 1)
  package static let bulk = TransactionFlags(rawValue: 2)
  package static let adoption = TransactionFlags(rawValue: 4)
  package static let parted = TransactionFlags(rawValue: 8)
  package static let fullVector = TransactionFlags(rawValue: 16)
  static let known: UInt8 = 31

  package static let names: [(TransactionFlags, String)] = [
    (.critical, "critical"), (.bulk, "bulk"), (.adoption, "adoption"), (.parted, "parted"),
    (.fullVector, "full"),
  ]
}

/// An era: its number and the transaction that opened it (Q43).
package struct Era: Hashable, Sendable {
  package var number: UInt64
  /// Eight bytes when the number is not 0.
  package var opened: [UInt8]

  package init(number: UInt64 = 0, opened: [UInt8] = []) {
    self.number = number
    self.opened = opened
  }
}

/// A part as its transaction lists it.
package struct PartEntry: Hashable, Sendable {
  package var frameType: FrameType
  package var rawLength: Int
  package var rows: Int
  package var hash: Hash128

  package init(frameType: FrameType, rawLength: Int, rows: Int, hash: Hash128) {
    self.frameType = frameType
    self.rawLength = rawLength
    self.rows = rows
    self.hash = hash
  }
}

/// Everything of a transaction but its operations.
package struct TransactionHeader: Hashable, Sendable {
  package static let fixedBytes = 32
  /// Era, schema version and three empty lists take a byte each.
  private static let listBytesMin = 5
  /// Fixed fields, era, schema version and the counts of dictionary and dependencies.
  static let openingBytesMax = fixedBytes + 10 + 8 + 10 + 3 + 3
  static let byteCountOffset = 4
  static let stampOffset = 8
  static let sequenceOffset = 16
  static let operationsOffset = 24

  package var flags: TransactionFlags
  package var stamp: Stamp
  package var sequence: UInt64
  package var operations: Int
  package var era = Era()
  package var schemaVersion: UInt64 = 0
  package var dictionary: [DictionaryEntry] = []
  package var dependencies: [LogPosition] = []
  package var metadata = Metadata()
  package var parts: [PartEntry] = []

  package init(
    flags: TransactionFlags = [], stamp: Stamp, sequence: UInt64, operations: Int
  ) {
    self.flags = flags
    self.stamp = stamp
    self.sequence = sequence
    self.operations = operations
  }

  /// Reads the header at the start of a transaction and returns the reader cut to the operation
  /// bytes.
  package init(_ reader: inout ByteReader, operationBytes: inout ByteReader) throws(FormatError) {
    let start = reader.position
    let version = try reader.uint8()
    guard version == FormatVersion.transaction else {
      throw reader.error(.unknownVersion, "transaction version \(version)")
    }
    let flagBits = try reader.uint8()
    guard flagBits & ~TransactionFlags.known == 0 else {
      throw reader.error(.badTransaction, "transaction flags \(flagBits) are not known")
    }
    flags = TransactionFlags(rawValue: flagBits)
    try reader.zeros(2)
    let byteCount = Int(try reader.uint32())
    guard byteCount >= TransactionHeader.fixedBytes + TransactionHeader.listBytesMin,
      byteCount - 8 <= reader.remaining
    else { throw reader.error(.badLength, "a transaction of \(byteCount) bytes") }
    var body = try reader.sub(byteCount - (reader.position - start))
    stamp = Stamp(rawValue: try body.uint64())
    sequence = try body.uint64()
    operations = Int(try body.uint32())
    let partCount = Int(try body.uint32())
    guard operations <= Limits.operationsMax, partCount <= Limits.partsMax, sequence >= 1 else {
      throw body.error(
        .badTransaction, "\(operations) operations, \(partCount) parts, sequence \(sequence)")
    }
    let number = try body.varint()
    era = Era(number: number, opened: number == 0 ? [] : try body.bytes(8))
    schemaVersion = try body.varint()
    dictionary = try body.dictionary()
    dependencies = try body.vector()
    guard body.remaining + partCount * 8 <= Limits.ownBytesMax else {
      throw body.error(
        .badLength, "\(partCount) parts, and \(body.remaining) bytes behind the dependencies")
    }
    metadata = try Metadata(&body)
    for _ in 0..<partCount { parts.append(try PartEntry(&body)) }
    try checkFlags(body)
    operationBytes = try body.sub(body.remaining)
  }

  /// The parts must fit the flags and the limits.
  private func checkFlags(_ reader: ByteReader) throws(FormatError) {
    let columns = parts.contains { $0.frameType == .columnBlock }
    let operationParts = parts.contains { $0.frameType == .transactionPart }
    guard columns == flags.contains(.bulk), operationParts == flags.contains(.parted) else {
      throw reader.error(.badTransaction, "the parts of a transaction contradict its flags")
    }
    let bytes = parts.reduce(0) { $0 + ($1.frameType == .transactionPart ? $1.rawLength : 0) }
    guard bytes + reader.remaining <= Limits.operationBytesMax else {
      throw reader.error(
        .badLength, "\(bytes) operation bytes in parts, \(reader.remaining) inline")
    }
  }

  /// Appends the header; `byteCount` is patched by the caller.
  func write(into writer: inout ByteWriter) {
    writer.uint8(FormatVersion.transaction)
    writer.uint8(flags.rawValue)
    writer.uint16(0)
    writer.uint32(0)
    writer.uint64(stamp.rawValue)
    writer.uint64(sequence)
    writer.uint32(UInt32(operations))
    writer.uint32(UInt32(parts.count))
    writer.varint(era.number)
    writer.bytes(era.opened)
    writer.varint(schemaVersion)
    writer.varint(dictionary.count)
    for entry in dictionary { entry.write(into: &writer) }
    writer.vector(dependencies)
    metadata.write(into: &writer)
    for part in parts { part.write(into: &writer) }
  }
}

extension PartEntry {
  init(_ reader: inout ByteReader) throws(FormatError) {
    let type = try reader.uint8()
    guard type == FrameType.transactionPart.rawValue || type == FrameType.columnBlock.rawValue
    else { throw reader.error(.badTransaction, "a part of frame type \(type)") }
    frameType = FrameType(rawValue: type)
    rawLength = try reader.count(max: Limits.frameRawBytesMax, "raw length of a part")
    rows = try reader.count(max: Limits.blockRowsMax, "rows of a part")
    hash = try reader.hash128()
    guard (frameType == .columnBlock) == (rows > 0) else {
      throw reader.error(.badTransaction, "a part of \(rows) rows")
    }
  }

  func write(into writer: inout ByteWriter) {
    writer.uint8(frameType.rawValue)
    writer.varint(rawLength)
    writer.varint(rows)
    writer.hash128(hash)
  }
}
