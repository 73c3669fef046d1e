// Golden transcripts: text files that a test compares exactly. Layer: test support.

import Foundation

/// A text file beside the tests.
package struct Transcript {
  private let path: String

  /// The file of this name in a folder `Transcripts` beside the folder of the calling test.
  package init(_ name: String, file: String = #filePath) {
    let folder = URL(fileURLWithPath: file).deletingLastPathComponent().deletingLastPathComponent()
    path = folder.appendingPathComponent("Transcripts/\(name).txt").path
  }

  /// What the file holds; nil when there is none.
  package var recorded: String? { try? String(contentsOfFile: path, encoding: .utf8) }

  /// Writes the file when `VARVE_RECORD=1` says so, and returns what is to be expected.
  package func expected(_ actual: String) throws -> String? {
    if TestScale.isRecording {
      try actual.write(toFile: path, atomically: true, encoding: .utf8)
    }
    return recorded
  }
}
