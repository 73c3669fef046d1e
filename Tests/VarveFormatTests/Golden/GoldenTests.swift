// Golden files: what the code wrote once it must write and read for ever.
//
// LZ4 may compress differently in another version, so frames with compressed payloads are compared
// by what they hold; everything in front of the first one is compared byte by byte.

import Foundation
import Testing
import VarveFormat
import VarveTestSupport

@Suite("Golden files")
struct GoldenTests {
  @Test(
    "golden files are written once, and never by a normal run", .enabled(if: TestRun.isRecording))
  func record() throws {
    for (name, spec) in GoldenFiles.segments {
      try GoldenFiles.record(name, try spec.encoded().array)
    }
    try GoldenFiles.record("torn.vlog", try GoldenFiles.torn())
    try GoldenFiles.record("super.bin", GoldenFiles.superblock)
    let tiny = try GoldenSpecs.tiny.encoded().array
    try GoldenFiles.record("tiny.hex", Array(GoldenFiles.hex(tiny).utf8))
    try GoldenFiles.record("tiny.hex", [])
    let baseline = try GoldenSpecs.baseline.encoded().array
    try GoldenFiles.record("tiny.vbase", baseline)
    try GoldenFiles.record("tiny.vbase.hex", Array(GoldenFiles.baselineHex(baseline).utf8))
    #expect(try GoldenFiles.read("tiny.hex").isEmpty == false)
  }

  private func frames(_ bytes: [UInt8]) throws(FormatError) -> [ScannedFrame] {
    var scanner = try SegmentScanner(MemorySource(Bytes(bytes)))
    var frames: [ScannedFrame] = []
    while case .frame(let frame) = try scanner.next() {
      frames.append(frame)
      if frame.header.type == .seal { break }
    }
    return frames
  }

  /// Bytes in front of the first compressed frame.
  private func stableBytes(_ bytes: [UInt8]) throws -> Int {
    let first = try frames(bytes).first { $0.header.flags.contains(.compressed) }
    return first.map { Int($0.offset) } ?? bytes.count
  }

  @Test("the code writes the same bytes today, and the same payloads where LZ4 compressed them")
  func bytes() throws {
    for (name, spec) in GoldenFiles.segments {
      let (golden, written) = (try GoldenFiles.read(name), try spec.encoded().array)
      let stable = try stableBytes(golden)
      #expect(Array(written.prefix(stable)) == Array(golden.prefix(stable)), "\(name)")
      let pairs = zip(try frames(golden), try frames(written))
      for (old, new) in pairs {
        #expect(try new.payload() == old.payload() || old.header.type == .transaction)
        #expect(new.header.type == old.header.type && new.header.flags == old.header.flags)
        #expect(new.header.sequence == old.header.sequence)
      }
      print("\(name): \(golden.count) bytes, \(stable) compared byte by byte")
    }
    // No frame of these is long enough to be compressed, but the SEAL.
    #expect(try stableBytes(try GoldenFiles.read("open.vlog")) == 4_096)
    let tiny = try frames(try GoldenFiles.read("tiny.vlog"))
    #expect(tiny.dropLast().allSatisfy { !$0.header.flags.contains(.compressed) })
    #expect(try GoldenFiles.read("torn.vlog") == GoldenFiles.torn())
    #expect(try GoldenFiles.read("super.bin") == GoldenFiles.superblock)
  }

  @Test("golden segments are read as what they were written from")
  func values() throws {
    for (name, spec) in GoldenFiles.segments {
      let read = try SegmentSpec(decoding: Bytes(try GoldenFiles.read(name)))
      #expect(read == spec, "\(name)")
      #expect(read.transactions.isEmpty == false)
    }
  }

  @Test("the torn segment keeps its first group and is called torn")
  func torn() throws {
    let outcome = SegmentOutcome(reading: try GoldenFiles.read("torn.vlog"))
    #expect(outcome.verdict == .torn && outcome.problem == .badFrameHash)
    #expect(outcome.content.count == 1)
    #expect(
      outcome.isPrefix(of: SegmentOutcome(reading: try GoldenSpecs.torn.encoded().array)))
  }

  @Test("both slots of the superblock are read, and the second one is newer")
  func superblock() throws {
    let file = Bytes(try GoldenFiles.read("super.bin"))
    #expect(file.count == Superblock.fileBytes)
    for slot in 0...1 {
      let block = try Superblock(file.slice(slot * 4_096, 4_096), slot: slot)
      #expect(block == GoldenSpecs.superblocks[slot])
    }
  }

  @Test("the golden baseline is written byte by byte, apart from what LZ4 compressed, and read")
  func baseline() throws {
    let (golden, written) = (
      try GoldenFiles.read("tiny.vbase"), try GoldenSpecs.baseline.encoded().array
    )
    let stable = try stableBytes(golden)
    #expect(Array(written.prefix(stable)) == Array(golden.prefix(stable)))
    let read = try BaselineSpec(decoding: Bytes(golden))
    #expect(read == GoldenSpecs.baseline)
    let reader = try BaselineReader(MemorySource(Bytes(golden)))
    let again = try BaselineReader(MemorySource(Bytes(written)))
    #expect(reader.contentHash == again.contentHash)
    let kinds = Set(read.tables.flatMap(\.columns).map(\.kind))
    #expect(kinds.isSuperset(of: [BaselineColumn.lifeKind, BaselineColumn.orderKeyKind]))
    #expect(GoldenFiles.baselineHex(golden) == (try GoldenFiles.text("tiny.vbase.hex")))
    let spans = SegmentAnnotation.spans(Bytes(golden))
    #expect(spans.filter { !$0.isDecompressed }.flatMap(\.bytes) == golden)
    for word in ["not understood", "left over", "payload"] {
      #expect(spans.allSatisfy { !$0.meaning.hasPrefix(word) || $0.bytes == [0xCA, 0xFE] })
    }
    print("tiny.vbase: \(golden.count) bytes, \(stable) compared byte by byte")
  }

  @Test("the golden operations hold the whole catalogue, the golden columns every encoding")
  func completeness() throws {
    let opcodes = Set(
      (GoldenSpecs.operations.transactions + GoldenSpecs.columns.transactions)
        .flatMap(\.operations).map { $0.opcode & 0x7F })
    #expect(opcodes.isSuperset(of: Opcode.allCases.map(\.rawValue)))
    var seen: Set<String> = []
    var types: Set<PhysicalType> = []
    for block in GoldenSpecs.columns.transactions.flatMap(\.blocks) {
      let header = try ColumnBlockDecoder.header(of: block)
      seen.insert("\(header.encoding.name) \(header.isNullable)")
      types.insert(header.type)
    }
    #expect(seen.count == ColumnEncoding.allCases.count * 2)
    #expect(types.count == PhysicalType.allCases.count)
  }

  @Test("the annotated dump names every byte of the smallest golden file")
  func hexadecimalDump() throws {
    let golden = try GoldenFiles.text("tiny.hex")
    let tiny = try GoldenFiles.read("tiny.vlog")
    #expect(GoldenFiles.hex(tiny) == golden)
    var bytes: [UInt8] = []
    for line in golden.split(separator: "\n") where line.hasPrefix(" ") {
      #expect(Int(line.dropFirst().prefix(8), radix: 16) == bytes.count)
      let digits = line.dropFirst(11).prefix(47).split(separator: " ")
      bytes += digits.compactMap { UInt8($0, radix: 16) }
    }
    #expect(bytes == tiny)
    for word in ["not understood", "left over"] { #expect(!golden.contains(word)) }
  }

  @Test("every byte of every golden file has a meaning")
  func annotations() throws {
    for (name, _) in GoldenFiles.segments {
      let file = try GoldenFiles.read(name)
      let spans = SegmentAnnotation.spans(Bytes(file))
      #expect(spans.filter { !$0.isDecompressed }.flatMap(\.bytes) == file, "\(name)")
      #expect(!spans.contains { $0.meaning.hasPrefix("not understood") }, "\(name)")
    }
    let damaged = try GoldenFiles.torn()
    let spans = SegmentAnnotation.spans(Bytes(damaged))
    #expect(spans.filter { !$0.isDecompressed }.flatMap(\.bytes) == damaged)
    #expect(spans.last?.meaning == "not understood")
  }
}
