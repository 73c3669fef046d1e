// The writing side of a store's log: lock, superblock, commit groups, rotation, failure states.
// Layer: Log.

import VarveFormat

/// Where a commit landed.
public struct CommitPosition: Sendable, Equatable {
  /// The replica that wrote.
  public var replica: ReplicaID
  /// Its sequence number.
  public var sequence: UInt64
  /// The chain after the transaction.
  public var chain: Hash128
  /// The stamp it got.
  public var stamp: Stamp
}

/// A log that is open for writing.
///
/// One per directory (Q28).
///
/// All methods may be called from any thread and block. See `Log+Commit.swift` for the commit path.
package final class Log: @unchecked Sendable {
  let disk: any Disk
  let clock: any Clock
  let entropy: any Entropy
  let options: LogOptions
  package let paths: StorePaths
  package let store: StoreID
  /// What opening found.
  package let report: RecoveryReport
  /// Directory and heads as opening found them.
  package let opening: LogOpening

  /// Guards everything below.
  let monitor = Monitor()
  let lock: any DiskLock
  var superblock: Superblock
  var segment: SegmentWriter?
  /// Where the log of the writing replica ends as far as it is accepted.
  var head: LogHead
  /// Heads of the other replicas in this store, by dictionary index - 1.
  var others: [LogHead]
  /// What of the others the writer has seen, when it said so: what its transactions depend on.
  var integrated: [ReplicaID: LogHead]?
  var schema: [SchemaOperation]
  var lastStamp: Stamp
  var temporaryFiles: [String]

  var failure: LogError?
  /// No more commits are let in; those under way come to their end.
  var isClosing = false
  var isClosed = false
  /// Set while nothing can be written for lack of space; cleared when there is space again (D7).
  var isFull = false
  /// What the system said when a group did not fit.
  var fullReason: DiskError?
  var needsFullVector = true
  var commits = CommitState()
  /// The group that the leader writes; only the leader touches it.
  var spareOutput = GroupOutput()
  /// Counters for reports and benchmarks.
  var counters = LogCounters()
  var timer: LogTimer?

  init(
    disk: any Disk, clock: any Clock, entropy: any Entropy, options: LogOptions, lock: any DiskLock,
    opening: LogOpening, superblock: Superblock, head: LogHead, others: [LogHead]
  ) {
    self.disk = disk
    self.clock = clock
    self.entropy = entropy
    self.options = options
    self.lock = lock
    self.superblock = superblock
    self.head = head
    self.others = others
    paths = opening.paths
    store = superblock.store
    report = opening.report
    self.opening = opening
    schema = SchemaHint.merged(opening.schema)
    lastStamp = opening.maxStamp
    temporaryFiles = opening.catalog.temporaryFiles
  }

  deinit {
    timer?.stop()
    lock.release()
  }

  /// The replica that writes.
  package var replica: ReplicaID { monitor.withLock { head.replica } }

  /// Replicas by the index that this log's transactions use for them (Q2).
  package var dictionaryReplicas: [ReplicaID] {
    monitor.withLock { [head.replica] + others.map(\.replica) }
  }

  /// Says what the log declares, for the hints of the next segment.
  ///
  /// Before the first commit only.
  package func setSchema(_ operations: [SchemaOperation]) {
    monitor.withLock { schema = operations }
  }

  /// Says how far the logs of the other replicas are part of what the writer sees.
  ///
  /// The next segments depend on that and on no more: what cannot be read must not keep what is
  /// written from now on from being read (R8).
  /// Stamps go on above `maxStamp` (R2).
  package func setIntegrated(_ heads: [LogHead], maxStamp: Stamp) {
    monitor.withLock {
      lastStamp = max(lastStamp, maxStamp)
      integrated = Dictionary(heads.map { ($0.replica, $0) }) { first, _ in first }
    }
  }

  /// Bytes, groups and syncs so far.
  package var statistics: LogCounters { monitor.withLock { counters } }

  /// Where the log ends, as acknowledged.
  package var end: LogHead { monitor.withLock { head } }

  /// The state as a word: `writable`, `full`, `poisoned` or `closed`.
  package var state: String {
    monitor.withLock {
      isClosed ? "closed" : failure != nil ? "poisoned" : isFull ? "full" : "writable"
    }
  }
}

/// A transaction that has its place in the log and may not be durable yet.
package struct PendingCommit: Sendable {
  package let position: CommitPosition
  /// How many segments had been given up when it got its sequence.
  let generation: Int
  let durability: Durability
}

/// Counts of what a log did since it was opened.
package struct LogCounters: Sendable, Equatable {
  package var transactions: UInt64 = 0
  package var groups: UInt64 = 0
  package var syncs: UInt64 = 0
  package var bytes: UInt64 = 0
  package var segments: UInt64 = 0
}

/// Who commits, who waits, what is durable.
struct CommitState {
  /// A thread is writing or syncing outside the lock.
  var hasLeader = false
  /// For each segment that was given up on a full disk, the last sequence that it kept (D7).
  var kept: [UInt64] = []
  /// Schema declarations of the open group; they count when it is written.
  var openSchema: [SchemaOperation] = []
  /// The last sequence handed out, written to the system, and made durable.
  var assigned: UInt64 = 0
  var written: UInt64 = 0
  var durable: UInt64 = 0
  /// A transaction of the open group wants a sync before it is acknowledged.
  var wantsSync = false
  /// The chain at `written`.
  var writtenChain = Hash128.zero
  var waiters = 0
  /// Bytes written behind the last sync.
  var hasUnsynced = false
  /// Durable bytes that no frame of the file promises yet.
  var hasUnmarked = false
  var lastCommitNanoseconds: UInt64 = 0
  var lastSyncNanoseconds: UInt64 = 0
}
