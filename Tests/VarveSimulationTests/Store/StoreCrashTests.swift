// Crashes and failing calls at every place of a store's life with compactions (T2, P78, L38).

import Testing
import Varve
import VarveTestSupport

@Suite("Store: crashes")
struct StoreCrashTests {
  /// Lives of a store: the name, the steps, and how much history is kept.
  static let lives: [(name: String, steps: [StoreStep], retention: HistoryRetention)] = [
    (
      "writes between compactions",
      [
        .write, .write, .compact, .relaxed, .write, .compact, .compact, .write, .close,
      ], .everything
    ),
    (
      "compactions that retire",
      [
        .write, .write, .write, .compact, .write, .write, .compact, .reopen, .write, .compact,
        .relaxed, .compact, .close,
      ], .newest(bytes: 0)
    ),
    (
      "reopening in between",
      [
        .write, .close, .reopen, .compact, .reopen, .write, .compact, .close, .reopen, .write,
        .compact, .close,
      ], .newest(bytes: 600)
    ),
  ]

  @Test(
    "a crash anywhere loses nothing acknowledged, and the store goes on (T2, P78, L38, L44)",
    arguments: lives.indices)
  func crashes(index: Int) {
    let life = StoreCrashTests.lives[index]
    let whole = StoreRun(retention: life.retention)
    whole.run(life.steps)
    #expect(whole.errors.isEmpty)
    #expect(whole.problems(of: whole.disk) == [])
    var (images, problems) = (0, [String]())
    let limit = 6 * TestScale.factor
    for point in stride(from: 1, through: whole.disk.changeCallCount, by: TestScale.stride) {
      let run = StoreRun(retention: life.retention)
      run.disk.freezeAfter(calls: point)
      run.run(life.steps)
      run.kill()
      for choice in run.disk.crashChoices(limit: limit, seed: TestScale.seed &+ UInt64(point)) {
        images += 1
        let image = run.disk.crash(keeping: choice)
        problems += run.problems(of: image).map { "\(life.name), call \(point), \(choice): \($0)" }
      }
    }
    print("\(life.name): \(whole.disk.changeCallCount) calls, \(images) images; \(TestScale.note)")
    #expect(problems.prefix(5) == [])
    #expect(images > 20)
  }

  @Test(
    "whatever call fails, nothing acknowledged is lost and the store goes on (P78, L17)",
    arguments: lives.indices)
  func failures(index: Int) {
    let life = StoreCrashTests.lives[index]
    let whole = StoreRun(retention: life.retention)
    whole.run(life.steps)
    var (points, problems) = (0, [String]())
    for call in DiskCall.allCases {
      let count = whole.disk.calls.filter { $0.call == call }.count
      for ordinal in stride(from: 1, through: count, by: TestScale.stride) {
        for code in [DiskError.Code.inputOutput, .noSpace] {
          points += 1
          let run = StoreRun(retention: life.retention)
          run.disk.inject(DiskFault(.fail(code), on: call, ordinal: ordinal))
          run.run(life.steps)
          run.kill()
          run.disk.clearFaults()
          let place = "\(life.name), \(call) \(ordinal) \(code)"
          for image in [run.disk.clone(), run.disk.crash(keeping: .nothingUnsynced)] {
            problems += run.problems(of: image).map { "\(place): \($0)" }
          }
        }
      }
    }
    print("\(life.name): \(points) failure points; \(TestScale.note)")
    #expect(problems.prefix(5) == [])
    #expect(points > 40)
  }
}
