// Time and random bytes: the system's, and those of tests.

import Foundation
import Testing
import Varve
import VarveTestSupport

@Suite("Clock and entropy")
struct ClockEntropyTests {
  @Test("the system's wall clock agrees with Foundation's")
  func wallClock() {
    let milliseconds = Double(SystemClock().wallMilliseconds())
    #expect(abs(milliseconds - Date().timeIntervalSince1970 * 1000) < 10_000)
  }

  @Test("the monotonic clock never goes back")
  func monotonicClock() {
    let clock = SystemClock()
    var last = clock.monotonicNanoseconds()
    for _ in 0..<1000 {
      let now = clock.monotonicNanoseconds()
      #expect(now >= last)
      last = now
    }
  }

  @Test("a manual clock moves only when it is told to")
  func manualClock() {
    let clock = ManualClock(wallMilliseconds: 1000)
    #expect(clock.wallMilliseconds() == 1000)
    clock.advance(milliseconds: 5)
    #expect(clock.wallMilliseconds() == 1005)
    #expect(clock.monotonicNanoseconds() == 5_000_000)
    clock.advance(nanoseconds: 600_000)
    clock.advance(nanoseconds: 600_000)
    #expect(clock.wallMilliseconds() == 1006)
    clock.setWall(milliseconds: 7)
    #expect(clock.wallMilliseconds() == 7)
    #expect(clock.monotonicNanoseconds() == 6_200_000)
  }

  @Test("a manual clock can move on with each reading")
  func steppingClock() {
    let clock = ManualClock(wallMilliseconds: 10, stepMilliseconds: 3)
    #expect([clock.wallMilliseconds(), clock.wallMilliseconds()] == [10, 13])
  }

  @Test("entropy gives as many bytes as asked for", arguments: [0, 1, 7, 8, 9, 16, 100])
  func counts(_ count: Int) {
    #expect(SystemEntropy().bytes(count).count == count)
    #expect(SeededEntropy(seed: 1).bytes(count).count == count)
    #expect(FixedEntropy(byte: 9).bytes(count) == [UInt8](repeating: 9, count: count))
  }

  @Test("the system's entropy does not repeat itself")
  func systemEntropy() {
    let entropy = SystemEntropy()
    #expect(Set((0..<1000).map { _ in entropy.uint64() }).count == 1000)
    #expect(entropy.bytes(16) != entropy.bytes(16))
  }

  @Test("seeded entropy is SplitMix64, the same in every run")
  func seededEntropy() {
    let entropy = SeededEntropy(seed: 1_234_567)
    #expect(entropy.uint64() == 6_457_827_717_110_365_317)
    #expect(entropy.uint64() == 3_203_168_211_198_807_973)
    let bytes = SeededEntropy(seed: 1_234_567).bytes(8)
    #expect(bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } == 6_457_827_717_110_365_317)
    #expect(FixedEntropy(byte: 2).uint64() == 0x0202_0202_0202_0202)
  }
}
