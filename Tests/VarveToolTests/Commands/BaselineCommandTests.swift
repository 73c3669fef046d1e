// `compact`, `baseline list`, `baseline verify`, `du`, and what other commands say of baselines.

import Foundation
import Testing
import Varve
import VarveFormat
import VarveTestSupport

@Suite("Commands: baselines")
struct BaselineCommandTests {
  /// The baselines of a store, as names in the directory.
  private func baselines(_ fixture: CommandFixture, _ store: String = "store") throws -> [String] {
    guard fixture.exists("\(store)/base") else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: fixture.path("\(store)/base"))
      .filter { $0.hasSuffix(".vbase") }.sorted().map { "\(store)/base/\($0)" }
  }

  /// A store with two baselines, the second of which holds one more import.
  private func makeTwice(_ fixture: CommandFixture) throws {
    try fixture.makeStore()
    #expect(fixture.tool("compact", "@store").code == 0)
    try fixture.write("even.csv", "number,from,to,delay\n304,AMS,UTR,3.5\n")
    let more = fixture.tool("import", "csv", "@even.csv", "--into", "@store", "--entity", "trains")
    #expect(more.code == 0, "\(more.errors)")
    #expect(fixture.tool("compact", "@store").code == 0)
  }

  @Test("compact writes a baseline, keeps the history and changes no digest")
  func compact() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      let digest = try fixture.tool("hash", "@store", "--json").json["state"] as? String
      let segments = try fixture.segments("store")
      let preview = try fixture.tool("compact", "@store", "--dry-run", "--json").json
      #expect(try baselines(fixture).isEmpty)
      let done = try fixture.tool("compact", "@store", "--json").json
      let names = try baselines(fixture)
      #expect(names.count == 1)
      let after = try #require(done["after"] as? [String: Any])
      #expect(names.first?.hasSuffix(try #require(after["baseline"] as? String)) == true)
      #expect(after["baselineBytes"] as? Int == (try fixture.read(names[0]).count))
      #expect(after["transactionsBehind"] as? Int == 0)
      // What a dry run promises is what is done.
      #expect(
        NSDictionary(dictionary: try #require(preview["after"] as? [String: Any]))
          == NSDictionary(dictionary: after))
      #expect(preview["dryRun"] as? Bool == true)
      #expect(try fixture.segments("store") == segments)
      #expect(try fixture.tool("hash", "@store", "--json").json["state"] as? String == digest)
      #expect(fixture.tool("verify", "--level", "full", "@store").code == 0)
      #expect(fixture.tool("rebuild", "@store").output.contains("equal:"))
    }
  }

  @Test("a baseline is listed with role, size, rows and reach; a loose file too")
  func list() throws {
    try CommandFixture.run { fixture in
      try makeTwice(fixture)
      let listed = try fixture.tool("baseline", "list", "@store", "--json").json
      let entries = try #require(listed["baselines"] as? [[String: Any]])
      #expect(entries.map { $0["role"] as? String } == ["current", "previous"])
      #expect(entries.map { $0["rows"] as? Int } == [7, 6])
      let reach = entries.compactMap { $0["reaches"] as? [[String: Any]] }
      #expect(reach.map { $0.map { $0["sequence"] as? Int } } == [[4], [3]])
      let file = try #require(entries[0]["file"] as? String).replacingOccurrences(
        of: "ROOT", with: "@"
      ).replacingOccurrences(of: "@/", with: "@")
      let loose = try fixture.tool("baseline", "verify", file, "--json").json
      let entry = try #require((loose["baselines"] as? [[String: Any]])?.first)
      #expect(entry["role"] as? String == "loose")
      #expect(entry["state"] as? String == "sound")
    }
  }

  @Test("a flipped bit anywhere in a baseline is a blemish that verify finds, and nothing is lost")
  func damage() throws {
    try CommandFixture.run { fixture in
      try makeTwice(fixture)
      let digest = try fixture.tool("hash", "@store", "--json").json["state"] as? String
      let names = try baselines(fixture)
      for name in names {
        let sound = try fixture.read(name)
        for offset in stride(from: 0, to: sound.count, by: 61 * TestScale.stride) {
          try fixture.flip(name, offset, bit: UInt8(offset % 8))
          let run = fixture.tool("verify", "@store")
          #expect(run.code == 4, "\(name) \(offset): \(run.output)")
          #expect(run.output.contains("the baseline cannot be used"))
          #expect(fixture.tool("baseline", "verify", "@store").code == 4)
          try fixture.write(name, sound)
        }
        try fixture.flip(name, sound.count / 2)
        let full = try fixture.tool("verify", "--level", "full", "@store", "--json").json
        #expect((full["digest"] as? [String: Any])?["state"] as? String == digest)
        try fixture.write(name, sound)
      }
      #expect(fixture.tool("verify", "@store").code == 0)
    }
  }

  @Test("a baseline that vanished is named, and a compaction writes it again")
  func missing() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      #expect(fixture.tool("compact", "@store").code == 0)
      let name = try #require(try baselines(fixture).first)
      try fixture.remove(name)
      let run = fixture.tool("verify", "--level", "quick", "@store")
      #expect(run.code == 4)
      #expect(run.output.contains("blemish baselineMissing"))
      #expect(fixture.tool("info", "@store").output.contains("none: opening replays the whole log"))
      #expect(fixture.tool("compact", "@store").code == 0)
      #expect(fixture.exists(name))
      #expect(fixture.tool("verify", "@store").code == 0)
    }
  }

  @Test("a baseline of another store is not used")
  func foreign() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      try fixture.makeStore("other")
      #expect(fixture.tool("compact", "@store").code == 0)
      #expect(fixture.tool("compact", "@other").code == 0)
      let name = try #require(try baselines(fixture, "other").first)
      try fixture.copy(name, to: name.replacingOccurrences(of: "other/", with: "store/"))
      let run = fixture.tool("verify", "@store")
      #expect(run.code == 4)
      #expect(run.output.contains("belongs to store"))
    }
  }

  @Test("a baseline that changes the state is corruption at level full")
  func forged() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      #expect(fixture.tool("compact", "@store").code == 0)
      let base = try #require(try baselines(fixture).first)
      let bytes = try fixture.read(base)
      let log = try Log.open(at: fixture.path("store"), disk: PosixDisk())
      let id = log.store
      try log.close()
      var directory = try BaselineReader(MemorySource(Bytes(bytes)), store: id).directory
      directory.tables = []
      directory.sides = []
      let ending = try BaselineEncoder(store: id, cut: directory.cut).finish(directory)
      try fixture.remove(base)
      try fixture.write("store/base/\(ending.name)", ending.output.bytes)
      let run = fixture.tool("verify", "--level", "full", "@store")
      #expect(run.code == 3, "\(run.output)")
      #expect(run.output.contains("corruption baselineState"))
      #expect(fixture.tool("rebuild", "@store").code == 1)
    }
  }

  @Test("a file that is no baseline is not called a damaged one")
  func otherFiles() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      let segment = try #require(try fixture.segments("store").first)
      for name in ["stations.csv", segment, "store/super", "absent"] {
        for word in ["list", "verify"] {
          let run = fixture.tool("baseline", word, "@\(name)")
          #expect(run.code == 2, "\(name): \(run.output) \(run.errors)")
        }
      }
    }
  }

  @Test("du counts every byte of the directory once")
  func usage() throws {
    try CommandFixture.run { fixture in
      try makeTwice(fixture)
      try fixture.write("store/base/new.tmp", [1, 2, 3])
      try fixture.write("store/notes.txt", "mine")
      let usage = try fixture.tool("du", "@store", "--json").json
      let sum = try fixture.contents("store").values.reduce(0) { $0 + $1.count }
      #expect(usage["bytes"] as? Int == sum)
      let kinds = try #require(usage["kinds"] as? [[String: Any]])
      let bytes = Dictionary(
        uniqueKeysWithValues: kinds.map { ($0["kind"] as? String ?? "", $0["bytes"] as? Int ?? 0) })
      #expect(bytes.values.reduce(0, +) == sum)
      #expect(bytes["temporary"] == 3)
      #expect(bytes["other"] == 4)
      #expect(usage["reclaimable"] as? Int == 3)
      let covered = try fixture.segments("store").dropLast().reduce(0) {
        $0 + (try fixture.read($1).count)
      }
      #expect(usage["retirable"] as? Int == covered)
      #expect(fixture.tool("compact", "@store").code == 0)
      #expect(!fixture.exists("store/base/new.tmp"))
      #expect(fixture.exists("store/notes.txt"))
    }
  }

  @Test("info counts objects, and says what opening replays behind a baseline")
  func info() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      let plain = try fixture.tool("info", "@store", "--json").json
      #expect(plain["baseline"] is NSNull)
      #expect(plain["objects"] as? Int == 6)
      let entities = try #require(plain["entities"] as? [[String: Any]])
      #expect(entities.compactMap { $0["objects"] as? Int }.sorted() == [3, 3])
      #expect(fixture.tool("compact", "@store").code == 0)
      try fixture.write("even.csv", "number,from,to,delay\n304,AMS,UTR,3.5\n")
      _ = fixture.tool("import", "csv", "@even.csv", "--into", "@store", "--entity", "trains")
      let facts = try #require(
        try fixture.tool("info", "@store", "--json").json["baseline"] as? [String: Any])
      #expect(Set(facts.keys) == ["file", "bytes", "rows", "transactionsBehind"])
      #expect(facts["transactionsBehind"] as? Int == 1)
      #expect(fixture.tool("info", "@store").output.contains("1 transactions behind it"))
    }
  }

  @Test("--keep retires what two baselines cover; everything still reads, and imports go on (Q25)")
  func retention() throws {
    try CommandFixture.run { fixture in
      try makeTwice(fixture)
      let digest = try fixture.tool("hash", "@store", "--json").json["state"] as? String
      let before = try fixture.segments("store")
      let plan = try fixture.tool("compact", "@store", "--keep", "1b", "-n", "--json").json
      #expect(try fixture.segments("store") == before)
      let done = try fixture.tool("compact", "@store", "--keep", "1b", "--json").json
      #expect(plan["retiredSegments"] as? Int == done["retiredSegments"] as? Int)
      #expect(try fixture.segments("store") == [try #require(before.last)])
      for words in [
        ["verify", "--level", "full"], ["hash"], ["log"], ["info"], ["rebuild"], ["segments"],
      ] {
        let run = fixture.run(words + [fixture.path("store")])
        #expect(run.code == 0, "\(words): \(run.output) \(run.errors)")
      }
      #expect(try fixture.tool("hash", "@store", "--json").json["state"] as? String == digest)
      // Serials go on behind those that only a baseline knows.
      try fixture.write("odd.csv", "number,from,to,delay\n305,RTD,UTR,4.5\n")
      let more = fixture.tool("import", "csv", "@odd.csv", "--into", "@store", "--entity", "trains")
      #expect(more.code == 0, "\(more.errors)")
      #expect(try fixture.tool("info", "@store", "--json").json["objects"] as? Int == 8)
    }
  }

  @Test("what was retired and has no baseline any more is missing, not retired")
  func lostBaselines() throws {
    try CommandFixture.run { fixture in
      try makeTwice(fixture)
      #expect(fixture.tool("compact", "@store", "--keep", "1b").code == 0)
      for name in try baselines(fixture) { try fixture.remove(name) }
      let run = fixture.tool("verify", "@store")
      #expect(run.code == 5)
      #expect(run.output.contains("gap gap"))
      #expect(fixture.tool("hash", "@store").code == 5)
      #expect(fixture.tool("compact", "@store").code == 5)
      let more = fixture.tool("import", "csv", "@even.csv", "--into", "@store")
      #expect(more.code == 5, "\(more.errors)")
    }
  }

  @Test("retired history of which no baseline can be read any more is lost, and everybody says so")
  func lostBlocks() throws {
    try CommandFixture.run { fixture in
      try makeTwice(fixture)
      #expect(fixture.tool("compact", "@store", "--keep", "1b").code == 0)
      for name in try baselines(fixture) {
        let reader = try BaselineReader(MemorySource(Bytes(try fixture.read(name))))
        var places: [Int] = []
        reader.directory.forEachBlock { _, block in places.append(Int(block.offset) + 41) }
        for place in places { try fixture.flip(name, place) }
      }
      let before = try fixture.contents("store")
      for words in [
        ["verify"], ["verify", "--level", "full"], ["hash"], ["compact"], ["compact", "-n"],
      ] {
        let run = fixture.run(words + [fixture.path("store")])
        #expect(run.code == 3, "\(words): \(run.output) \(run.errors)")
      }
      #expect(fixture.tool("import", "csv", "@even.csv", "--into", "@store").code == 3)
      #expect(try fixture.contents("store") == before)
      let store = try Store.openReadOnly(at: fixture.path("store"))
      _ = try store.snapshot().objects("stations").map { $0["name"] }
      _ = try store.snapshot().objects("stations").map { $0["name"] }
      #expect(store.snapshot().problem?.code == .corrupt)
    }
  }

  @Test("a dry run counts the segments that are retired, also behind the newest baseline")
  func preview() throws {
    try CommandFixture.run { fixture in
      try makeTwice(fixture)
      try fixture.write("odd.csv", "number,from,to,delay\n305,RTD,UTR,4.5\n")
      _ = fixture.tool("import", "csv", "@odd.csv", "--into", "@store", "--entity", "trains")
      let plan = try fixture.tool("compact", "@store", "--keep", "1b", "-n", "--json").json
      let done = try fixture.tool("compact", "@store", "--keep", "1b", "--json").json
      #expect(plan["retiredSegments"] as? Int == 4)
      #expect(plan["retiredSegments"] as? Int == done["retiredSegments"] as? Int)
      #expect(plan["retiredBytes"] as? Int == done["retiredBytes"] as? Int)
    }
  }

  @Test("damage in history that two baselines cover is not retired with it")
  func damagedHistory() throws {
    try CommandFixture.run { fixture in
      try makeTwice(fixture)
      try fixture.flip(try fixture.segments("store")[1], 300)
      let before = try fixture.contents("store")
      #expect(fixture.tool("compact", "@store", "--keep", "1b").code == 3)
      #expect(try fixture.contents("store") == before)
    }
  }

  @Test(
    "a damaged store is not compacted, a busy one neither, and no store is made",
    arguments: [true, false])
  func refused(isDryRun: Bool) throws {
    try CommandFixture.run { fixture in
      let words = isDryRun ? ["compact", "--dry-run"] : ["compact"]
      try fixture.makeStore()
      #expect(fixture.run(words + [fixture.path("nothing")]).code == 2)
      #expect(!fixture.exists("nothing"))
      try fixture.withWriter("store") {
        #expect(fixture.run(words + [fixture.path("store")]).code == (isDryRun ? 0 : 7))
      }
      try fixture.flip(try fixture.segments("store")[1], 300)
      let before = try fixture.contents("store")
      #expect(fixture.run(words + [fixture.path("store")]).code == 3)
      #expect(try fixture.contents("store") == before)
    }
  }

  @Test(
    "--keep takes sizes and ages, and refuses everything else",
    arguments: [
      "", "30", "d", "-1d", "1e3d", "99999999999999999999d", "18446744073709551615GiB", "1x",
    ])
  func badKeep(text: String) throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      let run = fixture.tool("compact", "@store", "--keep", text)
      #expect(run.code == 64, "\(text): \(run.output)")
    }
  }
}
