// A transaction as programs see it. Layer: Store.

import VarveFormat

/// What one replica wrote at once: where it stands in the log, who wrote it, and what it changed.
public struct Transaction: Sendable {
  /// The replica that wrote it.
  public let replica: ReplicaID
  /// Its place in the log of that replica, from 1.
  public let sequence: UInt64
  /// The clock of the writer.
  public let stamp: Stamp
  /// Whether this store wrote it; false for what came from another replica.
  public let isLocal: Bool
  /// What kind of work it was.
  public let origin: Origin
  /// Who wrote it, when the program said so.
  public let author: String?
  /// What it does, when the program said so.
  public let label: String?
  /// The objects that it names, each once, in the order in which it names them.
  public let changes: TransactionChanges
  /// What is seen when this transaction is: pass it to `Store.transactions(after:)` to go on
  /// behind it.
  public internal(set) var version = VersionVector()

  init(
    replica: ReplicaID, sequence: UInt64, stamp: Stamp, isLocal: Bool, _ metadata: Metadata,
    changes: TransactionChanges
  ) {
    self.replica = replica
    self.sequence = sequence
    self.stamp = stamp
    self.isLocal = isLocal
    origin = metadata.origin ?? .local
    author = metadata.author
    label = metadata.label
    self.changes = changes
  }
}

/// What a transaction did to one object.
public struct ObjectChange: Hashable, Sendable {
  /// What happened to the object's life.
  public enum Kind: String, Sendable, CaseIterable {
    /// It was created, or created again after its deletion.
    case inserted
    /// Properties were written.
    case updated
    /// It was deleted.
    case deleted
    /// Its deletion was taken back.
    case restored
    /// It was merged into another object and reads as that one.
    case merged
  }

  /// The object.
  public let object: ObjectID
  /// What happened to it.
  public internal(set) var kind: Kind
  /// Tags of the attributes and relationships that were written, ascending.
  ///
  /// The rows of a bulk write share them: one of its columns may have nothing for this row.
  public internal(set) var tags: [UInt32]

  /// The names of what was written, as a snapshot's schema has them.
  ///
  /// A property that the schema does not know is called `#` and its tag.
  public func names(in snapshot: Snapshot) -> [String] {
    tags.map { snapshot.graph.schema.name(object.entity, $0) }
  }
}
