// Lines of `varve log` about segments that are missing, and places that are not in a file.

import Testing

@testable import VarveTool

@Suite("gaps in the output of log")
struct GapLineTests {
  private func lines(_ run: ToolRun) throws -> [String] {
    try run.jsonLines.compactMap { line in
      if line["schema"] as? String == "varve.damage/1" { return line["code"] as? String }
      return (line["sequence"] as? Int).map {
        "\($0)\(line["behindGap"] as? Bool == true ? "!" : "")"
      }
    }
  }

  @Test("a missing segment has a line, the first one too, in both directions")
  func lines() throws {
    let expected: [(Int, [String], [String])] = [
      (0, ["gap", "2!", "3!"], ["3", "2", "gap"]), (1, ["1", "gap", "3!"], ["3", "gap", "1"]),
      (2, ["1", "2"], ["2", "1"]),
    ]
    for (index, forwards, backwards) in expected {
      try CommandFixture.run { fixture in
        try fixture.makeStore()
        try fixture.remove(try fixture.segments("store")[index])
        let run = fixture.tool("log", "@store", "--jsonl")
        #expect(run.code == 5)
        #expect(try lines(run) == forwards)
        let reversed = fixture.tool("log", "--reverse", "@store", "--jsonl")
        #expect(reversed.code == 5)
        #expect(try lines(reversed) == backwards)
        let text = fixture.tool("log", "@store").output
        #expect(text.contains("!! gap") == (index < 2), "\(text)")
      }
    }
  }

  @Test("a place behind the end of a file is a wrong argument and no damage")
  func behindTheEnd() throws {
    try CommandFixture.run { fixture in
      try fixture.makeStore()
      let name = try fixture.segments("store")[0]
      let length = try fixture.read(name).count
      for words in [["frame"], ["frame", "--json"], ["frame", "--raw"]] {
        let run = fixture.run(words + [fixture.path("\(name)@\(length)")])
        #expect(run.code == 64, "\(run.errors)")
        #expect(run.errors.contains("the file has \(length) bytes"), "\(run.errors)")
      }
      #expect(fixture.tool("frame", "@\(name)@\(length - 1)").code == 0)
    }
  }
}
