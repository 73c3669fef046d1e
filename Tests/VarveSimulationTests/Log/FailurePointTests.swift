// Lets every disk call of several scenarios fail, once and for ever.

import Testing
import Varve
import VarveTestSupport

@Suite("Failure points of the log")
struct FailurePointTests {
  static let scenarios =
    CrashPointTests.scenarios + [
      LogScenario(
        "closing and opening twice", CrashPointTests.small,
        [
          .commit(padding: 5), .close, .reopen, .commit(padding: 6), .relaxed(padding: 900), .close,
          .reopen, .relaxed(padding: 7), .tick, .commit(padding: 3), .close,
        ])
    ]

  @Test(
    "whatever call fails, nothing acknowledged is lost (L17, L20, L42)", .timeLimit(.minutes(10)),
    arguments: scenarios.indices)
  func everyCall(index: Int) throws {
    var sweep = FailureSweep(Self.scenarios[index])
    try sweep.run()
    print("\(Self.scenarios[index].name): \(sweep.points) failure points")
    #expect(sweep.problems.prefix(6) == [])
    #expect(sweep.points > 100 / TestScale.stride)
  }
}
