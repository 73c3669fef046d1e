// Inputs that broke a law of the fuzzers once.

import Foundation
import Testing
import VarveFuzzing

@Suite("Findings of the fuzzers")
struct FindingTests {
  /// The bytes of a finding beside this file.
  private static func bytes(_ name: String, file: String = #filePath) throws -> [UInt8] {
    let folder = URL(fileURLWithPath: file).deletingLastPathComponent()
    return [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
  }

  @Test("a segment whose promise of durable bytes goes down again has no spec")
  func promiseTakenBack() throws {
    let bytes = try FindingTests.bytes("promise-taken-back.bin")
    // A law that does not hold ends the process.
    #expect(throws: Never.self) { bytes.withUnsafeBytes { Fuzzing.frames($0) } }
    #expect(bytes.count == 800)
  }
}
