// `varve import csv`: what it declares, writes, rejects and reports.

import Testing

@Suite("Commands: import csv")
struct ImportCommandTests {
  @Test("a new store gets the schema and the rows in one transaction for each source")
  func transactions() throws {
    try CommandFixture.run { fixture in
      try fixture.write("stations.csv", CommandFixture.stations)
      try fixture.write("trains.csv", CommandFixture.trains)
      let run = fixture.tool(
        "import", "csv", "@stations.csv", "@trains.csv", "--into", "@store", "--null", "NA",
        "--json")
      #expect(run.code == 0, "\(run.errors)")
      let report = try run.json
      #expect(report["schema"] as? String == "varve.import/1")
      #expect(report["read"] as? Int == 5)
      #expect(report["kept"] as? Int == 5)
      #expect(report["transactions"] as? Int == 2)
      let entities = try #require(report["entities"] as? [[String: Any]])
      #expect(entities.map { $0["entity"] as? String } == ["stations", "trains"])
      let columns = try #require(entities[0]["columns"] as? [[String: Any]])
      #expect(
        columns.map { $0["type"] as? String } == ["string", "string", "date", "integer"])
      #expect(columns.map { $0["optional"] as? Bool } == [false, false, true, false])
      #expect(run.errors.contains("5 rows read = 5 kept + 0 rejected"))
    }
  }

  @Test("importing again continues the serials and declares nothing new")
  func again() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      let run = fixture.tool(
        "import", "csv", "@trains.csv", "--into", "@store", "--null", "NA", "--json")
      let report = try run.json
      let entity = try #require((report["entities"] as? [[String: Any]])?.first)
      #expect(entity["firstSerial"] as? Int == 4)
      let columns = try #require(entity["columns"] as? [[String: Any]])
      #expect(columns.allSatisfy { $0["new"] as? Bool == false })
      let log = fixture.tool("log", "@store", "--ops", "--jsonl", "--reverse", "-n", "1")
      #expect(try log.jsonLines.filter { $0["op"] as? String == "schema" }.isEmpty)
      #expect(fixture.tool("hash", "@store", "--json").code == 0)
      #expect(try fixture.tool("hash", "@store", "--json").json["rows"] as? Int == 8)
    }
  }

  @Test("another type for a known name becomes a second column, with a warning")
  func otherType() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      try fixture.write("trains.csv", "number,from,to,delay\nIC1,AMS,UTR,late\n")
      let run = fixture.tool("import", "csv", "@trains.csv", "--into", "@store")
      #expect(run.code == 0)
      #expect(run.errors.contains("trains.number is integer in the store and string here"))
      let shown = fixture.tool("show", "HEAD", "@store")
      #expect(shown.output.contains("number:string"))
      #expect(fixture.tool("verify", "--level", "full", "@store").code == 0)
    }
  }

  @Test("rejected rows are counted, written to a file, and end with 9")
  func rejects() throws {
    try CommandFixture.run { fixture in
      try fixture.write("t.csv", "a:integer,b\n1,x\ntwo,y\n3\n4,z\n")
      let run = fixture.tool(
        "import", "csv", "@t.csv", "--into", "@store", "--rejects", "@bad.jsonl", "--json")
      #expect(run.code == 9)
      #expect(try run.json["kept"] as? Int == 2)
      #expect(try run.json["rejected"] as? Int == 2)
      let text = String(decoding: try fixture.read("bad.jsonl"), as: UTF8.self)
      let lines = try ToolRun(output: text, errors: "", code: 0).jsonLines
      #expect(lines.map { $0["code"] as? String } == ["E-CAST", "E-MISSING"])
      #expect(lines.map { $0["raw"] as? String } == ["two,y", "3"])
      #expect(lines.map { $0["row"] as? Int } == [2, 3])
    }
  }

  @Test("too many rejected rows end the import, and what was committed is said")
  func tooMany() throws {
    try CommandFixture.run { fixture in
      let bad = String(repeating: "x,1\n", count: 20)
      try fixture.write("t.csv", "a:integer,b\n1,1\n2,2\n" + bad)
      let all = fixture.tool(
        "import", "csv", "@t.csv", "--into", "@one", "--max-errors", "3", "--json")
      #expect(all.code == 9)
      #expect(all.errors.contains("nothing of it was committed"))
      #expect(try all.json["transactions"] as? Int == 0)
      #expect(!fixture.exists("one"))
      let batches = fixture.tool(
        "import", "csv", "@t.csv", "--into", "@two", "--max-errors", "3", "--batch", "2")
      #expect(batches.code == 9)
      #expect(batches.errors.contains("1 transactions of it were committed before"))
      #expect(fixture.tool("log", "@two", "--count").output == "1\n")
    }
  }

  @Test("batches become transactions, a late nil makes a column optional")
  func batches() throws {
    try CommandFixture.run { fixture in
      try fixture.write("t.csv", "a\n1\n2\n3\n4\n\"\"\n")
      let run = fixture.tool(
        "import", "csv", "@t.csv", "--into", "@store", "--type", "a=string", "--batch", "2",
        "--label", "numbers", "--json")
      #expect(run.code == 0, "\(run.errors)")
      #expect(try run.json["transactions"] as? Int == 3)
      let log = try fixture.tool("log", "@store", "--jsonl").jsonLines
      #expect(log.map { $0["label"] as? String } == ["numbers", "numbers", "numbers"])
      #expect(log.map { $0["origin"] as? String } == ["import", "import", "import"])
      #expect(try fixture.tool("hash", "@store", "--json").json["rows"] as? Int == 5)
    }
  }

  @Test("a dry run reads everything and writes nothing")
  func dryRun() throws {
    try CommandFixture.run { fixture in
      try fixture.write("t.csv", "a\n1\n")
      let run = fixture.tool("import", "csv", "@t.csv", "--into", "@store", "--dry-run", "--json")
      #expect(run.code == 0)
      #expect(try run.json["dryRun"] as? Bool == true)
      #expect(!fixture.exists("store"))
    }
  }

  @Test("a dialect: delimiter, comments, names, no header, no quotes")
  func dialect() throws {
    try CommandFixture.run { fixture in
      try fixture.write("t.txt", "# remark\n 1;\"x\n 2;y\n")
      let run = fixture.tool(
        "import", "csv", "@t.txt", "--into", "@store", "--delimiter", ";", "--comment", "#",
        "--quote", "none", "--header", "no", "--columns", "n,word", "--trim", "--entity", "things")
      #expect(run.code == 0, "\(run.errors)")
      let shown = fixture.tool("show", "1", "@store").output
      #expect(shown.contains("columns things"))
      #expect(shown.contains("0/1  1  \"x"))
    }
  }

  @Test(
    "what cannot be imported ends with 2 or 64 and makes no store",
    arguments: [
      ("missing.csv", 2), (".", 2), ("t.csv --type a=colour", 64), ("t.csv --type z=integer", 2),
      ("t.csv --delimiter ab", 64), ("t.csv t.csv --entity x", 64),
    ] as [(String, Int32)])
  func failures(line: String, code: Int32) throws {
    try CommandFixture.run { fixture in
      try fixture.write("t.csv", "a\n1\n")
      let sources = line.split(separator: " ").map(String.init).map {
        $0.hasSuffix(".csv") ? fixture.path($0) : $0
      }
      let run = fixture.run(["import", "csv"] + sources + ["--into", fixture.path("store")])
      #expect(run.code == code, "\(run.errors)")
    }
  }

  @Test("a directory with other files is not taken for a new store")
  func foreignDirectory() throws {
    try CommandFixture.run { fixture in
      try fixture.write("t.csv", "a\n1\n")
      let run = fixture.tool("import", "csv", "@t.csv", "--into", "@")
      #expect(run.code == 2)
      #expect(run.errors.contains("the directory holds other files"))
    }
  }

  @Test("a store that lacks its newest segment is not written to, so that the gap stays visible")
  func damaged() throws {
    try CommandFixture.run { fixture in
      try fixture.write("t.csv", "a\n1\n")
      for _ in 0..<2 {
        #expect(fixture.tool("import", "csv", "@t.csv", "--into", "@store").code == 0)
      }
      let segments = try fixture.segments("store")
      #expect(segments.count == 2)
      let lost = try fixture.read(try #require(segments.last))
      try fixture.remove(try #require(segments.last))
      let refused = fixture.tool("import", "csv", "@t.csv", "--into", "@store")
      #expect(refused.code == 5, "\(refused.errors)")
      #expect(refused.errors.contains("--into-damaged"))
      #expect(fixture.tool("verify", "@store").code == 5)
      let forced = fixture.tool("import", "csv", "@t.csv", "--into", "@store", "--into-damaged")
      #expect(forced.code == 0, "\(forced.errors)")
      #expect(forced.errors.contains("the store is damaged"))
      // Writing does not make it forgotten: what was recorded of the lost segment is kept.
      for _ in 0..<2 {
        let verified = fixture.tool("verify", "@store")
        #expect(verified.code == 5, "\(verified.output)")
        #expect(verified.output.contains("gap"))
        #expect(fixture.tool("import", "csv", "@t.csv", "--into", "@store").code == 5)
        #expect(
          fixture.tool("import", "csv", "@t.csv", "--into", "@store", "--into-damaged").code == 0)
      }
      let recovered = fixture.tool("recover", "@store", "-o", "@new", "--json")
      #expect(recovered.code == 9, "\(recovered.errors)")
      // Whoever brings the file back has no gap any more.
      try fixture.write(try #require(segments.last), lost)
      let healed = fixture.tool("verify", "--level", "full", "@store")
      #expect(healed.code == 0, "\(healed.output)")
    }
  }

  @Test("a store that another writer has open is busy")
  func busy() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      try fixture.withWriter("store") {
        let run = fixture.tool("import", "csv", "@trains.csv", "--into", "@store")
        #expect(run.code == 7)
        #expect(run.errors.contains("Close the program that writes to the store"))
        #expect(fixture.tool("log", "@store", "--count").output == "3\n")
      }
    }
  }

  @Test("the file of --rejects replaces nothing, not even the source or in a dry run")
  func existingRejects() throws {
    try CommandFixture.run { fixture in
      let text = "a:integer,b\n1,x\ntwo,y\n"
      try fixture.write("t.csv", text)
      for words in [[], ["--dry-run"]] {
        let run = fixture.run(
          ["import", "csv", fixture.path("t.csv"), "--into", fixture.path("store")]
            + ["--rejects", fixture.path("t.csv")] + words)
        #expect(run.code == 2, "\(run.errors)")
        #expect(run.errors.contains("the file exists already"))
        #expect(try fixture.read("t.csv") == Array(text.utf8))
        #expect(!fixture.exists("store"))
      }
      try fixture.write("good.csv", "a:integer\n1\n")
      let good = fixture.tool(
        "import", "csv", "@good.csv", "--into", "@store", "--rejects", "@bad.jsonl")
      #expect(good.code == 0)
      #expect(!fixture.exists("bad.jsonl"))
    }
  }

  @Test("a report that cannot be written is refused before anything is committed")
  func existingReport() throws {
    try CommandFixture.run { fixture in
      try fixture.write("t.csv", "a\n1\n")
      try fixture.write("report", "mine")
      let paths = [("@report", Int32(2)), ("@absent/report", 2), ("@bad.jsonl", 64)]
      for (path, code) in paths {
        let run = fixture.tool(
          "import", "csv", "@t.csv", "--into", "@store", "--json", "-o", path, "--rejects",
          "@bad.jsonl")
        #expect(run.code == code, "\(path): \(run.errors)")
        #expect(!fixture.exists("store"))
      }
      #expect(try fixture.read("report") == Array("mine".utf8))
    }
  }

  @Test("a label or author that does not fit is wrong usage and makes no store")
  func longLabel() throws {
    try CommandFixture.run { fixture in
      try fixture.write("t.csv", "a\n1\n")
      for option in ["--label", "--author"] {
        let run = fixture.tool(
          "import", "csv", "@t.csv", "--into", "@store", option,
          String(repeating: "x", count: 70_000))
        #expect(run.code == 64, "\(run.errors.prefix(200))")
        #expect(!fixture.exists("store"))
      }
      let long = String(repeating: "x", count: 60_000)
      #expect(
        fixture.tool("import", "csv", "@t.csv", "--into", "@store", "--label", long).code == 0)
      #expect(fixture.tool("verify", "--level", "full", "@store").code == 0)
    }
  }
}
