// Objects and dots as transactions name them.

/// An object as the log names it (Q3): entity, and either creator and serial or the hash of an
/// identity key.
package struct ObjectReference: Hashable, Sendable {
  package enum Origin: Hashable, Sendable {
    /// Created by the replica or branch at this dictionary index.
    case created(index: UInt32, serial: UInt64)
    /// An object of an identity entity.
    case identity(Hash128)
  }

  package var entity: UInt32
  package var origin: Origin

  package init(entity: UInt32, index: UInt32 = 0, serial: UInt64) {
    self.entity = entity
    origin = .created(index: index, serial: serial)
  }

  package init(entity: UInt32, identity: Hash128) {
    self.entity = entity
    origin = .identity(identity)
  }

  init(_ reader: inout ByteReader) throws(FormatError) {
    entity = try reader.varint32("entity")
    let space = try reader.count(max: Limits.dictionaryMax, "dictionary index of an object")
    if space == 0 {
      origin = .identity(try reader.hash128())
    } else {
      let serial = try reader.varint()
      guard serial >= 1, serial <= Limits.serialMax else {
        throw reader.error(.badValue, "the serial \(serial) is out of range")
      }
      origin = .created(index: UInt32(space - 1), serial: serial)
    }
  }

  func write(into writer: inout ByteWriter) {
    writer.varint(UInt64(entity))
    switch origin {
    case .identity(let hash):
      writer.uint8(0)
      writer.hash128(hash)
    case .created(let index, let serial):
      writer.varint(UInt64(index) + 1)
      writer.varint(serial)
    }
  }
}

extension ObjectReference: CustomStringConvertible {
  package var description: String {
    switch origin {
    case .created(let index, let serial): "\(entity)/\(index)/\(serial)"
    case .identity(let hash): "\(entity)/#\(hash)"
    }
  }
}

/// One add, named by the transaction that made it.
package struct Dot: Hashable, Sendable, CustomStringConvertible {
  package var index: UInt32
  package var sequence: UInt64

  package init(index: UInt32, sequence: UInt64) {
    self.index = index
    self.sequence = sequence
  }

  init(_ reader: inout ByteReader) throws(FormatError) {
    index = UInt32(try reader.count(max: Limits.dictionaryMax - 1, "dictionary index of a dot"))
    sequence = try reader.varint()
  }

  func write(into writer: inout ByteWriter) {
    writer.varint(UInt64(index))
    writer.varint(sequence)
  }

  package var description: String { "\(index):\(sequence)" }
}

/// A point in a replica's log: dictionary index, sequence, and the first bytes of the chain there.
package struct LogPosition: Hashable, Sendable {
  /// Index 3, sequence 10, chain 8.
  static let byteCountMax = 21

  package var index: UInt32
  package var sequence: UInt64
  package var chainPrefix: [UInt8]

  package init(index: UInt32, sequence: UInt64, chainPrefix: [UInt8]) {
    precondition(chainPrefix.count == 8, "chain prefixes have eight bytes")
    self.index = index
    self.sequence = sequence
    self.chainPrefix = chainPrefix
  }

  init(_ reader: inout ByteReader) throws(FormatError) {
    index = UInt32(try reader.count(max: Limits.dictionaryMax - 1, "dictionary index"))
    sequence = try reader.varint()
    chainPrefix = try reader.bytes(8)
  }

  func write(into writer: inout ByteWriter) {
    writer.varint(UInt64(index))
    writer.varint(sequence)
    writer.bytes(chainPrefix)
  }
}
