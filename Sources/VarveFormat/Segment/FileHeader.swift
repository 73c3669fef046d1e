// The 128 bytes in front of every file made of frames. See Formats/Segment.md section 1.
//
//    0 magic 8         20 u8 kind            56 u64 ordinal          96 u64 created
//    8 u16 major       21 u8 alignment       64 u64 firstSequence   104 u64 previousBytes
//   10 u16 minor       22 u16 headerLength   72 u64 salt            112 u64 keyID
//   12 u32 incompat    24 storeID 16         80 previousChain 16    120 u64 check
//   16 u32 compat      40 replicaID 16

/// What a file says of itself.
package struct FileHeader: Hashable, Sendable {
  package static let byteCount = 128
  package static let magic: [UInt8] = [0x89, 0x56, 0x52, 0x56, 0x0D, 0x0A, 0x1A, 0x0A]
  private static let alignmentLog2: UInt8 = 3

  package var major = FormatVersion.major
  package var minor = FormatVersion.minor
  package var compatibleFeatures: UInt32 = 0
  package var kind: FileKind
  package var store: StoreID
  package var replica: ReplicaID
  package var ordinal: UInt64
  package var firstSequence: UInt64
  package var salt: UInt64
  package var previousChain: Hash128
  package var created: Stamp
  package var previousBytes: UInt64
  package var keyID: UInt64 = 0

  package init(
    kind: FileKind = .segment, store: StoreID, replica: ReplicaID, ordinal: UInt64,
    firstSequence: UInt64, salt: UInt64, previousChain: Hash128, created: Stamp,
    previousBytes: UInt64
  ) {
    self.kind = kind
    self.store = store
    self.replica = replica
    self.ordinal = ordinal
    self.firstSequence = firstSequence
    self.salt = salt
    self.previousChain = previousChain
    self.created = created
    self.previousBytes = previousBytes
  }

  /// Reads and checks a header.
  package init(_ bytes: Bytes) throws(FormatError) {
    guard bytes.count >= FileHeader.byteCount else {
      throw FormatError(.truncated, "a file of \(bytes.count) bytes has no header", offset: 0)
    }
    let check = Checksum.hash64(seed: 0, bytes.slice(0, 120))
    self = try bytes.slice(0, FileHeader.byteCount).read {
      (reader: inout ByteReader) throws(FormatError) in
      try FileHeader(&reader, check: check)
    }
  }

  private init(_ reader: inout ByteReader, check: UInt64) throws(FormatError) {
    guard try reader.bytes(8) == FileHeader.magic else {
      throw FormatError(.notVarve, "the file does not start as a Varve file does", offset: 0)
    }
    major = try reader.uint16()
    minor = try reader.uint16()
    let incompatible = try reader.uint32()
    compatibleFeatures = try reader.uint32()
    let rawKind = try reader.uint8()
    let alignment = try reader.uint8()
    let headerLength = try reader.uint16()
    store = try reader.identifier(StoreID.self)
    replica = try reader.identifier(ReplicaID.self)
    ordinal = try reader.uint64()
    firstSequence = try reader.uint64()
    salt = try reader.uint64()
    previousChain = try reader.hash128()
    created = Stamp(rawValue: try reader.uint64())
    previousBytes = try reader.uint64()
    keyID = try reader.uint64()
    guard try reader.uint64() == check else {
      throw FormatError(.badHeader, "the check of the file header does not match", offset: 120)
    }
    guard major == FormatVersion.major else {
      throw FormatError(
        .unknownVersion,
        "format version \(major).\(minor); this reader knows \(FormatVersion.major)",
        offset: 8)
    }
    guard incompatible == 0 else {
      throw FormatError(
        .unknownVersion, "feature bit \(incompatible.trailingZeroBitCount) is not known", offset: 12
      )
    }
    guard let kind = FileKind(rawValue: rawKind) else {
      throw FormatError(.unknownVersion, "file kind \(rawKind) is not known", offset: 20)
    }
    self.kind = kind
    guard alignment == FileHeader.alignmentLog2, headerLength == FileHeader.byteCount, keyID == 0,
      kind == .baseline ? firstSequence == 0 : firstSequence >= 1 && ordinal >= 1
    else { throw FormatError(.badHeader, "a field of the file header is out of range", offset: 20) }
  }

  /// The 128 bytes.
  package var encoded: Bytes {
    var writer = ByteWriter(capacity: FileHeader.byteCount)
    writer.bytes(FileHeader.magic)
    writer.uint16(major)
    writer.uint16(minor)
    writer.uint32(0)
    writer.uint32(compatibleFeatures)
    writer.uint8(kind.rawValue)
    writer.uint8(FileHeader.alignmentLog2)
    writer.uint16(UInt16(FileHeader.byteCount))
    writer.bytes(store.array)
    writer.bytes(replica.array)
    writer.uint64(ordinal)
    writer.uint64(firstSequence)
    writer.uint64(salt)
    writer.hash128(previousChain)
    writer.uint64(created.rawValue)
    writer.uint64(previousBytes)
    writer.uint64(keyID)
    let check = writer.withUnsafeBytes { Checksum.hash64(seed: 0, $0) }
    writer.uint64(check)
    return writer.finish()
  }
}
