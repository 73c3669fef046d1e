// Findings about what is valid by its hashes: places are places in the file, cells are looked at,
// names are compared with content.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Commands: findings in content")
struct ContentFindingTests {
  /// A compressed segment whose last operation is none.
  private func badOperation(_ fixture: CommandFixture) throws -> [UInt8] {
    var builder = TransactionBuilder()
    let object = ObjectReference(entity: 1, serial: 1)
    for _ in 0..<40 {
      builder.add(.set(object, [FieldValue(1, .data([UInt8](repeating: 7, count: 60)))]))
    }
    // Object 1/1/1, one field with the tag 1 and a type that does not exist.
    builder.add(
      .unknown(opcode: Opcode.set.rawValue, isCritical: false, [1, 1, 1, 1, 1, 99]))
    return fixture.segment([try builder.finish()])
  }

  @Test("an error in decompressed content is found at its frame, not at a place in the payload")
  func place() throws {
    try CommandFixture.run { fixture in
      try fixture.write("bad.vlog", try badOperation(fixture))
      let run = fixture.tool("verify", "--level", "full", "--json", "@bad.vlog")
      #expect(run.code == 3)
      let findings = try #require(try run.json["findings"] as? [[String: Any]])
      let finding = try #require(findings.first { $0["code"] as? String == "badValue" })
      #expect(finding["offset"] as? Int == 128)
      let detail = try #require(finding["detail"] as? String)
      #expect(detail.contains("of the content)"), "\(detail)")
      #expect(fixture.tool("frame", "@bad.vlog@128").output.contains("+0000"))
    }
  }

  @Test(
    "what is wrong inside a MARK, a SEAL or a schema hint is found at its frame",
    arguments: [
      (FrameType.mark, [UInt8](repeating: 0, count: 24)), (.mark, [1, 2, 3]),
      (.seal, [UInt8](repeating: 1, count: 60)), (.schema, [2, 1, 99, 0]),
    ])
  func frames(type: FrameType, payload: [UInt8]) throws {
    try CommandFixture.run { fixture in
      var builder = TransactionBuilder()
      builder.add(.delete(ObjectReference(entity: 1, serial: 1)))
      let draft = try builder.finish()
      // The second frame: the first one starts at byte 128.
      try fixture.write(
        "bad.vlog",
        fixture.segment(
          [draft, draft], hints: [(.replicas, []), (type, payload)], isSealed: false))
      let frames = fixture.tool("dump", "--headers-only", "--jsonl", "@bad.vlog")
      let offsets = try frames.jsonLines.filter { $0["kind"] as? String == "frame" }
        .compactMap { $0["offset"] as? Int }
      let run = fixture.tool("verify", "--level", "full", "--jsonl", "@bad.vlog")
      let findings = try run.jsonLines.filter { $0["severity"] as? String == "corruption" }
      #expect(type == .schema || !findings.isEmpty, "\(run.output)")
      for finding in findings {
        let offset = try #require(finding["offset"] as? Int)
        #expect(offsets.contains(offset), "\(finding)")
      }
    }
  }

  @Test("a NaN and a decimal that are not in their one form are found by verify full and dump")
  func cells() throws {
    try CommandFixture.run { fixture in
      let nan: [NaiveCell] = [.word(1), .word(0x7FF8_0000_0000_0001), .word(3)]
      let decimal: [NaiveCell] = [.bytes([0, 0, 1, 10])]
      var random = TestRun.random()
      for (type, cells) in [(PhysicalType.double, nan), (.decimal, decimal)] {
        let rows = cells.count
        let encoding = type == .double ? ColumnEncoding.plain : .bytes
        let raw = Bytes(
          NaiveColumnWriter(type, encoding, isNullable: false).block(cells, &random))
        var builder = TransactionBuilder()
        let part = EncodedPart(
          frameType: .columnBlock, raw: raw, column: try ColumnBlockDecoder.header(of: raw))
        builder.add(
          .columns(
            ColumnsOperation(
              form: .create, entity: 1, rows: rows,
              identifiers: .run(index: 0, firstSerial: 1), firstPart: 0,
              columns: [ColumnsOperation.Column(attribute: 2, type: type)])))
        builder.add(part: part)
        try fixture.write("cells.vlog", fixture.segment([try builder.finish()]))
        #expect(fixture.tool("verify", "@cells.vlog").code == 0)
        let full = fixture.tool("verify", "--level", "full", "@cells.vlog")
        #expect(full.code == 3, "\(type): \(full.output)")
        #expect(full.output.contains("badColumn"))
        #expect(fixture.tool("dump", "@cells.vlog").code == 3)
        #expect(fixture.tool("show", "1", "@cells.vlog").output.contains("?"))
        try fixture.remove("cells.vlog")
      }
    }
  }

  @Test("a sealed segment that is not the file of its name is found, by normal and full")
  func sealedName() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      #expect(fixture.tool("verify", "@store").code == 0)
      let path = try fixture.segments("store")[1]
      // Another salt is another file with the same transactions, valid in itself.
      #expect(path.hasSuffix(".vlog"))
      let digit = path.dropLast(5).last == "0" ? "1" : "0"
      let other = "\(path.dropLast(6))\(digit).vlog"
      try fixture.copy(path, to: other)
      try fixture.remove(path)
      for (level, code) in [("quick", 0), ("normal", 3), ("full", 3)] {
        let run = fixture.tool("verify", "--level", level, "--json", "@store")
        #expect(Int(run.code) == code, "\(level): \(run.output)")
        guard code == 3 else { continue }
        let findings = try #require(try run.json["findings"] as? [[String: Any]])
        #expect(findings.map { $0["code"] as? String } == ["wrongFile"])
        #expect((findings[0]["detail"] as? String)?.contains("the name says hash") == true)
      }
    }
  }

  @Test("a segment of another store in a log directory is refused by name, and nothing is lost")
  func wrongStore() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      try fixture.makeStore("other")
      let before = try fixture.tool("hash", "@store", "--json").json["state"] as? String
      let foreign = try fixture.segments("other")[0]
      let own = try fixture.segments("store")[0].split(separator: "/").dropLast()
      let place = own.joined(separator: "/") + "/open-0000000009.vlog"
      try fixture.copy(foreign, to: place)
      let bytes = try fixture.read(place)
      let run = fixture.tool("verify", "--json", "@store")
      let findings = try #require(try run.json["findings"] as? [[String: Any]])
      #expect(
        findings.contains {
          $0["file"] as? String == "ROOT/\(place)"
            && ($0["detail"] as? String)?.contains("belongs to store") == true
        }, "\(run.output)")
      #expect(try fixture.tool("hash", "@store", "--json").json["state"] as? String == before)
      #expect(fixture.tool("log", "@store", "--count").output == "3\n")
      #expect(try fixture.read(place) == bytes)
    }
  }
}
