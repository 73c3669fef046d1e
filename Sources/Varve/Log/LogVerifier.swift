// Checks logs without decoding what they say (Q57). Layer: Log.

import VarveFormat

/// How much is checked.
package enum VerifyLevel: String, Sendable, CaseIterable {
  /// Headers, seals, sizes.
  case quick
  /// Every frame hash, the chain, and the hash of every part.
  case normal
  /// All of that, and everything decoded and replayed.
  case full
}

/// Verifies segments, several at a time.
package enum LogVerifier {
  /// Reads every byte of the segments and checks frames, chain and part hashes.
  ///
  /// Results come in the order of the segments. A part whose hash does not match makes its segment
  /// corrupt.
  ///
  /// - Throws: `disk` and `tooNew`.
  package static func verify(_ disk: any Disk, _ segments: [CatalogSegment]) throws(LogError)
    -> [SegmentResult]
  {
    try Parallel.map(segments.count) { (index: Int) throws(LogError) in
      try LogReader(disk).read(
        segments[index],
        unit: { unit throws(FormatError) in try checkParts(unit) })
    }
  }

  /// Compares the raw bytes of every part with the hash that its transaction lists.
  package static func checkParts(_ unit: Unit) throws(FormatError) {
    guard !unit.parts.isEmpty else { return }
    let (header, _) = try unit.transactions[0].decoded(origin: unit.frame.offset)
    for (entry, part) in zip(header.parts, unit.parts) {
      guard Checksum.hash128(try part.payload()) == entry.hash else {
        throw FormatError(
          .badPart, "the raw bytes of a part do not have the listed hash", offset: part.offset)
      }
    }
  }
}
