// Names that do not depend on dictionary indices: lines of logs, objects, dots, marks.
// Layer: test support.

import VarveFormat

/// One line of a replica's log: the replica itself, or a branch of it (Q4).
package struct ReferenceLine: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let replica: ReplicaID
  /// 0, or the sequence of the first transaction that belongs to the branch.
  package let fork: UInt64
  /// Empty, or the first stored bytes of the chain at that transaction.
  package let chainPrefix: [UInt8]
  /// The replica's bytes as two big-endian numbers, which compare fast and in byte order.
  private let high: UInt64
  private let low: UInt64

  package init(_ replica: ReplicaID, fork: UInt64 = 0, chainPrefix: [UInt8] = []) {
    self.replica = replica
    self.fork = fork
    self.chainPrefix = chainPrefix
    let bytes = replica.array
    high = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
    low = bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
  }

  package static func == (a: ReferenceLine, b: ReferenceLine) -> Bool {
    a.high == b.high && a.low == b.low && a.fork == b.fork && a.chainPrefix == b.chainPrefix
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(high)
    hasher.combine(low)
    hasher.combine(fork)
  }

  /// The sequence of its first transaction.
  package var firstSequence: UInt64 { max(fork, 1) }

  /// The 16 bytes by which digests name it.
  package var identity: [UInt8] {
    guard fork > 0 else { return replica.array }
    var writer = ByteWriter()
    writer.bytes(replica.array)
    writer.uint64(fork)
    writer.bytes(chainPrefix)
    return Checksum.hash128(writer.finish()).storedBytes
  }

  package static func < (a: ReferenceLine, b: ReferenceLine) -> Bool {
    if a.high != b.high { return a.high < b.high }
    if a.low != b.low { return a.low < b.low }
    if a.fork != b.fork { return a.fork < b.fork }
    return a.chainPrefix.lexicographicallyPrecedes(b.chainPrefix)
  }

  package var description: String {
    hexadecimal(Array(replica.array.suffix(1)))
      + (fork > 0 ? "@\(fork)-\(hexadecimal(Array(chainPrefix.prefix(1))))" : "")
  }
}

/// An object by its persistent id (Q3).
package struct ReferenceID: Hashable, Comparable, Sendable, CustomStringConvertible {
  package enum Origin: Hashable, Sendable {
    case created(ReferenceLine, serial: UInt64)
    case identity(Hash128)
  }

  package var entity: UInt32
  package var origin: Origin

  package init(entity: UInt32, _ line: ReferenceLine, serial: UInt64) {
    self.entity = entity
    origin = .created(line, serial: serial)
  }

  package init(entity: UInt32, identity: Hash128) {
    self.entity = entity
    origin = .identity(identity)
  }

  package var isIdentity: Bool {
    if case .identity = origin { true } else { false }
  }

  /// Creator, and serial; the key's hash and 0 for an object of an identity entity.
  package var place: (creator: [UInt8], serial: UInt64) {
    switch origin {
    case .created(let line, let serial): (line.identity, serial)
    case .identity(let hash): (hash.storedBytes, 0)
    }
  }

  /// By entity, creator and serial, as in digests.
  package static func < (a: ReferenceID, b: ReferenceID) -> Bool {
    if a.entity != b.entity { return a.entity < b.entity }
    let (x, y) = (a.place, b.place)
    if x.creator != y.creator { return x.creator.lexicographicallyPrecedes(y.creator) }
    return x.serial < y.serial
  }

  package var description: String {
    switch origin {
    case .created(let line, let serial): "\(entity)/\(line)/\(serial)"
    case .identity(let hash): "\(entity)/#\(hexadecimal(Array(hash.prefix.prefix(2))))"
    }
  }
}

/// One transaction by its line and sequence.
package struct ReferenceDot: Hashable, Comparable, Sendable, CustomStringConvertible {
  package var line: ReferenceLine
  package var sequence: UInt64

  package init(_ line: ReferenceLine, _ sequence: UInt64) {
    self.line = line
    self.sequence = sequence
  }

  package static func < (a: ReferenceDot, b: ReferenceDot) -> Bool {
    a.line != b.line ? a.line < b.line : a.sequence < b.sequence
  }

  package var description: String { "\(line):\(sequence)" }
}

/// The place of an operation in the total order of writes (R2, Q16).
package struct ReferenceMark: Hashable, Comparable, Sendable, CustomStringConvertible {
  package var stamp: Stamp
  package var dot: ReferenceDot
  package var operation: Int

  package init(_ stamp: Stamp, _ dot: ReferenceDot, _ operation: Int) {
    self.stamp = stamp
    self.dot = dot
    self.operation = operation
  }

  package var author: ReferenceLine { dot.line }

  /// Whether the whole transaction lies before another one.
  package func isBefore(_ other: ReferenceMark) -> Bool {
    stamp != other.stamp ? stamp < other.stamp : dot < other.dot
  }

  /// Whether a register with this mark loses against one with another mark: what a state keeps of
  /// marks is stamp and author.
  package func isWritten(before other: ReferenceMark) -> Bool {
    stamp != other.stamp ? stamp < other.stamp : author < other.author
  }

  package static func < (a: ReferenceMark, b: ReferenceMark) -> Bool {
    if a.isBefore(b) { return true }
    return !b.isBefore(a) && a.operation < b.operation
  }

  package var description: String { "\(stamp)/\(dot).\(operation)" }
}

/// A transaction with names resolved.
package struct ReferenceTransaction: Hashable, Sendable {
  package var line: ReferenceLine
  package var sequence: UInt64
  package var chain: Hash128
  package var stamp: Stamp
  /// The whole causal past: the last sequence of every line, its own left out.
  package var dependencies: [ReferenceLine: UInt64]
  /// What the author's dictionary indices name; index 0 is its own line.
  package var dictionary: [ReferenceLine]
  /// On a branch: the last serial of each entity before the fork.
  ///
  /// Up to there index 0 means the replica itself.
  package var inherited: [UInt32: UInt64] = [:]
  package var operations: [Operation]

  package init(
    line: ReferenceLine, sequence: UInt64, chain: Hash128, stamp: Stamp,
    dependencies: [ReferenceLine: UInt64], dictionary: [ReferenceLine], operations: [Operation]
  ) {
    self.line = line
    self.sequence = sequence
    self.chain = chain
    self.stamp = stamp
    self.dependencies = dependencies
    self.dictionary = dictionary
    self.operations = operations
  }

  package var replica: ReplicaID { line.replica }

  package var dot: ReferenceDot { ReferenceDot(line, sequence) }

  /// The line that an index names.
  package func line(_ index: UInt32) -> ReferenceLine { dictionary[Int(index)] }

  /// The persistent id of an object (Q4).
  package func id(_ object: ObjectReference) -> ReferenceID {
    switch object.origin {
    case .identity(let hash): return ReferenceID(entity: object.entity, identity: hash)
    case .created(let index, let serial):
      var line = line(index)
      if index == 0, line.fork > 0, serial <= inherited[object.entity] ?? 0 {
        line = ReferenceLine(line.replica)
      }
      return ReferenceID(entity: object.entity, line, serial: serial)
    }
  }

  package func dot(_ dot: Dot) -> ReferenceDot { ReferenceDot(line(dot.index), dot.sequence) }

  /// Whether another transaction lies in this one's causal past.
  package func knows(_ other: ReferenceDot) -> Bool {
    other.line == line
      ? other.sequence < sequence : other.sequence <= dependencies[other.line] ?? 0
  }
}
