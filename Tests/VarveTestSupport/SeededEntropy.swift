// Random numbers that are the same in every run. Layer: test support.

import Synchronization
import Varve

/// SplitMix64: a small generator with a period of 2^64, fit for tests and for nothing else.
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed
  }

  package mutating func next() -> UInt64 {
    // The algorithm is defined modulo 2^64.
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }
}

/// Entropy that depends on a seed alone.
package final class SeededEntropy: Entropy {
  private let generator: Mutex<SplitMix64>

  package init(seed: UInt64) {
    generator = Mutex(SplitMix64(seed: seed))
  }

  package func bytes(_ count: Int) -> [UInt8] {
    generator.withLock { generator in
      var result: [UInt8] = []
      result.reserveCapacity(count)
      while result.count < count {
        let word = generator.next()
        for index in 0..<min(8, count - result.count) {
          result.append(UInt8(truncatingIfNeeded: word >> UInt64(8 * index)))
        }
      }
      return result
    }
  }

  package func uint64() -> UInt64 {
    generator.withLock { $0.next() }
  }
}

/// Entropy that gives the same byte for ever, for golden files.
package struct FixedEntropy: Entropy {
  private let byte: UInt8

  package init(byte: UInt8 = 0) {
    self.byte = byte
  }

  package func bytes(_ count: Int) -> [UInt8] {
    Array(repeating: byte, count: count)
  }

  package func uint64() -> UInt64 {
    UInt64(byte) &* 0x0101_0101_0101_0101
  }
}
