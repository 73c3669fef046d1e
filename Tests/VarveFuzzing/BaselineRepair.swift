// Makes the hashes of a baseline right after bytes were changed, so that the checks behind them are
// reached.

import VarveFormat
import VarveTestSupport

/// Repairs headers, frames and trailer.
enum BaselineRepair {
  static func reseal(_ file: inout [UInt8]) {
    guard file.count >= FileHeader.byteCount + Trailer.byteCount else { return }
    file.replaceSubrange(0..<8, with: FileHeader.magic)
    let header = Reseal.fileHeader(Array(file[..<FileHeader.byteCount]))
    file.replaceSubrange(0..<FileHeader.byteCount, with: header.array)
    let salt = Reseal.salt(file)
    var offset = FileHeader.byteCount
    var sealOffset = 0
    while offset + FrameHeader.byteCount <= file.count {
      let stored = Int(number(file, offset + 8, 4))
      let bytes = (FrameHeader.byteCount + stored + 7) / 8 * 8
      guard bytes <= file.count - offset else { break }
      Reseal.frame(&file, at: offset, salt: salt)
      if file[offset + 4] == FrameType.seal.rawValue { sealOffset = offset }
      offset += bytes
    }
    guard sealOffset > 0, offset + Trailer.byteCount <= file.count else { return }
    file.removeLast(file.count - offset - Trailer.byteCount)
    let payload = sealOffset + FrameHeader.byteCount
    let trailer = Trailer(
      sealOffset: UInt64(sealOffset), fileLength: UInt64(file.count),
      chain: Hash128(low: number(file, payload, 8), high: number(file, payload + 8, 8)))
    file.replaceSubrange(offset..., with: trailer.encoded(salt: salt).array)
  }

  /// The little-endian number of `count` bytes, 0 behind the end.
  private static func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> UInt64 {
    guard offset + count <= bytes.count else { return 0 }
    return (0..<count).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) }
  }
}
