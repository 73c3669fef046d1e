// Crashes at every call of several scenarios, and of the recoveries after them (T2).

import Testing
import Varve
import VarveTestSupport

@Suite("Crash points of the log")
struct CrashPointTests {
  static let small = LogFixture.options(segmentBytes: 1_400, firstBytes: 1_024, reserveBytes: 0)
  static let plain = LogFixture.options(segmentBytes: 1_400, firstBytes: 0, reserveBytes: 0)
  static let reserved = LogFixture.options(segmentBytes: 4_096, firstBytes: 512, reserveBytes: 512)

  static let scenarios = [
    LogScenario("commits", small, [.commit(padding: 10), .commit(padding: 700), .close]),
    LogScenario(
      "rotation", small,
      [.commit(padding: 900), .commit(padding: 700), .commit(padding: 20), .close]),
    LogScenario(
      "rotation without preallocation", plain,
      [.commit(padding: 900), .commit(padding: 700), .commit(padding: 20), .close]),
    LogScenario(
      "relaxed", small,
      [
        .relaxed(padding: 100), .relaxed(padding: 500), .sync, .relaxed(padding: 900), .tick,
        .close,
      ]),
    LogScenario(
      "marks", small,
      [.commit(padding: 10), .tick, .relaxed(padding: 30), .tick, .commit(padding: 300), .tick]),
    LogScenario("columns", small, [.columns(rows: 700), .columns(rows: 50), .close]),
    LogScenario(
      "reopening", small,
      [.commit(padding: 40), .reopen, .commit(padding: 50), .close, .reopen, .grouped(padding: 9)]),
    LogScenario(
      "with a reserve", reserved, [.commit(padding: 40), .relaxed(padding: 400), .close]),
    LogScenario(
      "relaxed over rotations", plain,
      [.relaxed(padding: 800), .relaxed(padding: 800), .relaxed(padding: 800), .sync, .close]),
  ]

  @Test(
    "a crash at any call leaves what was acknowledged (T2, L13, L14, L16, U35)",
    arguments: scenarios.indices)
  func everyPoint(index: Int) throws {
    let scale = TestScale.factor
    var sweep = CrashSweep(
      Self.scenarios[index], limits: [24 * scale / TestScale.stride, scale, scale > 3 ? 1 : 0])
    try sweep.run()
    print("\(Self.scenarios[index].name): \(sweep.counts), \(TestScale.note)")
    #expect(sweep.problems.prefix(3) == [])
    #expect(sweep.counts.points > 10)
  }

  @Test("a crash while sealing is torn wherever the trailer lies (T2, Q9)")
  func sealing() throws {
    var counts = CrashCounts()
    var problems: [String] = []
    for padding in stride(from: 300, to: 300 + 512, by: 24) {
      let scenario = LogScenario(
        "sealing behind \(padding) bytes", Self.small, [.commit(padding: padding), .close])
      var sweep = CrashSweep(scenario, limits: [64 * TestScale.factor / TestScale.stride])
      try sweep.run()
      counts = counts + sweep.counts
      problems += sweep.problems
    }
    print("sealing: \(counts), \(TestScale.note)")
    #expect(problems.prefix(3) == [])
    #expect(counts.points > 100)
  }

  @Test("a crash of the recovery after a crash of a recovery loses nothing (T2, L30)")
  func depthThree() throws {
    let scenario = LogScenario(
      "three deep", Self.small, [.commit(padding: 900), .relaxed(padding: 900), .close])
    var sweep = CrashSweep(scenario, limits: [2, 1, 1], strides: [5, 4, 6])
    try sweep.run()
    print("three deep: \(sweep.counts), \(TestScale.note)")
    #expect(sweep.problems.prefix(3) == [])
    #expect(sweep.counts.images[2] > 50)
  }
}
