// Where scanners read from: a file, or bytes in memory. VarveFormat itself opens no files.

/// Random access to the bytes of one file.
package protocol ByteSource: Sendable {
  /// The length when the source was opened.
  var length: UInt64 { get }
  /// The file's name for errors.
  var path: String? { get }
  /// Up to `count` bytes at `offset`; fewer only at the end.
  ///
  /// Throws `unreadable` when the system cannot read: an I/O error is never taken for damage.
  func read(_ offset: UInt64, _ count: Int) throws(FormatError) -> Bytes
  /// The same, into `spare` if that is of use: memory that nobody else knows.
  func read(_ offset: UInt64, _ count: Int, reusing spare: Memory?) throws(FormatError) -> Bytes
}

extension ByteSource {
  package func read(_ offset: UInt64, _ count: Int, reusing spare: Memory?) throws(FormatError)
    -> Bytes
  {
    try read(offset, count)
  }
}

/// A file that lies in memory.
package struct MemorySource: ByteSource {
  package let bytes: Bytes
  package let path: String?

  package init(_ bytes: Bytes, path: String? = nil) {
    self.bytes = bytes
    self.path = path
  }

  package var length: UInt64 { UInt64(bytes.count) }

  package func read(_ offset: UInt64, _ count: Int) throws(FormatError) -> Bytes {
    guard offset < length else { return .empty }
    return bytes.slice(Int(offset), min(count, bytes.count - Int(offset)))
  }
}
