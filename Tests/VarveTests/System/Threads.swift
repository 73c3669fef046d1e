// Helpers for tests with several threads.

import Varve

/// A value that several threads share.
// SAFETY: the value is touched with the monitor held only.
final class Locked<Value>: @unchecked Sendable {
  private let monitor = Monitor()
  private var value: Value

  init(_ value: Value) { self.value = value }

  func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    monitor.withLock { body(&value) }
  }
}
