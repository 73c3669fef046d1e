// `info`, `segments`, `log`, `show`, `hash`, `rebuild` on a sound store.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Commands: inspection")
struct InspectionCommandTests {
  @Test("no reading command changes a byte, locks, or needs a second file")
  func readsOnly() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      let before = try fixture.contents("store")
      for words in [
        ["info"], ["segments", "--check"], ["log", "--ops"], ["show", "HEAD"], ["hash"],
        ["rebuild"], ["verify", "--level", "full"], ["schema", "show"],
      ] {
        let run = fixture.run(words + [fixture.path("store")])
        #expect(run.code == 0, "\(words): \(run.errors)")
        #expect(!run.output.isEmpty)
      }
      #expect(try fixture.contents("store") == before)
    }
  }

  @Test("the store may come from --store or VARVE_STORE")
  func namedStore() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      let store = fixture.path("store")
      #expect(fixture.run(["-S", store, "log", "--count"]).output == "3\n")
      let run = fixture.run(["log", "--count"], environment: ["VARVE_STORE": store])
      #expect(run.output == "3\n")
      let none = fixture.run(["log"])
      #expect(none.code == 64)
      #expect(none.errors.contains("which store?"))
    }
  }

  @Test("log lists transactions oldest first, reversed, skipped, limited, in a range")
  func order() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      func sequences(_ words: String...) throws -> [Int] {
        let run = fixture.run(["log", fixture.path("store"), "--jsonl"] + words)
        return try run.jsonLines.compactMap { $0["sequence"] as? Int }
      }
      #expect(try sequences() == [1, 2, 3])
      #expect(try sequences("--reverse") == [3, 2, 1])
      #expect(try sequences("--reverse", "-n", "2") == [3, 2])
      #expect(try sequences("--skip", "1") == [2, 3])
      #expect(try sequences("1..2") == [2])
      #expect(try sequences("..2") == [1, 2])
      #expect(try sequences("2..") == [3])
      #expect(try sequences("--since", "2001-01-01", "--until", "2002-01-01") == [])
      #expect(try sequences("--since", "-1h") == [1, 2, 3])
      let log = try fixture.tool("log", "@store", "--jsonl").jsonLines
      let replica = try #require(log[0]["replica"] as? String)
      let name = replica.prefix(6)
      #expect(try sequences("\(name):1..\(name):3") == [2, 3])
      #expect(try sequences("--replica", String(name)) == [1, 2, 3])
    }
  }

  @Test("log for people names label, author, changes and place")
  func logText() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      let text = fixture.tool("log", "@store", "--stat").output
      #expect(text.contains("label    \"import trains.csv\""))
      #expect(text.contains("author   \"ann\""))
      #expect(text.contains("changes  +3 stations, 5 schema"))
      #expect(text.contains("new in trains"))
      let lines = fixture.tool("log", "@store", "--oneline").output.split(separator: "\n")
      #expect(lines.count == 3)
      #expect(lines[0].hasPrefix("#"))
      #expect(lines[0].contains("import  \"import stations.csv\"  +3"))
    }
  }

  @Test("show prints values with names, by position, hash and HEAD")
  func show() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      let first = fixture.tool("show", "1", "@store")
      #expect(first.code == 0)
      #expect(first.output.contains("0/1  AMS   Amsterdam  1889-10-15T00:00:00Z      15"))
      #expect(first.output.contains("0/3  RTD   Rotterdam  -                         13"))
      let log = try fixture.tool("log", "@store", "--jsonl").jsonLines
      let hash = try #require(log[1]["hash"] as? String)
      let second = fixture.run(["show", "#" + hash.prefix(8), fixture.path("store")])
      #expect(second.output.contains("hash      \(hash)"))
      #expect(fixture.tool("show", "HEAD", "@store").output.contains("303  RTD"))
      #expect(fixture.tool("show", "9", "@store").code == 1)
      #expect(fixture.tool("show", "#12", "@store").code == 64)
      let json = try fixture.tool("show", "1", "@store", "--json", "--rows", "2").json
      let list = try #require(json["list"] as? [[String: Any]])
      let sample = try #require(list.last?["sample"] as? [[String: Any]])
      let values = sample.compactMap { $0["values"] as? [String: Any] }
      #expect(values.map { $0["name"] as? String } == ["Amsterdam", "Utrecht"])
      #expect(sample.map { $0["object"] as? String } == ["stations/0/1", "stations/0/2"])
    }
  }

  @Test("two imports of the same have equal digests of content by entity only if ids agree")
  func hash() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      let first = fixture.tool("hash", "@store", "--json")
      #expect(first.code == 0)
      try fixture.copy("store", to: "copy")
      let copy = try fixture.tool("hash", "@copy", "--json").json
      #expect(try first.json["content"] as? String == copy["content"] as? String)
      #expect(try first.json["state"] as? String == copy["state"] as? String)
      try fixture.makeStore("other")
      let other = try fixture.tool("hash", "@other", "--json").json
      #expect(try first.json["content"] as? String != other["content"] as? String)
      #expect(other["rows"] as? Int == 6)
    }
  }

  @Test("rebuild says that the logs alone give the same state")
  func rebuild() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      let run = fixture.tool("rebuild", "@store")
      #expect(run.code == 0)
      #expect(run.output.hasSuffix("equal: opening the store gives the same state\n"))
      #expect(try fixture.tool("rebuild", "@store", "--json").json["equal"] as? Bool == true)
    }
  }

  @Test("one loose segment prints names and values (U77)")
  func looseFile() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      // The second segment knows the names of the first through its SCHEMA frame.
      let last = try #require(try fixture.segments("store").last)
      try fixture.copy(last, to: "loose-copy")
      try fixture.remove("store")
      let log = fixture.tool("log", "--ops", "@loose-copy")
      #expect(log.code == 0, "\(log.errors)")
      #expect(log.output.contains("columns trains"))
      let shown = fixture.tool("show", "HEAD", "@loose-copy")
      #expect(shown.output.contains("303  RTD   AMS    1.5"))
      #expect(fixture.tool("info", "@loose-copy").output.contains("(number, from, to, delay)"))
      #expect(fixture.tool("verify", "--level", "full", "@loose-copy").code == 0)
      #expect(fixture.tool("hash", "@loose-copy").code == 64)
    }
  }

  @Test("records of newer versions print as unknown, and the output goes on")
  func unknownRecords() throws {
    try CommandFixture.run { fixture in
      var builder = TransactionBuilder()
      builder.add(.unknown(opcode: 0x2A, isCritical: false, [1, 2, 3]))
      let drafts = [
        try LogFixture.draft(0), try builder.finish(), try LogFixture.draft(2),
      ]
      let bytes = fixture.segment(
        drafts, hints: [(.schema, [0]), (FrameType(rawValue: 0x2A), [9])])
      try fixture.write("new.vlog", bytes)
      let run = fixture.tool("log", "--ops", "@new.vlog")
      #expect(run.code == 0, "\(run.errors)")
      #expect(run.output.contains("unknown(kind=0x2a, 1 bytes)"))
      #expect(run.output.contains("unknown(0x2a) opcode=42 critical=0 bytes=3"))
      #expect(run.output.contains("set #1/0/3 #1=2"))
      #expect(fixture.tool("log", "--strict", "@new.vlog").code == 6)
      #expect(fixture.tool("verify", "@new.vlog").output.contains("unknown unknownFrame"))
    }
  }

  @Test("transactions behind the last durable mark of an open segment are marked")
  func durability() throws {
    try CommandFixture.run { fixture in
      let drafts = try (0..<2).map { try LogFixture.draft($0) }
      try fixture.write("open.vlog", fixture.segment(drafts, isSealed: false))
      let lines = try fixture.tool("log", "@open.vlog", "--jsonl").jsonLines
      #expect(lines.map { $0["durable"] as? Bool } == [false, false])
      #expect(fixture.tool("log", "@open.vlog").output.contains("? not known durable"))
    }
  }
}
