// One group's worth of a column in memory (Q35): contiguous, byte-aligned, as narrow as its numbers
// allow.

/// Up to 4,096 numbers in a frame of reference.
///
/// A cell's word is `base + scale * (raw - (isNullable ? 1 : 0))` modulo 2^64; in a nullable chunk
/// raw 0 is nil. The memory belongs to the `ColumnBlock` that made the chunk.
package struct Chunk: @unchecked Sendable {
  /// Bytes of a raw number: 0 (all raw numbers are 0), 1, 2, 4 or 8.
  package let width: UInt8
  package let isNullable: Bool
  package let rows: UInt16
  package let base: UInt64
  package let scale: UInt64
  /// The raw numbers; meaningless when `width` is 0.
  package let pointer: UnsafeRawPointer

  @inline(__always)
  package func raw(_ row: Int) -> UInt64 {
    // SAFETY: `pointer` holds `rows * width` bytes, and `row < rows` is the caller's promise.
    switch width {
    case 0: 0
    case 1: UInt64(pointer.load(fromByteOffset: row, as: UInt8.self))
    case 2: UInt64(pointer.load(fromByteOffset: row &* 2, as: UInt16.self))
    case 4: UInt64(pointer.load(fromByteOffset: row &* 4, as: UInt32.self))
    default: pointer.load(fromByteOffset: row &* 8, as: UInt64.self)
    }
  }

  /// The word of a row, or nil.
  @inline(__always)
  package func word(_ row: Int) -> UInt64? {
    let raw = raw(row)
    if isNullable {
      return raw == 0 ? nil : base &+ scale &* (raw &- 1)
    }
    return base &+ scale &* raw
  }
}
