// Golden files: where they lie, and how they are written once. Layer: test support.

import Foundation
import VarveFormat

/// Files under `Formats/Golden/v0` that the code must be able to read for ever.
package enum GoldenFiles {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// A file of the repository.
  package static func url(_ path: String) -> URL { root.appending(path: path) }

  package static func read(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: url("Formats/Golden/v0/\(name)")))
  }

  package static func text(_ name: String) throws -> String {
    String(decoding: try read(name), as: UTF8.self)
  }

  /// Writes a file that does not exist yet; one that does is kept.
  package static func record(_ name: String, _ bytes: [UInt8]) throws {
    let url = url("Formats/Golden/v0/\(name)")
    if FileManager.default.fileExists(atPath: url.path) {
      print("kept \(name)")
      return
    }
    try Data(bytes).write(to: url, options: .withoutOverwriting)
    print("recorded \(name), \(bytes.count) bytes")
  }

  /// Golden segments by the names of their files.
  package static let segments: [(name: String, spec: SegmentSpec)] = [
    ("tiny.vlog", GoldenSpecs.tiny), ("operations.vlog", GoldenSpecs.operations),
    ("columns.vlog", GoldenSpecs.columns), ("open.vlog", GoldenSpecs.open),
    ("parted.vlog", GoldenSpecs.parted),
  ]

  /// `torn.vlog`: the last group was written, its last sectors never reached the disk.
  package static func torn() throws -> [UInt8] {
    var bytes = try GoldenSpecs.torn.encoded().array
    bytes.replaceSubrange(1_024..., with: [UInt8](repeating: 0, count: bytes.count - 1_024))
    return bytes
  }

  /// `super.bin`: the older slot, then the newer one.
  package static var superblock: [UInt8] {
    GoldenSpecs.superblocks.flatMap { $0.encoded.array }
  }

  /// `tiny.hex` and its like: what stands in front of the lines, and the lines.
  package static func hex(
    _ file: [UInt8], name: String = "tiny.vlog", documents: String = "Segment.md and"
  ) -> String {
    let lines = SegmentAnnotation.text(SegmentAnnotation.spans(Bytes(file)))
    return (hexHeader(name, documents) + lines).map { $0 + "\n" }.joined()
  }

  /// The annotated dump of `tiny.vbase`.
  package static func baselineHex(_ file: [UInt8]) -> String {
    hex(file, name: "tiny.vbase", documents: "Baseline.md, Segment.md and")
  }

  private static func hexHeader(_ name: String, _ documents: String) -> [String] {
    [
      "# \(name), every byte.",
      "#",
      "# A line is an offset in eight hexadecimal digits, up to sixteen bytes, and what they are;",
      "# a field of more bytes goes on in lines without a meaning. Numbers are little-endian in "
        + "the",
      "# bytes and decimal in the meaning; hashes, chains, checks and stamps are printed as "
        + "numbers in",
      "# hexadecimal, identifiers in base32. Lines with `+` in front of the offset are the bytes "
        + "of a",
      "# compressed payload after decompression; they lie in no file. Names follow \(documents)",
      "# Transaction.md. Lines that start with `#` are no part of the dump.",
      "#",
    ]
  }
}
