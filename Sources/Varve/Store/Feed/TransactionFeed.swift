// Tells waiting tasks of new transactions. Layer: Store.

import Synchronization
import VarveFormat

/// Wakes tasks that wait for transactions, and keeps the newest ones for them.
///
/// What it does not have any more is read from the log, so that a slow task costs nothing.
final class TransactionFeed: Sendable {
  /// Transactions kept; in a store without a log, all that somebody can still get.
  static let recentMax = 256
  static let recentWithoutLogMax = 4_096

  private let state = Mutex(State())

  private struct State {
    /// Counts publications.
    var generation: UInt64 = 0
    var listeners = 0
    var recent: [Transaction] = []
    var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
    var lastWaiter: UInt64 = 0
    var isClosed = false
  }

  /// Whether somebody wants transactions.
  var hasListeners: Bool { state.withLock { $0.listeners > 0 } }

  /// Whether nothing will be published any more.
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Counts publications.
  var generation: UInt64 { state.withLock { $0.generation } }

  /// Keeps a transaction that has its place in the log and is not published yet.
  func note(_ transaction: Transaction, max: Int) {
    state.withLock { state in
      state.recent.append(transaction)
      // Seldom, and then many: moving the rest costs as much as all of them.
      if state.recent.count >= 2 * max { state.recent.removeFirst(state.recent.count - max) }
    }
  }

  /// Forgets transactions that the log may not have.
  func forget() { state.withLock { $0.recent = [] } }

  /// A transaction that is kept.
  func transaction(_ replica: ReplicaID, _ sequence: UInt64) -> Transaction? {
    state.withLock { state in
      guard let last = state.recent.last, last.replica == replica, sequence <= last.sequence
      else { return nil }
      // They are consecutive unless something was forgotten between.
      let place = state.recent.count - 1 - Int(last.sequence - sequence)
      guard place >= 0, state.recent[place].sequence == sequence,
        state.recent[place].replica == replica
      else { return nil }
      return state.recent[place]
    }
  }

  /// Wakes everybody.
  func publish() { wake { $0.generation += 1 } }

  /// Wakes everybody for the last time.
  func close() { wake { $0.isClosed = true } }

  private func wake(_ change: (inout State) -> Void) {
    let waiters = state.withLock { state in
      change(&state)
      defer { state.waiters = [:] }
      return state.waiters
    }
    for waiter in waiters.values { waiter.resume() }
  }

  /// Returns when something was published since `generation`, when the store was closed, and when
  /// the task was cancelled.
  func wait(after generation: UInt64) async {
    let waiter = state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isDue = state.withLock { state in
          if state.generation != generation || state.isClosed || Task.isCancelled { return true }
          state.waiters[waiter] = continuation
          return false
        }
        if isDue { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: waiter) }?.resume()
    }
  }

  /// Keeps the feed informed as long as it lives.
  final class Listener: Sendable {
    private let feed: TransactionFeed

    init(_ feed: TransactionFeed) {
      self.feed = feed
      feed.state.withLock { $0.listeners += 1 }
    }

    deinit {
      feed.state.withLock { state in
        state.listeners -= 1
        if state.listeners == 0 { state.recent = [] }
      }
    }
  }
}
