// Exit codes and findings for each kind of damage.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Commands: damage")
struct DamageCommandTests {
  private static let readers = [
    ["info"], ["segments", "--check"], ["log"], ["hash"], ["rebuild"], ["verify"],
    ["verify", "--level", "quick"], ["verify", "--level", "full"],
  ]

  private func codes(_ fixture: CommandFixture, _ commands: [[String]]) -> [Int32] {
    commands.map { fixture.run($0 + [fixture.path("store")]).code }
  }

  @Test("a sound store ends with 0")
  func sound() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      #expect(codes(fixture, DamageCommandTests.readers).allSatisfy { $0 == 0 })
    }
  }

  @Test("a flipped bit ends with 3, with file and offset, and the rest is printed")
  func flippedBit() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      let middle = try fixture.segments("store")[1]
      // A byte of a column in the middle segment.
      let offset = try fixture.read(middle).count / 2
      try fixture.flip(middle, offset)
      let commands: [[String]] = [["segments", "--check"], ["log"], ["hash"], ["verify"]]
      #expect(codes(fixture, commands) == [3, 3, 3, 3])
      let log = fixture.tool("log", "@store", "--oneline")
      #expect(log.output.contains("!! corruption bad"))
      #expect(log.output.contains("import stations.csv"))
      #expect(log.output.contains("import more.csv"))
      let findings = try fixture.tool("verify", "@store", "--jsonl").jsonLines
      let finding = try #require(findings.first { $0["severity"] as? String == "corruption" })
      let codes = ["badFrameHash", "badHeaderCheck"]
      #expect(codes.contains(finding["code"] as? String ?? ""))
      #expect(finding["file"] as? String == "ROOT/\(middle)")
      #expect(finding["sequence"] as? Int == 2)
      #expect((finding["fix"] as? String)?.contains("varve recover") == true)
    }
  }

  @Test("every bit of a segment counts: whichever is flipped, verify sees it")
  func everyByte() throws {
    try CommandFixture.run { fixture in
      try fixture.write("s.vlog", fixture.segment([try LogFixture.draft(0)]))
      let sound = try fixture.read("s.vlog")
      for offset in sound.indices {
        var bytes = sound
        bytes[offset] ^= 1 << UInt8(offset % 8)
        try fixture.write("bad.vlog", bytes)
        let code = fixture.tool("verify", "@bad.vlog").code
        // A flipped magic is another kind of file; a version bit is a newer version.
        let wanted: [Int32] = offset < 8 ? [2] : offset < 16 ? [3, 6] : [3, 4]
        #expect(wanted.contains(code), "byte \(offset) ends with \(code)")
      }
    }
  }

  @Test("a torn tail ends with 4 and is no damage")
  func tornTail() throws {
    try CommandFixture.run { fixture in
      let drafts = try (0..<3).map { try LogFixture.draft($0) }
      let bytes = fixture.segment(drafts, isSealed: false)
      try fixture.write("torn.vlog", Array(bytes.dropLast(40)))
      for words in [["log"], ["verify"], ["segments", "--check"], ["info"]] {
        let run = fixture.run(words + [fixture.path("torn.vlog")])
        #expect(run.code == 4, "\(words): \(run.output)\(run.errors)")
      }
      let log = fixture.tool("log", "@torn.vlog")
      #expect(log.output.contains("!! torn tail tornTail at ROOT/torn.vlog@"))
      #expect(try fixture.tool("log", "@torn.vlog", "--jsonl").jsonLines.count == 3)
    }
  }

  @Test("a missing segment in the middle, at the start or at the end ends with 5")
  func missingSegment() throws {
    for index in 0..<3 {
      try CommandFixture.run { fixture in
        try fixture.makeStore()
        try fixture.remove(try fixture.segments("store")[index])
        for words in [["log"], ["verify"], ["verify", "--level", "quick"], ["segments"], ["info"]] {
          let run = fixture.run(words + [fixture.path("store")])
          #expect(run.code == 5, "\(index) \(words): \(run.output)\(run.errors)")
        }
      }
    }
  }

  @Test("a store without superblock reads, with 4")
  func missingSuperblock() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      try fixture.remove("store/super")
      #expect(codes(fixture, [["log"], ["verify"], ["hash"]]) == [4, 4, 4])
      let run = fixture.tool("verify", "@store", "--level", "full")
      #expect(run.output.contains("the superblock is missing"))
    }
  }

  @Test("what is no store ends with 2 and says so")
  func noStore() throws {
    try CommandFixture.run { fixture in
      try fixture.write("text", "hello, this is no segment but some text, long enough to be read\n")
      try fixture.write("empty", "")
      for name in ["@text", "@empty", "@absent", "@"] {
        for command in ["info", "log", "verify", "segments"] {
          let run = fixture.tool(command, name)
          #expect(run.code == 2, "\(command) \(name): \(run.errors)")
          #expect(!run.errors.isEmpty)
          #expect(run.output.isEmpty)
        }
      }
      let file = fixture.tool("hash", "@text")
      #expect(file.code == 64)
    }
  }

  @Test("a segment of another store is reported and ignored")
  func foreignSegment() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      try fixture.makeStore("other")
      let mine = try #require(try fixture.segments("store").first)
      let foreign = try #require(try fixture.segments("other").last)
      let directory = mine.split(separator: "/").dropLast().joined(separator: "/")
      let name = foreign.split(separator: "/").last.map(String.init) ?? ""
      try fixture.copy(foreign, to: "\(directory)/0\(name.dropFirst())")
      let run = fixture.tool("verify", "@store")
      #expect(run.code == 4, "\(run.output)")
      #expect(run.output.contains("foreignFile"))
    }
  }
}
