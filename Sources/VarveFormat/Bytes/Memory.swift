// Owned memory and slices of it. The roots of all decoding: whatever is adopted keeps its owner
// alive.

/// A block of memory that is written once and then shared.
///
/// Eight and more bytes behind `count` can be read (they hold zeros or garbage), so that unpacking
/// may load whole words at the end.
@usableFromInline
package final class Memory: @unchecked Sendable {
  /// Readable bytes behind the end.
  @usableFromInline package static let slackBytes = 64

  @usableFromInline package let base: UnsafeMutableRawPointer
  @usableFromInline package let count: Int

  /// Allocates `count` bytes, not initialised, aligned to 16.
  @inlinable package init(count: Int) {
    precondition(count >= 0, "memory sizes are checked by the caller")
    base = .allocate(byteCount: count + Memory.slackBytes, alignment: 16)
    self.count = count
    // SAFETY: the slack lies inside the allocation made above.
    (base + count).initializeMemory(as: UInt8.self, repeating: 0, count: Memory.slackBytes)
  }

  /// Allocates `count` zero bytes.
  package convenience init(zeroed count: Int) {
    self.init(count: count)
    // SAFETY: `count` bytes were just allocated.
    base.initializeMemory(as: UInt8.self, repeating: 0, count: count)
  }

  @inlinable package init(adopting base: UnsafeMutableRawPointer, count: Int) {
    self.base = base
    self.count = count
  }

  @inlinable deinit { base.deallocate() }
}

/// A slice of shared memory.
@usableFromInline
package struct Bytes: @unchecked Sendable {
  @usableFromInline package let owner: Memory
  @usableFromInline package let start: Int
  @usableFromInline package let count: Int

  @inlinable package init(_ owner: Memory, start: Int = 0, count: Int) {
    precondition(start >= 0 && count >= 0 && start <= owner.count - count, "slice out of bounds")
    self.owner = owner
    self.start = start
    self.count = count
  }

  /// All of `memory`.
  @inlinable package init(_ memory: Memory) {
    self.init(memory, start: 0, count: memory.count)
  }

  /// A copy of `bytes`.
  package init(copying bytes: UnsafeRawBufferPointer) {
    let memory = Memory(count: bytes.count)
    // SAFETY: both sides hold `bytes.count` bytes, and a fresh allocation overlaps nothing.
    if let source = bytes.baseAddress {
      memory.base.copyMemory(from: source, byteCount: bytes.count)
    }
    self.init(memory)
  }

  package init(_ bytes: [UInt8]) {
    self = bytes.withUnsafeBytes { Bytes(copying: $0) }
  }

  /// No bytes.
  package static let empty = Bytes(Memory(count: 0))

  /// A slice of this slice; out of bounds is a programming error.
  @inlinable package func slice(_ offset: Int, _ length: Int) -> Bytes {
    precondition(offset >= 0 && length >= 0 && offset <= count - length, "slice out of bounds")
    return Bytes(owner, start: start + offset, count: length)
  }

  /// The address of the first byte.
  ///
  /// Valid as long as `owner` lives.
  @inlinable package var pointer: UnsafeRawPointer { UnsafeRawPointer(owner.base + start) }

  @inlinable package func withUnsafeBytes<R, E: Error>(
    _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    // SAFETY: `owner` is alive until the body returned, and the slice lies inside it.
    defer { withExtendedLifetime(owner) {} }
    return try body(UnsafeRawBufferPointer(start: pointer, count: count))
  }

  /// Reads the bytes with a cursor.
  ///
  /// `origin` is the file offset of the first byte, for errors.
  @inlinable package func read<R, E: Error>(
    origin: UInt64 = 0, _ body: (inout ByteReader) throws(E) -> R
  ) throws(E) -> R {
    defer { withExtendedLifetime(owner) {} }
    var reader = ByteReader(UnsafeRawBufferPointer(start: pointer, count: count), origin: origin)
    return try body(&reader)
  }

  /// A copy as an array.
  package var array: [UInt8] { withUnsafeBytes { [UInt8]($0) } }

  /// Whether all bytes are zero.
  package var isZero: Bool { withUnsafeBytes { isAllZero($0) } }
}

extension Bytes: Equatable {
  @usableFromInline package static func == (a: Bytes, b: Bytes) -> Bool {
    a.count == b.count && compareBytes(a.pointer, b.pointer, a.count) == 0
  }
}

/// Whether all bytes are zero, eight at a time.
package func isAllZero(_ bytes: UnsafeRawBufferPointer) -> Bool {
  var index = 0
  // SAFETY: every load ends at or before `bytes.count`.
  while index + 8 <= bytes.count {
    if bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) != 0 { return false }
    index += 8
  }
  while index < bytes.count {
    if bytes[index] != 0 { return false }
    index += 1
  }
  return true
}

extension Memory {
  /// Bytes that `fill` writes; it returns how many.
  ///
  /// They lie in `spare` when that is large enough, else in fresh memory. Nobody else may know
  /// `spare`: what it held is overwritten.
  package static func filled<E: Error>(
    count: Int, reusing spare: Memory? = nil,
    _ fill: (UnsafeMutableRawBufferPointer) throws(E) -> Int
  ) throws(E) -> Bytes {
    let memory: Memory
    if let spare, spare.count >= count { memory = spare } else { memory = Memory(count: count) }
    // SAFETY: the buffer lies inside the allocation, and `fill` returns before it is shared.
    let filled = try fill(UnsafeMutableRawBufferPointer(start: memory.base, count: count))
    return Bytes(memory, count: min(filled, count))
  }
}
