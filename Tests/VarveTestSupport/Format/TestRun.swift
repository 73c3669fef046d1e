// How long random tests run and with which numbers. Layer: test support.

import Foundation

/// The scale and the seed of a run.
package enum TestRun {
  /// Rounds of random tests are multiplied by `VARVE_TEST_SCALE`.
  package static let scale: Int = {
    let text = ProcessInfo.processInfo.environment["VARVE_TEST_SCALE"] ?? ""
    return max(Int(text) ?? 1, 1)
  }()

  /// The seed of every random test: `VARVE_SEED`, or a new one.
  package static let seed: UInt64 = {
    let text = ProcessInfo.processInfo.environment["VARVE_SEED"] ?? ""
    return UInt64(text) ?? UInt64.random(in: 1..<1_000_000_000)
  }()

  /// A generator for one test, whose seed is printed.
  package static func random(_ test: String = #function) -> FormatRandom {
    print("\(test): VARVE_SEED=\(seed) VARVE_TEST_SCALE=\(scale)")
    return FormatRandom(seed: seed)
  }

  /// Whether golden files are to be written: `VARVE_RECORD=1`.
  package static let isRecording = ProcessInfo.processInfo.environment["VARVE_RECORD"] == "1"
}
