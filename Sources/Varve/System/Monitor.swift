// A mutex with a condition variable, for group commit and other waits. Layer: System.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A mutex and one condition variable.
///
/// `Mutex` of the standard library cannot wait for a condition; this can. A thread may not lock a
/// monitor that it holds (this traps). The thread that locked it unlocks it, hence not for
/// asynchronous code: no method may be called across an `await`.
// SAFETY: Sendable because both pointers never change and lead to objects made for use by several
// threads.
package final class Monitor: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>

  /// An unlocked monitor.
  package init() {
    mutex = .allocate(capacity: 1)
    condition = .allocate(capacity: 1)
    // SAFETY: both are allocated above at addresses that never change, are initialised here once,
    // before any other thread can see them, and destroyed in `deinit`, when no thread can hold or
    // wait for them.
    mutex.initialize(to: pthread_mutex_t())
    condition.initialize(to: pthread_cond_t())
    initialiseMutex()
    initialiseCondition()
  }

  deinit {
    // SAFETY: the last reference is gone, so nobody holds the mutex or waits for the condition.
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deinitialize(count: 1)
    mutex.deinitialize(count: 1)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Waits for the mutex and takes it.
  @available(*, noasync, message: "the thread that locks a monitor unlocks it")
  package func lock() {
    // SAFETY: the mutex lives as long as `self`.
    let result = pthread_mutex_lock(mutex)
    precondition(result == 0, "a thread must not lock a monitor that it holds")
  }

  /// Gives the mutex back.
  @available(*, noasync, message: "the thread that locks a monitor unlocks it")
  package func unlock() {
    // SAFETY: the mutex lives as long as `self`.
    let result = pthread_mutex_unlock(mutex)
    precondition(result == 0, "only the thread that holds a monitor may unlock it")
  }

  /// Runs `body` with the mutex held.
  package func withLock<Result: ~Copyable, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock()
    defer { unlock() }
    return try body()
  }

  /// Gives the mutex back, waits for a signal and takes it again.
  ///
  /// The mutex must be held. A wait may end without a signal: check the condition in a loop.
  @available(*, noasync, message: "the thread that locks a monitor unlocks it")
  package func wait() {
    // SAFETY: both live as long as `self`; the caller holds the mutex, which the call checks.
    let result = pthread_cond_wait(condition, mutex)
    precondition(result == 0, "a monitor must be held to wait for it")
  }

  /// As `wait()`, for a limited time.
  ///
  /// Returns false when the time ran out.
  @available(*, noasync, message: "the thread that locks a monitor unlocks it")
  @discardableResult
  package func wait(timeoutNanoseconds: UInt64) -> Bool {
    let result = timedWait(timeoutNanoseconds)
    precondition(result == 0 || result == ETIMEDOUT, "a monitor must be held to wait for it")
    return result == 0
  }

  /// Wakes one waiting thread, if there is one.
  package func signal() {
    // SAFETY: the condition lives as long as `self`.
    pthread_cond_signal(condition)
  }

  /// Wakes all waiting threads.
  package func broadcast() {
    // SAFETY: the condition lives as long as `self`.
    pthread_cond_broadcast(condition)
  }

  // An error-checking mutex turns a deadlock into a trap.
  private func initialiseMutex() {
    var attributes = pthread_mutexattr_t()
    // SAFETY: the attributes are a local that outlives the calls; the mutex was allocated by
    // `init`.
    pthread_mutexattr_init(&attributes)
    pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ERRORCHECK))
    let result = pthread_mutex_init(mutex, &attributes)
    pthread_mutexattr_destroy(&attributes)
    precondition(result == 0, "the system has no memory for a mutex")
  }

  // Timed waits follow the monotonic clock, so that setting the wall clock does not stretch them.
  private func initialiseCondition() {
    var attributes = pthread_condattr_t()
    // SAFETY: the attributes are a local that outlives the calls; the condition was allocated by
    // `init`.
    pthread_condattr_init(&attributes)
    #if !canImport(Darwin)
      pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    #endif
    let result = pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
    precondition(result == 0, "the system has no memory for a condition")
  }

  private func timedWait(_ nanoseconds: UInt64) -> Int32 {
    // A century is as good as for ever, and its sums do not overflow.
    let limited = min(nanoseconds, 100 * 366 * 86400 * 1_000_000_000)
    #if canImport(Darwin)
      var interval = timespec(
        tv_sec: Int(limited / 1_000_000_000), tv_nsec: Int(limited % 1_000_000_000))
      // SAFETY: both live as long as `self`; the caller holds the mutex; the interval is a local.
      return pthread_cond_timedwait_relative_np(condition, mutex, &interval)
    #else
      var deadline = timespec()
      // SAFETY: the structure is a local that outlives the call.
      clock_gettime(CLOCK_MONOTONIC, &deadline)
      let sum = UInt64(deadline.tv_nsec) + limited
      deadline.tv_sec += numericCast(sum / 1_000_000_000)
      deadline.tv_nsec = numericCast(sum % 1_000_000_000)
      // SAFETY: both live as long as `self`; the caller holds the mutex; the deadline is a local.
      return pthread_cond_timedwait(condition, mutex, &deadline)
    #endif
  }
}
