// Stamps of a log whose clock stands still, jumps or lies.

import Testing
import Varve
import VarveFormat
import VarveTestSupport

@Suite("Stamps of a log")
struct StampTests {
  private let options = LogFixture.options(firstBytes: 512, reserveBytes: 0)

  @Test("more commits in one millisecond than its counter holds get rising stamps (L64)")
  func standingClock() throws {
    let log = try LogFixture.create(SimulatedDisk(), options: options)
    var last = Stamp.zero
    for number in 0..<5_000 {
      let position = try log.commit(try LogFixture.draft(number), durability: .relaxed)
      #expect(position.stamp > last)
      last = position.stamp
    }
    try log.close()
  }

  @Test("a clock that is set back, and one that was far ahead, do not stop writing (L62, L65)")
  func jumps() throws {
    let disk = SimulatedDisk()
    let clock = ManualClock()
    var log = try LogFixture.create(disk, options: options, clock: clock)
    var last = Stamp.zero
    let year: UInt64 = 365 * 86_400_000
    for milliseconds in [1_700_000_000_000, 1_600_000_000_000, 1_600_000_000_000 + 99 * year, 0, 5]
    {
      clock.setWall(milliseconds: milliseconds)
      let position = try log.commit(try LogFixture.draft(Int(milliseconds % 1_000)))
      #expect(position.stamp > last)
      last = position.stamp
    }
    // Also when the log is opened again, by a process with a correct clock, after a crash.
    log = try LogFixture.open(disk.crash(keeping: .nothingUnsynced), options: options)
    #expect(try log.commit(try LogFixture.draft(9)).stamp > last)
  }
}
