// The two-slot file that points into a local store. See Formats/Superblock.md, whose table gives
// the offsets.

/// One slot of the superblock.
package struct Superblock: Hashable, Sendable {
  package static let slotBytes = 4_096
  package static let fileBytes = 2 * slotBytes
  package static let magic: [UInt8] = [0x89, 0x56, 0x52, 0x53, 0x0D, 0x0A, 0x1A, 0x0A]
  private static let checkOffset = 248
  private static let cleanBit: UInt32 = 1

  package var store: StoreID
  package var replica: ReplicaID
  package var counter: UInt64 = 0
  /// Bits of newer versions, which are kept; who does not know them must not write.
  package var compatibleFeatures: UInt32 = 0
  package var isClean = false
  package var openOrdinal: UInt64 = 0
  package var durableMark: UInt64 = 0
  package var lastAcceptedLength: UInt64 = 0
  package var lastSequence: UInt64 = 0
  package var chain = Hash128.zero
  package var maxStamp = Stamp.zero
  package var inode: UInt64 = 0
  package var host: UInt64 = 0
  package var baselineHash: UInt64 = 0
  package var baselineBytes: UInt64 = 0

  package init(store: StoreID, replica: ReplicaID) {
    self.store = store
    self.replica = replica
  }

  /// The slot that a state with this counter is written to.
  package var slot: Int { Int(counter % 2) }

  /// Reads one slot of 4,096 bytes.
  package init(_ bytes: Bytes, slot: Int) throws(FormatError) {
    guard bytes.count == Superblock.slotBytes else {
      throw FormatError(.truncated, "a superblock slot of \(bytes.count) bytes")
    }
    let check = Checksum.hash64(seed: UInt64(slot), bytes.slice(0, Superblock.checkOffset))
    self = try bytes.read(origin: UInt64(slot * Superblock.slotBytes)) {
      (reader: inout ByteReader) throws(FormatError) in
      try Superblock(&reader, check: check)
    }
  }

  private init(_ reader: inout ByteReader, check: UInt64) throws(FormatError) {
    guard try reader.bytes(8) == Superblock.magic else {
      throw FormatError(.notVarve, "the slot does not start as a superblock does")
    }
    let major = try reader.uint16()
    _ = try reader.uint16()
    let incompatible = try reader.uint32()
    compatibleFeatures = try reader.uint32()
    let flags = try reader.uint32()
    store = try reader.identifier(StoreID.self)
    replica = try reader.identifier(ReplicaID.self)
    counter = try reader.uint64()
    openOrdinal = try reader.uint64()
    durableMark = try reader.uint64()
    lastAcceptedLength = try reader.uint64()
    lastSequence = try reader.uint64()
    chain = try reader.hash128()
    maxStamp = Stamp(rawValue: try reader.uint64())
    inode = try reader.uint64()
    host = try reader.uint64()
    baselineHash = try reader.uint64()
    baselineBytes = try reader.uint64()
    let reserved = reader
    try reader.skip(Superblock.checkOffset - reader.position)
    guard try reader.uint64() == check else {
      throw reserved.error(.badHeader, "the check of a superblock slot does not match")
    }
    // After the check, so that damage is not taken for a newer version.
    guard major == FormatVersion.major, incompatible == 0 else {
      throw reserved.error(.unknownVersion, "superblock version \(major), features \(incompatible)")
    }
    var zeros = reserved
    try zeros.zeros(Superblock.checkOffset - zeros.position)
    try reader.zeros(Superblock.slotBytes - reader.position)
    guard flags & ~Superblock.cleanBit == 0 else {
      throw reserved.error(.badPadding, "superblock flags \(flags) are not known")
    }
    isClean = flags & Superblock.cleanBit != 0
  }

  /// The 4,096 bytes of the slot.
  package var encoded: Bytes {
    var writer = ByteWriter(capacity: Superblock.slotBytes)
    writer.bytes(Superblock.magic)
    writer.uint16(FormatVersion.major)
    writer.uint16(FormatVersion.minor)
    writer.uint32(0)
    writer.uint32(compatibleFeatures)
    writer.uint32(isClean ? Superblock.cleanBit : 0)
    writer.bytes(store.array)
    writer.bytes(replica.array)
    writer.uint64(counter)
    writer.uint64(openOrdinal)
    writer.uint64(durableMark)
    writer.uint64(lastAcceptedLength)
    writer.uint64(lastSequence)
    writer.hash128(chain)
    writer.uint64(maxStamp.rawValue)
    writer.uint64(inode)
    writer.uint64(host)
    writer.uint64(baselineHash)
    writer.uint64(baselineBytes)
    writer.zeros(Superblock.checkOffset - writer.count)
    let check = writer.withUnsafeBytes { Checksum.hash64(seed: UInt64(slot), $0) }
    writer.uint64(check)
    writer.zeros(Superblock.slotBytes - writer.count)
    return writer.finish()
  }
}
