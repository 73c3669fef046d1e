// What commands print under --json is one document with a schema, and so are errors.

import Testing
import VarveTool

@Suite("Commands: JSON documents")
struct JSONDocumentTests {
  @Test("help is a document, in every spelling")
  func help() throws {
    try CommandFixture.run { fixture in
      for words in [["help", "--json"], ["--help", "--json"], ["help", "--jsonl"]] {
        let overview = try fixture.run(words).json
        #expect(overview["schema"] as? String == "varve.help/1", "\(words)")
        let commands = try #require(overview["commands"] as? [[String: Any]])
        #expect(commands.contains { $0["command"] as? String == "verify" })
      }
      let page = try fixture.tool("help", "import", "csv", "--json").json
      #expect(page["schema"] as? String == "varve.help/1")
      #expect(page["command"] as? String == "import csv")
      let options = try #require(page["options"] as? [[String: Any]])
      #expect(options.contains { $0["name"] as? String == "--into" })
      #expect(try fixture.tool("log", "--help", "--json").json["command"] as? String == "log")
    }
  }

  @Test("the demonstration is a document: what was imported, found and compared")
  func demo() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      let run = fixture.tool("demo", "--data", "@", "--keep", "@play", "--json")
      #expect(run.code == 0, "\(run.errors)")
      let demo = try run.json
      #expect(demo["schema"] as? String == "varve.demo/1")
      #expect(demo["equal"] as? Bool == true)
      #expect(demo["found"] as? Bool == true)
      #expect((demo["import"] as? [String: Any])?["schema"] as? String == "varve.import/1")
      #expect((demo["findings"] as? [[String: Any]])?.isEmpty == false)
    }
  }

  @Test("frame and dump are documents, also for a file without anything in it")
  func files() throws {
    try CommandFixture.run { fixture in
      try fixture.write("open.vlog", fixture.segment([], isSealed: false))
      for words in [["frame", "--all"], ["dump"]] {
        let run = fixture.run(words + ["--json", fixture.path("open.vlog")])
        let name = words[0] == "dump" ? "records" : "fields"
        let document = try run.json
        #expect(document["schema"] as? String == "varve.\(words[0])/1")
        #expect((document[name] as? [Any])?.count == document["count"] as? Int)
      }
    }
  }

  @Test(
    "an error is a line of JSON with code, place and exit code",
    arguments: [
      (["info", "@absent", "--json"], "notAStore", 2), (["dump", "@t", "--jsonl"], "notVarve", 2),
      (["bogus", "--json"], "unknownCommand", 64), (["info", "--json", "--level"], "", 64),
      (["verify", "--level", "x", "--json"], "badValue", 64),
    ] as [([String], String, Int)])
  func errors(words: [String], code: String, exit: Int) throws {
    try CommandFixture.run { fixture in
      try fixture.write("t", "hello, this is no file of ours")
      let arguments = words.map { $0.hasPrefix("@") ? fixture.path(String($0.dropFirst())) : $0 }
      let run = fixture.run(arguments)
      #expect(run.output.isEmpty)
      #expect(Int(run.code) == exit)
      let error = try ToolRun(output: run.errors, errors: "", code: 0).json
      #expect(error["schema"] as? String == "varve.error/1", "\(run.errors)")
      if !code.isEmpty { #expect(error["code"] as? String == code) }
      #expect(error["exit"] as? Int == exit)
      #expect((error["message"] as? String)?.isEmpty == false)
    }
  }
}
