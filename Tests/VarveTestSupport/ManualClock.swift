// A clock that tests set. Layer: test support.

import Synchronization
import Varve

/// A clock that stands still until a test moves it.
package final class ManualClock: Clock {
  private struct State {
    var wallMilliseconds: UInt64
    var monotonicNanoseconds: UInt64
    var stepMilliseconds: UInt64

    mutating func advance(milliseconds: UInt64) {
      wallMilliseconds += milliseconds
      monotonicNanoseconds += milliseconds * 1_000_000
    }
  }

  private let state: Mutex<State>

  /// A clock that moves on by `stepMilliseconds` after each reading of the wall clock.
  package init(
    wallMilliseconds: UInt64 = 1_700_000_000_000, monotonicNanoseconds: UInt64 = 0,
    stepMilliseconds: UInt64 = 0
  ) {
    state = Mutex(
      State(
        wallMilliseconds: wallMilliseconds, monotonicNanoseconds: monotonicNanoseconds,
        stepMilliseconds: stepMilliseconds))
  }

  package func wallMilliseconds() -> UInt64 {
    state.withLock { state in
      defer { state.advance(milliseconds: state.stepMilliseconds) }
      return state.wallMilliseconds
    }
  }

  package func monotonicNanoseconds() -> UInt64 {
    state.withLock { $0.monotonicNanoseconds }
  }

  /// Lets time pass on both clocks.
  package func advance(milliseconds: UInt64) {
    state.withLock { $0.advance(milliseconds: milliseconds) }
  }

  /// Lets time pass on the monotonic clock; the wall clock follows in whole milliseconds.
  package func advance(nanoseconds: UInt64) {
    state.withLock { state in
      let before = state.monotonicNanoseconds / 1_000_000
      state.monotonicNanoseconds += nanoseconds
      state.wallMilliseconds += state.monotonicNanoseconds / 1_000_000 - before
    }
  }

  /// Sets the wall clock, also back; the monotonic clock does not notice.
  package func setWall(milliseconds: UInt64) {
    state.withLock { $0.wallMilliseconds = milliseconds }
  }
}
