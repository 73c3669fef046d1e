// A growing buffer for encoding. Little-endian always.

/// A growing block of memory that becomes `Bytes` when finished.
@usableFromInline
package struct ByteWriter: ~Copyable {
  @usableFromInline var base: UnsafeMutableRawPointer
  @usableFromInline var capacity: Int
  @usableFromInline package private(set) var count = 0

  package init(capacity: Int = 256) {
    self.capacity = max(capacity, 64)
    base = .allocate(byteCount: self.capacity + Memory.slackBytes, alignment: 16)
  }

  deinit { base.deallocate() }

  @inline(never)
  private mutating func grow(_ extra: Int) {
    let wanted = max(capacity * 2, count + extra)
    let larger = UnsafeMutableRawPointer.allocate(
      byteCount: wanted + Memory.slackBytes, alignment: 16)
    // SAFETY: both blocks hold at least `count` bytes and do not overlap.
    larger.copyMemory(from: base, byteCount: count)
    base.deallocate()
    base = larger
    capacity = wanted
  }

  /// Makes room for `extra` more bytes.
  @inline(__always)
  package mutating func reserve(_ extra: Int) {
    if count &+ extra > capacity { grow(extra) }
  }

  /// Appends room for `length` bytes and returns its address, valid until the next append.
  @inline(__always)
  package mutating func extend(_ length: Int) -> UnsafeMutableRawPointer {
    reserve(length)
    // SAFETY: `reserve` made room behind `count`.
    let pointer = base + count
    count &+= length
    return pointer
  }

  @inline(__always)
  private mutating func fixed<T: FixedWidthInteger>(_ value: T) {
    extend(MemoryLayout<T>.size).storeBytes(of: value.littleEndian, as: T.self)
  }

  package mutating func uint8(_ value: UInt8) { fixed(value) }
  package mutating func uint16(_ value: UInt16) { fixed(value) }
  package mutating func uint32(_ value: UInt32) { fixed(value) }
  package mutating func uint64(_ value: UInt64) { fixed(value) }
  package mutating func int64(_ value: Int64) { fixed(value) }

  package mutating func hash128(_ value: Hash128) {
    uint64(value.low)
    uint64(value.high)
  }

  package mutating func varint(_ value: UInt64) {
    reserve(10)
    var rest = value
    while rest >= 0x80 {
      // SAFETY: a varint has at most 10 bytes, which were reserved.
      (base + count).storeBytes(of: UInt8(truncatingIfNeeded: rest) | 0x80, as: UInt8.self)
      count &+= 1
      rest >>= 7
    }
    (base + count).storeBytes(of: UInt8(truncatingIfNeeded: rest), as: UInt8.self)
    count &+= 1
  }

  package mutating func varint(_ value: Int) { varint(UInt64(value)) }

  package mutating func zigzag(_ value: Int64) {
    varint(UInt64(bitPattern: (value &<< 1) ^ (value >> 63)))
  }

  package mutating func bytes(_ value: UnsafeRawBufferPointer) {
    guard let source = value.baseAddress, value.count > 0 else { return }
    // SAFETY: `extend` made room for `value.count` bytes, which cannot overlap the source.
    extend(value.count).copyMemory(from: source, byteCount: value.count)
  }

  package mutating func bytes(_ value: [UInt8]) { value.withUnsafeBytes { bytes($0) } }
  package mutating func bytes(_ value: Bytes) { value.withUnsafeBytes { bytes($0) } }

  package mutating func countedBytes(_ value: [UInt8]) {
    varint(value.count)
    bytes(value)
  }

  package mutating func text(_ value: String) {
    var copy = value
    copy.withUTF8 {
      varint($0.count)
      bytes(UnsafeRawBufferPointer($0))
    }
  }

  package mutating func zeros(_ length: Int) {
    extend(length).initializeMemory(as: UInt8.self, repeating: 0, count: length)
  }

  /// Appends zeros up to a multiple of `alignment`.
  package mutating func pad(to alignment: Int = 8) {
    let rest = count % alignment
    if rest != 0 { zeros(alignment - rest) }
  }

  /// Overwrites a byte that was appended earlier.
  package mutating func setUInt8(_ value: UInt8, at offset: Int) {
    precondition(offset >= 0 && offset < count, "only bytes that were appended")
    base.storeBytes(of: value, toByteOffset: offset, as: UInt8.self)
  }

  /// Overwrites four bytes that were appended earlier.
  package mutating func setUInt32(_ value: UInt32, at offset: Int) {
    precondition(offset >= 0 && offset + 4 <= count, "only bytes that were appended")
    base.storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt32.self)
  }

  /// Overwrites eight bytes that were appended earlier.
  package mutating func setUInt64(_ value: UInt64, at offset: Int) {
    precondition(offset >= 0 && offset + 8 <= count, "only bytes that were appended")
    base.storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt64.self)
  }

  /// Forgets the bytes and keeps the memory.
  package mutating func removeAll() { count = 0 }

  /// Forgets all but the first `length` bytes.
  package mutating func truncate(to length: Int) {
    precondition(length >= 0 && length <= count, "only bytes that were appended")
    count = length
  }

  /// The bytes so far, valid until the next append.
  package func withUnsafeBytes<R, E: Error>(
    _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    try body(UnsafeRawBufferPointer(start: base, count: count))
  }

  /// Hands the bytes over without copying.
  package consuming func finish() -> Bytes {
    let pointer = base
    let length = count
    // SAFETY: the slack behind `capacity` was allocated; zeroing behind `count` stays inside it.
    (pointer + length).initializeMemory(as: UInt8.self, repeating: 0, count: Memory.slackBytes)
    discard self
    return Bytes(Memory(adopting: pointer, count: length))
  }
}
