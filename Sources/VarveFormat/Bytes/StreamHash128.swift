// A hash over more bytes than one wants to hold at once.

import CXXHash

/// XXH3-128 of input that comes in pieces; the same as `Checksum.hash128` of all pieces together.
package struct StreamHash128: ~Copyable {
  private let state: UnsafeMutableRawPointer

  package init() {
    guard let state = varve_hash128_start() else {
      preconditionFailure("out of memory for the state of a hash")
    }
    self.state = state
  }

  deinit { _ = varve_hash128_end(state) }

  package mutating func add(_ bytes: UnsafeRawBufferPointer) {
    // SAFETY: the state is owned by this value, and the library reads `bytes.count` bytes.
    varve_hash128_add(state, bytes.baseAddress, bytes.count)
  }

  /// The hash of everything that was added.
  package consuming func finish() -> Hash128 {
    let hash = varve_hash128_end(state)
    discard self
    return Hash128(low: hash.low, high: hash.high)
  }
}
