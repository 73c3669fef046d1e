// Hashes registers for digests. See Formats/Digest.md.

/// The sums of a group of registers.
package struct DigestPair: Sendable, Equatable {
  /// Ids and values.
  package var content = Hash128.zero
  /// Ids, values, stamps and authors.
  package var state = Hash128.zero

  package init() {}

  package static func += (a: inout DigestPair, b: DigestPair) {
    a.content &+= b.content
    a.state &+= b.state
  }
}

/// Adds up the registers of one attribute of objects that one replica created in one transaction.
package struct RegisterHasher: ~Copyable {
  private var message = ByteWriter(capacity: 256)
  private let stamp: UInt64
  private let author: [UInt8]
  package private(set) var sum = DigestPair()

  private static let serialOffset = 24
  private static let valueOffset = 32

  package init(
    entity: UInt32, attribute: UInt32, creator: ReplicaID, stamp: Stamp, author: ReplicaID
  ) {
    self.stamp = stamp.rawValue
    self.author = author.array
    message.uint32(entity)
    message.uint32(attribute)
    message.bytes(creator.array)
    message.uint64(0)
  }

  @inline(__always)
  private mutating func begin(_ serial: UInt64) {
    message.truncate(to: RegisterHasher.valueOffset)
    message.setUInt64(serial, at: RegisterHasher.serialOffset)
  }

  @inline(__always)
  private mutating func finish() {
    sum.content &+= message.withUnsafeBytes { Checksum.hash128($0) }
    message.uint64(stamp)
    message.bytes(author)
    sum.state &+= message.withUnsafeBytes { Checksum.hash128($0) }
  }

  /// The existence of an object.
  package mutating func object(_ serial: UInt64) {
    begin(serial)
    finish()
  }

  /// All cells of a block that have a value.
  ///
  /// `serials` gives the serial of a row; `reference` turns a reference word into target entity,
  /// creator and serial.
  package mutating func block(
    _ block: ColumnBlock, serials: (Int) -> UInt64,
    reference: (UInt64) -> (entity: UInt32, creator: ReplicaID, serial: UInt64)?
  ) {
    let type = block.header.type
    for row in 0..<block.rows {
      if type == .reference {
        guard let word = block.word(row), let target = reference(word) else { continue }
        begin(serials(row))
        message.uint8(type.rawValue)
        message.uint32(target.entity)
        message.bytes(target.creator.array)
        message.uint64(target.serial)
      } else if type.isWord || type == .bool {
        guard let word = block.word(row) else { continue }
        begin(serials(row))
        message.uint8(type.rawValue)
        payload(word, type)
      } else {
        guard let bytes = block.cellBytes(row) else { continue }
        begin(serials(row))
        message.uint8(type.rawValue)
        if type == .string || type == .data { message.varint(bytes.count) }
        message.bytes(bytes)
      }
      finish()
    }
  }

  @inline(__always)
  private mutating func payload(_ word: UInt64, _ type: PhysicalType) {
    switch type {
    case .bool: message.uint8(UInt8(truncatingIfNeeded: word))
    case .integer: message.zigzag(Int64(bitPattern: word))
    case .unsigned: message.varint(word)
    default: message.uint64(word)
    }
  }
}
