// Small segments of every kind, to be damaged at every bit. Layer: test support.

import VarveFormat

/// Segments that are small and hold everything.
package enum DamageSamples {
  /// The same header for all, so that only contents differ.
  package static func header(salt: UInt64 = 0x5A17) -> FileHeader {
    FileHeader(
      store: StoreID([UInt8](1...16)), replica: ReplicaID([UInt8](17...32)), ordinal: 2,
      firstSequence: 5, salt: salt, previousChain: Hash128(low: 1, high: 2),
      created: Stamp(milliseconds: 1_700_000_000_000), previousBytes: 4_096)
  }

  /// A transaction of one operation with `bytes` bytes of data that do not compress.
  package static func transaction(_ number: Int, bytes: Int, _ random: inout FormatRandom)
    -> TransactionSpec
  {
    let object = ObjectReference(entity: 1, serial: UInt64(number + 1))
    let data = random.bytes(bytes).map { $0 | 1 }
    return TransactionSpec(
      stamp: Stamp(milliseconds: 1_700_000_000_000 + UInt64(number)),
      operations: [.set(object, [FieldValue(1, .data(data))])])
  }

  /// Groups of rows.
  ///
  /// The last one is durable only when a mark or a seal follows and promises it.
  package static func rows(
    groups: Int = 4, bytesMax: Int = 60, mark: Bool = false, sealed: Bool = false,
    zeros: Int = 0, salt: UInt64 = 0x5A17, seed: UInt64 = 1
  ) -> SegmentSpec {
    var random = FormatRandom(seed: seed)
    var spec = SegmentSpec(header(salt: salt))
    spec.append(.schema([.entity(entity: 1, label: "Item", flags: 0)]))
    var number = 0
    for _ in 0..<groups {
      let list = (0..<random.within(1...3)).map { index in
        transaction(number + index, bytes: random.within(1...bytesMax), &random)
      }
      number += list.count
      spec.append(.group(list))
    }
    if mark { spec.append(.mark) }
    if sealed { spec.seal() }
    spec.trailingZeros = zeros
    return spec
  }

  /// One block of every encoding, with and without nil.
  package static func columns(rows: Int = 9, sealed: Bool, salt: UInt64 = 0x5A17) -> SegmentSpec {
    var random = FormatRandom(seed: 2)
    var spec = SegmentSpec(header(salt: salt))
    spec.append(.group([transaction(0, bytes: 10, &random)]))
    spec.append(.group([allEncodings(rows: rows, &random)]))
    spec.append(.group([transaction(2, bytes: 10, &random)]))
    if sealed { spec.seal() }
    return spec
  }

  /// A transaction with a column of every encoding, once nullable and once not.
  package static func allEncodings(rows: Int, _ random: inout FormatRandom) -> TransactionSpec {
    var blocks: [Bytes] = []
    var columns: [ColumnsOperation.Column] = []
    let kinds: [(PhysicalType, ColumnEncoding)] = [
      (.double, .plain), (.integer, .packed), (.bool, .bitmap), (.string, .bytes),
      (.string, .dictionary), (.double, .dictionary),
    ]
    for (type, encoding) in kinds {
      for isNullable in [false, true] {
        var cells = random.cells(type, rows: rows, shape: .random)
        if isNullable {
          cells = random.cells(type, rows: rows, shape: .someNil)
        }
        let attribute = UInt32(columns.count + 1)
        var writer = NaiveColumnWriter(type, encoding, isNullable: isNullable)
        writer.attribute = attribute
        blocks.append(Bytes(writer.block(NaiveCell.cells(cells), &random)))
        columns.append(.init(attribute: attribute, type: type))
      }
    }
    let operation = ColumnsOperation(
      form: .create, entity: 1, rows: rows, identifiers: .run(index: 0, firstSerial: 1),
      firstPart: 0, columns: columns)
    return TransactionSpec(stamp: .zero, operations: [.columns(operation)], blocks: blocks)
  }
}

/// The frames of a segment as ranges of its bytes.
package struct FrameMap {
  package var frames: [(range: Range<Int>, type: FrameType, synced: UInt64)] = []

  package init(_ bytes: [UInt8]) throws(FormatError) {
    var scanner = try SegmentScanner(MemorySource(Bytes(bytes)))
    while case .frame(let frame) = try scanner.next() {
      frames.append(
        (Int(frame.offset)..<Int(frame.end), frame.header.type, frame.header.syncedOffset))
      if frame.header.type == .seal { break }
    }
  }

  /// The end of the last frame.
  package var end: Int { frames.last?.range.upperBound ?? FileHeader.byteCount }
}
