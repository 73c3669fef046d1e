// Compares sealed segments with the hashes in their names.

import Varve
import VarveFormat

/// The name of a sealed segment ends with a hash of the whole file (Formats/README.md section 5).
enum SealedNames {
  /// Bytes that are read at a time.
  private static let pieceBytes = 4 << 20

  /// A finding for each sealed segment that is not the file that its name stands for.
  ///
  /// Files with damage in `known` findings are left out: that they changed is known.
  static func findings(
    _ places: [SegmentPlace], disk: any Disk, known: [Finding]
  ) throws -> [Finding] {
    let damaged = Set(known.filter { $0.severity == .corruption }.map(\.file))
    let checked = places.filter { $0.isSealed && !damaged.contains($0.path) }
    let found = try Parallel.map(checked.count) { (index: Int) throws(any Error) in
      try finding(checked[index], disk: disk)
    }
    return found.compactMap { $0 }
  }

  private static func finding(_ place: SegmentPlace, disk: any Disk) throws -> Finding? {
    guard case .sealed(_, _, let stated)? = SegmentName(place.path.lastPathComponent) else {
      return nil
    }
    let file = try FileSource.open(disk, place.segment.file)
    defer { file.close() }
    var hash = StreamHash()
    var offset: UInt64 = 0
    while offset < file.length {
      let piece = try file.read(offset, min(pieceBytes, Int(file.length - offset)))
      guard piece.count > 0 else { break }
      hash.update(piece)
      offset += UInt64(piece.count)
    }
    let actual = hash.finish()
    guard actual != stated else { return nil }
    return Finding(
      "wrongFile", .corruption, file: place.path,
      "the name says hash \(hexadecimal(stated)), the file has \(hexadecimal(actual))",
      fix: "if verify finds nothing else, the file is another one than was sealed here; look for "
        + "the right one, or recover the store")
  }
}
