// The simulated disk as a disk, its determinism, and the access that tests have to it.

import Testing
import Varve
import VarveTestSupport

@Suite("Simulated disk")
struct SimulatedDiskTests {
  @Test("it meets every requirement of a disk", arguments: DiskConformance.all)
  func conformance(_ requirement: DiskConformance) throws {
    let disk = SimulatedDisk(seed: 1)
    disk.setDirectory("/root")
    try requirement.check(disk, in: "/root")
  }

  @Test("so does what a crash leaves of it", arguments: DiskConformance.all)
  func conformanceAfterCrash(_ requirement: DiskConformance) throws {
    let disk = SimulatedDisk()
    try disk.makeDirectory("root")
    try disk.syncDirectory("/")
    try requirement.check(disk.crash(keeping: .nothingUnsynced), in: "root")
  }

  @Test("the same seed and calls give the same answers")
  func determinism() throws {
    func answers(seed: UInt64) throws -> [[String]] {
      let disk = SimulatedDisk(seed: seed)
      for index in 0..<10 { try disk.write([], toNew: "file\(index)") }
      return try (0..<5).map { _ in try disk.list("/") }
    }
    #expect(try answers(seed: 7) == answers(seed: 7))
    #expect(try answers(seed: 7) != answers(seed: 8))
  }

  @Test("a listing comes in no order, so that nothing relies on one")
  func listingOrder() throws {
    let disk = SimulatedDisk(seed: 3)
    for index in 0..<10 { disk.setBytes(of: "d/\(index)", to: []) }
    let lists = try (0..<20).map { _ in try disk.list("d") }
    #expect(Set(lists).count > 1)
    #expect(lists.allSatisfy { $0.sorted() == lists[0].sorted() })
  }

  @Test("tests read, set and damage files past the system calls")
  func inspection() throws {
    let disk = SimulatedDisk()
    disk.setBytes(of: "log/1", to: [0, 0])
    disk.setDirectory("/log/quarantine")
    #expect(disk.paths == ["log/1"])
    #expect(disk.directories == ["log", "log/quarantine"])
    disk.flipBit(of: "log/1", bit: 9)
    #expect(disk.bytes(of: "log/1") == [0, 2])
    #expect(disk.bytes(of: "log/2") == nil)
    #expect(disk.isDurable)
    #expect(disk.crash(keeping: .nothingUnsynced).bytes(of: "log/1") == [0, 2])
    disk.setBytes(of: "log/1", to: [5])
    #expect(try disk.readAll("log/1") == [5])
    #expect(
      disk.calls.map(\.description) == [
        "open log/1 read", "length log/1", "read log/1 @0 +1", "close log/1",
      ])
  }

  @Test("a clone goes its own way")
  func clone() throws {
    let disk = SimulatedDisk()
    let file = try disk.open("a", .create)
    try file.write([1], at: 0)
    let lock = try disk.lock("lock")
    let copy = disk.clone()
    try file.write([2], at: 0)
    #expect(copy.bytes(of: "a") == [1])
    #expect(copy.unsyncedUnits.count == 4)
    try copy.lock("lock").release()
    #expect(lock.isIntact())
  }

  @Test("an open file of the old disk does not reach the disk after a crash")
  func oldHandles() throws {
    let disk = SimulatedDisk()
    let file = try disk.open("a", .create)
    let lock = try disk.lock("lock")
    let after = disk.crash(keeping: .everything)
    try file.write([1], at: 0)
    #expect(after.bytes(of: "a") == [])
    try after.lock("lock").release()
    #expect(lock.isIntact())
  }

  @Test("a read-only disk can be read and refuses changes")
  func readOnly() throws {
    let disk = SimulatedDisk()
    disk.setBytes(of: "d/a", to: [1])
    let open = try disk.open("d/a", .readWrite)
    disk.options.isReadOnly = true
    let changes: [() throws -> Void] = [
      { _ = try disk.open("d/b", .create) }, { _ = try disk.open("d/a", .readWrite) },
      { try disk.makeDirectory("e") }, { try disk.rename("d/a", to: "d/b") },
      { try disk.remove("d/a") }, { try open.write([2], at: 0) }, { try open.truncate(to: 0) },
      { _ = try disk.lock("lock") },
    ]
    for change in changes {
      let error = #expect(throws: DiskError.self) { try change() }
      #expect(error?.code == .readOnly)
    }
    try disk.makeDirectory("d")
    #expect(try disk.readAll("d/a") == [1])
    #expect(try disk.lock("d/a").isIntact())
    #expect(disk.paths == ["d/a"])
  }

  @Test("a disk can say that it is remote")
  func remote() throws {
    let disk = SimulatedDisk()
    #expect(try disk.isRemote("/") == false)
    disk.options.isRemote = true
    #expect(try disk.isRemote("/"))
  }
}
