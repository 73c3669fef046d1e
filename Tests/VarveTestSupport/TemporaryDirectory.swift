// A directory of the real file system that lives as long as a test. Layer: test support.

import Foundation

/// Runs `body` with the path of a new, empty directory and removes it afterwards.
package func withTemporaryDirectory<Result>(
  _ body: (_ path: String) throws -> Result
) throws -> Result {
  let path = FileManager.default.temporaryDirectory
    .appendingPathComponent("varve-\(UUID().uuidString)").path
  try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  defer { try? FileManager.default.removeItem(atPath: path) }
  return try body(path)
}
