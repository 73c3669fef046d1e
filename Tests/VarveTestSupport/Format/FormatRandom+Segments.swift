// Random segments, as the encoder can write them. Layer: test support.

import VarveFormat

extension FormatRandom {
  package mutating func header() -> FileHeader {
    FileHeader(
      store: store(), replica: replica(), ordinal: max(number(), 1),
      firstSequence: max(number() >> 1, 1), salt: word(), previousChain: hash(), created: stamp(),
      previousBytes: number())
  }

  package mutating func transaction(operationsMax: Int = 5) -> TransactionSpec {
    var spec = TransactionSpec(
      stamp: stamp(), operations: list(max: operationsMax) { $0.operation() })
    spec.isCritical = chance(10)
    spec.isFullVector = chance(20)
    spec.era = era()
    spec.schemaVersion = chance(50) ? 0 : number()
    spec.dictionary = chance(30) ? list(max: 3) { $0.dictionaryEntry() } : []
    spec.dependencies = chance(30) ? list(max: 3) { $0.position() } : []
    spec.metadata = chance(40) ? metadata() : Metadata()
    return spec
  }

  /// A transaction with one columns operation and its blocks.
  package mutating func columnTransaction(rows: Int) -> TransactionSpec {
    let types = list(max: 3) { $0.pick(PhysicalType.allCases) } + [.integer]
    let columns = types.enumerated().map { index, type in
      ColumnInput(UInt32(index + 1), type, cells(type, rows: rows, shape: pick(CellShape.allCases)))
    }
    var builder = TransactionBuilder()
    do {
      try builder.addColumns(
        form: .create, entity: tag(), rows: rows,
        identifiers: .run(index: index(), firstSerial: 1), columns: columns)
      var spec = try TransactionSpec(try builder.finish(), stamp: stamp())
      spec.operations.append(contentsOf: list(max: 3) { $0.operation() })
      return spec
    } catch { preconditionFailure("random columns stay inside the limits: \(error)") }
  }

  package mutating func group(columns: Int = 15) -> SegmentSpec.Item.Content {
    let count = within(1...4)
    return .group(
      (0..<count).map { _ in
        chance(columns) ? columnTransaction(rows: within(1...300)) : transaction()
      })
  }

  /// A segment with a few items; small enough to be damaged at every byte.
  package mutating func segment(items: Int = 6, columns: Int = 15) -> SegmentSpec {
    var spec = SegmentSpec(header())
    if chance(40) { spec.append(.schema(list(max: 4) { $0.schemaOperation() })) }
    if chance(20) { spec.append(.replicas(list(max: 4) { $0.dictionaryEntry() })) }
    if chance(20) { spec.append(.ignorable(type: UInt8(within(128...255)), Bytes(bytes(max: 99)))) }
    for _ in 0..<within(0...items) {
      spec.append(chance(15) ? .mark : group(columns: columns))
    }
    // Items become durable late: the number never goes down and never passes the item.
    var durable = 0
    for index in spec.items.indices {
      durable = chance(70) ? index : within(durable...max(index, durable))
      spec.items[index].durableItems = durable
    }
    if chance(40) {
      spec.seal(
        vector: list(max: 3) { Seal.VectorEntry(index: $0.index(), sequence: $0.number()) },
        dictionary: list(max: 3) { $0.dictionaryEntry() })
    }
    if chance(30) { spec.trailingZeros = within(0...2_000) }
    return spec
  }
}
