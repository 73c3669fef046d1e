// A lock file that is deleted while a log is open.

import Testing
import Varve
import VarveFormat
import VarveTestSupport

@Suite("Lost locks")
struct LostLockTests {
  @Test("a log whose lock file was removed begins no segment and leaves the superblock alone (L46)")
  func removed() throws {
    let disk = SimulatedDisk()
    let log = try Log.create(
      at: "store", disk: disk, entropy: SeededEntropy(seed: 1), options: LogFixture.options())
    let before = disk.bytes(of: "store/super")
    try disk.remove("store/lock")
    let error = #expect(throws: LogError.self) { _ = try log.commit(try LogFixture.draft(1)) }
    #expect(error?.code == .busy)
    #expect(error?.path == "store/lock")
    #expect(disk.bytes(of: "store/super") == before)
    #expect(log.state == "poisoned")
    try? log.close()
    let second = try Log.open(
      at: "store", disk: disk, entropy: SeededEntropy(seed: 2), options: LogFixture.options())
    #expect(try second.commit(try LogFixture.draft(2)).sequence == 1)
    try second.close()
  }
}
