// Makes checksums right again after bytes were changed, so that what stands behind them is reached.
// Layer: test support.

import VarveFormat

/// Recomputes checks and hashes in place.
package enum Reseal {
  /// The number in eight little-endian bytes.
  static func stored(_ value: UInt64, _ count: Int = 8) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
  }

  static func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> UInt64 {
    (0..<count).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) }
  }

  /// A file header whose check matches.
  package static func fileHeader(_ bytes: [UInt8]) -> Bytes {
    var bytes = bytes
    let check = Checksum.hash64(seed: 0, Bytes(Array(bytes[..<120])))
    bytes.replaceSubrange(120..<128, with: stored(check))
    return Bytes(bytes)
  }

  /// A slot of the superblock whose check matches.
  package static func superblock(_ bytes: [UInt8], slot: Int) -> [UInt8] {
    var bytes = bytes
    let check = Checksum.hash64(seed: UInt64(slot), Bytes(Array(bytes[..<248])))
    bytes.replaceSubrange(248..<256, with: stored(check))
    return bytes
  }

  /// Makes header check and hash of the frame at `offset` match the bytes there, as far as they go.
  package static func frame(_ file: inout [UInt8], at offset: Int, salt: UInt64) {
    guard offset + 40 <= file.count else { return }
    let covered = Bytes(Array(file[offset + 4..<offset + 32]))
    let seed = Checksum.hash64(seed: salt ^ UInt64(offset), covered)
    file.replaceSubrange(offset..<offset + 4, with: stored(seed, 4))
    let stored = Int(number(file, offset + 8, 4))
    let end = min(offset + 40 + stored, file.count)
    let hash = Checksum.hash64(seed: seed, Bytes(Array(file[offset + 40..<end])))
    file.replaceSubrange(offset + 32..<offset + 40, with: Reseal.stored(hash))
  }

  /// The salt that a file's header states.
  package static func salt(_ file: [UInt8]) -> UInt64 { number(file, 72, 8) }
}
