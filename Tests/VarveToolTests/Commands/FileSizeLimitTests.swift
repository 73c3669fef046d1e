// A limit on the size of files (`ulimit -f`) is an error and not the end of the process.

import Foundation
import Testing
import Varve
import VarveTestSupport

@testable import VarveTool

@Suite("a limit on the size of files")
struct FileSizeLimitTests {
  /// Lets files of this process grow to so many bytes and no more.
  private static func limit(_ bytes: UInt64) {
    var limit = rlimit(rlim_cur: rlim_t(bytes), rlim_max: rlim_t.max)
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
  }

  /// 40,000 numbers that do not compress.
  private static var table: String {
    var generator = SplitMix64(seed: 1)
    return "a:integer\n"
      + (0..<40_000).map { _ in "\(Int64.random(in: .min ... .max, using: &generator))\n" }.joined()
  }

  @Test(
    "an import that passes it ends with 2 and leaves a store as it was, or none",
    arguments: [50_000, 280_000])
  func imports(bytes: Int) async throws {
    await #expect(processExitsWith: .success) { [bytes = bytes as Int] in
      VarveTool.ignoreSignals()
      try CommandFixture.run { fixture in
        try fixture.write("t.csv", FileSizeLimitTests.table)
        try fixture.makeStore("old")
        let before = try fixture.tool("hash", "@old", "--json").json["content"] as? String
        FileSizeLimitTests.limit(UInt64(bytes))
        let run = fixture.tool("import", "csv", "@t.csv", "--into", "@new")
        guard run.code == 2, run.errors.contains("ulimit -f"), !fixture.exists("new") else {
          print(run.errors)
          exit(1)
        }
        let second = fixture.tool("import", "csv", "@t.csv", "--into", "@old")
        guard second.code == 2, second.errors.contains("ulimit -f") else { exit(2) }
        FileSizeLimitTests.limit(1 << 40)
        let after = try fixture.tool("hash", "@old", "--json").json["content"] as? String
        guard after == before else { exit(3) }
        guard fixture.tool("import", "csv", "@t.csv", "--into", "@old").code == 0 else { exit(4) }
        guard [0, 4].contains(fixture.tool("verify", "--level", "full", "@old").code) else {
          exit(5)
        }
      }
    }
  }

  @Test("a recovery that passes it leaves no half copies")
  func recovery() async throws {
    await #expect(processExitsWith: .success) {
      VarveTool.ignoreSignals()
      try CommandFixture.run { fixture in
        try fixture.write("t.csv", FileSizeLimitTests.table)
        _ = fixture.tool("import", "csv", "@t.csv", "--into", "@old")
        for (offset, bytes) in [(2_000, 100_000), (300_000, 100_000), (300_000, 290_000)] {
          _ = fixture.tool("import", "csv", "@t.csv", "--into", "@old", "--into-damaged")
          try fixture.flip(try fixture.segments("old")[0], offset)
          FileSizeLimitTests.limit(UInt64(bytes))
          let run = fixture.tool("recover", "@old", "-o", "@new")
          FileSizeLimitTests.limit(1 << 40)
          guard run.code == 2 || run.code == 9, run.errors.contains("ulimit -f") else { exit(1) }
          for name in try fixture.contents("new").keys
          where name.hasSuffix(".tmp") || name.hasSuffix(".bin") && run.errors.contains(name) {
            exit(2)
          }
          try fixture.remove("new")
        }
      }
    }
  }

  @Test("a log goes on in a new segment when the limit allows that")
  func log() async throws {
    await #expect(processExitsWith: .success) {
      VarveTool.ignoreSignals()
      try CommandFixture.run { fixture in
        var options = LogOptions()
        options.reserveBytes = 4_096
        options.preallocation = .none
        let log = try Log.create(at: fixture.path("store"), disk: PosixDisk(), options: options)
        FileSizeLimitTests.limit(20_000)
        var refused = 0
        for number in 0..<100 {
          do {
            _ = try log.commit(try LogFixture.draft(number, padding: 500))
          } catch let error as LogError {
            guard error.code == .diskFull, error.diskError?.errorNumber == EFBIG else { exit(1) }
            refused += 1
          }
        }
        guard refused > 0, refused < 10 else { exit(2) }
        try log.close()
        guard [0, 4].contains(fixture.tool("verify", "@store").code) else { exit(3) }
        let count = fixture.tool("log", "@store", "--count").output
        guard count == "\(100 - refused)\n" else { exit(4) }
      }
    }
  }
}
