// The bytes of one field, as a view into a tokenizer's memory.

import VarveFormat

/// A field of the current row.
///
/// Valid until the tokenizer goes on; never stored.
struct FieldBytes {
  private let base: UnsafePointer<UInt8>
  let count: Int
  /// Whether the field stood in quotes.
  let isQuoted: Bool

  @inline(__always)
  init(base: UnsafePointer<UInt8>, count: Int, isQuoted: Bool) {
    self.base = base
    self.count = count
    self.isQuoted = isQuoted
  }

  @inline(__always)
  subscript(index: Int) -> UInt8 {
    precondition(index >= 0 && index < count, "a byte outside of its field")
    // SAFETY: `base` has `count` bytes, and `index` was checked.
    return base[index]
  }

  /// The field without its first `length` bytes.
  @inline(__always)
  func dropping(_ length: Int) -> FieldBytes {
    precondition(length >= 0 && length <= count, "more bytes than the field has")
    // SAFETY: the result lies inside the field.
    return FieldBytes(base: base + length, count: count - length, isQuoted: isQuoted)
  }

  /// Whether the bytes are these.
  func equals(_ bytes: [UInt8]) -> Bool {
    guard bytes.count == count else { return false }
    // SAFETY: both sides have `count` bytes.
    return bytes.withUnsafeBufferPointer { other in
      other.baseAddress.map { compareBytes(base, $0, count) == 0 } ?? true
    }
  }

  /// Whether the bytes are those of `word` in lower, upper or mixed case.
  func equalsIgnoringCase(_ word: StaticString) -> Bool {
    guard word.utf8CodeUnitCount == count else { return false }
    for index in 0..<count {
      // SAFETY: both sides have `count` bytes.
      if base[index] | 0x20 != word.utf8Start[index] { return false }
    }
    return true
  }

  /// Appends the bytes.
  @inline(__always)
  func append(to heap: inout [UInt8]) {
    // SAFETY: `base` has `count` bytes, which the array does not own.
    heap.append(contentsOf: UnsafeBufferPointer(start: base, count: count))
  }

  /// A copy.
  var array: [UInt8] {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return bytes
  }

  /// The field as text for messages: at most 40 bytes of it.
  var excerpt: String {
    let shown = count <= 40 ? array : Array(array.prefix(37)) + Array("...".utf8)
    return String(decoding: shown, as: UTF8.self)
  }

  var text: String { String(decoding: array, as: UTF8.self) }
}
