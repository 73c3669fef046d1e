// When and by whom something was declared: what the rules of the schema are ordered by. Layer:
// Schema.

import VarveFormat

/// The place of a declaration in the order of all of them (R2, Q16).
///
/// Stamps decide, then the bytes of the replica, then the place in the transaction.
package struct SchemaClaim: Hashable, Sendable, Comparable {
  /// The stamp of the transaction; zero for a hint, which no transaction has.
  package var stamp: Stamp
  /// The replica that declared it.
  package var author: ReplicaID
  /// The place among the operations of the transaction, or among the hints of a log.
  package var ordinal: UInt64

  package init(stamp: Stamp, author: ReplicaID, ordinal: UInt64 = 0) {
    self.stamp = stamp
    self.author = author
    self.ordinal = ordinal
  }

  /// Whether it was only repeated in front of a segment, so that its own claim is not known.
  package var isHint: Bool { stamp == .zero }

  package static func < (a: SchemaClaim, b: SchemaClaim) -> Bool {
    if a.stamp != b.stamp { return a.stamp < b.stamp }
    if a.author != b.author { return a.author < b.author }
    return a.ordinal < b.ordinal
  }
}

/// The value of one register of the schema, with all that decides against other values.
package struct SchemaDeclaration: Hashable, Sendable {
  /// What was declared last, exactly as it was written.
  package var operation: SchemaOperation
  /// The claim of `operation`.
  package var latest: SchemaClaim
  /// The claim of the earliest declaration of this register.
  package var earliest: SchemaClaim

  package init(_ operation: SchemaOperation, latest: SchemaClaim, earliest: SchemaClaim) {
    self.operation = operation
    self.latest = latest
    self.earliest = earliest
  }

  /// Takes another declaration of the same register in, in any order.
  ///
  /// A hint counts only as long as no transaction is known that declared the register. Equal claims
  /// come from damage or forgery only; then the larger bytes win. Returns whether anything changed.
  mutating func merge(_ other: SchemaDeclaration) -> Bool {
    if latest.isHint != other.latest.isHint {
      let wins = latest.isHint
      if wins { self = other }
      return wins
    }
    let isEarlier = other.earliest < earliest
    if isEarlier { earliest = other.earliest }
    let isLater =
      latest == other.latest
      ? operation.encoded.lexicographicallyPrecedes(other.operation.encoded)
      : latest < other.latest
    if isLater { (operation, latest) = (other.operation, other.latest) }
    return isEarlier || isLater
  }
}

extension SchemaOperation {
  /// The bytes of the operation's body.
  package var encoded: [UInt8] {
    var writer = ByteWriter()
    write(into: &writer)
    return writer.finish().array
  }
}
