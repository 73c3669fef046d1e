// Wall and processor time of a body.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What a body took.
struct Elapsed {
  var seconds: Double
  /// User and system time of the whole process.
  var cpuSeconds: Double
}

/// Measures a body.
func measure(_ body: () throws -> Void) rethrows -> Elapsed {
  let cpu = processorSeconds()
  let start = ContinuousClock.now
  try body()
  let elapsed = ContinuousClock.now - start
  let (seconds, attoseconds) = elapsed.components
  return Elapsed(
    seconds: Double(seconds) + Double(attoseconds) / 1e18, cpuSeconds: processorSeconds() - cpu)
}

private func processorSeconds() -> Double {
  var usage = rusage()
  #if canImport(Glibc)
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
  #else
    getrusage(RUSAGE_SELF, &usage)
  #endif
  func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
  return seconds(usage.ru_utime) + seconds(usage.ru_stime)
}
