// Mutual exclusion, waiting and waking.

import Foundation
import Testing
import Varve
import VarveTestSupport

@Suite("Monitor")
struct MonitorTests {
  @Test("only one thread at a time is inside")
  func exclusion() {
    let monitor = Monitor()
    let counter = Unguarded(0)
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 0..<20_000 { monitor.withLock { counter.value += 1 } }
    }
    #expect(counter.value == 80_000)
  }

  @Test("a waiting thread sees what was done before the signal")
  func signal() {
    let monitor = Monitor()
    let queue = Unguarded<[Int]>([])
    let group = DispatchGroup()
    let sum = Unguarded(0)
    DispatchQueue.global().async(group: group) {
      for _ in 1...1000 {
        monitor.withLock {
          while queue.value.isEmpty { monitor.wait() }
          sum.value += queue.value.removeLast()
        }
      }
    }
    for number in 1...1000 {
      monitor.withLock { queue.value.append(number) }
      monitor.signal()
    }
    group.wait()
    #expect(sum.value == 500_500)
  }

  @Test("a broadcast wakes all waiting threads")
  func broadcast() {
    let monitor = Monitor()
    let isOpen = Unguarded(false)
    let passed = Unguarded(0)
    let group = DispatchGroup()
    for _ in 0..<4 {
      DispatchQueue.global().async(group: group) {
        monitor.withLock {
          while !isOpen.value { monitor.wait() }
          passed.value += 1
        }
      }
    }
    monitor.withLock { isOpen.value = true }
    monitor.broadcast()
    group.wait()
    #expect(passed.value == 4)
  }

  @Test("a timed wait ends without a signal, and not early")
  func timeout() {
    let monitor = Monitor()
    let clock = SystemClock()
    let start = clock.monotonicNanoseconds()
    // A wait may end for no reason; only a time-out says false.
    monitor.withLock { while monitor.wait(timeoutNanoseconds: 20_000_000) {} }
    #expect(clock.monotonicNanoseconds() - start >= 20_000_000)
    monitor.withLock { while monitor.wait(timeoutNanoseconds: 0) {} }
  }

  @Test(
    "a timed wait takes a signal, however long its time is",
    arguments: [10_000_000_000, UInt64.max])
  func timedSignal(_ timeout: UInt64) {
    let monitor = Monitor()
    let isReady = Unguarded(false)
    let group = DispatchGroup()
    DispatchQueue.global().async(group: group) {
      monitor.withLock { isReady.value = true }
      monitor.signal()
    }
    monitor.withLock {
      while !isReady.value { #expect(monitor.wait(timeoutNanoseconds: timeout)) }
    }
    group.wait()
  }

  @Test("an error leaves the monitor unlocked")
  func errors() {
    let monitor = Monitor()
    #expect(throws: CancellationError.self) {
      try monitor.withLock { () throws(CancellationError) in throw CancellationError() }
    }
    monitor.withLock {}
  }

  @Test("locking a held monitor traps instead of waiting for ever")
  func relock() async {
    await #expect(processExitsWith: .failure) {
      let monitor = Monitor()
      monitor.withLock { monitor.withLock {} }
    }
  }

  @Test("unlocking or waiting without the lock traps")
  func notHeld() async {
    await #expect(processExitsWith: .failure) { unlockWithoutLock() }
    await #expect(processExitsWith: .failure) { waitWithoutLock() }
  }
}

private func unlockWithoutLock() { Monitor().unlock() }

private func waitWithoutLock() { Monitor().wait(timeoutNanoseconds: 1) }

/// A value that nothing guards but the test's own monitor.
// SAFETY: every test that shares one touches it with its monitor held only.
private final class Unguarded<Value>: @unchecked Sendable {
  var value: Value
  init(_ value: Value) { self.value = value }
}
