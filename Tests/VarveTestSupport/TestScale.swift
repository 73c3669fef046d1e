// How much random tests do, and from which seed. Layer: test support.

import Foundation

/// The environment of a test run.
package enum TestScale {
  /// `VARVE_TEST_SCALE`: 1 by default, which is short enough for every run.
  package static let factor: Int = {
    let text = ProcessInfo.processInfo.environment["VARVE_TEST_SCALE"] ?? ""
    return max(1, Int(text) ?? 1)
  }()

  /// Every how manieth place a sweep visits: code that is not optimised takes 20 times as long, so
  /// that a short run visits some places there, and all of them in a release build.
  package static var stride: Int {
    #if DEBUG
      factor == 1 ? 4 : 1
    #else
      1
    #endif
  }

  /// `VARVE_SEED`: what all random choices of a run depend on.
  package static let seed: UInt64 = {
    let text = ProcessInfo.processInfo.environment["VARVE_SEED"] ?? ""
    return UInt64(text) ?? 1
  }()

  /// The words that every random test prints, so that a failure can be repeated.
  package static var note: String { "VARVE_SEED=\(seed) VARVE_TEST_SCALE=\(factor)" }

  /// Whether transcripts are written instead of compared.
  package static var isRecording: Bool {
    ProcessInfo.processInfo.environment["VARVE_RECORD"] == "1"
  }
}
