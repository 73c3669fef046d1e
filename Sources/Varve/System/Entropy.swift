// Random bytes for identifiers and nonces. Layer: System.
//
// Behind a protocol, so that tests get the same identifiers in every run.

/// A source of random bytes.
package protocol Entropy: Sendable {
  /// `count` random bytes.
  func bytes(_ count: Int) -> [UInt8]
  /// A random word.
  func uint64() -> UInt64
}

/// The operating system's source, good enough for identifiers that must never collide.
package struct SystemEntropy: Entropy {
  package init() {}

  package func bytes(_ count: Int) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(count)
    while result.count < count {
      let word = uint64()
      for index in 0..<min(8, count - result.count) {
        result.append(UInt8(truncatingIfNeeded: word >> UInt64(8 * index)))
      }
    }
    return result
  }

  package func uint64() -> UInt64 {
    var generator = SystemRandomNumberGenerator()
    return generator.next()
  }
}
