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
  /// Whether a network or user-space file system is accepted for writing.
  public var allowsRemoteFileSystem = false

  /// The defaults.
  public init() {}
}
