// What the fuzzers call: one function per parser. A trap, a hang or a failed law is a finding.

import VarveFormat
import VarveTestSupport

/// Entry points of the fuzzers.
///
/// Each takes any bytes. What they decode to is encoded again and compared, and read by the slow
/// readers of the tests where there are some.
public enum Fuzzing {
  /// A whole segment: walk, verdict, search for frames, listing of fields.
  ///
  /// It is read as it is, and with checksums, sequences and chains made right.
  public static func frames(_ data: UnsafeRawBufferPointer) {
    let bytes = [UInt8](data.prefix(1 << 20))
    walk(bytes)
    var resealed = bytes
    SegmentRepair.reseal(&resealed)
    walk(resealed)
  }

  private static func walk(_ bytes: [UInt8]) {
    let outcome = SegmentOutcome(reading: bytes)
    let file = Bytes(bytes)
    // The dearer checks are made of every eighth input: which ones depends on their bytes alone.
    if Checksum.hash64(seed: 0, file) % 8 == 0 {
      let again = SegmentOutcome(reading: bytes, durableMark: .max)
      require(outcome.error != nil || outcome.verdict == .sealed || again.verdict == .corrupt)
      require(again.isPrefix(of: outcome) && outcome.isPrefix(of: again))
      let spans = SegmentAnnotation.spans(file)
      let named = spans.reduce(0) { $0 + ($1.isDecompressed ? 0 : $1.bytes.count) }
      require(named == bytes.count)
      _ = SegmentAnnotation.text(spans)
      layout(file)
    }
    if outcome.error == nil, outcome.verdict == .clean || outcome.verdict == .sealed,
      let spec = try? SegmentSpec(decoding: file), let encoded = try? spec.encoded()
    {
      // The same value at least; bytes differ where a file was not canonical.
      require((try? SegmentSpec(decoding: encoded)) == spec)
    }
  }

  /// An annotated listing takes every frame apart.
  private static func layout(_ file: Bytes) {
    guard var layout = try? FileLayout(MemorySource(file)) else { return }
    var end: UInt64 = 0
    try? layout.forEach { layout, piece in
      for field in try layout.spans(piece) where !field.isDecompressed {
        require(field.offset >= end)
        end = field.offset + UInt64(field.bytes.count)
      }
    }
    require(end <= UInt64(file.count))
  }

  /// The payload of a TX frame behind a good hash, then the bytes as operations, values, hints and
  /// seals.
  public static func transactions(_ data: UnsafeRawBufferPointer) {
    let bytes = [UInt8](data.prefix(1 << 18))
    var file = SegmentRepair.header
    file += SegmentRepair.frame(type: .transaction, payload: bytes)
    SegmentRepair.reseal(&file)
    walk(file)
    let body = Bytes(bytes)
    operations(body)
    schema(body)
    seal(body)
  }

  private static func operations(_ bytes: Bytes) {
    bytes.read { (reader: inout ByteReader) in
      var scratch = ByteWriter()
      while !reader.isAtEnd {
        let start = reader.position
        guard let operation = try? Operation(&reader) else { return }
        var writer = ByteWriter()
        operation.write(into: &writer, scratch: &scratch)
        require(writer.finish().array == [UInt8](reader.passed(from: start)))
      }
    }
  }

  private static func schema(_ bytes: Bytes) {
    guard let list = try? SchemaHint.decode(bytes) else { return }
    require(SchemaHint.encode(list) == bytes)
  }

  private static func seal(_ bytes: Bytes) {
    let seal = try? bytes.read { (reader: inout ByteReader) throws(FormatError) in
      try Seal(&reader)
    }
    if let seal { require(seal.encoded == bytes) }
  }

  /// A column block: every cell is read, also by the slow reader.
  public static func columns(_ data: UnsafeRawBufferPointer) {
    var bytes = [UInt8](data.prefix(1 << 16))
    compare(bytes)
    // The same with section lengths that add up, so that what lies behind them is reached.
    ColumnRepair.lengths(&bytes)
    compare(bytes)
  }

  private static func compare(_ bytes: [UInt8]) {
    let fast = (try? ColumnBlockDecoder.decode(Bytes(bytes))).map { NaiveCell.cells($0) }
    let slow = try? NaiveColumnReader.cells(bytes)
    require(fast == slow)
    guard let fast, fast.count <= 4_096 else { return }
    ColumnRepair.encodeAgain(bytes, fast)
  }

  /// A baseline as it is; the same bytes as the payload of a DIRECTORY frame and as a SEAL.
  public static func baseline(_ data: UnsafeRawBufferPointer) {
    let bytes = [UInt8](data.prefix(1 << 20))
    wholeBaseline(bytes)
    var repaired = bytes
    BaselineRepair.reseal(&repaired)
    wholeBaseline(repaired)
    let body = Bytes(bytes)
    if let directory = try? BaselineDirectory(decoding: [body], limit: 1 << 40) {
      // A directory has one form only.
      require(directory.encodedPayloads.count == 1 && directory.encodedPayloads[0] == body)
    }
    let seal = try? body.read { (reader: inout ByteReader) throws(FormatError) in
      try BaselineSeal(&reader)
    }
    if let seal { require(seal.encoded == body) }
  }

  private static func wholeBaseline(_ bytes: [UInt8]) {
    let file = Bytes(bytes)
    layout(file)
    guard let reader = try? BaselineReader(MemorySource(file)) else { return }
    require(reader.directory.contentHash == reader.contentHash)
    guard let spec = try? BaselineSpec(decoding: file), let encoded = try? spec.encoded() else {
      return
    }
    require((try? BaselineSpec(decoding: encoded)) == spec)
  }

  /// A slot of the superblock, as it is and with its check made right.
  public static func superblock(_ data: UnsafeRawBufferPointer) {
    var bytes = [UInt8](data.prefix(Superblock.slotBytes))
    for slot in 0...1 { read(bytes, slot) }
    bytes += [UInt8](repeating: 0, count: Superblock.slotBytes - bytes.count)
    bytes.replaceSubrange(0..<8, with: Superblock.magic)
    for slot in 0...1 { read(Reseal.superblock(bytes, slot: slot), slot) }
    let header = Reseal.fileHeader(Array(bytes[..<128]))
    _ = try? FileHeader(header)
    bytes.replaceSubrange(0..<8, with: FileHeader.magic)
    if let read = try? FileHeader(Reseal.fileHeader(Array(bytes[..<128]))) {
      require((try? FileHeader(read.encoded)) == read)
    }
  }

  private static func read(_ bytes: [UInt8], _ slot: Int) {
    guard let block = try? Superblock(Bytes(bytes), slot: slot) else { return }
    guard block.slot == slot else { return }
    require((try? Superblock(block.encoded, slot: slot)) == block)
  }

  /// Traps when a law does not hold: a finding.
  static func require(
    _ condition: Bool, file: StaticString = #file, line: UInt = #line
  ) {
    precondition(condition, "a law of the format does not hold", file: file, line: line)
  }
}
