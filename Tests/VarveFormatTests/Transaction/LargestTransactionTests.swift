// Everything at its limit at once: what is legal fits a frame and reads back.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("The largest transactions")
struct LargestTransactionTests {
  private static let branches: [DictionaryEntry] = (1..<UInt32(Limits.dictionaryMax)).map {
    DictionaryEntry(
      index: $0,
      .branch(
        parent: 65_535, forkSequence: .max - 1, chainPrefix: [UInt8](repeating: 7, count: 8)))
  }
  private static let dependencies: [LogPosition] = (0..<UInt32(Limits.dependenciesMax)).map {
    LogPosition(index: $0, sequence: .max - 1, chainPrefix: [UInt8](repeating: 9, count: 8))
  }

  private static func part() throws -> EncodedPart {
    var builder = TransactionBuilder()
    try builder.addColumns(
      form: .create, entity: 1, rows: 1, identifiers: .run(index: 0, firstSerial: 1),
      columns: [ColumnInput(1, .integer, .words([5], present: nil))])
    let draft = try builder.finish()
    return try #require(draft.parts.first)
  }

  /// A draft with so many parts and about so many operation bytes.
  private static func draft(
    parts: Int, bytes: Int, metadata: Int = 0
  ) throws -> TransactionDraft {
    var builder = TransactionBuilder()
    let part = try part()
    for _ in 0..<parts { builder.add(part: part) }
    builder.add(
      .set(
        ObjectReference(entity: 1, serial: 1),
        [FieldValue(1, .data([UInt8](repeating: 3, count: bytes)))]))
    if metadata > 0 { builder.metadata.label = String(repeating: "x", count: metadata) }
    return try builder.finish()
  }

  /// The transactions of a segment with one draft, read back.
  private static func readBack(_ draft: TransactionDraft) throws -> [ScannedTransaction] {
    var random = TestRun.random()
    let header = random.header()
    var encoder = SegmentEncoder(header)
    encoder.append(
      draft, stamp: .zero, dictionary: branches, dependencies: dependencies, isFullVector: true)
    encoder.endGroup()
    let bytes = Bytes(header.encoded.array + encoder.output.bytes)
    var scanner = try SegmentScanner(MemorySource(bytes))
    while case .frame(let frame) = try scanner.next() {
      if frame.header.type == .transaction { return try TransactionFrame(frame).transactions }
    }
    return []
  }

  @Test("parts, metadata, dictionary and dependencies at their limits fit one frame")
  func everything() throws {
    let draft = try LargestTransactionTests.draft(
      parts: Limits.partsMax - 1, bytes: 65_000, metadata: 65_000)
    #expect(draft.flags.contains(.parted))
    #expect(draft.parts.count == Limits.partsMax)
    let transactions = try LargestTransactionTests.readBack(draft)
    let (header, _) = try #require(transactions.first).decoded()
    #expect(header.parts.count == Limits.partsMax)
    #expect(header.dictionary == LargestTransactionTests.branches)
    #expect(header.dependencies == LargestTransactionTests.dependencies)
    let inline = try LargestTransactionTests.draft(parts: 24_000, bytes: 200_000, metadata: 65_000)
    #expect(!inline.flags.contains(.parted))
    #expect(try LargestTransactionTests.readBack(inline).count == 1)
  }

  @Test("operations move into parts when the list of parts leaves no room for them")
  func moves() throws {
    #expect(
      try !LargestTransactionTests.draft(parts: 24_000, bytes: 260_000).flags.contains(.parted))
    #expect(
      try LargestTransactionTests.draft(parts: 30_000, bytes: 260_000).flags.contains(.parted))
    #expect(
      try !LargestTransactionTests.draft(parts: 32_768, bytes: 60_000).flags.contains(.parted))
  }

  @Test("parts of operations count too: one more than the limit is refused by the writer")
  func tooManyParts() {
    do {
      _ = try LargestTransactionTests.draft(parts: Limits.partsMax, bytes: 300_000)
      Issue.record("the builder took it")
    } catch { #expect((error as? FormatError)?.code == .badLength) }
  }

  @Test("a reader takes exactly the joint limit and refuses one byte more")
  func readerLimit() throws {
    for (extra, isTaken) in [(0, true), (1, false)] {
      var writer = ByteWriter()
      let tail = Limits.ownBytesMax + extra
      writer.uint8(1)
      writer.zeros(3)
      writer.uint32(UInt32(32 + 4 + tail))
      writer.uint64(0)
      writer.uint64(1)
      writer.zeros(8)
      writer.zeros(4)  // era, schema version, dictionary, dependencies
      writer.zeros(tail)
      let bytes = writer.finish()
      var code: FormatError.Code?
      do throws(FormatError) {
        try bytes.read { (reader: inout ByteReader) throws(FormatError) in
          var operations = ByteReader.empty
          _ = try TransactionHeader(&reader, operationBytes: &operations)
        }
      } catch { code = error.code }
      #expect(code == (isTaken ? nil : .badLength))
    }
  }

  @Test("a SEAL that has no room for the column directory leaves it out")
  func seal() throws {
    var random = TestRun.random()
    let header = random.header()
    let draft = try LargestTransactionTests.draft(parts: Limits.partsMax, bytes: 10)
    for isLong in [false, true] {
      var encoder = SegmentEncoder(header)
      for _ in 0..<2 { encoder.append(draft, stamp: .zero) }
      let vector = (1..<UInt32(Limits.dictionaryMax)).map {
        Seal.VectorEntry(index: $0, sequence: 1)
      }
      encoder.seal(
        vector: isLong ? vector : [], dictionary: isLong ? LargestTransactionTests.branches : [])
      let bytes = Bytes(header.encoded.array + encoder.output.bytes)
      var scanner = try SegmentScanner(MemorySource(bytes))
      var seal: Seal?
      while case .frame(let frame) = try scanner.next() {
        guard frame.header.type == .seal else { continue }
        seal = try frame.payload().read { (reader: inout ByteReader) throws(FormatError) in
          try Seal(&reader)
        }
        break
      }
      let found = try #require(seal)
      #expect(found.columns.count == (isLong ? 0 : 2 * Limits.partsMax))
      #expect(found.dictionary.count == (isLong ? Limits.dictionaryMax - 1 : 0))
    }
  }

  @Test("schema hints of more than a frame are several, and what fits none is left out")
  func schemaHints() throws {
    let label = String(repeating: "n", count: Limits.labelBytesMax)
    let long = SchemaOperation.attribute(
      entity: 1, attribute: 1, type: .data, label: "", flags: 2,
      defaultValue: .data([UInt8](repeating: 1, count: Limits.frameRawBytesMax)))
    let schema = (1...5_000).map { SchemaOperation.entity(entity: $0, label: label, flags: 0) }
    let payloads = SchemaHint.payloads(schema + [long])
    #expect(payloads.count == 2)
    #expect(payloads.allSatisfy { $0.count <= Limits.frameRawBytesMax })
    #expect(try payloads.flatMap { try SchemaHint.decode($0) } == schema)
  }
}
