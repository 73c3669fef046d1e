// The bytes of one commit group: small pieces in one buffer, large ones where they are.

/// What a segment encoder produced since the last group, ready for one vectored write.
package struct GroupOutput: ~Copyable {
  private var writer = ByteWriter(capacity: 4_096)
  /// Payloads that are not copied, each with the buffer position in front of which it belongs.
  private var external: [(position: Int, bytes: Bytes)] = []
  package private(set) var count = 0

  /// Payloads from this size on are written from where they are.
  private static let externalBytesMin = 8_192

  package init() {}

  /// Appends bytes: small ones are copied, large ones stay where they are.
  mutating func append(_ bytes: Bytes) {
    if bytes.count >= GroupOutput.externalBytesMin {
      external.append((writer.count, bytes))
    } else {
      writer.bytes(bytes)
    }
    count += bytes.count
  }

  /// Appends a copy of what another writer holds.
  mutating func append(copying other: borrowing ByteWriter) {
    other.withUnsafeBytes { writer.bytes($0) }
    count += other.count
  }

  /// Appends zeros.
  mutating func zeros(_ length: Int) {
    writer.zeros(length)
    count += length
  }

  /// Appends what `body` writes, and returns what it returns.
  mutating func write<R>(_ body: (inout ByteWriter) -> R) -> R {
    let start = writer.count
    let result = body(&writer)
    count += writer.count - start
    return result
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
        if position > start {
          pieces.append(UnsafeRawBufferPointer(rebasing: all[start..<position]))
        }
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
