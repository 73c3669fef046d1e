// Transcripts of system calls.

import Testing
import Varve
import VarveTestSupport

@Suite("Tracing disk")
struct TracingDiskTests {
  @Test("it meets every requirement of a disk", arguments: DiskConformance.all)
  func conformance(_ requirement: DiskConformance) throws {
    let base = SimulatedDisk()
    base.setDirectory("root")
    try requirement.check(TracingDisk(base), in: "root")
  }

  @Test("every call has a line, in order")
  func lines() throws {
    let disk = TracingDisk(SimulatedDisk())
    let lock = try disk.lock("lock")
    try disk.makeDirectory("log")
    let file = try disk.open("log/1.tmp", .create)
    try file.write([1, 2, 3], at: 4096)
    try file.sync(.data)
    try file.truncate(to: 10)
    try file.sync(.full)
    _ = try file.length()
    _ = try file.read(5, at: 2)
    try file.close()
    try disk.rename("log/1.tmp", to: "log/1")
    try disk.syncDirectory("log")
    _ = try disk.open("log/1", .read)
    _ = try disk.open("log/1", .readWrite)
    _ = try disk.list("log")
    _ = try disk.status("log/2")
    try disk.remove("log/1")
    _ = try disk.freeBytes("log")
    _ = try disk.isRemote("log")
    lock.release()
    #expect(
      disk.transcript == """
        lock lock
        makeDirectory log
        open create log/1.tmp
        write log/1.tmp @4096 +3
        sync data log/1.tmp
        truncate log/1.tmp 10
        sync full log/1.tmp
        length log/1.tmp
        read log/1.tmp @2 +5
        close log/1.tmp
        rename log/1.tmp log/1
        syncDirectory log
        open read log/1
        open readWrite log/1
        list log
        status log/2
        remove log/1
        freeBytes log
        isRemote log
        unlock lock

        """)
  }

  @Test("a failed call shows its code, also one that is omitted otherwise")
  func failures() throws {
    let base = SimulatedDisk()
    let disk = TracingDisk(base, omitting: [.list, .remove])
    _ = try disk.list("/")
    #expect(throws: DiskError.self) { try disk.remove("a") }
    let lock = try disk.lock("lock")
    #expect(throws: DiskError.self) { try disk.lock("lock") }
    #expect(lock.isIntact())
    #expect(disk.lines == ["remove a -> notFound", "lock lock", "lock lock -> busy"])
  }

  @Test("what is random in a path is replaced, and headings can be added")
  func mapping() throws {
    let disk = TracingDisk(SimulatedDisk()) { path in
      path.hasPrefix("replica-") ? "replica-R" : path
    }
    disk.note("# create")
    try disk.makeDirectory("replica-8271")
    try disk.rename("replica-8271", to: "replica-9")
    #expect(
      disk.takeLines() == [
        "# create", "makeDirectory replica-R", "rename replica-R replica-R",
      ])
    #expect(disk.lines == [])
  }
}
