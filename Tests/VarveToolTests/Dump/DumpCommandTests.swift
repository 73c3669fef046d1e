// Transcripts of `varve dump` and `varve frame` on small files.

import Testing
import Varve
import VarveFormat
import VarveTestSupport
import VarveTool

@Suite("Commands: dump and frame")
struct DumpCommandTests {
  private static let stamp = Stamp(milliseconds: 1_700_000_000_123, counter: 5)

  /// A sealed segment with one small transaction.
  private static func sample() throws -> [UInt8] {
    let header = FileHeader(
      store: StoreID([UInt8](repeating: 1, count: 16)),
      replica: ReplicaID([UInt8](repeating: 2, count: 16)), ordinal: 1, firstSequence: 1,
      salt: 1, previousChain: .zero, created: stamp, previousBytes: 0)
    var encoder = SegmentEncoder(header)
    var builder = TransactionBuilder()
    builder.add(
      .set(ObjectReference(entity: 7, serial: 5), [FieldValue(1, .string("a\"b"))]))
    encoder.append(try builder.finish(), stamp: stamp, isFullVector: true)
    encoder.endGroup()
    encoder.seal()
    return header.encoded.array + encoder.output.bytes
  }

  /// Runs the tool on a file; FILE in the arguments stands for its path.
  private func run(
    _ bytes: [UInt8], _ arguments: String...
  ) throws -> (output: String, errors: String, code: Int32) {
    try withTemporaryDirectory { directory in
      let path = directory + "/sample.vlog"
      let file = try PosixDisk().open(path, .create)
      try bytes.withUnsafeBytes { try file.write([$0], at: 0) }
      try file.close()
      let result = VarveTool.transcript(
        arguments.map { $0.hasPrefix("FILE") ? path + $0.dropFirst(4) : $0 })
      return (result.output, result.errors.replacing(path, with: "FILE"), result.code)
    }
  }

  @Test("a sound file prints its records and ends with 0")
  func sound() throws {
    let result = try run(try DumpCommandTests.sample(), "dump", "FILE")
    #expect(result.code == 0)
    #expect(result.errors.isEmpty)
    let lines = result.output.split(separator: "\n")
    #expect(lines[4] == "    op set object=7/0/5 count=1")
    #expect(lines[5] == #"      field tag=1 value="a\"b""#)
    #expect(lines.last == "end offset=472 verdict=sealed frames=2 transactions=1")
  }

  @Test("JSON comes as lines or as one document")
  func json() throws {
    let bytes = try DumpCommandTests.sample()
    let lines = try run(bytes, "dump", "FILE", "--jsonl").output
    #expect(
      lines.contains(
        #"{"kind":"field","depth":3,"tag":1,"value":"a\"b"}"# + "\n"))
    let document = try run(bytes, "dump", "--json", "FILE").output
    let joined = lines.dropLast().replacing("\n", with: ",\n")
    let count = lines.split(separator: "\n").count
    #expect(
      document == "{\"schema\":\"varve.dump/1\",\"records\":[\(joined)],\"count\":\(count)}\n")
  }

  @Test("exit codes: torn 4, damaged 3, no Varve file 2, newer under --strict 6")
  func codes() throws {
    let bytes = try DumpCommandTests.sample()
    #expect(try run(Array(bytes[..<200]), "dump", "FILE").code == 4)
    var rotten = bytes
    rotten[150] ^= 1
    #expect(try run(rotten, "dump", "FILE").code == 3)
    let foreign = try run(Array("hello, world".utf8), "dump", "FILE")
    #expect(foreign.code == 2)
    #expect(foreign.output.isEmpty)
    #expect(
      foreign.errors
        == "varve: FILE@0: notVarve: the file does not start as a Varve file does\n"
        + "Try \"varve explain notVarve\".\n")
    #expect(VarveTool.transcript(["dump", "no/such/file"]).code == 2)
    var newer = bytes
    newer[8] = 1
    newer.replaceSubrange(0..<128, with: Reseal.fileHeader(Array(newer[..<128])).array)
    #expect(try run(newer, "dump", "FILE").code == 3)
    #expect(try run(newer, "dump", "FILE", "--strict").code == 6)
    #expect(try run(bytes, "dump", "FILE", "--strict").code == 0)
  }

  @Test("options choose a part of the file")
  func options() throws {
    let bytes = try DumpCommandTests.sample()
    let short = try run(bytes, "dump", "--headers-only", "--max-frames", "1", "FILE").output
    let kinds = short.split(separator: "\n").map { $0.prefix { $0 != " " } }
    #expect(kinds == ["file", "frame", "end"])
    let later = try run(bytes, "dump", "--from-offset", "248", "FILE").output
    #expect(later.contains("\nframe offset=248 type=seal "))
    #expect(later.hasSuffix("verdict=partial frames=1 transactions=0\n"))
  }

  @Test("a frame prints with offsets, bytes and meanings")
  func frame() throws {
    let bytes = try DumpCommandTests.sample()
    let result = try run(bytes, "frame", "FILE@130")
    #expect(result.code == 0)
    #expect(result.errors == "varve: byte 130 lies behind the start at 128\n")
    let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
    let gap = String(repeating: " ", count: 47)
    #expect(lines[1] == " 00000084  03\(gap)type 3: tx")
    #expect(result.output.contains("  operation 02: set\n"))
    let wide = try run(bytes, "frame", "FILE@128", "--width", "32").output
    #expect(wide.contains(" 00000084  03\(gap)\(gap) type 3: tx\n"))
    let json = try run(bytes, "frame", "FILE@128", "--jsonl").output
    #expect(
      json.contains(
        #"{"schema":"varve.field/1","field":"sequence","offset":144,"length":8,"#
          + #""decompressed":false,"value":"1"}"# + "\n"))
  }

  @Test("a whole file prints as its golden dump")
  func wholeFile() throws {
    let golden = try GoldenFiles.text("tiny.hex").split(separator: "\n")
      .filter { !$0.hasPrefix("#") }
    let result = try run(try GoldenFiles.read("tiny.vlog"), "frame", "--all", "FILE")
    #expect(result.code == 0)
    #expect(result.output.split(separator: "\n") == golden)
    let wide = try run(try GoldenFiles.read("columns.vlog"), "frame", "--all", "FILE", "--json")
    #expect(
      wide.output.hasPrefix(
        #"{"schema":"varve.frame/1","fields":[{"field":"magic","offset":0,"length":8,"#))
    #expect(wide.output.hasSuffix("sample.vlog\"}\n"))
  }

  @Test("places are checked before anything is read")
  func places() throws {
    let bytes = try DumpCommandTests.sample()
    #expect(try run(bytes, "frame", "FILE").code == 64)
    #expect(try run(bytes, "frame", "FILE@x").code == 64)
    #expect(try run(bytes, "frame", "FILE", "--all", "--raw").code == 64)
    #expect(try run(bytes, "frame", "FILE@9999").code == 64)
  }
}
