// Files, pipes and batches.

import Testing

@testable import VarveImport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("Delimited text: sources and batches")
struct SourceTests {
  private static let text = "a,b\n1,x\n2,y\n,z\n"
  private static let shown = "a:integer b:string\n1 \"x\"\n2 \"y\"\nnil \"z\""

  /// Passes the path of a pipe that holds `bytes`.
  private func withPipe<R>(_ bytes: [UInt8], _ body: (String) throws -> R) rethrows -> R {
    var ends: [Int32] = [0, 0]
    precondition(pipe(&ends) == 0 && bytes.count < 60_000)
    #expect(write(ends[1], bytes, bytes.count) == bytes.count)
    close(ends[1])
    defer { close(ends[0]) }
    return try body("/dev/fd/\(ends[0])")
  }

  private func withFile<R>(_ bytes: [UInt8], _ body: (String) throws -> R) throws -> R {
    var template = Array("/tmp/varve-import-XXXXXX".utf8CString)
    let file = mkstemp(&template)
    try #require(file >= 0)
    #expect(write(file, bytes, bytes.count) == bytes.count)
    close(file)
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { unlink(path) }
    return try body(path)
  }

  @Test("a file is read twice, a pipe is kept in memory, with the same result")
  func filesAndPipes() throws {
    let bytes = Array(Self.text.utf8)
    try withFile(bytes) { path in
      let table = try DelimitedImport(.file(path)).table()
      #expect(ImportText.show(table) == Self.shown)
    }
    try withPipe(bytes) { path in
      #expect(!ImportSource.file(path).isRepeatable)
      let table = try DelimitedImport(.file(path)).table()
      #expect(ImportText.show(table) == Self.shown)
    }
    try withPipe(Gzip.stored(bytes)) { path in
      let table = try DelimitedImport(.file(path)).table()
      #expect(ImportText.show(table) == Self.shown)
    }
  }

  @Test("a pipe beyond the limit is refused before anything is handed out")
  func spoolLimit() throws {
    let bytes = Array(("a,b\n" + String(repeating: "1,x\n", count: 1_000)).utf8)
    try withPipe(bytes) { path in
      var batches = 0
      do {
        try DelimitedImport(.file(path), spoolBytesMax: 1_000).forEachBatch(ofRows: 10) { _ in
          batches += 1
        }
        Issue.record("accepted")
      } catch let error as ImportError {
        #expect(error.code == .spoolExceeded)
        #expect(batches == 0)
      }
    }
  }

  @Test("a pipe is read once when all types are given")
  func givenTypes() throws {
    let bytes = Array(("a:integer,b\n" + String(repeating: "1,x\n", count: 1_000)).utf8)
    try withPipe(bytes) { path in
      let run = DelimitedImport(
        .file(path), options: options { $0.types = ["b": .string] }, spoolBytesMax: 0)
      let table = try run.table()
      #expect(table.rowsKept == 1_000)
    }
  }

  @Test("batches hold all rows in order, problems included", arguments: [1, 2, 3, 4, 5, 100])
  func batches(rows: Int) throws {
    let text = "a,b\n1,x\n2\n3,y\n4,z,z\n5,\n6,w\n"
    var sizes: [Int] = []
    var lines: [String] = []
    var problems: [Int] = []
    try DelimitedImport(.bytes(Array(text.utf8), name: "t")).forEachBatch(ofRows: rows) { table in
      ImportText.check(table)
      sizes.append(table.rowsRead)
      for row in 0..<table.rowsKept {
        lines.append(table.columns.map { ImportText.cell($0, row) }.joined(separator: " "))
      }
      problems += table.problems.map(\.row)
    }
    #expect(lines == ["1 \"x\"", "3 \"y\"", "5 nil", "6 \"w\""])
    #expect(problems == [2, 4])
    #expect(sizes.allSatisfy { $0 <= rows } && sizes.reduce(0, +) == 6)
    #expect(sizes.count == (6 + rows - 1) / rows)
  }

  @Test("a batch ends early when its text is long")
  func longBatch() throws {
    var run = DelimitedImport(.bytes(Array("a\n111\n222\n333\n".utf8), name: "t"))
    run.batchBytesMax = 5
    var rows: [Int] = []
    try run.forEachBatch(ofRows: 100) { rows.append($0.rowsKept) }
    #expect(rows == [2, 1])
  }

  @Test("a text without rows is one batch without rows, so that its columns are known")
  func emptyBatch() throws {
    var shown: [String] = []
    try DelimitedImport(.bytes(Array("a,b\n".utf8), name: "t")).forEachBatch(ofRows: 2) {
      shown.append(ImportText.show($0))
    }
    #expect(shown == ["a:string b:string"])
  }

  @Test("an error of the receiver stops the import at once")
  func stops() {
    struct Stop: Error {}
    var batches = 0
    #expect(throws: Stop.self) {
      try DelimitedImport(.bytes(Array(Self.text.utf8), name: "t")).forEachBatch(ofRows: 1) { _ in
        batches += 1
        throw Stop()
      }
    }
    #expect(batches == 1)
  }

  @Test("entities are named after files")
  func names() {
    let names = [
      ("flights.csv.gz", "flights"), ("a/b/Flights.CSV.GZ", "Flights"), ("x.tsv", "x"),
      ("my.data.csv", "my.data"), ("plain", "plain"), (".csv", "table"), ("-", "table"),
      ("", "table"),
      ("dir/", "dir"), ("x.gz", "x"),
    ]
    for (path, name) in names { #expect(EntityName.infer(fromPath: path) == name, "\(path)") }
    #expect(DelimitedImport(.file("-")).name == "table")
    #expect(DelimitedImport(.file("a/b.csv"), name: "C").name == "C")
  }

  @Test("the limits agree with each other")
  func limits() { ImportLimits.checkRelations() }
}
