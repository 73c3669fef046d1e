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
    guard stored.withUnsafeBytes({ hasNoZeroMatch($0) }) else {
      throw FormatError(.badCompression, "a match of the compressed payload has the offset 0")
    }
    // Every byte is written: matches reach back into what was decoded.
    let memory = Memory(count: rawLength)
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

  /// Whether no match has the offset 0, which the library takes for a copy of what the output held
  /// before: bytes that no file says.
  ///
  /// A block that ends too early has no zero match here; decoding it fails.
  static func hasNoZeroMatch(_ block: UnsafeRawBufferPointer) -> Bool {
    guard let base = block.baseAddress else { return true }
    let count = block.count
    var index = 0
    while index < count {
      // SAFETY: every index is compared with `count` before its byte is loaded.
      let token = base.load(fromByteOffset: index, as: UInt8.self)
      index &+= 1
      var literals = Int(token >> 4)
      if literals == 15 {
        var more: UInt8 = 255
        while more == 255, index < count {
          more = base.load(fromByteOffset: index, as: UInt8.self)
          literals &+= Int(more)
          index &+= 1
        }
      }
      // At most 255 times the block's bytes: no overflow.
      index &+= literals
      guard index &+ 2 <= count else { return true }
      if base.loadUnaligned(fromByteOffset: index, as: UInt16.self) == 0 { return false }
      index &+= 2
      if token & 15 == 15 {
        var more: UInt8 = 255
        while more == 255, index < count {
          more = base.load(fromByteOffset: index, as: UInt8.self)
          index &+= 1
        }
      }
    }
    return true
  }

  /// The version of the library, for `varve --version`.
  package static var libraryVersion: String { String(cString: LZ4_versionString()) }
}
