// Output that cannot be written: what a command has done by then, its exit code must tell.

import Testing
import VarveTestSupport

@testable import VarveTool

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("Commands: output that cannot be written")
struct BrokenOutputTests {
  /// Runs the tool with streams of its own; words that start with `@` are paths of the fixture.
  private func run(
    _ fixture: CommandFixture, _ words: [String], output: OutputWriter = .memory(),
    errors: OutputWriter = .memory()
  ) -> (code: ExitCode, errors: String) {
    let arguments = words.map { $0.hasPrefix("@") ? fixture.path(String($0.dropFirst())) : $0 }
    let code = VarveTool.run(
      table: .varve, arguments: arguments, environment: ["COLUMNS": "80"], output: output,
      errors: errors)
    return (code, errors.memoryText)
  }

  private func full() throws -> OutputWriter {
    try OutputWriter(creating: "/dev/full", replacing: true)
  }

  /// A pipe that nobody reads.
  private func closedPipe() -> OutputWriter {
    signal(SIGPIPE, SIG_IGN)
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    close(ends[0])
    return OutputWriter(descriptor: ends[1])
  }

  @Test("an import whose report cannot be written says that it is committed, and ends with 9")
  func report() throws {
    try CommandFixture.run { fixture in
      try fixture.write("t.csv", "a:integer\n1\n2\n")
      let words = ["import", "csv", "@t.csv", "--into", "@store", "--json"]
      let first = run(fixture, words, output: try full())
      #expect(first.code == .partialSuccess)
      #expect(first.errors.contains("\"file\":\"/dev/full\",\"offset\":0"))
      #expect(first.errors.contains("the import is committed (transactions 1); do not repeat it"))
      let second = run(fixture, words + ["--batch", "1"], output: try full())
      #expect(second.errors.contains("committed (transactions 2 to 3)"), "\(second.errors)")
      #expect(fixture.tool("log", "@store", "--count").output == "3\n")
      let silent = run(fixture, words, errors: try full())
      #expect(silent.code == .partialSuccess)
      #expect(fixture.tool("log", "@store", "--count").output == "4\n")
    }
  }

  @Test("a failure of a later source tells what was committed before")
  func laterSource() throws {
    try CommandFixture.run { fixture in
      try fixture.write("good.csv", "a\n1\n")
      try fixture.write("bad.csv", [UInt8]("a\n1\n".utf8) + [0xFF, 0, 0xFE])
      try fixture.write("bad.csv.gz", [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3])
      let words = ["import", "csv", "@good.csv", "@bad.csv.gz", "--into", "@store"]
      let both = run(fixture, words)
      #expect(both.code == .partialSuccess)
      #expect(both.errors.contains("a part of the import is committed (transactions 1) and stays"))
      #expect(fixture.tool("log", "@store", "--count").output == "1\n")
      // Nothing of this one is committed, so that 2 is the truth.
      let alone = run(fixture, ["import", "csv", "@bad.csv.gz", "--into", "@store"])
      #expect(alone.code == .operationalFailure)
      #expect(!alone.errors.contains("committed"))
    }
  }

  @Test("a dry run, and a command that only reads, end with 2")
  func readers() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      let dry = ["import", "csv", "@trains.csv", "--into", "@store", "--dry-run", "--json"]
      for words in [
        dry, ["info", "@store"], ["verify", "@store"], ["recover", "@store", "--dry-run"],
      ] {
        let ended = run(fixture, words, output: try full())
        #expect(ended.code == .operationalFailure, "\(words)")
        #expect(!ended.errors.contains("committed"))
      }
    }
  }

  @Test("a recovery whose result cannot be printed says that the new store is there")
  func recovery() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      let ended = run(fixture, ["recover", "@store", "-o", "@new"], output: try full())
      #expect(ended.code == .partialSuccess)
      #expect(ended.errors.contains("the recovered store is complete: "))
      #expect(fixture.tool("verify", "@new").code == 0)
    }
  }

  @Test("a closed pipe is quiet, and rejected rows are still told by the exit code")
  func pipes() throws {
    try CommandFixture.run { fixture in
      try fixture.write("t.csv", "a:integer\n1\nx\n")
      let words = ["import", "csv", "@t.csv", "--into", "@store", "--json", "--quiet"]
      let ended = run(fixture, words, output: closedPipe())
      #expect(ended.code == .partialSuccess)
      #expect(ended.errors.isEmpty)
      #expect(run(fixture, ["info", "@store"], output: closedPipe()).code == .done)
    }
  }
}
