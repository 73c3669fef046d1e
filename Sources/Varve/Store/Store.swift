// A store: one graph, its log and its baseline. Layer: Store.

import Synchronization
import VarveFormat

/// An event-sourced object graph in a directory.
///
/// ```swift
/// let store = try Store.open(at: "library.varve", schema: schema)
/// let milk = try store.write { context in
///   try context.insert("Item", ["title": "Buy milk"])
/// }
/// print(store.snapshot().object(milk)?["title"]) try store.close()
/// ```
///
/// All methods may be called from any thread. Reading never waits; writes run one after the other
/// and share their syncs (Q34).
public final class Store: Sendable {
  let disk: any Disk
  let entropy: any Entropy
  /// Nil for a store in memory, and for one that was opened for reading.
  let log: Log?
  let paths: StorePaths?
  let options: StoreOptions
  let declared: Schema?
  let isReadOnly: Bool
  /// What opening found.
  public let report: OpenReport

  /// Held by the one thread whose body or compaction step works on the draft.
  let writer: Mutex<Writer>
  let compactions = CompactionGate()
  let feed = TransactionFeed()
  /// The newest graph that readers may see.
  private let published: Mutex<Published>

  /// What the writing thread works with.
  struct Writer: ~Copyable {
    var state: GraphState
    /// Counts writes that have their place in the log.
    var ticket: UInt64 = 0
    /// Set when the draft is ahead of a log that refused a write: it is read again first.
    var needsReload = false
    /// How many refusals of the log the state knows of: after another one it is ahead of the log.
    var refusals = 0
    var isClosed = false
    /// The clock of a store without a log.
    var clock = Stamp.zero
    var author: UInt16 = 0
    var compaction = CompactionState()
    /// Baselines whose columns could not be read.
    var rejectedBaselines: Set<BaselineName> = []
  }

  private struct Published {
    var graph: GraphSnapshot
    var ticket: UInt64 = 0
  }

  init(
    disk: any Disk, entropy: any Entropy, log: Log?, paths: StorePaths?, options: StoreOptions,
    declared: Schema?, isReadOnly: Bool, report: OpenReport, state: GraphState,
    author: UInt16, compaction: CompactionState
  ) {
    self.disk = disk
    self.entropy = entropy
    self.log = log
    self.paths = paths
    self.options = options
    self.declared = declared
    self.isReadOnly = isReadOnly
    self.report = report
    published = Mutex(Published(graph: GraphSnapshot(state)))
    writer = Mutex(
      Writer(state: state, author: author, compaction: compaction))
  }

  /// The newest durable graph.
  ///
  /// - Complexity: O(1); never waits for a write.
  public func snapshot() -> Snapshot {
    let newest = graph
    if newest.failure != nil {
      repair()
      return Snapshot(graph)
    }
    return Snapshot(newest)
  }

  /// Reads the graph again without a baseline whose columns turned out to be damaged (Q27).
  ///
  /// - Returns: Whether a graph is in use now of which nothing is known to be damaged.
  @discardableResult
  func repair() -> Bool {
    writer.withLock { writer in
      // Reading the log on top of the next baseline may meet its damage already.
      while writer.state.failure != nil, writer.compaction.baseline != nil {
        noteDamage(&writer)
        // When the logs cannot be read either, the snapshot says what is wrong.
        do throws(StoreError) { try reload(&writer) } catch { break }
      }
      return writer.state.failure == nil
    }
  }

  /// Makes a graph the newest one, unless a newer one is there.
  func publish(_ graph: GraphSnapshot, ticket: UInt64) {
    published.withLock { published in
      guard ticket >= published.ticket else { return }
      published = Published(graph: graph, ticket: ticket)
    }
    feed.publish()
  }

  /// The newest graph that readers may see.
  var graph: GraphSnapshot { published.withLock { $0.graph } }

  /// Builds the graph again: from the logs alone, without any baseline.
  ///
  /// What is in memory is replaced when it differs; the files stay as they are.
  ///
  /// - Returns: Whether the state in use was the same.
  /// - Throws: `disk`, `tooNew`; `readOnly` for a store in memory.
  /// - Complexity: O(transactions).
  @discardableResult
  public func rebuild() throws(StoreError) -> Bool {
    guard let paths else {
      throw StoreError(.readOnly, "a store in memory has nothing to rebuild from")
    }
    return try writer.withLock { (writer: inout Writer) throws(StoreError) -> Bool in
      // What has its place in the log must be in the files before they are read.
      if let log { do throws(LogError) { try log.sync() } catch { throw StoreError(error) } }
      let opening: LogOpening
      do throws(LogError) {
        opening = try LogOpening(disk, paths, syncsTails: false)
      } catch { throw StoreError(error) }
      var loaded = try StoreLoading(disk, paths, bound: isReadOnly ? .syncedOffset : .validFrames)
        .read(opening, usesBaseline: false)
      // A baseline proves more durable than the newest frame knows of (Q52).
      if isReadOnly, !loaded.state.reaches(writer.state) {
        loaded = try StoreLoading(disk, paths, bound: .validFrames)
          .read(opening, usesBaseline: false)
      }
      let isSame = StateDigest(loaded.state) == StateDigest(writer.state)
      writer.state = loaded.state
      if let log { writer.author = try StoreLoading.author(&writer.state, log) }
      writer.ticket += 1
      publish(GraphSnapshot(writer.state), ticket: writer.ticket)
      return isSame
    }
  }

  /// The identity of the store; nil for one in memory.
  public var storeID: StoreID? { log?.store }

  /// The replica that writes here; nil for a store that does not write.
  public var replica: ReplicaID? { log?.replica }

  /// The state as a word: `writable`, `readOnly`, `full`, `poisoned` or `closed`.
  public var state: String {
    if isReadOnly { return "readOnly" }
    if writer.withLock({ $0.isClosed }) { return "closed" }
    return log?.state ?? "writable"
  }

  /// Digests of the newest graph with all its stamps.
  ///
  /// - Complexity: O(registers).
  package func digest() -> StateDigest {
    while true {
      let state = writer.withLock { $0.state }
      let digest = StateDigest(state)
      if state.failure == nil || !repair() { return digest }
    }
  }

  /// Bytes that cells and marks take in memory, without what only older snapshots keep.
  package var memoryBytes: Int { writer.withLock { $0.state.memoryBytes } }

  /// Closes the store in order; waits for writes and a compaction under way.
  ///
  /// - Throws: `disk` when the last bytes could not be made durable.
  public func close() throws(StoreError) {
    let wasClosed = writer.withLock { writer in
      defer { writer.isClosed = true }
      return writer.isClosed
    }
    guard !wasClosed else { return }
    waitForCompaction()
    defer { feed.close() }
    do throws(LogError) { try log?.close() } catch { throw StoreError(error) }
  }
}
