// JSON, tables, numbers, progress and writers.

import Testing

@testable import VarveTool

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("Output: JSON")
struct JSONTextTests {
  @Test("strings are escaped as in the dump")
  func escapes() {
    let text = "\"\\\n\r\t\u{0}\u{1F}\u{7F} é\u{1F600}/"
    #expect(JSONValue.string(text).text == #""\"\\\n\r\t\u0000\u001f\u007f é"# + "\u{1F600}/\"")
  }

  @Test("keys keep their order, and 64-bit numbers their digits")
  func shapes() {
    let value = JSONValue.object([
      ("z", .unsigned(.max)), ("a", .integer(.min)),
      ("list", .array([1, "two", true, nil, .array([]), .object([])])),
      ("d", .double(0.1)), ("e", .double(1e300)), ("m", .double(-0.0)), ("n", .double(.nan)),
      ("i", .double(-.infinity)),
    ])
    #expect(
      value.text
        == #"{"z":18446744073709551615,"a":-9223372036854775808,"list":[1,"two",true,null,[],{}],"#
        + #""d":0.1,"e":1e+300,"m":-0.0,"n":"nan","i":"-inf"}"#)
  }

  @Test("a writer places commas between elements only")
  func pieces() {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("a", 1)
    writer.key("b")
    writer.beginArray()
    writer.beginObject()
    writer.endObject()
    writer.beginObject()
    writer.member("c", nil)
    writer.endObject()
    writer.endArray()
    writer.member("d", false)
    writer.endObject()
    #expect(writer.text == #"{"a":1,"b":[{},{"c":null}],"d":false}"#)
    writer.removeAll()
    writer.integer(UInt8(7))
    #expect(writer.text == "7")
  }
}

@Suite("Output: tables and numbers")
struct TextOutputTests {
  @Test("columns are aligned by what they show")
  func table() {
    var table = TablePrinter([.init("NAME"), .init("ROWS", .right), .init("NOTE")])
    table.add(["flights", "336,776", "all of 2013"])
    table.add(["日本", "1", "wide\nand\u{1}"])
    table.add(["e\u{301}"])
    #expect(
      table.render() == """
        NAME        ROWS  NOTE
        flights  336,776  all of 2013
        日本           1  wide\\nand\\u0001
        e\u{301}

        """)
    #expect(table.render(width: 20, showsTitles: false).hasPrefix("flights  336,776  a…\n"))
  }

  @Test("sizes read as people write them")
  func bytes() {
    let cases: [(UInt64, String)] = [
      (0, "0 B"), (1_023, "1023 B"), (1_024, "1.0 KiB"), (121_036, "118.2 KiB"),
      (1_048_575, "1.0 MiB"),
      (4 << 30, "4.0 GiB"), (.max, "16.0 EiB"),
    ]
    for (count, text) in cases { #expect(HumanText.bytes(count) == text) }
  }

  @Test("groups of digits")
  func grouped() {
    let cases: [(Int, String)] = [
      (0, "0"), (999, "999"), (1_204, "1,204"), (-1_234_567, "-1,234,567"),
      (.min, "-9,223,372,036,854,775,808"),
    ]
    for (number, text) in cases { #expect(HumanText.grouped(number) == text) }
    #expect(HumanText.grouped(UInt64.max) == "18,446,744,073,709,551,615")
  }

  @Test("durations read as people say them")
  func durations() {
    let cases: [(Duration, String)] = [
      (.zero, "0 ns"), (.nanoseconds(999), "999 ns"), (.microseconds(1), "1.0 us"),
      (.milliseconds(12), "12.0 ms"),
      (.milliseconds(1_250), "1.3 s"), (.seconds(59), "59.0 s"), (.seconds(125), "2 min 5 s"),
      (.seconds(12_000), "3 h 20 min"), (.seconds(41 * 86_400), "41 days"),
      (.seconds(-5), "-5.0 s"),
    ]
    for (duration, text) in cases { #expect(HumanText.duration(duration) == text) }
  }

  @Test("widths of scalars, and cutting")
  func widths() {
    #expect(TextWidth.columns("abc") == 3)
    #expect(TextWidth.columns("e\u{301}") == 1)
    #expect(TextWidth.columns("日本") == 4)
    #expect(TextWidth.columns("\u{1F600}") == 2)
    #expect(TextWidth.columns("a\u{200B}\u{7}") == 1)
    #expect(TextWidth.truncated("abcdef", to: 4) == "abc…")
    #expect(TextWidth.truncated("日本語", to: 4) == "日…")
    #expect(TextWidth.truncated("ab", to: 0) == "")
  }

  @Test("styles wrap text only when enabled")
  func styles() {
    #expect(TextStyle(isEnabled: true).red("x") == "\u{1B}[31mx\u{1B}[0m")
    #expect(TextStyle(isEnabled: false).bold("x") == "x")
  }
}

@Suite("Output: progress")
struct ProgressLineTests {
  @Test("a line is rewritten at most ten times a second and removed at the end")
  func updates() {
    let writer = OutputWriter.memory(isTerminal: true)
    var moment = ContinuousClock.now
    let line = ProgressLine(writer, isEnabled: true, now: { moment })
    line.update("first")
    line.update("dropped")
    moment += .milliseconds(99)
    line.update("dropped")
    moment += .milliseconds(1)
    line.update("2nd")
    line.clear()
    line.clear()
    #expect(writer.memoryText == "\rfirst\r2nd  \r   \r")
  }

  @Test("counts come with rate and time left")
  func rates() {
    let writer = OutputWriter.memory(isTerminal: true)
    var moment = ContinuousClock.now
    let line = ProgressLine(writer, isEnabled: true, now: { moment })
    moment += .seconds(2)
    line.update(label: "reading", done: 4_000, total: 10_000, unit: "rows")
    #expect(writer.memoryText == "\rreading: 4,000 of 10,000 rows, 2,000/s, 3.0 s left")
  }

  @Test("without a terminal there is none")
  func disabled() {
    let writer = OutputWriter.memory()
    let line = ProgressLine(writer, isEnabled: false)
    line.update("x")
    line.clear()
    #expect(writer.memoryText.isEmpty)
  }
}

@Suite("Output: writers")
struct OutputWriterTests {
  private func makePipe() -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    precondition(pipe(&ends) == 0)
    return (ends[0], ends[1])
  }

  @Test("bytes arrive when the writer is flushed")
  func flush() throws {
    let ends = makePipe()
    defer { close(ends.read) }
    let writer = OutputWriter(descriptor: ends.write)
    #expect(!writer.isTerminal)
    try writer.write("a")
    try writer.line("b")
    try writer.write([0x63])
    try writer.flush()
    close(ends.write)
    var bytes = [UInt8](repeating: 0, count: 10)
    #expect(read(ends.read, &bytes, 10) == 4)
    #expect(bytes.prefix(4) == [0x61, 0x62, 0x0A, 0x63])
  }

  @Test("a closed pipe is an error of its own, once, and ends the tool with 0")
  func closedPipe() throws {
    signal(SIGPIPE, SIG_IGN)
    let ends = makePipe()
    close(ends.read)
    defer { close(ends.write) }
    let writer = OutputWriter(descriptor: ends.write)
    try writer.write("x")
    let error = #expect(throws: OutputError.self) { try writer.flush() }
    #expect(error?.code == .closedPipe)
    try writer.write("y")
    try writer.flush()
    let code = VarveTool.run(
      table: .varve, arguments: ["--help"], environment: [:],
      output: OutputWriter(descriptor: ends.write),
      errors: .memory())
    #expect(code == .done)
  }

  @Test("a result file is created, and an existing one is kept")
  func files() throws {
    var template = Array("/tmp/varve-output-XXXXXX".utf8CString)
    let file = mkstemp(&template)
    try #require(file >= 0)
    close(file)
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { unlink(path) }
    let error = #expect(throws: OutputError.self) { _ = try OutputWriter(creating: path) }
    #expect(error == OutputError(.exists, "the file exists already; name a new one", path: path))
    let writer = try OutputWriter(creating: path, replacing: true)
    try writer.write(String(repeating: "x", count: 200_000))
    try writer.close()
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_size == 200_000)
    #expect(throws: OutputError.self) { _ = try OutputWriter(creating: "/nowhere/x") }
  }

  @Test("--output sends the result of a command to a new file")
  func outputOption() throws {
    let path = "/tmp/varve-output-\(UInt64.random(in: 0...UInt64.max))"
    defer { unlink(path) }
    let table = CommandTable(
      summary: "", version: "",
      commands: [
        CommandSpec(name: "x", summary: "") { context in
          try context.resultWriter().line("result")
          return .done
        }
      ])
    func run() -> (ExitCode, String) {
      let errors = OutputWriter.memory()
      let code = VarveTool.run(
        table: table, arguments: ["x", "-o", path], environment: [:], output: .memory(),
        errors: errors)
      return (code, errors.memoryText)
    }
    #expect(run() == (.done, ""))
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_size == 7)
    #expect(
      run() == (.operationalFailure, "varve: \(path): the file exists already; name a new one\n"))
  }

  @Test("a full device is an error with the place")
  func fullDevice() throws {
    let device = open("/dev/full", O_WRONLY)
    guard device >= 0 else { return }
    defer { close(device) }
    let writer = OutputWriter(descriptor: device)
    try writer.write("x")
    let error = #expect(throws: OutputError.self) { try writer.flush() }
    #expect(error?.code == .failed && error?.offset == 0)
  }
}
