// All sequences of up to three operations, and a crash at every call of each (T7 of the log).

import Testing
import Varve
import VarveTestSupport

@Suite("Small scopes of the log")
struct SmallScopeTests {
  private static let options = LogFixture.options(
    segmentBytes: 1_200, firstBytes: 1_024, reserveBytes: 0)

  private static let operations: [LogStep] = [
    .commit(padding: 20), .relaxed(padding: 20), .sync, .commit(padding: 1_100), .tick, .close,
    .reopen, .crash(.nothingUnsynced), .crash(.everything), .crash(.random(1)),
  ]

  private static func sequences(upTo length: Int) -> [[LogStep]] {
    guard length > 0 else { return [[]] }
    let shorter = sequences(upTo: length - 1)
    return shorter
      + shorter.filter { $0.count == length - 1 }.flatMap { head in operations.map { head + [$0] } }
  }

  @Test("all sequences of up to three operations keep their promise (T2)")
  func exhaustive() throws {
    let sequences = Self.sequences(upTo: 3)
    var failures: [String] = []
    for steps in sequences {
      let run = LogRun(Self.options)
      try run.run(steps + [.crash(.nothingUnsynced), .commit(padding: 5), .close])
      let contents = try LogContents(run.disk, at: LogRun.path)
      if contents.numbers != run.promise.certain || contents.isDamaged || !run.problems.isEmpty {
        failures.append("\(steps): \(contents.numbers) \(run.promise) \(run.problems)")
      }
    }
    print("\(sequences.count) sequences")
    #expect(failures.prefix(3) == [])
    #expect(sequences.count == 1_111)
  }

  @Test("all sequences of up to two operations survive a crash at every call (T2)")
  func everyCall() throws {
    var counts = CrashCounts()
    var problems: [String] = []
    // A power failure between the steps is one of the crashes that are tried anyway.
    let sequences = Self.sequences(upTo: TestScale.factor > 3 ? 3 : 2).filter { steps in
      !steps.contains { if case .crash = $0 { true } else { false } }
    }
    for steps in sequences {
      var sweep = CrashSweep(
        LogScenario("\(steps)", Self.options, steps), limits: [TestScale.factor + 2])
      try sweep.run()
      counts = counts + sweep.counts
      problems += sweep.problems
    }
    print("small scopes: \(counts), \(TestScale.note)")
    #expect(problems.prefix(3) == [])
    #expect(counts.points > 1_000)
  }
}
