// Standard input as a source of bytes, for commands whose FILE is `-`.

import VarveFormat

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Reads standard input.
enum StandardInput {
  private static let pieceBytes = 256 << 10

  /// Everything up to the end, since dumps and frames need random access.
  ///
  /// - Throws: `unreadable` when the system cannot read.
  static func spooled(descriptor: Int32 = 0) throws(FormatError) -> MemorySource {
    var writer = ByteWriter(capacity: pieceBytes)
    while true {
      writer.reserve(pieceBytes)
      // SAFETY: `reserve` made room, `extend` claims it, and what was not filled is given back.
      let start = writer.count
      let count = systemRead(descriptor, writer.extend(pieceBytes), pieceBytes)
      writer.truncate(to: start + max(count, 0))
      if count > 0 { continue }
      if count == 0 { return MemorySource(writer.finish(), path: "-") }
      let number = errno
      if number == EINTR { continue }
      throw FormatError(
        .unreadable, "standard input cannot be read", path: "-", cause: SystemText.error(number))
    }
  }
}

private func systemRead(
  _ descriptor: Int32, _ target: UnsafeMutableRawPointer, _ count: Int
) -> Int {
  read(descriptor, target, count)
}
