// `operations.vlog`: every operation, every schema declaration and every type of value, each in a
// transaction of its own. Layer: test support.

import VarveFormat

extension GoldenSpecs {
  private static let object = ObjectReference(entity: 1, serial: 7)
  private static let foreign = ObjectReference(entity: 2, index: 1, serial: 300)
  private static let key: [UInt8] = Array("isbn".utf8)
  private static let keyed = ObjectReference(entity: 3, identity: Checksum.hash128(key))
  private static let position = LogPosition(index: 1, sequence: 9, chainPrefix: [UInt8](1...8))
  private static let sha256 = [UInt8](0x40...0x5F)

  package static let operations: SegmentSpec = {
    var spec = SegmentSpec(header())
    spec.append(.replicas([DictionaryEntry(index: 1, .replica(other))]))
    spec.append(.ignorable(type: 0xC0, Bytes([1, 2, 3])))
    spec.append(.group([opening]))
    for operation in objectOperations + linkOperations + collectionOperations + recordOperations {
      add(operation, &spec)
    }
    for value in values { add(.set(object, [FieldValue(5, value)]), &spec) }
    for declaration in declarations { add(.schema(declaration), &spec) }
    spec.append(.group([described]))
    spec.seal(
      vector: [Seal.VectorEntry(index: 1, sequence: 9)],
      dictionary: [DictionaryEntry(index: 1, .replica(other)), branch])
    return spec
  }()

  private static let branch = DictionaryEntry(
    index: 2, .branch(parent: 1, forkSequence: 5, chainPrefix: [UInt8](9...16)))

  private static func add(_ operation: Operation, _ spec: inout SegmentSpec) {
    let number = UInt64(spec.items.count)
    spec.append(.group([TransactionSpec(stamp: stamp(number), operations: [operation])]))
  }

  /// The first transaction of a segment: the whole dictionary and the full vector.
  private static let opening: TransactionSpec = {
    var transaction = TransactionSpec(stamp: stamp(0))
    transaction.isFullVector = true
    transaction.dictionary = [DictionaryEntry(index: 1, .replica(other)), branch]
    transaction.dependencies = [position]
    return transaction
  }()

  /// Everything that a header can say.
  private static let described: TransactionSpec = {
    var transaction = TransactionSpec(stamp: stamp(500), operations: [.delete(object)])
    transaction.isCritical = true
    transaction.era = Era(number: 2, opened: [UInt8](1...8))
    transaction.schemaVersion = 12
    transaction.metadata = Metadata(author: "eva", label: "tidy up", origin: .imported)
    transaction.metadata.checkpoint = "row 10"
    transaction.metadata.unknown = [Metadata.Entry(key: 99, bytes: [0xFF, 0x00])]
    return transaction
  }()

  private static let objectOperations: [Operation] = [
    .create(object, key: [], [FieldValue(1, .string("é"))]),
    .create(keyed, key: key, []),
    .set(foreign, [FieldValue(1, .bool(false)), FieldValue(70_000, .integer(-1))]),
    .unset(object, [FieldType(1, .string), FieldType(70_000, .integer)]),
    .group(object, group: 4, [GroupMember(1, .bool(false)), GroupMember(2, nilOf: .date)]),
    .delete(object), .undelete(object), .recreate(object, [FieldValue(1, .unsigned(.max))]),
    .merge(from: object, into: foreign),
  ]

  private static let linkOperations: [Operation] = [
    .link(object, field: 3, target: foreign),
    .unlink(object, field: 3, target: foreign, dots: [Dot(index: 1, sequence: 9)]),
    .pair(isPaired: true, a: object, fieldA: 4, b: foreign, fieldB: 5),
    .pair(isPaired: false, a: object, fieldA: 4, b: foreign, fieldB: 5),
    .order(object, field: 6, place: .init(parent: foreign, key: [0x80, 1, 2, 3, 4])),
    .order(object, field: 6, place: nil),
    .pendingLink(object, field: 3, target: 3, key: key),
  ]

  private static let collectionOperations: [Operation] = [
    .counterAdd(object, field: 7, amount: -5, resetStamp: stamp(3), resetAuthor: 1),
    .counterReset(object, field: 7, value: 100), .setAdd(object, field: 8, .string("tag")),
    .setRemove(object, field: 8, .string("tag"), dots: [Dot(index: 0, sequence: 4)]),
    .mapPut(object, field: 9, key: .string("de"), .string("Blau")),
    .mapRemove(object, field: 9, key: .string("de")),
  ]

  private static let recordOperations: [Operation] = [
    .localMarker(sequence: 3, chain: Hash128(low: 1, high: 2)),
    .blob(sha256: sha256, byteCount: 1_000_000),
    .era(number: 1, kind: 2, baseline: Hash128(low: 3, high: 4), vector: [position]),
    .acceptGap(index: 1, first: 3, last: 5, chain: Hash128(low: 5, high: 6)),
    .acceptStore(StoreID([UInt8](0x60...0x6F))),
    .adoption(
      .init(
        index: 1, sequence: 9, previousChain: Hash128(low: 7, high: 8), dictionary: [],
        transaction: [1, 2, 3], parts: [.init(frameType: 4, payload: [4, 5])])),
    .retireReplica(position), .tag(name: "v1", isSet: true, vector: [position]),
    .acknowledgeConflict(
      object, field: 1, winner: Dot(index: 0, sequence: 2), loser: Dot(index: 1, sequence: 9)),
    .migration(identifier: "2026-01", ordinal: 3, isFinished: true),
    .unknown(opcode: 0x3F, isCritical: true, [1, 2, 3]),
    .unknown(opcode: 0x40, isCritical: false, []),
  ]

  private static let values: [Value] = [
    .bool(true), .integer(.min), .unsigned(1 << 40), .double(-0.0), .double(.nan),
    .decimal(DecimalValue(isNegative: true, exponent: -2, magnitude: 123_456)),
    .decimal(DecimalValue(isNegative: false, exponent: 0, magnitude: 0)), .string(""),
    .string("漢字 \u{0} \"\\\n"), .data([]), .data([0, 255]), .date(-1),
    .uuid([UInt8](0x70...0x7F)),
    .reference(foreign), .blob(sha256: sha256, byteCount: 70_000),
    .array(.integer, [.integer(1), .integer(-1)]), .array(.string, []),
    .composite(encoding: 1, Array("{}".utf8)), .identityReference(keyed),
  ]

  private static let declarations: [SchemaOperation] = [
    .entity(entity: 1, label: "Album", flags: 1),
    .attribute(
      entity: 1, attribute: 1, type: .string, label: "title", flags: 2, defaultValue: .string("?")),
    .attribute(
      entity: 1, attribute: 7, type: .integer, label: "plays", flags: 5, defaultValue: nil),
    .relationship(
      .init(
        entity: 1, attribute: 3, label: "artist", kind: 1, target: 2, inverse: 4,
        inverseLabel: "albums", deleteRule: 1, flags: 1)),
    .uniqueness(entity: 1, mode: 1, attributes: [1]),
    .group(entity: 1, group: 4, label: "price", attributes: [1, 2]),
    .index(entity: 1, label: "byTitle", kind: 2, attributes: [1]), .retire(entity: 1, attribute: 9),
    .version(12, label: "spring"),
  ]
}
