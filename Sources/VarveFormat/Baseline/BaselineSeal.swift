// The SEAL of a baseline. See Formats/Baseline.md section 2.

/// What a reader of a baseline starts with.
package struct BaselineSeal: Hashable, Sendable {
  package var contentHash: Hash128
  /// The raw lengths of the frames before the SEAL, ignorable ones aside.
  package var rawBytes: UInt64 = 0
  package var blocks: UInt32 = 0
  package var sides: UInt32 = 0
  /// Offsets of the DIRECTORY frames.
  package var directories: [UInt64] = []

  package init(contentHash: Hash128) { self.contentHash = contentHash }

  package init(_ reader: inout ByteReader) throws(FormatError) {
    contentHash = try reader.hash128()
    rawBytes = try reader.uint64()
    blocks = try reader.uint32()
    sides = try reader.uint32()
    let count = Int(try reader.uint32())
    try reader.zeros(4)
    guard count >= 1, count <= Limits.baselineDirectoriesMax, reader.remaining == count * 8 else {
      throw reader.error(.badSeal, "a SEAL that names \(count) DIRECTORY frames")
    }
    for _ in 0..<count { directories.append(try reader.uint64()) }
  }

  package var encoded: Bytes {
    var writer = ByteWriter(capacity: 40 + directories.count * 8)
    writer.hash128(contentHash)
    writer.uint64(rawBytes)
    writer.uint32(blocks)
    writer.uint32(sides)
    writer.uint32(UInt32(directories.count))
    writer.uint32(0)
    for offset in directories { writer.uint64(offset) }
    return writer.finish()
  }
}
