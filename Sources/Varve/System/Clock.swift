// Time as the engine sees it. Layer: System.
//
// Behind a protocol, so that tests can set clocks back, stop them and let them jump.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A source of time.
package protocol Clock: Sendable {
  /// Milliseconds since 1970 in universal time. May jump in both directions.
  func wallMilliseconds() -> UInt64
  /// Nanoseconds since an unknown start. Never goes back.
  func monotonicNanoseconds() -> UInt64
}

/// The clocks of the operating system.
package struct SystemClock: Clock {
  package init() {}

  /// The wall clock; 0 when it is set to a date before 1970.
  package func wallMilliseconds() -> UInt64 {
    let (seconds, nanoseconds) = read(CLOCK_REALTIME)
    guard seconds >= 0 else { return 0 }
    return UInt64(seconds) * 1000 + UInt64(nanoseconds) / 1_000_000
  }

  package func monotonicNanoseconds() -> UInt64 {
    let (seconds, nanoseconds) = read(CLOCK_MONOTONIC)
    return UInt64(seconds) * 1_000_000_000 + UInt64(nanoseconds)
  }

  private func read(_ clock: clockid_t) -> (seconds: Int64, nanoseconds: Int64) {
    var time = timespec()
    // SAFETY: the structure is a local that outlives the call.
    let result = clock_gettime(clock, &time)
    precondition(result == 0, "every supported system has this clock")
    return (Int64(time.tv_sec), Int64(time.tv_nsec))
  }
}
