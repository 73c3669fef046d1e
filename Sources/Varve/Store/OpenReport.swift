// What opening a store found. Layer: Store.

import VarveFormat

/// What opening found and did.
public struct OpenReport: Sendable {
  /// What recovery found in the log.
  public var recovery: RecoveryReport
  /// The name of the baseline that the state was taken from, nil when it came from the logs alone.
  public var baseline: String?
  /// Baselines that could not be used, with the reason.
  public var rejectedBaselines: [(path: String, reason: StoreError)] = []
  /// Transactions that were replayed on top of the baseline.
  public var replayedTransactions: UInt64 = 0
  /// What stopped the replay of a log before its end.
  public var problems: [StoreError] = []

  /// Whether something is missing that should be there.
  public var isDamaged: Bool { recovery.isDamaged || !problems.isEmpty }
}
