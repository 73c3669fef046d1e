// The keys of the JSON that commands print: contracts for scripts.

import Testing

@Suite("Commands: JSON shapes")
struct JSONShapeTests {
  private func keys(_ object: [String: Any]) -> Set<String> { Set(object.keys) }

  @Test(
    "one document has its schema and its keys",
    arguments: [
      (
        ["info"], "varve.info/1",
        "path kind store format segments openSegments transactions stored raw baseline objects "
          + "writer clean replicas entities health findings"
      ),
      (
        ["schema", "show"], "varve.schema/1",
        "path version versionLabel entities problems findings"
      ),
      (["segments"], "varve.segments/1", "segments count findings"),
      (["baseline", "list"], "varve.baselines/1", "baselines count findings"),
      (["du"], "varve.du/1", "path bytes kinds reclaimable retirable"),
      (
        ["compact"], "varve.compact/1",
        "path dryRun before after retiredSegments retiredBytes seconds"
      ),
      (["log"], "varve.log/1", "transactions count"),
      (["log", "--count"], "varve.count/1", "transactions"),
      (
        ["hash"], "varve.hash/1",
        "store content state rows entities transactions operations bytes unapplied findings"
      ),
      (
        ["verify"], "varve.verify/1",
        "path store level verdict segments baselines transactions bytes seconds digest findings"
      ),
      (
        ["rebuild"], "varve.rebuild/1",
        "store equal seconds segments content state rows entities transactions operations bytes "
          + "unapplied opened findings"
      ),
    ])
  func documents(words: [String], schema: String, wanted: String) throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      let run = fixture.run(words + ["--json", fixture.path("store")])
      let object = try run.json
      #expect(object["schema"] as? String == schema)
      let names = Set(wanted.split(separator: " ").map(String.init) + ["schema"])
      #expect(keys(object) == names, "\(words)")
    }
  }

  private static let logKeys: Set = [
    "schema", "tx", "replica", "sequence", "hash", "chain", "stamp", "time", "label", "author",
    "origin", "operations", "ops", "types", "parents", "file", "offset", "frame", "end", "stored",
    "raw", "durable", "behindGap",
  ]

  @Test("each line of log has the same keys; operations and damage are lines of their own")
  func logLines() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      for line in try fixture.tool("log", "@store", "--jsonl").jsonLines {
        #expect(keys(line) == JSONShapeTests.logKeys)
      }
      let operations = try fixture.tool("log", "@store", "--jsonl", "--ops").jsonLines
        .filter { $0["schema"] as? String == "varve.op/1" }
      #expect(!operations.isEmpty)
      #expect(operations.allSatisfy { keys($0).isSuperset(of: ["tx", "index", "op"]) })
      try fixture.flip(try fixture.segments("store")[0], 300)
      let damage = try fixture.tool("log", "@store", "--jsonl").jsonLines
        .first { $0["schema"] as? String == "varve.damage/1" }
      #expect(
        keys(try #require(damage)) == [
          "schema", "code", "severity", "file", "offset", "sequence", "detail", "fix", "end",
          "resumed", "firstLost", "lost", "incomplete",
        ])
    }
  }

  @Test("segments, findings and the page of a transaction")
  func others() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      let segment = try #require(try fixture.tool("segments", "@store", "--jsonl").jsonLines.first)
      #expect(
        keys(segment) == [
          "schema", "file", "replica", "ordinal", "firstSequence", "lastSequence", "from", "to",
          "frames", "transactions", "bytes", "stored", "raw", "sealed", "verdict",
        ])
      let page = try fixture.tool("show", "1", "@store", "--json").json
      #expect(keys(page) == JSONShapeTests.logKeys.union(["problem", "list"]))
      try fixture.remove("store/super")
      let finding = try #require(
        try fixture.tool("verify", "@store", "--jsonl").jsonLines.first)
      #expect(
        keys(finding) == [
          "schema", "code", "severity", "file", "offset", "sequence", "detail", "fix",
        ])
      let total = try fixture.tool("recover", "@store", "--dry-run", "--json").json
      #expect(
        keys(total) == [
          "schema", "kind", "store", "target", "files", "rejectedFiles", "kept", "orphans", "lost",
          "suspects", "damagedRanges", "quarantinedBytes", "complete",
        ])
    }
  }
}
