// What the golden files say, spelled out: these values never change. Layer: test support.

import VarveFormat

/// The contents of the golden files of format 0.
package enum GoldenSpecs {
  package static let store = StoreID([UInt8](0x00...0x0F))
  package static let replica = ReplicaID([UInt8](0x10...0x1F))
  package static let other = ReplicaID([UInt8](0x20...0x2F))
  /// 2026-01-01T00:00:00Z.
  private static let milliseconds: UInt64 = 1_767_225_600_000

  static func header(ordinal: UInt64 = 1) -> FileHeader {
    FileHeader(
      store: store, replica: replica, ordinal: ordinal, firstSequence: ordinal == 1 ? 1 : 100,
      salt: 0x0123_4567_89AB_CDEF,
      previousChain: ordinal == 1 ? .zero : Hash128(low: 0x1111, high: 0x2222),
      created: Stamp(milliseconds: milliseconds), previousBytes: ordinal == 1 ? 0 : 4_096)
  }

  static func stamp(_ number: UInt64) -> Stamp {
    Stamp(milliseconds: milliseconds + number * 1_000, counter: UInt16(number % 3))
  }

  /// Two small transactions; every frame but the SEAL is too short to be compressed.
  package static let tiny: SegmentSpec = {
    var spec = SegmentSpec(header())
    spec.append(.schema([.entity(entity: 1, label: "Album", flags: 0)]))
    let album = ObjectReference(entity: 1, serial: 1)
    var first = TransactionSpec(
      stamp: stamp(0),
      operations: [.create(album, key: [], [FieldValue(1, .string("Kind of Blue"))])])
    first.isFullVector = true
    spec.append(.group([first]))
    var second = TransactionSpec(
      stamp: stamp(1), operations: [.set(album, [FieldValue(2, .integer(1959))])])
    second.metadata.author = "eva"
    spec.append(.group([second]))
    spec.seal()
    return spec
  }()

  /// An open segment: two groups, a MARK that promises them, and zeros up to 4,096 bytes.
  package static let open: SegmentSpec = {
    var spec = SegmentSpec(header(ordinal: 2))
    spec.append(.schema([.entity(entity: 1, label: "Album", flags: 0)]))
    for number in 1...2 {
      let object = ObjectReference(entity: 1, serial: UInt64(number))
      var transaction = TransactionSpec(
        stamp: stamp(UInt64(number)), operations: [.set(object, [FieldValue(1, .bool(true))])])
      transaction.isFullVector = number == 1
      spec.append(.group([transaction]))
    }
    spec.append(.mark)
    spec.trailingZeros = 3_632
    return spec
  }()

  /// A transaction that is larger than a frame: its operations are in two parts, and one of them
  /// lies across their border.
  ///
  /// It is an adoption of zeros, of which a dump prints the length only.
  package static let parted: SegmentSpec = {
    var spec = SegmentSpec(header())
    let object = ObjectReference(entity: 1, serial: 1)
    var large = TransactionSpec(
      stamp: stamp(0),
      operations: [
        .set(object, [FieldValue(1, .string("in front"))]),
        .adoption(
          Operation.Adoption(
            index: 1, sequence: 7, previousChain: Hash128(low: 3, high: 4), dictionary: [],
            transaction: [UInt8](repeating: 0, count: (4 << 20) + 1_000), parts: [])),
        .set(object, [FieldValue(1, .string("behind"))]),
      ])
    large.isFullVector = true
    large.dictionary = [DictionaryEntry(index: 1, .replica(other))]
    spec.append(.group([large]))
    let small = TransactionSpec(
      stamp: stamp(1), operations: [.set(object, [FieldValue(2, .integer(1))])])
    spec.append(.group([small]))
    spec.seal()
    return spec
  }()

  /// Before it was torn: one group that is durable, and one that was being written.
  package static let torn: SegmentSpec = {
    var spec = SegmentSpec(header())
    let object = ObjectReference(entity: 1, serial: 1)
    var first = TransactionSpec(
      stamp: stamp(0), operations: [.set(object, [FieldValue(1, .bool(true))])])
    first.isFullVector = true
    let data = FieldValue(2, .data(incompressible(1_200)))
    let second = TransactionSpec(stamp: stamp(1), operations: [.set(object, [data])])
    spec.append(.group([first]))
    spec.append(.group([second]))
    return spec
  }()

  /// Bytes that do not compress: a linear congruential generator's high bytes.
  static func incompressible(_ count: Int) -> [UInt8] {
    var state: UInt32 = 1
    return (0..<count).map { _ in
      state = state &* 1_664_525 &+ 1_013_904_223
      return UInt8(state >> 24) | 1
    }
  }

  /// The slots of `super.bin`: slot 0, slot 1.
  package static let superblocks: [Superblock] = [4, 5].map { (counter: UInt64) in
    var block = Superblock(store: store, replica: replica)
    block.counter = counter
    block.isClean = counter == 5
    block.openOrdinal = counter - 3
    block.durableMark = 656
    block.lastAcceptedLength = 4_096
    block.lastSequence = 101
    block.chain = Hash128(low: 0x0102_0304_0506_0708, high: 0x090A_0B0C_0D0E_0F10)
    block.maxStamp = stamp(counter)
    block.inode = 12_345
    block.host = 0xFEDC_BA98_7654_3210
    block.baselineHash = counter == 5 ? 0xABCD : 0
    block.baselineBytes = counter == 5 ? 1_000_000 : 0
    return block
  }
}
