// The state as opening a store gives it, for comparison with what the logs alone give.

import Varve
import VarveFormat

/// Baseline and the log behind it.
struct OpenedState {
  var digest: StateDigest
  /// The name of the baseline that was used.
  var baseline: String?
  /// Transactions that were replayed on top.
  var transactions: UInt64
  /// Objects that were created.
  var rows: Int
  var heads: [ReplicaID: UInt64]
  var elapsed: Duration

  /// - Throws: `StoreError` and `LogError` when the files cannot be read.
  init(_ disk: any Disk, _ paths: StorePaths) throws {
    let clock = ContinuousClock()
    let start = clock.now
    let opening = try LogOpening(disk, paths, syncsTails: false, trustsSeals: true)
    var loading = StoreLoading(disk, paths, bound: .validFrames)
    let (loaded, digest) = try loading.readAll(opening)
    self.digest = digest
    baseline = loaded.baseline
    transactions = loaded.transactions
    rows = loaded.replay.rows
    heads = OpenedState.heads(loaded.state)
    elapsed = clock.now - start
  }

  /// The next sequence of each replica in a state.
  static func heads(_ state: GraphState) -> [ReplicaID: UInt64] {
    Dictionary(
      state.integratedHeads.map { ($0.replica, $0.nextSequence) }, uniquingKeysWith: { max($0, $1) }
    )
  }

  /// The digests as members of a JSON object.
  var members: [(String, JSONValue)] {
    [
      ("baseline", baseline.map { .string($0) } ?? .null),
      ("content", .string(digest.total.content.description)),
      ("state", .string(digest.total.state.description)), ("rows", .integer(Int64(rows))),
      ("transactions", .unsigned(transactions)),
    ]
  }
}
