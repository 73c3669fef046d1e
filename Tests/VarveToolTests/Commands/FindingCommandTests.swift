// What commands say about damage: where it is, that they agree, and that it is explained.

import Foundation
import Testing
import VarveFormat
import VarveTestSupport

@Suite("Commands: findings")
struct FindingCommandTests {
  private func findings(_ fixture: CommandFixture, _ words: String...) throws -> [[String: Any]] {
    try fixture.run(["verify", "--jsonl"] + words).jsonLines.filter {
      $0["schema"] as? String == "varve.finding/1"
    }
  }

  @Test("a sealed segment that was cut between frames ends log, show and verify with 3")
  func cutBetweenFrames() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      let newest = try #require(try fixture.segments("store").last)
      try fixture.write(newest, Array(try fixture.read(newest).prefix(128)))
      for words in [["verify"], ["log"], ["show", "HEAD"], ["show", "3"]] {
        let run = fixture.run(words + [fixture.path("store")])
        #expect(run.code == 3, "\(words): \(run.output)\(run.errors)")
      }
      #expect(fixture.tool("log", "@store").output.contains("!! corruption truncated"))
      #expect(fixture.tool("show", "1", "@store").code == 0)
    }
  }

  @Test("bytes behind the trailer of a sealed segment are damage, behind an open one they are not")
  func zerosBehindTheTrailer() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      let newest = try #require(try fixture.segments("store").last)
      let zeros = [UInt8](repeating: 0, count: 4_096)
      try fixture.write(newest, try fixture.read(newest) + zeros)
      let readers = [["verify"], ["verify", "--level", "quick"], ["log"], ["info"]]
      for words in readers {
        #expect(fixture.run(words + [fixture.path("store")]).code == 3, "\(words)")
      }
      try fixture.write("s.vlog", fixture.segment([try LogFixture.draft(0)]) + zeros)
      for words in readers {
        let run = fixture.run(words + [fixture.path("s.vlog")])
        #expect(run.code == 0, "\(words): \(run.output)")
      }
      #expect(!fixture.tool("segments", "@s.vlog").output.contains("damaged"))
    }
  }

  @Test("verify and log name the frame that is bad, not the first one of its transaction")
  func offsets() throws {
    try CommandFixture.run { fixture in
      let drafts = try (0..<2).map { try LogFixture.columnsDraft(rows: 9, firstSerial: $0 * 9 + 1) }
      try fixture.write("s.vlog", fixture.segment(drafts))
      let sound = try fixture.read("s.vlog")
      for line in try fixture.tool("log", "--jsonl", "@s.vlog").jsonLines {
        let frame = try #require(line["frame"] as? Int)
        #expect(try #require(line["offset"] as? Int) < frame)
        try fixture.write("s.vlog", sound)
        try fixture.flip("s.vlog", frame + 44)
        let found = try findings(fixture, fixture.path("s.vlog"))
        #expect(found.first?["offset"] as? Int == frame)
        let damage = try fixture.tool("log", "--jsonl", "@s.vlog").jsonLines.first {
          $0["schema"] as? String == "varve.damage/1"
        }
        #expect(damage?["offset"] as? Int == frame)
      }
    }
  }

  @Test("a lost transaction frame does not make the parts of the next one bad")
  func lostFrame() throws {
    try CommandFixture.run { fixture in
      let drafts = try (0..<3).map { try LogFixture.columnsDraft(rows: 9, firstSerial: $0 * 9 + 1) }
      try fixture.write("s.vlog", fixture.segment(drafts))
      let lines = try fixture.tool("log", "--jsonl", "@s.vlog").jsonLines
      try fixture.flip("s.vlog", try #require(lines[1]["frame"] as? Int) + 4)
      let found = try findings(fixture, fixture.path("s.vlog"))
      #expect(found.compactMap { $0["sequence"] as? Int } == [2], "\(found)")
      #expect(!found.contains { $0["code"] as? String == "badPart" })
    }
  }

  @Test("a superblock of the wrong length is a blemish", arguments: [8_193, 100_000, 4_096])
  func superblockLength(length: Int) throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      let bytes = try fixture.read("store/super")
      let rest = [UInt8](repeating: 0, count: max(length - bytes.count, 0))
      try fixture.write("store/super", Array((bytes + rest).prefix(length)))
      let run = fixture.tool("verify", "@store")
      #expect(run.code == 4, "\(run.output)")
      #expect(run.output.contains("blemish superblock ROOT/store/super"))
    }
  }

  @Test("names with control characters reach no terminal as they are")
  func controlCharacters() throws {
    try CommandFixture.run { fixture in
      try fixture.write("t.csv", "a\u{1B}[2J\n1\n")
      let made = fixture.tool(
        "import", "csv", "@t.csv", "--into", "@store", "--entity", "e\u{1B}[31m\u{9B}\nx")
      #expect(made.code == 0, "\(made.errors)")
      let commands = [
        ["log"], ["log", "--stat"], ["log", "--ops"], ["log", "--oneline"], ["show", "1"],
        ["info"], ["hash"],
      ]
      for words in commands {
        let output = fixture.run(words + [fixture.path("store")]).output
        let isPlain = output.unicodeScalars.allSatisfy {
          $0 == "\n" || $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value)
        }
        #expect(isPlain, "\(words): \(output.debugDescription)")
        #expect(!output.contains("\nx"), "\(words)")
      }
    }
  }

  @Test("every code that verify prints or an error has is explained")
  func explained() throws {
    try CommandFixture.run { fixture in
      let codes =
        "tornTail suspectTail gap superblock foreignFile copied unclean stampOrder corrupt "
        + "unusedFile diskFull notAStore busy poisoned outcomeUnknown closed remote exists disk "
        + "tooNew tooLarge badFrameHash 3"
      for code in codes.split(separator: " ").map(String.init) {
        #expect(fixture.tool("explain", code).code == 0, "\(code)")
      }
    }
  }

  @Test("explain prints one document with --json and lines with --jsonl")
  func explainJSON() throws {
    try CommandFixture.run { fixture in
      let pages = try fixture.tool("explain", "--json").json
      #expect(pages["schema"] as? String == "varve.explain/1")
      let list = try #require(pages["codes"] as? [[String: Any]])
      #expect(pages["count"] as? Int == list.count)
      let lines = try fixture.tool("explain", "--jsonl").jsonLines
      #expect(lines.count == list.count)
      #expect(lines.allSatisfy { $0["schema"] as? String == "varve.explain/1" })
    }
  }

  @Test("days that do not exist and an empty replica are wrong usage")
  func wrongUsage() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      for day in ["2026-02-30", "2025-02-29", "2026-04-31", "2026-01-00", "2026-12-32"] {
        #expect(fixture.tool("log", "@store", "--since", day).code == 64, "\(day)")
      }
      for day in ["2024-02-29", "2026-12-31", "2026-01-01"] {
        #expect(fixture.tool("log", "@store", "--since", day).code == 0, "\(day)")
      }
      #expect(fixture.tool("log", "@store", "--replica", "").code == 64)
    }
  }

  @Test("a header that looks as if it gave a type and does not gets a remark")
  func typeHint() throws {
    try CommandFixture.run { fixture in
      try fixture.write("t.csv", "a:integr,b:date,c:\n1,2020-01-01,2\n")
      let run = fixture.tool("import", "csv", "@t.csv", "--into", "@store")
      #expect(run.code == 0, "\(run.errors)")
      let remark = "\"integr\" in the header \"a:integr\" is no type, so it is part of the name"
      #expect(run.errors.contains(remark + "; did you mean \"integer\"?"))
      #expect(run.errors.components(separatedBy: "is no type").count == 2)
    }
  }

  @Test("show and log --ops check the hashes of parts")
  func partHashes() throws {
    try CommandFixture.run { fixture in
      let drafts = try [[1, 2, 3], [4, 5, 6]].map { (words: [UInt64]) in
        var builder = TransactionBuilder()
        try builder.addColumns(
          form: .create, entity: 9, rows: 3, identifiers: .run(index: 0, firstSerial: 1),
          columns: [ColumnInput(1, .integer, .words(words, present: nil))])
        return try builder.finish()
      }
      var bytes = fixture.segment([drafts[0]])
      let other = fixture.segment([drafts[1]])
      try fixture.write("s.vlog", bytes)
      let line = try #require(try fixture.tool("log", "--jsonl", "@s.vlog").jsonLines.first)
      let range = try #require(line["offset"] as? Int)..<(try #require(line["frame"] as? Int))
      // A part of another transaction: a valid frame with the wrong contents.
      bytes.replaceSubrange(range, with: other[range])
      try fixture.write("s.vlog", bytes)
      for words in [["verify"], ["show", "1"], ["log", "--ops"], ["log", "--ops", "--jsonl"]] {
        let run = fixture.run(words + [fixture.path("s.vlog")])
        #expect(run.code == 3, "\(words): \(run.output)")
        #expect(run.output.contains("badPart"), "\(words): \(run.output)")
      }
    }
  }
}
