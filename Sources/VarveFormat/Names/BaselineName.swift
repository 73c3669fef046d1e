// Names of baseline files. Strict: anything else is not ours and is never touched.

/// The name of a baseline in `base/`: `<generation:10>-<hash:16>.vbase`.
package struct BaselineName: Hashable, Sendable {
  package let generation: UInt64
  /// The first 16 digits of the content hash; the superblock has the same number.
  package let hash: UInt64

  package init(generation: UInt64, hash: UInt64) {
    self.generation = generation
    self.hash = hash
  }

  package init(generation: UInt64, contentHash: Hash128) {
    self.init(generation: generation, hash: contentHash.high)
  }

  package init?(_ name: String) {
    guard name.utf8.count == 33, name.hasSuffix(".vbase") else { return nil }
    let parts = name.dropLast(6).split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].utf8.count == 10, parts[1].utf8.count == 16,
      let generation = parseHexadecimal(parts[0]), let hash = parseHexadecimal(parts[1])
    else { return nil }
    self.init(generation: generation, hash: hash)
  }
}

extension BaselineName: CustomStringConvertible {
  package var description: String {
    "\(hexadecimal(generation, width: 10))-\(hexadecimal(hash)).vbase"
  }
}
