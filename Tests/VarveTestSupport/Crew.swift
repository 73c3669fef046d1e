// Threads that work at the same time, with an end to patience. Layer: test support.

import Synchronization
import Varve

/// Runs a body on several threads at once.
package enum Crew {
  private final class Tally: Sendable {
    let monitor = Monitor()
    let done = Mutex(0)
  }

  /// Runs `body` on `count` threads, each with its number.
  ///
  /// Returns false when they are not done after some seconds; they are left behind then.
  package static func run(
    _ count: Int, seconds: UInt64 = 60, _ body: @escaping @Sendable (Int) -> Void
  ) -> Bool {
    let tally = Tally()
    let threads = (0..<count).map { number in
      BackgroundThread {
        body(number)
        tally.monitor.withLock {
          tally.done.withLock { $0 += 1 }
          tally.monitor.broadcast()
        }
      }
    }
    let end = SystemClock().monotonicNanoseconds() + seconds * 1_000_000_000
    var isDone = false
    tally.monitor.withLock {
      while true {
        isDone = tally.done.withLock { $0 } == count
        let now = SystemClock().monotonicNanoseconds()
        if isDone || now >= end { break }
        wait(tally.monitor, end - now)
      }
    }
    if isDone { for thread in threads { thread?.join() } }
    return isDone
  }

  private static func wait(_ monitor: Monitor, _ nanoseconds: UInt64) {
    monitor.wait(timeoutNanoseconds: min(nanoseconds, 100_000_000))
  }
}
