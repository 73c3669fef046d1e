// A directory on the real disk that goes away with its owner. Layer: test support.

import Foundation

/// A directory for a test that hands it around.
package final class TestDirectory: Sendable {
  package let path: String

  package init(_ name: String = "varve") {
    let place = FileManager.default.temporaryDirectory
    path = place.appendingPathComponent("\(name)-\(UUID().uuidString)").path
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of something inside.
  package func file(_ name: String) -> String { "\(path)/\(name)" }
}
