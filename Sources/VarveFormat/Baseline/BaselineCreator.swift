// Who made the objects of a baseline, and how far their logs are in it. See Formats/Baseline.md
// section 3.

/// A replica or branch that a state names, with its head at the cut.
package struct BaselineCreator: Hashable, Sendable {
  package enum Name: Hashable, Sendable {
    case replica(ReplicaID)
    /// What the replica wrote from `forkSequence` on, on the side that begins with this chain.
    case branch(parent: ReplicaID, forkSequence: UInt64, chainPrefix: [UInt8])
  }

  package var name: Name
  /// The last sequence that the state holds; 0 when the creator is only named.
  package var sequence: UInt64
  package var chain: Hash128
  package var stamp: Stamp

  package init(_ name: Name, sequence: UInt64 = 0, chain: Hash128 = .zero, stamp: Stamp = .zero) {
    self.name = name
    self.sequence = sequence
    self.chain = chain
    self.stamp = stamp
  }
}

extension BaselineCreator.Name: Comparable {
  /// By replica, a replica before its branches, branches by fork sequence and chain.
  package static func < (a: BaselineCreator.Name, b: BaselineCreator.Name) -> Bool {
    if a.replica != b.replica { return a.replica < b.replica }
    switch (a, b) {
    case (_, .replica): return false
    case (.replica, .branch): return true
    case (.branch(_, let fork, let prefix), .branch(_, let otherFork, let otherPrefix)):
      return fork == otherFork ? prefix.lexicographicallyPrecedes(otherPrefix) : fork < otherFork
    }
  }

  /// The replica itself, or the one that was forked.
  package var replica: ReplicaID {
    switch self {
    case .replica(let replica), .branch(let replica, _, _): replica
    }
  }
}

extension BaselineCreator {
  init(_ reader: inout ByteReader) throws(FormatError) {
    switch try reader.uint8() {
    case 0: name = .replica(try reader.identifier(ReplicaID.self))
    case 1:
      let parent = try reader.identifier(ReplicaID.self)
      let fork = try reader.varint()
      name = .branch(parent: parent, forkSequence: fork, chainPrefix: try reader.bytes(8))
    default: throw reader.error(.badDirectory, "a creator of an unknown kind")
    }
    sequence = try reader.varint()
    chain = try reader.hash128()
    stamp = Stamp(rawValue: try reader.uint64())
  }

  func write(into writer: inout ByteWriter) {
    switch name {
    case .replica(let replica):
      writer.uint8(0)
      writer.bytes(replica.array)
    case .branch(let parent, let fork, let prefix):
      writer.uint8(1)
      writer.bytes(parent.array)
      writer.varint(fork)
      writer.bytes(prefix)
    }
    writer.varint(sequence)
    writer.hash128(chain)
    writer.uint64(stamp.rawValue)
  }
}
