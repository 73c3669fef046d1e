// UTF-8 validation without building a string.

/// Checks UTF-8 in bulk: ASCII eight bytes at a time, the rest by the standard library.
enum UTF8Validation {
  static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    // SAFETY: every load ends at or before `bytes.count`.
    while index + 8 <= bytes.count,
      bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
    {
      index += 8
    }
    let rest = UnsafeRawBufferPointer(rebasing: bytes[index...])
    return rest.allSatisfy { $0 < 0x80 } || String(validating: rest, as: UTF8.self) != nil
  }
}
