// The bytes of one commit group: small frames in one buffer, large payloads where they are.

/// What a segment encoder produced since the last group, ready for one vectored write.
package struct GroupOutput: ~Copyable {
  private var writer = ByteWriter(capacity: 4_096)
  /// Payloads that are not copied, each with the buffer position in front of which it belongs.
  private var external: [(position: Int, bytes: Bytes)] = []
  package private(set) var count = 0

  /// Payloads from this size on are written from where they are.
  private static let externalBytesMin = 8_192

  package init() {}

  mutating func frame(
    _ header: FrameHeader, offset: UInt64, salt: UInt64, stored: Bytes
  ) {
    stored.withUnsafeBytes { header.write(into: &writer, offset: offset, salt: salt, stored: $0) }
    if stored.count >= GroupOutput.externalBytesMin {
      external.append((writer.count, stored))
    } else {
      writer.bytes(stored)
    }
    let padding = header.frameBytes - FrameHeader.byteCount - stored.count
    writer.zeros(padding)
    count += header.frameBytes
  }

  /// Frames a payload that is copied.
  mutating func frame(
    _ header: FrameHeader, offset: UInt64, salt: UInt64, copying stored: UnsafeRawBufferPointer
  ) {
    header.write(into: &writer, offset: offset, salt: salt, stored: stored)
    writer.bytes(stored)
    writer.zeros(header.frameBytes - FrameHeader.byteCount - stored.count)
    count += header.frameBytes
  }

  mutating func append(_ bytes: Bytes) {
    writer.bytes(bytes)
    count += bytes.count
  }

  /// The pieces in order, valid inside `body`.
  package func withPieces<R, E: Error>(_ body: ([UnsafeRawBufferPointer]) throws(E) -> R) throws(E)
    -> R
  {
    defer { withExtendedLifetime(external) {} }
    return try writer.withUnsafeBytes { (all: UnsafeRawBufferPointer) throws(E) -> R in
      var pieces: [UnsafeRawBufferPointer] = []
      var start = 0
      for (position, bytes) in external {
        if position > start { pieces.append(UnsafeRawBufferPointer(rebasing: all[start..<position])) }
        // SAFETY: `external` keeps the payloads alive until `body` returned.
        pieces.append(UnsafeRawBufferPointer(start: bytes.pointer, count: bytes.count))
        start = position
      }
      if start < all.count { pieces.append(UnsafeRawBufferPointer(rebasing: all[start...])) }
      return try body(pieces)
    }
  }

  /// A copy of everything, for tests and small files.
  package var bytes: [UInt8] {
    withPieces { pieces in pieces.flatMap { [UInt8]($0) } }
  }

  package mutating func removeAll() {
    writer.removeAll()
    external.removeAll(keepingCapacity: true)
    count = 0
  }
}
