// Dumps of damaged files: what is printed, and that the verdict is that of recovery.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Dump: damage")
struct DamageDumpTests {
  private func flipped(_ bytes: Bytes, _ place: Int, _ mask: UInt8 = 1) -> Bytes {
    var array = bytes.array
    array[place] ^= mask
    return Bytes(array)
  }

  private func cut(_ bytes: Bytes, _ length: Int) -> Bytes { bytes.slice(0, length) }

  /// The errors of a dump and its last line.
  private func outcome(_ bytes: Bytes) throws -> (errors: [String], end: String) {
    let lines = try DumpLines.text(bytes)
    return (lines.filter { $0.contains("error offset=") }, lines.last ?? "")
  }

  @Test("a rotten frame is reported, the next one is found, and its promise makes it corruption")
  func rot() throws {
    let lines = try DumpLines.text(flipped(try DumpSample.tiny(), 180))
    #expect(lines[1] == "error offset=128 code=badFrameHash")
    #expect(lines[2] == "resync offset=240 skipped=112")
    #expect(lines[3].hasPrefix("frame offset=240 "))
    #expect(lines.last == "end offset=128 verdict=corrupt frames=1 transactions=1")
    let last = try outcome(flipped(try DumpSample.tiny(), 300))
    #expect(last.end == "end offset=240 verdict=suspect frames=1 transactions=1")
    let promised = try outcome(flipped(try DumpSample.tiny(mark: true), 300))
    #expect(promised.end == "end offset=240 verdict=corrupt frames=2 transactions=1")
  }

  @Test("a header that cannot be used ends the dump at once")
  func header() throws {
    let bytes = try DumpSample.tiny()
    #expect(
      try DumpLines.text(flipped(bytes, 60)) == [
        "error offset=0 code=badHeader", "end offset=0 verdict=corrupt frames=0 transactions=0",
      ])
    #expect(
      try DumpLines.text(cut(bytes, 100)) == [
        "error offset=0 code=truncated", "end offset=0 verdict=torn frames=0 transactions=0",
      ])
    var newer = bytes.array
    newer[8] = 1
    newer.replaceSubrange(0..<128, with: Reseal.fileHeader(Array(newer[..<128])).array)
    #expect(
      try DumpLines.text(Bytes(newer)) == [
        "error offset=0 code=unknownVersion",
        "end offset=0 verdict=suspect frames=0 transactions=0",
      ])
    #expect(throws: FormatError.self) { try DumpLines.text(flipped(bytes, 3)) }
    #expect(throws: FormatError.self) { try DumpLines.text(cut(bytes, 7)) }
  }

  @Test("a header of zeros in front of other bytes is a torn write")
  func zeros() throws {
    let bytes = try DumpSample.tiny().array
    let torn = Bytes(bytes + [UInt8](repeating: 0, count: 64) + [1])
    let (errors, end) = try outcome(torn)
    #expect(errors == ["error offset=352 code=truncated"])
    #expect(end == "end offset=352 verdict=torn frames=2 transactions=2")
    let (none, clean) = try outcome(Bytes(bytes + [UInt8](repeating: 0, count: 1_000)))
    #expect(none.isEmpty && clean.contains("verdict=clean"))
  }

  private static let content: [(DumpFrames.Frame, String)] = [
    (DumpFrames.Frame(type: FrameType(rawValue: 12), raw: .empty), "unknownFrame"),
    (DumpFrames.Frame(type: .mark, raw: Bytes([1] + [UInt8](repeating: 0, count: 15))), "badChain"),
    (DumpFrames.Frame(type: .mark, raw: Bytes([1, 2, 3])), "badLength"),
    (
      DumpFrames.Frame(type: .mark, raw: Bytes([UInt8](repeating: 0, count: 16)), sequence: 9),
      "badSequence"
    ),
    (
      DumpFrames.Frame(type: .transactionPart, raw: Bytes([0xFF, 1, 2]), flags: 1),
      "badCompression"
    ),
    (DumpFrames.Frame(type: .seal, raw: Bytes([UInt8](repeating: 0, count: 120))), "badSeal"),
    (DumpFrames.Frame(type: .transaction, raw: Bytes([1, 2])), "badTransaction"),
    (DumpFrames.Frame(type: .replicas, raw: Bytes([1, 0])), "badTransaction"),
    (DumpFrames.Frame(type: .schema, raw: Bytes([1, 1, 99])), "badOperation"),
    (DumpFrames.Frame(type: .columnBlock, raw: Bytes([1, 2, 3])), "badColumn"),
  ]

  @Test("content that cannot be decoded is named after its structure", arguments: content)
  func codes(_ frame: DumpFrames.Frame, _ code: String) throws {
    let (errors, end) = try outcome(DumpFrames.segment([frame]))
    #expect(errors.first == "  error offset=128 code=\(code)")
    #expect(end.contains(code == "unknownFrame" ? "verdict=suspect" : "verdict=corrupt"))
  }

  private static let physical: [(DumpFrames.Frame, String)] = [
    (DumpFrames.Frame(type: .mark, raw: .empty, flags: 8), "badPadding"),
    (DumpFrames.Frame(type: .mark, raw: .empty, synced: 136), "badLength"),
  ]

  @Test("fields of a frame header are checked behind its hash", arguments: physical)
  func headers(_ frame: DumpFrames.Frame, _ code: String) throws {
    let (errors, _) = try outcome(DumpFrames.segment([frame]))
    #expect(errors == ["error offset=128 code=\(code)"])
  }

  @Test("other frames between parts and their transaction are refused, ignorable ones too")
  func orphans() throws {
    for type in [FrameType.replicas, FrameType(rawValue: 0x90)] {
      let bytes = DumpFrames.segment([
        DumpFrames.Frame(type: .transactionPart, raw: Bytes([1])),
        DumpFrames.Frame(type: type, raw: Bytes([0])),
      ])
      #expect(try outcome(bytes).errors == ["  error offset=176 code=badPart"])
    }
    let alone = DumpFrames.segment([DumpFrames.Frame(type: .transactionPart, raw: Bytes([1]))])
    let (errors, end) = try outcome(alone)
    #expect(errors.isEmpty)
    #expect(end == "end offset=128 verdict=torn frames=1 transactions=0")
  }

  @Test("operations before one that cannot be decoded stay")
  func partly() throws {
    let good = Operation.delete(ObjectReference(entity: 1, serial: 1))
    let bad = Operation.era(number: 1, kind: 0, baseline: .zero, vector: [])
    let lines = try DumpLines.text(try DumpSample.segment([good, bad, good]))
    #expect(
      Array(lines[4..<lines.count - 1]) == [
        "    op delete object=1/0/1", "  error offset=128 code=badOperation",
      ])
  }

  /// Both walks judge alike: recovery, and the dump that goes on behind damage.
  private func compare(_ bytes: Bytes, _ what: String) throws {
    let (lines, summary) = try DumpLines.text(bytes, DumpOptions())
    guard lines.first?.hasPrefix("file") == true else { return }
    var scanner = try SegmentScanner(MemorySource(bytes))
    let reading = try scanner.readAll()
    #expect(summary.verdict == reading.verdict, "\(what)")
    #expect(lines.last?.hasPrefix("end offset=\(reading.accepted) ") == true, "\(what)")
  }

  @Test("the verdict on every cut and every flipped byte is that of recovery")
  func verdicts() throws {
    for (mark, seal) in [(false, false), (true, false), (true, true)] {
      let bytes = try DumpSample.tiny(mark: mark, seal: seal)
      for length in 8...bytes.count { try compare(cut(bytes, length), "cut to \(length)") }
      for place in 128..<bytes.count {
        try compare(flipped(bytes, place, 1 << UInt8(place % 8)), "flipped byte \(place)")
      }
      let padded = Bytes(bytes.array + [UInt8](repeating: 0, count: 700))
      for place in stride(from: 128, to: padded.count, by: 3) {
        try compare(flipped(padded, place), "with zeros behind, flipped byte \(place)")
      }
    }
  }

  @Test("the verdict on zeroed sectors is that of recovery")
  func sectors() throws {
    var random = TestRun.random()
    for _ in 0..<30 * TestRun.scale {
      let bytes = try random.segment(items: 12).encoded()
      guard try DumpLines.text(bytes, DumpOptions()).summary.damages == 0 else { continue }
      for start in stride(from: 0, to: bytes.count, by: 512) {
        var array = bytes.array
        for place in max(start, 128)..<min(max(start + 512, 128), array.count) { array[place] = 0 }
        try compare(Bytes(array), "sector at \(start) zeroed")
      }
    }
  }
}
