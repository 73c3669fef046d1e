// The 40 bytes in front of a payload. See Formats/Segment.md section 2.
//
//   0 u32 headerCheck   8 u32 storedLength   16 u64 sequence       32 u64 frameHash
//   4 u8 type, u8 flags 12 u32 rawLength     24 u64 syncedOffset
//   6 u16 zero

/// What a frame says of itself.
package struct FrameHeader: Hashable, Sendable {
  package static let byteCount = 40

  package var type: FrameType
  package var flags: FrameFlags
  package var storedLength: Int
  package var rawLength: Int
  package var sequence: UInt64
  package var syncedOffset: UInt64
  package var frameHash: UInt64 = 0

  /// The hash of the header bytes 4..<32, which seeds the frame hash.
  package private(set) var headerHash: UInt64 = 0

  package init(
    type: FrameType, flags: FrameFlags, storedLength: Int, rawLength: Int, sequence: UInt64,
    syncedOffset: UInt64
  ) {
    self.type = type
    self.flags = flags
    self.storedLength = storedLength
    self.rawLength = rawLength
    self.sequence = sequence
    self.syncedOffset = syncedOffset
  }

  /// Bytes of header, payload and padding.
  package var frameBytes: Int { (FrameHeader.byteCount + storedLength + 7) / 8 * 8 }

  /// Bytes of padding behind the payload.
  package var paddingBytes: Int { frameBytes - FrameHeader.byteCount - storedLength }

  /// Reads a header at `offset`, checking everything that can be checked without the payload.
  package init(_ reader: inout ByteReader, offset: UInt64, salt: UInt64) throws(FormatError) {
    let start = reader.position
    let check = try reader.uint32()
    let typeAndFlags = try reader.uint16()
    let zero = try reader.uint16()
    storedLength = Int(try reader.uint32())
    rawLength = Int(try reader.uint32())
    sequence = try reader.uint64()
    syncedOffset = try reader.uint64()
    headerHash = reader.hash64(seed: salt ^ offset, from: start + 4)
    frameHash = try reader.uint64()
    type = FrameType(rawValue: UInt8(truncatingIfNeeded: typeAndFlags))
    let flagBits = UInt8(truncatingIfNeeded: typeAndFlags >> 8)
    flags = FrameFlags(rawValue: flagBits)
    guard check == UInt32(truncatingIfNeeded: headerHash) else {
      throw FormatError(
        .badHeaderCheck, "the check of a frame header does not match", offset: offset)
    }
    guard zero == 0, flagBits & ~FrameFlags.known == 0 else {
      throw FormatError(.badPadding, "reserved bits of a frame header are set", offset: offset)
    }
    try checkLengths(offset: offset)
  }

  private func checkLengths(offset: UInt64) throws(FormatError) {
    let isCompressed = flags.contains(.compressed)
    guard
      rawLength <= Limits.frameRawBytesMax, storedLength <= rawLength,
      isCompressed || storedLength == rawLength,
      rawLength <= Limits.compressionRatioMax * storedLength + Limits.compressionSlackBytes,
      syncedOffset <= offset
    else {
      throw FormatError(
        .badLength,
        "a frame of \(storedLength) stored and \(rawLength) raw bytes, synced to \(syncedOffset)",
        offset: offset)
    }
  }

  /// Checks the payload against the frame hash, and that its padding is zero.
  func verify(_ reader: inout ByteReader, offset: UInt64) throws(FormatError) {
    let start = reader.position
    try reader.skip(storedLength)
    guard reader.hash64(seed: headerHash, from: start) == frameHash else {
      throw FormatError(.badFrameHash, "the hash of a frame does not match", offset: offset)
    }
    guard try reader.areZero(paddingBytes) else {
      throw FormatError(.badPadding, "the padding of a frame is not zero", offset: offset)
    }
  }

  /// Appends all but the frame hash of a frame that lies at `offset`, and returns the seed of that
  /// hash.
  func write(into writer: inout ByteWriter, offset: UInt64, salt: UInt64) -> UInt64 {
    let start = writer.count
    writer.uint32(0)
    writer.uint8(type.rawValue)
    writer.uint8(flags.rawValue)
    writer.uint16(0)
    writer.uint32(UInt32(storedLength))
    writer.uint32(UInt32(rawLength))
    writer.uint64(sequence)
    writer.uint64(syncedOffset)
    let hash = writer.hash64(seed: salt ^ offset, from: start + 4)
    writer.setUInt32(UInt32(truncatingIfNeeded: hash), at: start)
    return hash
  }
}

extension GroupOutput {
  /// Appends a whole frame that lies at `offset`.
  mutating func append(_ header: FrameHeader, _ stored: Bytes, at offset: UInt64, salt: UInt64) {
    let seed = write { header.write(into: &$0, offset: offset, salt: salt) }
    write { $0.uint64(Checksum.hash64(seed: seed, stored)) }
    append(stored)
    zeros(header.paddingBytes)
  }
}
