// Entries of a log's dictionary: how small indices stand for replicas and branches (Q2, Q4).

/// One entry of the dictionary of replicas.
package struct DictionaryEntry: Hashable, Sendable {
  package enum Name: Hashable, Sendable {
    case replica(ReplicaID)
    /// What the replica at `parent` wrote from `forkSequence` on, on the side that begins with this
    /// chain.
    case branch(parent: UInt32, forkSequence: UInt64, chainPrefix: [UInt8])
  }

  /// A branch: index 3, kind 1, parent 3, sequence 10, chain 8.
  static let byteCountMax = 25

  package var index: UInt32
  package var name: Name

  package init(index: UInt32, _ name: Name) {
    self.index = index
    self.name = name
  }

  init(_ reader: inout ByteReader) throws(FormatError) {
    index = UInt32(try reader.count(max: Limits.dictionaryMax - 1, "dictionary index"))
    guard index > 0 else { throw reader.error(.badTransaction, "index 0 is never declared") }
    switch try reader.uint8() {
    case 0: name = .replica(try reader.identifier(ReplicaID.self))
    case 1:
      let parent = UInt32(try reader.count(max: Limits.dictionaryMax - 1, "dictionary index"))
      let fork = try reader.varint()
      name = .branch(parent: parent, forkSequence: fork, chainPrefix: try reader.bytes(8))
    default: throw reader.error(.badTransaction, "a dictionary entry of an unknown kind")
    }
  }

  func write(into writer: inout ByteWriter) {
    writer.varint(UInt64(index))
    switch name {
    case .replica(let replica):
      writer.uint8(0)
      writer.bytes(replica.array)
    case .branch(let parent, let fork, let prefix):
      writer.uint8(1)
      writer.varint(UInt64(parent))
      writer.varint(fork)
      writer.bytes(prefix)
    }
  }
}

extension ByteReader {
  /// A counted list of entries.
  package mutating func dictionary() throws(FormatError) -> [DictionaryEntry] {
    let count = try elementCount(
      max: Limits.dictionaryMax, smallest: 12, "dictionary entries")
    var entries: [DictionaryEntry] = []
    for _ in 0..<count { entries.append(try DictionaryEntry(&self)) }
    return entries
  }
}
