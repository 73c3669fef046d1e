// Baselines whose hashes are right and whose content is not.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Hostile baselines")
struct BaselineHostileTests {
  private let spec = BaselineSpec(
    store: GoldenSpecs.store, cut: BaselineCut(generation: 1, maxStamp: .zero))

  private func varint(_ value: UInt64) -> [UInt8] {
    var writer = ByteWriter()
    writer.varint(value)
    return writer.finish().array
  }

  /// The start of the first frame: its number, and a HEAD of generation 1 with these counts.
  private func head(
    creators: UInt64 = 0, declarations: UInt64 = 0, tables: UInt64 = 0, sides: UInt64 = 0
  ) -> [UInt8] {
    [0, 0, 1] + [UInt8](repeating: 0, count: 24)
      + [creators, declarations, tables, sides].flatMap(varint)
  }

  private func code(_ payloads: [[UInt8]], limit: UInt64 = 1 << 40) -> FormatError.Code? {
    do throws(FormatError) {
      _ = try BaselineDirectory(decoding: payloads.map { Bytes($0) }, limit: limit)
      return nil
    } catch { return error.code }
  }

  /// A table of entity 1 with `columns` columns of unsigned numbers and one run of creator 0.
  private func table(columns: Int, rows: UInt64) -> [UInt8] {
    var bytes = varint(1) + varint(UInt64(columns))
    for tag in 1...max(columns, 1) where columns > 0 { bytes += varint(UInt64(tag)) + [3, 0] }
    return bytes + [0, 0, 0, 1] + [0] + varint(rows) + [UInt8](repeating: 0, count: columns)
  }

  @Test("counts are refused before anything is allocated for them")
  func counts() {
    #expect(code([head()]) == nil)
    let claims: [[UInt8]] = [
      head(creators: 65_537), head(creators: 65_536), head(declarations: .max),
      head(declarations: 1 << 20), head(tables: 65_537), head(tables: 65_536),
      head(sides: 1 << 22), head(sides: .max),
      head(tables: 1) + varint(1) + varint(4_097), head(tables: 1) + varint(1) + varint(4_096),
      head(tables: 1) + varint(1 << 32) + [0, 0, 0, 0, 0],
      head(tables: 1) + varint(1) + [0, 0, 0, 0, 2],
      head(tables: 1) + table(columns: 1, rows: 0), head(tables: 1) + table(columns: 1, rows: .max),
      head(tables: 1) + table(columns: 4_096, rows: Limits.serialMax),
      head(tables: 1) + table(columns: 1, rows: Limits.serialMax + 1),
    ]
    for (index, claim) in claims.enumerated() {
      #expect(code([claim]) == .badDirectory, "claim \(index)")
    }
    #expect(code([]) == .badDirectory)
    #expect(code([[]]) == .badDirectory)
    #expect(code([head(), []]) == .badDirectory)
    #expect(code([head() + [0]]) == .badDirectory)
    #expect(code([head(), [1]]) == .badDirectory)
    #expect(code([[1] + head().dropFirst()]) == .badDirectory)
    #expect(code([head(tables: 1)]) == .badDirectory)
  }

  @Test("empty slots, which cost a byte each, are counted")
  func slots() {
    let start = head(tables: 1) + table(columns: 5, rows: Limits.serialMax)
    let zeros = [UInt8](repeating: 0, count: 1 << 20)
    // The last of a million blocks of the first four columns uses up what a directory may name.
    let blocks = BaselineRun.blockCount(rows: Limits.serialMax, size: Limits.blockRowsMax)
    #expect(blocks * 4 == Limits.baselineSlotsMax)
    #expect(code([start] + (1...5).map { [$0] + zeros }) == .badDirectory)
  }

  @Test("frames lie in order and below the directory, whatever gaps and lengths say")
  func places() {
    func side(gap: UInt64, stored: UInt64, raw: UInt64, rows: UInt64 = 0) -> [UInt8] {
      [1] + [gap, stored, raw, rows].flatMap(varint) + [UInt8](repeating: 0, count: 16)
    }
    func code(_ side: [UInt8], limit: UInt64) -> FormatError.Code? {
      self.code([head(sides: 1) + side], limit: limit)
    }
    #expect(code(side(gap: 0, stored: 8, raw: 8), limit: 128 + 48) == nil)
    #expect(code(side(gap: 0, stored: 8, raw: 8), limit: 128 + 47) == .badDirectory)
    #expect(code(side(gap: 0, stored: 8, raw: 8), limit: 128) == .badDirectory)
    #expect(code(side(gap: 8, stored: 8, raw: 8), limit: 128 + 56) == nil)
    #expect(code(side(gap: 4, stored: 8, raw: 8), limit: 1 << 20) == .badDirectory)
    let large: [UInt64] = [.max, .max - 7, 1 << 63, 1 << 40]
    for huge in large {
      #expect(code(side(gap: huge, stored: 8, raw: 8), limit: 1 << 20) == .badDirectory)
      #expect(code(side(gap: 0, stored: huge, raw: huge), limit: .max) == .badDirectory)
      #expect(code(side(gap: 0, stored: 8, raw: huge), limit: 1 << 20) == .badDirectory)
      #expect(code(side(gap: 0, stored: 8, raw: 8, rows: huge), limit: 1 << 20) == .badDirectory)
    }
    #expect(code(side(gap: 0, stored: 9, raw: 8), limit: 1 << 20) == .badDirectory)
    let limit = UInt64.max - 7
    #expect(code(side(gap: limit - 176, stored: 8, raw: 8), limit: limit) == nil)
    #expect(code(side(gap: limit - 168, stored: 8, raw: 8), limit: limit) == .badDirectory)
    #expect(code(side(gap: limit - 120, stored: 8, raw: 8), limit: limit) == .badDirectory)
  }

  private func seal(_ raw: [UInt8], _ change: (inout BaselineSeal) -> Void) -> FormatError.Code? {
    var forge = BaselineForge(spec)
    forge.frame(FrameType.directory.rawValue, raw)
    let hash = (try? BaselineDirectory(decoding: [Bytes(raw)], limit: 128))?.contentHash ?? .zero
    forge.end(contentHash: hash, change)
    return forge.code()
  }

  @Test("a SEAL or header that contradicts the directory is refused")
  func contradictions() {
    #expect(seal(head()) { _ in } == nil)
    #expect(seal(head()) { $0.contentHash.low ^= 1 } == .badTrailer)
    for offset: UInt64 in [0, 120, 129, 136, 1 << 20, .max, .max - 7] {
      #expect(seal(head()) { $0.directories = [offset] } != nil, "\(offset)")
      #expect(seal(head()) { $0.directories.append(offset) } != nil, "\(offset)")
    }
    #expect(seal(head()) { $0.directories = [] } == .badSeal)
    #expect(
      seal(head()) { $0.directories = [UInt64](repeating: 128, count: 1_025) } == .badSeal)
    #expect(seal(head()) { $0.blocks = 1 } == .badSeal)
    #expect(seal(head()) { $0.sides = 1 } == .badSeal)
    #expect(seal(head()) { $0.rawBytes += 1 } == .badSeal)
    // Another generation than the header's ordinal, and another salt.
    var other = head()
    other[2] = 2
    #expect(seal(other) { _ in } == .badHeader)
  }

  @Test("frames of other types, and fields of segments, are refused by a full check")
  func frames() throws {
    for (type, expected): (UInt8, FormatError.Code?) in [
      (0x80, nil), (0xFF, nil), (11, .unknownFrame), (0x7F, .unknownFrame), (0, .unknownFrame),
      (1, .badDirectory), (3, .badDirectory), (5, .badDirectory), (8, .badDirectory),
      (10, .badDirectory),
    ] {
      var forge = BaselineForge(spec)
      forge.frame(type, [1, 2, 3])
      forge.frame(FrameType.directory.rawValue, head())
      let hash = try BaselineDirectory(decoding: [Bytes(head())], limit: 1 << 20).contentHash
      forge.end(contentHash: hash) { $0.rawBytes = UInt64(head().count) }
      #expect(forge.code() == expected, "type \(type)")
    }
    var forge = BaselineForge(spec)
    forge.frame(FrameType.directory.rawValue, head(), sequence: 1)
    forge.end()
    #expect(forge.code() == .badPadding)
  }

  @Test("a compressed directory of zeros costs what it decompresses to, and is refused")
  func zeros() {
    var forge = BaselineForge(spec)
    for _ in 0..<4 {
      forge.frame(
        FrameType.directory.rawValue, [UInt8](repeating: 0, count: 4 << 20), compresses: true)
    }
    forge.end()
    #expect(forge.code() == .badDirectory)
  }

  @Test("marks out of order, of no creator or of no column are refused by a full check")
  func marks() {
    func words(_ words: [UInt64]) -> Bytes {
      ColumnBlockEncoder.encode(
        .words(words, present: nil), rows: 0..<words.count, entity: 1, attribute: 0,
        type: .unsigned)
    }
    func code(_ change: (inout BaselineSpec.Run) -> Void) -> FormatError.Code? {
      var spec = GoldenSpecs.baseline
      change(&spec.tables[0].runs[0])
      do throws(FormatError) {
        _ = try BaselineSpec(decoding: try spec.encoded())
        return nil
      } catch { return error.code }
    }
    #expect(code { _ in } == nil)
    #expect(code { $0.authors = [words([1, 1, 4])] } == .badColumn)
    #expect(code { $0.authors = [words([1, 0, 1])] } == .badColumn)
    #expect(code { $0.overrides[0][0].row = words([2, 0]) } == .badColumn)
    #expect(code { $0.overrides[0][0].row = words([0, 3]) } == .badColumn)
    #expect(code { $0.overrides[0][0].column = words([0, 5]) } == .badColumn)
    #expect(code { $0.overrides[0][0].author = words([1, 9]) } == .badColumn)
    #expect(
      code {
        $0.overrides[0][0].row = words([1, 1])
        $0.overrides[0][0].column = words([2, 2])
      } == .badColumn)
    #expect(code { $0.overrides[0][0].stamp = words([1, 2, 3]) } == .badDirectory)
    #expect(code { $0.overrides[0].append($0.overrides[0][0]) } == .badDirectory)
  }
}
