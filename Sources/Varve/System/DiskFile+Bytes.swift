// Reads and writes of owned bytes, so that nobody above handles pointers. Layer: System.

import VarveFormat

extension DiskFile {
  /// Writes bytes at `offset`.
  package func write(_ bytes: Bytes, at offset: UInt64) throws(DiskError) {
    // SAFETY: the buffer is used only while `withUnsafeBytes` keeps it alive.
    try bytes.withUnsafeBytes { (buffer: UnsafeRawBufferPointer) throws(DiskError) in
      try write([buffer], at: offset)
    }
  }

  /// Writes everything that a group gathered, in one call.
  package func write(_ group: borrowing GroupOutput, at offset: UInt64) throws(DiskError) {
    // SAFETY: the pieces are used only while `withPieces` keeps them alive.
    try group.withPieces { (pieces: [UnsafeRawBufferPointer]) throws(DiskError) in
      if !pieces.isEmpty { try write(pieces, at: offset) }
    }
  }

  /// Up to `count` bytes at `offset`; fewer only at the end of the file.
  ///
  /// They lie in fresh memory, or in `spare`, which nobody else may know.
  package func read(_ offset: UInt64, _ count: Int, reusing spare: Memory? = nil)
    throws(DiskError) -> Bytes
  {
    // SAFETY: nobody else knows the memory of the buffer yet.
    try Memory.filled(count: count, reusing: spare) {
      (buffer: UnsafeMutableRawBufferPointer) throws(DiskError) in
      try read(into: buffer, at: offset)
    }
  }
}
