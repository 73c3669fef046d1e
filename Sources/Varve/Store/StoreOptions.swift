// How a store behaves; every default can be seen here. Layer: Store.

/// Options of a store.
public struct StoreOptions: Sendable {
  /// When a write is acknowledged unless it says otherwise.
  public var durability = Durability.full
  /// Log bytes behind the baseline from which a compaction starts by itself (Q26); the larger of
  /// this and a quarter of the baseline counts.
  public var compactionBytes: UInt64 = 16 << 20
  /// Whether compactions start by themselves.
  public var compactsAutomatically = true
  /// How much of the history stays in the files (Q25).
  public var retention = HistoryRetention.everything
  /// Whether a network or user-space file system is accepted for writing.
  public var allowsRemoteFileSystem = false

  /// The defaults.
  public init() {}
}

/// How much of its history a store keeps (Q25).
///
/// The state never depends on it. What is retired is gone for whoever asks for earlier
/// transactions: `Store.transactions(after:)` throws `historyRetired` then. Retiring is part of
/// compacting, takes whole segments from the beginning of a log, and only what two verified
/// baselines cover, so that one damaged file never loses anything.
public enum HistoryRetention: Sendable, Hashable {
  /// Everything, from the first transaction on.
  case everything
  /// At least the newest bytes of log.
  case newest(bytes: UInt64)
  /// At least what was written in the time before the newest transaction.
  case recent(Duration)
}
