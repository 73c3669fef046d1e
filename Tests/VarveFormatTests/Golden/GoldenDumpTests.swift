// What golden files print: the text is as fixed as the bytes.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Golden files: dumps")
struct GoldenDumpTests {
  private static let files = [
    "tiny.vlog", "operations.vlog", "columns.vlog", "open.vlog", "torn.vlog", "super.bin",
    "parted.vlog", "tiny.vbase", "state.vbase",
  ]

  /// `NAME.dump.txt` beside `NAME.vlog`, `NAME.vbase.dump.txt` beside `NAME.vbase`.
  private func dumpName(_ file: String) -> String {
    (file.hasSuffix(".vbase") ? file : String(file.prefix { $0 != "." })) + ".dump.txt"
  }

  private func dump(_ file: String) throws -> [String] {
    try DumpLines.text(Bytes(try GoldenFiles.read(file)), values: true)
  }

  @Test(
    "golden dumps are written once, and never by a normal run", .enabled(if: TestRun.isRecording))
  func record() throws {
    for file in GoldenDumpTests.files {
      let text = try dump(file).map { $0 + "\n" }.joined()
      try GoldenFiles.record(dumpName(file), Array(text.utf8))
    }
    try GoldenFiles.record(dumpName("tiny.vlog"), [])
    #expect(try !GoldenFiles.read(dumpName("tiny.vlog")).isEmpty)
  }

  @Test("a golden file prints what it always printed", arguments: files)
  func dumps(_ file: String) throws {
    let golden = try GoldenFiles.text(dumpName(file)).split(
      separator: "\n", omittingEmptySubsequences: false)
    let printed = try dump(file)
    #expect(printed.count == golden.count - 1)
    for (line, expected) in zip(printed, golden) { #expect(line == expected) }
  }
}
