// XXH3-64 in pieces, for files that are larger than memory should be.

import CXXHash

/// Hashes bytes that come in pieces; the result equals that of one call over all of them.
package struct StreamHash: ~Copyable {
  private let state: OpaquePointer

  package init() {
    guard let state = varve_stream_new() else { preconditionFailure("out of memory") }
    self.state = state
  }

  deinit { varve_stream_free(state) }

  package mutating func update(_ bytes: Bytes) {
    // SAFETY: the library reads exactly `count` bytes, which `withUnsafeBytes` keeps alive.
    bytes.withUnsafeBytes { varve_stream_update(state, $0.baseAddress, $0.count) }
  }

  /// The hash with seed 0.
  package consuming func finish() -> UInt64 { varve_stream_digest(state) }
}
