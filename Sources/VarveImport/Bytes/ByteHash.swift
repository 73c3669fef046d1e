// Hashes of arrays.

import VarveFormat

enum ByteHash {
  /// XXH3-64 with seed 0.
  static func hash64(_ bytes: [UInt8]) -> UInt64 {
    // SAFETY: the pointer is used only inside the closure.
    bytes.withUnsafeBytes { Checksum.hash64(seed: 0, $0) }
  }
}
