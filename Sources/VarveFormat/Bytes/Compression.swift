// LZ4 blocks. Only the bounds-checked decoder of the library is used.

import CLZ4

/// The LZ4 block format, each frame a block of its own.
package enum Compression {
  /// Payloads shorter than this are stored raw.
  package static let bytesMin = 512

  /// The compressed bytes, or nil when they would not save at least an eighth.
  package static func compressed(_ raw: UnsafeRawBufferPointer) -> Bytes? {
    guard raw.count >= bytesMin, raw.count <= Limits.frameRawBytesMax else { return nil }
    let limit = raw.count - (raw.count + 7) / 8
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: limit + Memory.slackBytes, alignment: 16)
    // SAFETY: LZ4 writes at most `limit` bytes to `memory` and reads `raw.count` bytes.
    let written = LZ4_compress_default(
      raw.baseAddress?.assumingMemoryBound(to: CChar.self),
      memory.assumingMemoryBound(to: CChar.self), Int32(raw.count), Int32(limit))
    guard written > 0 else {
      memory.deallocate()
      return nil
    }
    (memory + Int(written)).initializeMemory(
      as: UInt8.self, repeating: 0, count: Memory.slackBytes)
    return Bytes(Memory(adopting: memory, count: Int(written)))
  }

  package static func compressed(_ raw: Bytes) -> Bytes? { raw.withUnsafeBytes { compressed($0) } }

  static func compressed(_ raw: borrowing ByteWriter) -> Bytes? {
    raw.withUnsafeBytes { compressed($0) }
  }

  /// Exactly `rawLength` bytes decoded from `stored`, in fresh memory.
  package static func decompressed(_ stored: Bytes, rawLength: Int) throws(FormatError) -> Bytes {
    guard
      rawLength <= Limits.frameRawBytesMax,
      rawLength <= Limits.compressionRatioMax * stored.count + Limits.compressionSlackBytes
    else {
      throw FormatError(.badLength, "\(stored.count) compressed bytes cannot hold \(rawLength)")
    }
    // Zeroed, since a crafted match offset of 0 makes the library copy what the output held before.
    let memory = Memory(zeroed: rawLength)
    let written = stored.withUnsafeBytes { source in
      // SAFETY: `LZ4_decompress_safe` stays inside both buffers whatever the input is.
      LZ4_decompress_safe(
        source.baseAddress?.assumingMemoryBound(to: CChar.self),
        memory.base.assumingMemoryBound(to: CChar.self), Int32(source.count), Int32(rawLength))
    }
    guard written == rawLength else {
      // A failed decode leaves fresh memory behind, never another payload's bytes; it is dropped.
      throw FormatError(.badCompression, "the payload does not decode to \(rawLength) bytes")
    }
    return Bytes(memory)
  }

  /// The version of the library, for `varve --version`.
  package static var libraryVersion: String { String(cString: LZ4_versionString()) }
}
