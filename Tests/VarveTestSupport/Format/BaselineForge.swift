// Baseline files frame by frame, with hashes that are right and content that need not be.
// Layer: test support.

import VarveFormat

/// Builds files around any directory.
package struct BaselineForge {
  package private(set) var file: [UInt8]
  private let salt: UInt64
  private var seal = BaselineSeal(contentHash: .zero)

  /// A file that starts like that of a spec.
  package init(_ spec: BaselineSpec) {
    file = BaselineEncoder(store: spec.store, cut: spec.cut).header.encoded.array
    salt = Reseal.salt(file)
  }

  /// Appends a frame.
  package mutating func frame(
    _ type: UInt8, _ raw: [UInt8], sequence: UInt8 = 0, compresses: Bool = false
  ) {
    let compressed = compresses ? Compression.compressed(Bytes(raw))?.array : nil
    let stored = compressed ?? raw
    let start = file.count
    if type & 0x80 == 0, type != FrameType.seal.rawValue { seal.rawBytes += UInt64(raw.count) }
    if type == FrameType.directory.rawValue { seal.directories.append(UInt64(start)) }
    file += [0, 0, 0, 0, type, compressed == nil ? 0 : 1, 0, 0]
    file += Reseal.stored(UInt64(stored.count), 4) + Reseal.stored(UInt64(raw.count), 4)
    file += [sequence] + [UInt8](repeating: 0, count: 23) + stored
    file += [UInt8](repeating: 0, count: (8 - stored.count % 8) % 8)
    Reseal.frame(&file, at: start, salt: salt)
  }

  /// Appends SEAL and trailer.
  package mutating func end(
    contentHash: Hash128 = .zero, _ change: (inout BaselineSeal) -> Void = { _ in }
  ) {
    seal.contentHash = contentHash
    change(&seal)
    let offset = UInt64(file.count)
    frame(FrameType.seal.rawValue, seal.encoded.array)
    let trailer = Trailer(
      sealOffset: offset, fileLength: UInt64(file.count + Trailer.byteCount), chain: contentHash)
    file += trailer.encoded(salt: salt).array
  }

  /// What opening the file says.
  package func code() -> FormatError.Code? {
    do throws(FormatError) {
      try BaselineReader(MemorySource(Bytes(file))).verify()
      return nil
    } catch { return error.code }
  }
}
