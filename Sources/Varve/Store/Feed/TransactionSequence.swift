// The transactions of a store, those to come included. Layer: Store.

import VarveFormat

/// Transactions in an order in which causes come before effects; of each replica without gaps.
///
/// The log is the buffer: a task that is slow, or that goes on after a restart, misses nothing.
/// Ends when the store is closed, when the task is cancelled, and for a store that was opened for
/// reading at what was durable then.
public struct TransactionSequence: AsyncSequence, Sendable {
  /// What it gives.
  public typealias Element = Transaction
  /// What goes wrong: `historyRetired`, `corrupt`, `disk`.
  public typealias Failure = StoreError

  private let store: Store
  private let version: VersionVector

  init(_ store: Store, after version: VersionVector) {
    self.store = store
    self.version = version
  }

  /// Starts behind the place that was named.
  public func makeAsyncIterator() -> Iterator { Iterator(store, after: version) }

  /// Walks transactions; one task at a time.
  public struct Iterator: AsyncIteratorProtocol {
    private let store: Store
    private let listener: TransactionFeed.Listener
    private var reader: HistoryReader?
    private var version: VersionVector

    fileprivate init(_ store: Store, after version: VersionVector) {
      self.store = store
      self.version = version
      listener = TransactionFeed.Listener(store.feed)
      reader = store.paths.map {
        HistoryReader(store.disk, $0, own: store.replica, after: version)
      }
    }

    /// The next transaction; waits for one when there is none yet.
    ///
    /// Reads files on the calling task.
    ///
    /// - Throws: `historyRetired`, `corrupt`, `disk`; the next call tries again.
    public mutating func next(isolation actor: isolated (any Actor)? = #isolation)
      async
      throws(StoreError) -> Transaction?
    {
      while !Task.isCancelled {
        let generation = store.feed.generation
        if let transaction = try available() { return transaction }
        if store.isReadOnly || store.feed.isClosed { return nil }
        await store.feed.wait(after: generation)
      }
      return nil
    }

    /// The next transaction that is published.
    private mutating func available() throws(StoreError) -> Transaction? {
      let end = VersionVector(store.graph.state)
      guard !version.covers(end) else { return nil }
      var transaction = recent(upTo: end)
      if var known = transaction {
        version[known.replica] = known.sequence
        known.version = version
        reader?.pass(known)
        return known
      }
      guard reader != nil else {
        throw StoreError(
          .historyRetired, "a store in memory keeps the newest transactions only")
      }
      transaction = try reader?.next(upTo: end)
      if let transaction { version = transaction.version }
      return transaction
    }

    /// The next transaction when it is in memory, and no other replica has one.
    private func recent(upTo end: VersionVector) -> Transaction? {
      let own = store.replica ?? Store.memoryReplica
      guard version[own] < end[own] else { return nil }
      for replica in end.replicas where replica != own && version[replica] < end[replica] {
        return nil
      }
      return store.feed.transaction(own, version[own] + 1)
    }
  }
}

extension Store {
  /// How much of every log the newest graph shows.
  public var version: VersionVector { VersionVector(graph.state) }

  /// The transactions behind a place in the logs, and those to come as they become durable.
  ///
  /// ```swift
  /// let snapshot = store.snapshot()
  /// show(snapshot)
  /// for try await transaction in store.transactions(after: snapshot.version) {
  ///   for change in transaction.changes where change.kind == .deleted { remove(change.object) }
  /// }
  /// ```
  ///
  /// - Parameter version: Where to begin: `transaction.version` of the last one that was seen,
  ///   `snapshot.version` for what comes behind a snapshot; the beginning of the history when nil.
  /// - Returns: A sequence that reads nothing before it is iterated.
  public func transactions(after version: VersionVector? = nil) -> TransactionSequence {
    TransactionSequence(self, after: version ?? VersionVector())
  }
}

extension Snapshot {
  /// How much of every log the snapshot shows.
  public var version: VersionVector { VersionVector(graph.state) }
}
