// The cursor that all parsing goes through: knows its position, checks every length, never traps on
// data.

/// A cursor over bytes that somebody else keeps alive (`Bytes.read`).
///
/// Every read checks what is left first and throws `truncated` with the file offset. Values are
/// little-endian.
@usableFromInline
package struct ByteReader {
  @usableFromInline let base: UnsafeRawPointer?
  @usableFromInline package let count: Int
  @usableFromInline package private(set) var position = 0
  @usableFromInline let origin: UInt64
  /// Elements of lists that were counted so far, in this reader and those that it came from.
  @usableFromInline package private(set) var elements = 0

  @inlinable package init(_ bytes: UnsafeRawBufferPointer, origin: UInt64 = 0) {
    base = bytes.baseAddress
    count = bytes.count
    self.origin = origin
  }

  /// Nothing to read.
  package static var empty: ByteReader { ByteReader(UnsafeRawBufferPointer(start: nil, count: 0)) }

  /// Bytes not read yet.
  @inlinable package var remaining: Int { count &- position }
  /// Whether all bytes were read.
  @inlinable package var isAtEnd: Bool { position == count }
  /// The file offset of the next byte.
  @inlinable package var fileOffset: UInt64 { origin &+ UInt64(position) }

  @usableFromInline @inline(never)
  package func truncated(_ wanted: Int) -> FormatError {
    FormatError(
      .truncated, "\(wanted) bytes were expected and \(remaining) are left", offset: fileOffset)
  }

  /// An error at the cursor.
  @inline(never)
  package func error(_ code: FormatError.Code, _ message: String) -> FormatError {
    FormatError(code, message, offset: fileOffset)
  }

  @usableFromInline @inline(__always)
  mutating func advance(_ length: Int) throws(FormatError) -> UnsafeRawPointer {
    guard length >= 0, length <= remaining, let base else { throw truncated(length) }
    // SAFETY: `length` bytes from `position` lie inside the buffer.
    let pointer = base + position
    position &+= length
    return pointer
  }

  @usableFromInline @inline(__always)
  mutating func fixed<T: FixedWidthInteger>(_ type: T.Type) throws(FormatError) -> T {
    let pointer = try advance(MemoryLayout<T>.size)
    return T(littleEndian: pointer.loadUnaligned(as: T.self))
  }

  @inline(__always)
  package mutating func uint8() throws(FormatError) -> UInt8 { try fixed(UInt8.self) }
  @inline(__always)
  package mutating func uint16() throws(FormatError) -> UInt16 { try fixed(UInt16.self) }
  @inline(__always)
  package mutating func uint32() throws(FormatError) -> UInt32 { try fixed(UInt32.self) }
  @inline(__always)
  package mutating func uint64() throws(FormatError) -> UInt64 { try fixed(UInt64.self) }
  @inline(__always)
  package mutating func int64() throws(FormatError) -> Int64 { try fixed(Int64.self) }

  package mutating func hash128() throws(FormatError) -> Hash128 {
    let low = try uint64()
    return Hash128(low: low, high: try uint64())
  }

  /// An unsigned LEB128 number in its shortest form.
  package mutating func varint() throws(FormatError) -> UInt64 {
    var result: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = try fixed(UInt8.self)
      if shift == 63, byte > 1 { throw error(.badLength, "a varint exceeds 64 bits") }
      result |= UInt64(byte & 0x7F) &<< shift
      if byte < 0x80 {
        if byte == 0, shift > 0 { throw error(.badLength, "a varint is not in its shortest form") }
        return result
      }
      shift &+= 7
    }
  }

  /// A signed number in zigzag form.
  package mutating func zigzag() throws(FormatError) -> Int64 {
    let value = try varint()
    return Int64(bitPattern: (value >> 1) ^ (0 &- (value & 1)))
  }

  /// A varint that counts something and must not exceed `limit`.
  package mutating func count(
    max limit: Int, _ what: @autoclosure () -> String
  ) throws(FormatError) -> Int {
    let value = try varint()
    guard value <= UInt64(limit) else {
      throw error(.badLength, "\(what()): \(value) exceeds the limit of \(limit)")
    }
    return Int(value)
  }

  /// A varint that counts the elements of a list, each of which takes `smallest` bytes at least.
  ///
  /// All lists of a stream share `Limits.elementsMax`, so that few bytes cannot become much memory.
  package mutating func elementCount(
    max limit: Int = Limits.elementsMax, smallest: Int = 1, _ what: @autoclosure () -> String
  ) throws(FormatError) -> Int {
    let left = Limits.elementsMax - elements
    let count = try count(max: min(limit, left, remaining / smallest), what())
    elements += count
    return count
  }

  /// Goes on counting where a reader of a piece of this one ended.
  package mutating func adoptElements(of piece: ByteReader) { elements = piece.elements }

  /// A varint that must fit 32 bits.
  package mutating func varint32(_ what: @autoclosure () -> String) throws(FormatError) -> UInt32 {
    let value = try varint()
    guard let narrow = UInt32(exactly: value) else {
      throw error(.badLength, "\(what()): \(value) exceeds 32 bits")
    }
    return narrow
  }

  /// `length` bytes, copied.
  package mutating func bytes(_ length: Int) throws(FormatError) -> [UInt8] {
    let pointer = try advance(length)
    // SAFETY: `advance` made sure of `length` bytes.
    return [UInt8](UnsafeRawBufferPointer(start: pointer, count: length))
  }

  /// A varint byte count and that many bytes, copied.
  package mutating func countedBytes(max limit: Int = Limits.operationBytesMax)
    throws(FormatError) -> [UInt8]
  {
    try bytes(try count(max: min(limit, Limits.operationBytesMax), "byte count"))
  }

  /// A varint byte count and that much valid UTF-8.
  package mutating func text(max limit: Int = Limits.operationBytesMax) throws(FormatError)
    -> String
  {
    let raw = try countedBytes(max: limit)
    guard let string = String(validating: raw, as: UTF8.self) else {
      throw error(.badValue, "a text is not valid UTF-8")
    }
    return string
  }

  package mutating func skip(_ length: Int) throws(FormatError) { _ = try advance(length) }

  /// `length` bytes that must be zero.
  package mutating func zeros(_ length: Int) throws(FormatError) {
    let start = self
    let pointer = try advance(length)
    guard isAllZero(UnsafeRawBufferPointer(start: pointer, count: length)) else {
      throw start.error(.badPadding, "\(length) reserved bytes are not all zero")
    }
  }

  /// Whether the next `length` bytes, which are skipped, are all zero.
  package mutating func areZero(_ length: Int) throws(FormatError) -> Bool {
    let pointer = try advance(length)
    return isAllZero(UnsafeRawBufferPointer(start: pointer, count: length))
  }

  /// The bytes between two positions that were passed, as a buffer that lives as long as the
  /// reader's.
  package func passed(from start: Int) -> UnsafeRawBufferPointer {
    precondition(start >= 0 && start <= position, "only bytes that were read")
    // SAFETY: `start...position` was bounds-checked when it was read.
    return UnsafeRawBufferPointer(start: base.map { $0 + start }, count: position - start)
  }

  /// A reader over the next `length` bytes, which this one skips.
  package mutating func sub(_ length: Int) throws(FormatError) -> ByteReader {
    let offset = fileOffset
    let pointer = try advance(length)
    var piece = ByteReader(
      UnsafeRawBufferPointer(start: pointer, count: length), origin: offset)
    piece.elements = elements
    return piece
  }

  /// Requires that everything was read.
  package func finish(_ code: FormatError.Code, _ what: @autoclosure () -> String)
    throws(FormatError)
  {
    guard isAtEnd else { throw error(code, "\(what()): \(remaining) bytes are left over") }
  }
}
