// Dumps of sound files: heads of transactions, columns of every encoding, seals, options.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Dump: segments")
struct SegmentDumpTests {
  @Test("a sealed segment prints header, frames, transactions, SEAL and trailer")
  func sealed() throws {
    let bytes = try DumpSample.tiny(seal: true)
    let lines = try DumpLines.text(bytes)
    let zeros = String(repeating: "0", count: 32)
    #expect(
      lines[0] == "file type=segment version=0.1 store=aeaqcaibaeaqcaibaeaqcaibae "
        + "replica=aibaeaqcaibaeaqcaibaeaqcai ordinal=1 firstSequence=1 salt=0123456789abcdef "
        + "prevChain=\(zeros) created=0018bcfe5687b005 previousBytes=0 bytes=\(bytes.count)")
    #expect(
      lines[1] == "frame offset=128 type=tx flags=last stored=66 raw=66 sequence=1 synced=128")
    #expect(lines[2] == "  chain previous=\(zeros)")
    #expect(
      lines[3].hasPrefix(
        "  transaction sequence=1 stamp=0018bcfe5687b005 time=2023-11-14T22:13:20.123Z flags=full "
          + "bytes=42 operations=1 parts=0 schema=0 hash="))
    #expect(lines[4] == "    op delete object=7/0/5")
    let end = "trailer sealOffset=352 bytes=\(bytes.count) chain="
    #expect(lines[lines.count - 2].hasPrefix(end))
    #expect(
      lines.last == "end offset=\(bytes.count) verdict=sealed frames=3 transactions=2")
  }

  @Test("dictionary, dependencies, metadata and era print in front of the operations")
  func head() throws {
    var encoder = SegmentEncoder(DumpSample.header)
    var builder = TransactionBuilder()
    builder.era = Era(number: 3, opened: [1, 2, 3, 4, 5, 6, 7, 8])
    builder.metadata = Metadata(author: "Ada", label: "first \"one\"", origin: .imported)
    builder.metadata.checkpoint = "row 7"
    builder.metadata.unknown = [Metadata.Entry(key: 9, bytes: [0xAB])]
    let prefix: [UInt8] = [8, 7, 6, 5, 4, 3, 2, 1]
    encoder.append(
      try builder.finish(), stamp: .zero,
      dictionary: [
        DictionaryEntry(index: 1, .replica(ReplicaID([UInt8](repeating: 0, count: 16)))),
        DictionaryEntry(index: 2, .branch(parent: 1, forkSequence: 44, chainPrefix: prefix)),
      ],
      dependencies: [LogPosition(index: 2, sequence: 50, chainPrefix: prefix)],
      isFullVector: true)
    encoder.endGroup()
    let lines = try DumpLines.text(
      Bytes(DumpSample.header.encoded.array + encoder.output.bytes))
    #expect(lines[3].contains(" time=1970-01-01T00:00:00.000Z "))
    #expect(
      Array(lines[4..<lines.count - 1]) == [
        "    era number=3 opened=0102030405060708",
        "    dictionary index=1 replica=aaaaaaaaaaaaaaaaaaaaaaaaaa",
        "    dictionary index=2 parent=1 fork=44 chain=0807060504030201",
        "    depends index=2 sequence=50 chain=0807060504030201",
        "    meta author=\"Ada\"", "    meta label=\"first \\\"one\\\"\"", "    meta origin=import",
        "    meta checkpoint=\"row 7\"", "    meta key=9 bytes=ab",
      ])
  }

  @Test("an origin of a newer version, and one of another length, are kept and printed")
  func newerOrigin() {
    var metadata = Metadata(label: "l")
    metadata.checkpoint = "c"
    metadata.unknown = [Metadata.Entry(key: 3, bytes: [200])]
    #expect(
      metadata.records.map { DumpLines.line(DumpRecord(0, "meta", $0), DumpText.write) } == [
        "meta label=\"l\"", "meta origin=origin-200", "meta checkpoint=\"c\"",
      ])
    metadata.unknown = [Metadata.Entry(key: 3, bytes: [1, 2])]
    #expect(
      metadata.records.map { DumpLines.line(DumpRecord(0, "meta", $0), DumpText.write) }[1]
        == "meta key=3 bytes=0102")
  }

  @Test("hints, marks and ignorable frames print what is in them")
  func hints() throws {
    var random = TestRun.random()
    var spec = SegmentSpec(DumpSample.header)
    spec.append(.schema([.version(2, label: "v")]))
    spec.append(.replicas([DictionaryEntry(index: 1, .replica(random.replica()))]))
    spec.append(.ignorable(type: 0x85, Bytes([1, 2, 3])))
    spec.append(.mark)
    let bytes = try spec.encoded()
    let lines = try DumpLines.text(bytes)
    #expect(lines[2] == #"  schema declares=version version=2 label="v""#)
    #expect(lines[4] == "  bytes count=19")
    #expect(lines[5].contains(" type=type-133 "))
    #expect(lines[6] == "  bytes count=3")
    #expect(lines[8] == "  mark chain=\(String(repeating: "0", count: 32))")
    #expect(lines.last == "end offset=\(bytes.count) verdict=clean frames=4 transactions=0")
  }

  @Test("a columns operation prints its columns, and its part list where the parts lie")
  func columns() throws {
    let columns = [
      ColumnInput(3, .integer, .words([5, 6, .max], present: nil)),
      ColumnInput(
        4, .string, .bytes(offsets: [0, 1, 1, 3], heap: Array("abc".utf8), present: nil)),
    ]
    let lines = try DumpLines.text(try DumpSample.segment(columns, rows: 3), values: true)
    #expect(
      lines[2].hasPrefix(
        "  block entity=7 attribute=3 type=integer encoding=packed nullable=0 rows=3 dictionary=0 "
          + "values="))
    #expect(lines[2].hasSuffix(" first=5 last=-1"))
    #expect(
      Array(lines[3...5]) == [
        "    row index=0 value=5", "    row index=1 value=6", "    row index=2 value=-1",
      ])
    #expect(lines[8] == #"    row index=0 value="a""#)
    #expect(lines[9] == #"    row index=1 value="""#)
    let tail = lines.suffix(6)
    #expect(tail.first?.hasPrefix("    part index=0 type=block offset=128 raw=") == true)
    #expect(
      Array(tail.dropFirst(2).prefix(3)) == [
        "    op columns form=create entity=7 rows=3 blockRows=65536 ids=run:0:1 first=0 columns=2",
        "      column attribute=3 type=integer explicitNil=0 target=0",
        "      column attribute=4 type=string explicitNil=0 target=0",
      ])
  }

  @Test("a transaction whose operations lie in parts prints them all")
  func parted() throws {
    let operations = (1...40).map { serial in
      Operation.set(
        ObjectReference(entity: 7, serial: UInt64(serial)),
        [FieldValue(1, .data([UInt8](repeating: UInt8(serial), count: 9_000)))])
    }
    let lines = try DumpLines.text(try DumpSample.segment(operations))
    #expect(lines[1].contains(" type=part "))
    #expect(lines[2] == "  bytes count=\(9_000 * 40 + 40 * 11)")
    #expect(lines.filter { $0.hasPrefix("    op set ") }.count == 40)
    #expect(lines.last?.contains("verdict=clean") == true)
  }

  // MARK: options

  private func options(_ change: (inout DumpOptions) -> Void) -> DumpOptions {
    var options = DumpOptions()
    change(&options)
    return options
  }

  @Test("headers only prints frames, but still the verdict over everything")
  func headersOnly() throws {
    let bytes = try DumpSample.tiny(mark: true, seal: true)
    let (lines, summary) = try DumpLines.text(bytes, options { $0.headersOnly = true })
    #expect(
      lines.map { $0.prefix { $0 != " " } } == [
        "file", "frame", "frame", "frame", "frame", "trailer", "end",
      ])
    #expect(summary.verdict == .sealed)
  }

  @Test("a part of a file is printed without a verdict")
  func range() throws {
    let bytes = try DumpSample.tiny(seal: true)
    let (first, summary) = try DumpLines.text(bytes, options { $0.framesMax = 1 })
    #expect(first.last == "end offset=240 verdict=partial frames=1 transactions=1")
    #expect(summary.verdict == nil)
    let (later, _) = try DumpLines.text(bytes, options { $0.fromOffset = 245 })
    #expect(later[1].hasPrefix("frame offset=240 "))
    #expect(later.last == "end offset=\(bytes.count) verdict=partial frames=2 transactions=1")
    let (between, found) = try DumpLines.text(bytes, options { $0.fromOffset = 200 })
    #expect(between[1] == "error offset=200 code=badHeaderCheck")
    #expect(between[2] == "resync offset=240 skipped=40")
    #expect(found.damages == 1)
    let (behind, _) = try DumpLines.text(bytes, options { $0.fromOffset = .max })
    #expect(behind.count == 2)
  }
}
