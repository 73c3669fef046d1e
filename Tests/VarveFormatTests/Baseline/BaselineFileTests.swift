// Baselines survive writing and reading, and the same state gives the same bytes.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Baseline files")
struct BaselineFileTests {
  @Test("what is written is read back, whatever it is")
  func roundTrip() throws {
    var random = TestRun.random()
    for _ in 0..<60 * TestRun.scale {
      let spec = random.baseline()
      let bytes = try spec.encoded()
      let read = try BaselineSpec(decoding: bytes)
      #expect(read.cut == spec.cut && read.tables == spec.tables && read.sides == spec.sides)
      #expect(Set(read.schema) == Set(spec.schema) && read.schema.count == spec.schema.count)
      #expect(try read.encoded() == bytes)
    }
  }

  @Test("the order in which the schema is handed in changes no byte")
  func canonical() throws {
    var random = TestRun.random()
    for _ in 0..<30 * TestRun.scale {
      var spec = random.baseline()
      let bytes = try spec.encoded()
      spec.schema.shuffle(using: &random.generator)
      #expect(try spec.encoded() == bytes)
    }
  }

  @Test("the content hash depends on the state, and not on what compressed it")
  func contentHash() throws {
    let reader = try open(GoldenSpecs.baseline)
    var directory = reader.directory
    #expect(directory.contentHash == reader.contentHash)
    directory.tables[0].runs[0].stamps[0].offset += 8
    directory.tables[0].runs[0].stamps[0].storedLength += 8
    #expect(directory.contentHash == reader.contentHash)
    directory.tables[0].runs[0].stamps[0].hash.low ^= 1
    #expect(directory.contentHash != reader.contentHash)
    var other = GoldenSpecs.baseline
    other.store = StoreID([UInt8](repeating: 9, count: 16))
    let elsewhere = try open(other)
    #expect(elsewhere.contentHash == reader.contentHash)
    #expect(elsewhere.header.salt != reader.header.salt)
  }

  private func open(_ spec: BaselineSpec) throws -> BaselineReader {
    try BaselineReader(MemorySource(try spec.encoded()))
  }

  @Test("output that is taken piece by piece is the same file")
  func pieces() throws {
    var encoder = BaselineEncoder(store: GoldenSpecs.store, cut: GoldenSpecs.baseline.cut)
    var file: [UInt8] = []
    var run = BaselineRun(
      creator: 1, rows: 150_000, columns: [[]], stamps: [], authors: [], overrides: [[], [], []])
    func block(_ start: Int, _ attribute: UInt32) -> Bytes {
      let count = min(Limits.blockRowsMax, 150_000 - start)
      let words = (0..<count).map { UInt64($0 &* 0x9E37_79B9) }
      return ColumnBlockEncoder.encode(
        .words(attribute == 1 ? words : words.map { _ in 1 }, present: nil), rows: 0..<count,
        entity: 1, attribute: attribute, type: .unsigned)
    }
    for start in stride(from: 0, to: 150_000, by: Limits.blockRowsMax) {
      let raw = block(start, 1)
      let header = try ColumnBlockDecoder.header(of: raw)
      let part = EncodedPart(frameType: .columnBlock, raw: raw, column: header)
      run.columns[0].append(encoder.add(part))
      #expect(encoder.offset == UInt64(file.count + encoder.output.count))
      file += encoder.output.bytes
      encoder.output.removeAll()
    }
    for start in stride(from: 0, to: 150_000, by: Limits.blockRowsMax) {
      run.stamps.append(
        encoder.add(block(start, 0), rows: min(Limits.blockRowsMax, 150_000 - start)))
    }
    for start in stride(from: 0, to: 150_000, by: Limits.blockRowsMax) {
      run.authors.append(
        encoder.add(block(start, 0), rows: min(Limits.blockRowsMax, 150_000 - start)))
    }
    let cut = GoldenSpecs.baseline.cut
    let table = BaselineTable(
      entity: 1, columns: [BaselineColumn(tag: 1, kind: PhysicalType.unsigned.rawValue)],
      created: 150_000, runs: [run])
    let directory = BaselineDirectory(
      era: cut.era, generation: cut.generation, parent: cut.parent, creators: cut.creators,
      maxStamp: cut.maxStamp, tables: [table])
    let ending = try encoder.finish(directory)
    file += ending.output.bytes
    #expect(UInt64(file.count) == ending.byteCount)
    let reader = try BaselineReader(
      MemorySource(Bytes(file)), store: GoldenSpecs.store, name: ending.name)
    #expect(reader.directory == directory && reader.contentHash == ending.contentHash)
    try reader.verify()
    let last = try #require(run.columns[0][2])
    let cells = try reader.block(last, entity: 1, attribute: 1, type: .unsigned)
    #expect(cells.word(100) == UInt64(100 &* 0x9E37_79B9))
  }

  @Test("a directory of many blocks is cut into frames, and read again")
  func manyFrames() throws {
    let cut = BaselineCut(
      generation: 1, creators: [BaselineCreator(.replica(GoldenSpecs.replica))],
      maxStamp: .zero)
    var encoder = BaselineEncoder(store: GoldenSpecs.store, cut: cut)
    var directory = BaselineDirectory(
      generation: 1, creators: cut.creators, maxStamp: .zero)
    let raw = Bytes([1, 2, 3])
    for number in 0..<60_000 {
      directory.sides.append(
        BaselineSide(kind: UInt8(number / 1_000), block: encoder.addSide(raw)))
    }
    let ending = try encoder.finish(directory)
    let reader = try BaselineReader(MemorySource(Bytes(ending.output.bytes)))
    #expect(reader.seal.directories.count == 2)
    #expect(reader.directory == directory)
    try reader.verify()
  }

  @Test("a writer is refused what no reader accepts")
  func order() throws {
    func code(_ change: (inout BaselineSpec) -> Void) -> FormatError.Code? {
      var spec = GoldenSpecs.baseline
      change(&spec)
      do throws(FormatError) {
        _ = try spec.encoded()
        return nil
      } catch { return error.code }
    }
    #expect(code { _ in } == nil)
    #expect(code { $0.tables.append($0.tables[0]) } == .badDirectory)
    #expect(code { $0.tables[0].runs.swapAt(0, 1) } == .badDirectory)
    #expect(code { $0.tables[0].columns.swapAt(0, 1) } == .badDirectory)
    #expect(code { $0.tables[0].columns[1].kind = 15 } == .badDirectory)
    #expect(code { $0.tables[0].runs[1].creator = 4 } == .badDirectory)
    #expect(code { $0.tables[0].runs[0].rows = 4 } == .badDirectory)
    #expect(code { $0.tables[0].runs[0].rows = .max } == .badDirectory)
    #expect(code { $0.tables[0].runs[0].blockRows[0] = 100 } == .badDirectory)
    #expect(code { $0.tables[0].runs[0].columns.removeLast() } == .badDirectory)
    #expect(code { $0.cut.creators.swapAt(0, 1) } == .badDirectory)
    #expect(code { $0.cut.creators[1] = $0.cut.creators[0] } == .badDirectory)
    #expect(code { $0.cut.generation = 1 << 40 } == .badDirectory)
    #expect(code { $0.cut.era.opened = [] } == .badDirectory)
    #expect(code { $0.schema.append($0.schema[0]) } == .badDirectory)
    #expect(code { $0.sides.swapAt(0, 1) } == .badDirectory)
    #expect(code { $0.tables[0].runs[0].stamps[0] = .empty } == .truncated)
  }

  @Test("a directory must name all blocks of its file, in order")
  func coverage() throws {
    let cut = BaselineCut(generation: 1, maxStamp: .zero)
    for isNamed in [true, false] {
      var encoder = BaselineEncoder(store: GoldenSpecs.store, cut: cut)
      let sides = [encoder.addSide(Bytes([1])), encoder.addSide(Bytes([2]))]
      var directory = BaselineDirectory(generation: 1, maxStamp: .zero)
      directory.sides = sides.reversed().map { BaselineSide(kind: 1, block: $0) }
      if !isNamed { directory.sides = [BaselineSide(kind: 1, block: sides[1])] }
      do throws(FormatError) {
        _ = try encoder.finish(directory)
        Issue.record("the directory was taken")
      } catch { #expect(error.code == .badDirectory) }
    }
    let encoder = BaselineEncoder(store: GoldenSpecs.store, cut: cut)
    do throws(FormatError) {
      _ = try encoder.finish(BaselineDirectory(generation: 2, maxStamp: .zero))
      Issue.record("another cut was taken")
    } catch { #expect(error.code == .badDirectory) }
  }

  @Test("frames of newer versions that may be skipped lie anywhere and change no content")
  func ignorable() throws {
    let cut = BaselineCut(generation: 1, maxStamp: .zero)
    var hashes: Set<Hash128> = []
    for number in 0...3 {
      var encoder = BaselineEncoder(store: GoldenSpecs.store, cut: cut)
      for _ in 0..<number % 2 { encoder.addIgnorable(FrameType(rawValue: 0x81), Bytes([1, 2])) }
      var directory = BaselineDirectory(generation: 1, maxStamp: .zero)
      for kind: UInt8 in 1...2 {
        encoder.addIgnorable(FrameType(rawValue: 0xFF), Bytes([7]))
        let block = encoder.addSide(Bytes([kind]))
        directory.sides.append(BaselineSide(kind: kind, block: block))
      }
      if number > 1 { encoder.addIgnorable(FrameType(rawValue: 0x80), .empty) }
      let ending = try encoder.finish(directory)
      let reader = try BaselineReader(MemorySource(Bytes(ending.output.bytes)))
      try reader.verify()
      #expect(try reader.side(directory.sides[1].block) == Bytes([2]))
      hashes.insert(reader.contentHash)
    }
    #expect(hashes.count == 1)
  }

  @Test("names have the form of the specification and are parsed strictly")
  func names() throws {
    let name = BaselineName(generation: 31, contentHash: Hash128(low: 5, high: 0xDEAD_BEEF))
    #expect(name.description == "000000001f-00000000deadbeef.vbase")
    #expect(BaselineName(name.description) == name)
    let bad = [
      "", ".vbase", "000000001f-00000000deadbeef", "000000001F-00000000deadbeef.vbase",
      "000000001f-00000000deadbeef.vlog", "00000001f-000000000deadbeef.vbase",
      "000000001f-00000000deadbeef.vbas", "000000001f_00000000deadbeef.vbase",
      "000000001f-00000000deadbeef.vbase ", "0000000001f-0000000deadbeef.vbase",
      "000000001f-00000000deadbe-f.vbase", "é00000001-00000000deadbeef.vbase",
    ]
    for text in bad { #expect(BaselineName(text) == nil, "\(text)") }
  }

  @Test("creators are ordered by replica, then replicas before branches")
  func creators() {
    let (a, b) = (GoldenSpecs.replica, GoldenSpecs.other)
    let prefix = [UInt8](repeating: 0, count: 8)
    let names: [BaselineCreator.Name] = [
      .replica(a), .branch(parent: a, forkSequence: 2, chainPrefix: prefix),
      .branch(parent: a, forkSequence: 2, chainPrefix: [1] + prefix.dropFirst()),
      .branch(parent: a, forkSequence: 10, chainPrefix: prefix), .replica(b),
    ]
    for (index, name) in names.enumerated() {
      for (place, other) in names.enumerated() {
        #expect((name < other) == (index < place))
      }
    }
  }
}
