// Hexadecimal examples in the documents are bytes of golden files.

import Foundation
import Testing
import VarveTestSupport

@Suite("Examples in the documents")
struct DocumentExampleTests {
  private struct Example {
    var file: String
    var offset: Int
    var bytes: [UInt8]
  }

  /// Blocks that start with three back quotes and `hex FILE@OFFSET`; what follows two blanks behind
  /// the bytes of a line is a remark.
  private func examples(_ text: String) -> [Example] {
    var found: [Example] = []
    var open: Example?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if let example = open {
        if line.hasPrefix("```") {
          found.append(example)
          open = nil
        } else {
          let bytes = line.split(separator: "  ", maxSplits: 1).first ?? ""
          open?.bytes += bytes.split(separator: " ").compactMap { UInt8($0, radix: 16) }
        }
      } else if line.hasPrefix("```hex ") {
        let place = line.dropFirst(7).split(separator: "@")
        let offset = place.count == 2 ? Int(place[1]) : nil
        open = Example(file: String(place[0]), offset: offset ?? -1, bytes: [])
      }
    }
    return found
  }

  @Test("every example equals the bytes at its place")
  func equal() throws {
    var count = 0
    for document in ["README", "Segment", "Transaction", "Superblock", "Baseline"] {
      let url = GoldenFiles.url("Formats/\(document).md")
      for example in examples(try String(contentsOf: url, encoding: .utf8)) {
        let file = try GoldenFiles.read(example.file)
        #expect(!example.bytes.isEmpty && example.offset >= 0)
        let end = min(example.offset + example.bytes.count, file.count)
        #expect(
          Array(file[max(example.offset, 0)..<end]) == example.bytes,
          "\(document).md, \(example.file)@\(example.offset)")
        count += 1
      }
    }
    #expect(count >= 2)
  }

  @Test("an example is found with its file, its offset and its bytes only")
  func parsing() throws {
    let text = "a\n```hex tiny.vlog@128\n0a ff  type\n01\n```\n```swift\n0b\n```\n"
    let found = examples(text)
    #expect(found.count == 1)
    let example = try #require(found.first)
    #expect(example.file == "tiny.vlog" && example.offset == 128)
    #expect(example.bytes == [0x0A, 0xFF, 0x01])
  }
}
