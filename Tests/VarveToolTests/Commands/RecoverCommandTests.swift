// `varve recover`: everything in intact frames is kept, and what is lost is listed.

import Foundation
import Testing
import VarveFormat
import VarveTestSupport

@Suite("Commands: recover")
struct RecoverCommandTests {
  /// The hashes of all transactions that a log shows.
  private func hashes(_ fixture: CommandFixture, _ paths: [String]) throws -> Set<String> {
    var hashes: Set<String> = []
    for path in paths {
      for line in try fixture.run(["log", "--jsonl", fixture.path(path)]).jsonLines {
        if let hash = line["hash"] as? String { hashes.insert(hash) }
      }
    }
    return hashes
  }

  private func report(_ fixture: CommandFixture, _ store: String) throws -> [[String: Any]] {
    let text = String(
      decoding: try fixture.read("\(store)/recovery-report.jsonl"), as: UTF8.self)
    return try ToolRun(output: text, errors: "", code: 0).jsonLines
  }

  /// The segments that a recovery put aside.
  private func orphans(_ fixture: CommandFixture, _ store: String) throws -> [String] {
    guard fixture.exists("\(store)/quarantine") else { return [] }
    return try fixture.contents("\(store)/quarantine").keys.filter { $0.hasSuffix(".vlog") }
      .map { "\(store)/quarantine/\($0)" }
  }

  @Test("a sound store is copied with the same digests, and 0")
  func sound() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      let before = try fixture.contents("store")
      let run = fixture.tool("recover", "@store", "-o", "@new")
      #expect(run.code == 0, "\(run.errors)")
      #expect(try fixture.contents("store") == before)
      let old = try fixture.tool("hash", "@store", "--json").json
      let new = try fixture.tool("hash", "@new", "--json").json
      #expect(old["state"] as? String == new["state"] as? String)
      #expect(fixture.tool("verify", "--level", "full", "@new").code == 0)
    }
  }

  @Test("a bit flipped anywhere: the new store verifies, intact transactions are all there")
  func flips() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      let all = try hashes(fixture, ["store"])
      for (index, segment) in try fixture.segments("store").enumerated() {
        let bytes = try fixture.read(segment)
        for offset in stride(from: index * 3, to: bytes.count, by: 151) {
          try fixture.copy("store", to: "bad")
          try fixture.flip(
            segment.replacing("store/", with: "bad/", maxReplacements: 1), offset,
            bit: UInt8(offset % 8))
          let readable = try hashes(fixture, ["bad"])
          let run = fixture.tool("recover", "@bad", "-o", "@new", "--json")
          #expect([0, 9].contains(run.code), "\(offset): \(run.errors)")
          #expect(fixture.tool("verify", "--level", "full", "@new").code == 0)
          let kept = try hashes(fixture, ["new"] + orphans(fixture, "new"))
          #expect(kept.isSuperset(of: readable), "\(offset)")
          let total = try run.json
          #expect(total["lost"] as? Int == all.count - kept.count, "\(offset)")
          #expect((total["complete"] as? Bool == true) == (run.code == 0))
          try fixture.remove("bad")
          try fixture.remove("new")
        }
      }
    }
  }

  @Test("a flipped bit in a header, a SEAL or a trailer loses nothing")
  func outerParts() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      let segment = try fixture.segments("store")[1]
      let old = try fixture.tool("hash", "@store", "--json").json
      let length = try fixture.read(segment).count
      for offset in [0, 9, 30, 45, 60, 70, 77, 90, 125, length - 4, length - 30, length - 60] {
        try fixture.copy("store", to: "bad")
        try fixture.flip(
          segment.replacing("store/", with: "bad/", maxReplacements: 1), offset, bit: 5)
        let run = fixture.tool("recover", "@bad", "-o", "@new")
        #expect(run.code == 0, "\(offset): \(run.output)\(run.errors)")
        let new = try fixture.tool("hash", "@new", "--json").json
        #expect(old["state"] as? String == new["state"] as? String)
        try fixture.remove("bad")
        try fixture.remove("new")
      }
    }
  }

  @Test("the report names the columns and rows of a damaged bulk transaction")
  func lossReport() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      try fixture.flip(try fixture.segments("store")[0], 128 + 44)
      #expect(fixture.tool("recover", "@store", "-o", "@new").code == 9)
      let lines = try report(fixture, "new")
      let lost = try #require(lines.first { $0["kind"] as? String == "incomplete" })
      #expect(lost["sequence"] as? Int == 1)
      #expect(lost["label"] as? String == "import stations.csv")
      let columns = try #require(lost["columns"] as? [[String: Any]])
      #expect(columns.map { $0["entity"] as? String } == ["stations"])
      #expect(columns.map { $0["attribute"] as? String } == ["code"])
      #expect(columns.map { $0["rows"] as? Int } == [3])
      let kinds = Set(lines.compactMap { $0["kind"] as? String })
      #expect(
        kinds.isSuperset(of: ["file", "damage", "incomplete", "orphan", "lost", "quarantined"]))
      #expect(lines.last?["kind"] as? String == "total")
      #expect(try orphans(fixture, "new").count == 2)
    }
  }

  @Test("it works without a superblock, from loose files, and with a segment missing")
  func looseFiles() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      try fixture.remove("store/super")
      #expect(fixture.tool("recover", "@store", "-o", "@one").code == 0)
      let segments = try fixture.segments("store")
      let loose = fixture.run(
        [
          "recover", fixture.path(segments[2]), fixture.path(segments[0]), "-o",
          fixture.path("two"),
        ])
      #expect(loose.code == 9, "\(loose.errors)")
      let total = try #require(try report(fixture, "two").last)
      #expect(total["kept"] as? Int == 1)
      #expect(total["orphans"] as? Int == 1)
      #expect(total["lost"] as? Int == 1)
      #expect(fixture.tool("verify", "@two").code == 0)
    }
  }

  @Test("two copies with different damage together give everything back")
  func twoCopies() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      try fixture.copy("store", to: "second")
      let segments = try fixture.segments("store")
      let old = try fixture.tool("hash", "@store", "--json").json
      try fixture.flip(segments[0], 400)
      try fixture.flip(segments[1].replacing("store/", with: "second/", maxReplacements: 1), 400)
      #expect(fixture.tool("recover", "@store", "-o", "@half").code == 9)
      let run = fixture.tool("recover", "@store", "@second", "-o", "@whole")
      #expect(run.code == 0, "\(run.output)")
      let new = try fixture.tool("hash", "@whole", "--json").json
      #expect(old["state"] as? String == new["state"] as? String)
    }
  }

  @Test("the recovered store can be written to")
  func writable() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      #expect(fixture.tool("recover", "@store", "-o", "@new").code == 0)
      let run = fixture.tool("import", "csv", "@more.csv", "--into", "@new", "--entity", "trains")
      #expect(run.code == 0, "\(run.errors)")
      #expect(try fixture.tool("hash", "@new", "--json").json["rows"] as? Int == 7)
      #expect(fixture.tool("verify", "--level", "full", "@new").code == 0)
    }
  }

  @Test("it refuses an existing target, a missing -o and a place without segments")
  func refusals() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      try fixture.write("there", "x")
      #expect(fixture.tool("recover", "@store", "-o", "@there").code == 2)
      #expect(fixture.tool("recover", "@store").code == 64)
      #expect(fixture.tool("recover", "@there", "-o", "@new").code == 3)
      #expect(fixture.tool("recover", "@absent", "-o", "@new").code == 2)
      let dry = fixture.tool("recover", "@store", "--dry-run")
      #expect(dry.code == 0)
      #expect(dry.output.contains("kept     3 transactions"))
      #expect(!fixture.exists("new"))
    }
  }

  @Test("a newest segment that is missing counts as lost, since the superblock knows of it")
  func missingNewest() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      let newest = try #require(try fixture.segments("store").last)
      try fixture.copy(newest, to: "\(newest).bak")
      try fixture.remove(newest)
      let run = fixture.tool("recover", "@store", "-o", "@new", "--json")
      #expect(run.code == 9, "\(run.errors)")
      let total = try run.json
      #expect(total["lost"] as? Int == 1)
      #expect(total["kept"] as? Int == 2)
      #expect(total["complete"] as? Bool == false)
    }
  }

  @Test("what stands in the place of a segment and is none is reported, the rest recovered")
  func noFile() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      let newest = try #require(try fixture.segments("store").last)
      try fixture.remove(newest)
      let makers: [(String) throws -> Void] = [
        { try FileManager.default.createDirectory(atPath: $0, withIntermediateDirectories: false) },
        { try FileManager.default.createSymbolicLink(atPath: $0, withDestinationPath: "absent") },
        { try FileManager.default.createSymbolicLink(atPath: $0, withDestinationPath: $0) },
        { path in #expect(mkfifo(path, 0o600) == 0) },
      ]
      for (index, make) in makers.enumerated() {
        try make(fixture.path(newest))
        let run = fixture.tool("recover", "@store", "-o", "@new\(index)", "--jsonl")
        #expect(run.code == 9, "\(index): \(run.errors)")
        let lines = try run.jsonLines
        let rejected = try #require(lines.first { $0["kind"] as? String == "rejected" })
        #expect(rejected["file"] as? String == "ROOT/\(newest)")
        #expect(lines.last?["kept"] as? Int == 2)
        #expect(fixture.tool("verify", "@new\(index)").code == 0)
        try fixture.remove(newest)
      }
    }
  }

  @Test("a suspect tail of an open segment may have held transactions: 9, not complete")
  func suspectTail() throws {
    try CommandFixture.run { fixture in
      let drafts = try (0..<3).map { try LogFixture.draft($0) }
      let sound = fixture.segment(drafts, isSealed: false)
      try fixture.write("open.vlog", sound)
      #expect(fixture.tool("recover", "@open.vlog", "-o", "@sound").code == 0)
      try fixture.flip("open.vlog", sound.count - 9, bit: 3)
      #expect(fixture.tool("verify", "@open.vlog").code == 3)
      let run = fixture.tool("recover", "@open.vlog", "-o", "@new", "--json")
      #expect(run.code == 9, "\(run.output)\(run.errors)")
      #expect(try run.json["complete"] as? Bool == false)
      #expect(try run.json["suspects"] as? Int == 1)
      #expect(try report(fixture, "new").contains { $0["kind"] as? String == "suspect" })
    }
  }

  @Test("a crash that cut the last write short is no loss")
  func tornTail() throws {
    try CommandFixture.run { fixture in
      let drafts = try (0..<3).map { try LogFixture.draft($0) }
      try fixture.write("open.vlog", Array(fixture.segment(drafts, isSealed: false).dropLast(40)))
      #expect(fixture.tool("recover", "@open.vlog", "-o", "@new").code == 0)
    }
  }

  @Test("a target inside of what is only read is refused")
  func targetInside() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      let before = try fixture.contents("store")
      for target in ["@store/sub", "@store/log/sub", "@store/../store/sub"] {
        #expect(fixture.tool("recover", "@store", "-o", target).code == 64, "\(target)")
      }
      #expect(try fixture.contents("store") == before)
    }
  }

  @Test("links in circles at files that a recovery does not need do not stop it")
  func loops() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      for name in ["lock", "super", "reserve-0"] {
        if fixture.exists("store/\(name)") { try fixture.remove("store/\(name)") }
        try FileManager.default.createSymbolicLink(
          atPath: fixture.path("store/\(name)"), withDestinationPath: name)
      }
      let run = fixture.tool("recover", "@store", "-o", "@new", "--json")
      #expect(run.code == 0, "\(run.errors)")
      #expect(try run.json["kept"] as? Int == 3)
    }
  }
}
