// Every kind of fault that a simulated disk can have.

import Testing
import Varve
import VarveTestSupport

@Suite("Faults of a simulated disk")
struct SimulatedFaultTests {
  @Test("the n-th call of a kind fails, once", arguments: [DiskCall.write, .sync, .read, .length])
  func once(_ call: DiskCall) throws {
    let disk = SimulatedDisk()
    let file = try disk.open("a", .create)
    disk.inject(DiskFault(.fail(.inputOutput), on: call, ordinal: 2))
    var results: [DiskError.Code?] = []
    for _ in 0..<4 { results.append(code { try Self.perform(call, disk, file) }) }
    #expect(results == [nil, .inputOutput, nil, nil])
  }

  @Test("or from then on, until the faults are cleared")
  func lasting() throws {
    let disk = SimulatedDisk()
    let file = try disk.open("a", .create)
    disk.inject(DiskFault(.fail(.noPermission), on: .write, ordinal: 2, isLasting: true))
    let results = (0..<4).map { _ in code { try file.write([1], at: 0) } }
    #expect(results == [nil, .noPermission, .noPermission, .noPermission])
    disk.clearFaults()
    try file.write([1], at: 0)
  }

  @Test(
    "every kind of call can be made to fail, and then does nothing", arguments: DiskCall.allCases)
  func everyKind(_ call: DiskCall) throws {
    let disk = SimulatedDisk()
    disk.setBytes(of: "d/a", to: [1])
    let file = try disk.open("d/a", .readWrite)
    disk.inject(DiskFault(.fail(.tooManyFiles), on: call))
    let before = disk.unsyncedUnits
    #expect(code { try Self.perform(call, disk, file) } == .tooManyFiles)
    #expect(disk.unsyncedUnits == before)
    #expect(disk.calls.last?.call == call)
    if call != .close { #expect(code { try Self.perform(call, disk, file) } == nil) }
  }

  @Test("a fault can wait for a path")
  func path() throws {
    let disk = SimulatedDisk()
    disk.inject(DiskFault(.fail(.noSpace), path: ".tmp", isLasting: true))
    try disk.write([1], toNew: "a")
    #expect(code { try disk.write([1], toNew: "a.tmp") } == .noSpace)
  }

  @Test("a fault without a kind counts all calls")
  func anyKind() throws {
    let disk = SimulatedDisk()
    disk.inject(DiskFault(.fail(.inputOutput), ordinal: 3))
    #expect(code { try disk.write([1], toNew: "a") } == .inputOutput)
    #expect(disk.calls.map(\.call) == [.create, .write, .close])
  }

  @Test("a short write stores its first bytes, then fails")
  func shortWrite() throws {
    let disk = SimulatedDisk()
    let file = try disk.open("a", .create)
    disk.inject(DiskFault(.shortWrite(bytes: 2, .inputOutput), on: .write))
    #expect(code { try file.write([1, 2, 3], at: 0) } == .inputOutput)
    #expect(disk.bytes(of: "a") == [1, 2])
    try file.write([4], at: 2)
    #expect(disk.bytes(of: "a") == [1, 2, 4])
  }

  @Test("after a failed sync that forgot its pages the next one succeeds and the data are lost")
  func forgottenPages() throws {
    let disk = SimulatedDisk()
    let file = try disk.open("a", .create)
    try disk.syncDirectory("/")
    try file.write([1], at: 0)
    try file.sync(.data)
    try file.write([2], at: 1)
    disk.inject(DiskFault(.failAndForget(.inputOutput), on: .sync))
    #expect(code { try file.sync(.data) } == .inputOutput)
    try file.sync(.data)
    #expect(try disk.readAll("a") == [1, 2])
    #expect(!disk.isDurable)
    #expect(disk.crash(keeping: .everything).bytes(of: "a") == [1])
    try file.write([3], at: 2)
    try file.sync(.data)
    #expect(disk.crash(keeping: .everything).bytes(of: "a") == [1, 0, 3])
  }

  @Test("a failed sync that forgot nothing can be repeated, and data may be durable all the same")
  func plainFailedSync() throws {
    let disk = SimulatedDisk()
    let file = try disk.open("a", .create)
    try disk.syncDirectory("/")
    try file.write([1], at: 0)
    disk.inject(DiskFault(.fail(.inputOutput), on: .sync))
    #expect(code { try file.sync(.data) } == .inputOutput)
    #expect(disk.crash(keeping: .nothingUnsynced).bytes(of: "a") == [])
    #expect(disk.crash(keeping: .everything).bytes(of: "a") == [1])
    try file.sync(.data)
    #expect(disk.crash(keeping: .nothingUnsynced).bytes(of: "a") == [1])
  }

  @Test("a sync that lies makes nothing durable; an honest one later does")
  func lyingSync() throws {
    let disk = SimulatedDisk()
    let file = try disk.open("a", .create)
    disk.inject(DiskFault(.lie, on: .syncDirectory))
    disk.inject(DiskFault(.lie, on: .sync))
    try disk.syncDirectory("/")
    #expect(disk.crash(keeping: .nothingUnsynced).paths == [])
    try disk.syncDirectory("/")
    try file.write([1], at: 0)
    try file.sync(.data)
    #expect(disk.crash(keeping: .nothingUnsynced).bytes(of: "a") == [])
    try file.sync(.data)
    #expect(disk.crash(keeping: .nothingUnsynced).bytes(of: "a") == [1])
  }

  @Test("a failed close has closed the file, and may have lost its data")
  func failedClose() throws {
    let disk = SimulatedDisk()
    let file = try disk.open("a", .create)
    try file.write([1], at: 0)
    disk.inject(DiskFault(.failAndForget(.inputOutput), on: .close))
    #expect(code { try file.close() } == .inputOutput)
    #expect(code { try file.close() } == nil)
    #expect(code { try file.write([1], at: 0) } == .closed)
    #expect(disk.crash(keeping: .everything).bytes(of: "a") == [])
  }

  @Test("a full disk takes what fits of a write and fails")
  func fullDisk() throws {
    let disk = SimulatedDisk()
    disk.options.capacity = 10
    try disk.write([1, 2, 3, 4], toNew: "a")
    #expect(try disk.freeBytes("/") == 6)
    let file = try disk.open("b", .create)
    #expect(code { try file.write([UInt8](repeating: 1, count: 8), at: 0) } == .noSpace)
    #expect(try file.length() == 6)
    #expect(try disk.freeBytes("/") == 0)
    try file.write([2, 2], at: 4)
    #expect(code { try file.write([2, 2], at: 5) } == .noSpace)
    #expect(code { try file.write([2], at: 100) } == .noSpace)
    #expect(code { try file.truncate(to: 7) } == .noSpace)
    try file.sync(.data)
    #expect(disk.bytes(of: "b") == [1, 1, 1, 1, 2, 2])
  }

  @Test("space comes back by removing, by truncating and by a larger disk")
  func space() throws {
    let disk = SimulatedDisk()
    disk.options.capacity = 10
    try disk.write([UInt8](repeating: 1, count: 6), toNew: "a")
    let file = try disk.open("b", .create)
    try file.write([1, 2, 3, 4], at: 0)
    try file.truncate(to: 1)
    #expect(try disk.freeBytes("/") == 3)
    try disk.remove("a")
    #expect(try disk.freeBytes("/") == 9)
    disk.options.capacity = 0
    #expect(try disk.freeBytes("/") == 0)
    disk.options.capacity = 100
    try file.write([UInt8](repeating: 1, count: 99), at: 1)
    #expect(try disk.freeBytes("/") == 0)
  }

  @Test("a frozen disk can be read, but no call changes it any more")
  func freeze() throws {
    let disk = SimulatedDisk()
    try disk.write([1], toNew: "a")
    let file = try disk.open("a", .readWrite)
    disk.freezeAfter(calls: 3)
    try file.write([2], at: 0)
    try file.sync(.data)
    #expect(!disk.isFrozen)
    #expect(code { try file.write([3], at: 0) } == .inputOutput)
    #expect(disk.isFrozen)
    for call in DiskCall.allCases where call.changesDisk {
      #expect(code { try Self.perform(call, disk, file) } == .inputOutput)
    }
    #expect(code { _ = try disk.lock("new") } == .inputOutput)
    #expect(try disk.lock("a").isIntact())
    #expect(try disk.readAll("a") == [2])
    #expect(disk.crash(keeping: .everything).bytes(of: "a") == [2])
    disk.thaw()
    try file.write([4], at: 0)
  }

  @Test("calls are counted and listed, those that failed included")
  func calls() throws {
    let disk = SimulatedDisk()
    let file = try disk.open("a", .create)
    try file.write([1, 2], at: 4)
    #expect(code { try disk.remove("x") } == .notFound)
    try file.sync(.full)
    try disk.rename("a", to: "b")
    #expect(
      disk.calls.map(\.description) == [
        "create a", "write a @4 +2", "remove x", "sync a full", "rename a b",
      ])
    #expect(disk.changeCallCount == 5)
    _ = try disk.status("b")
    #expect(disk.changeCallCount == 5 && disk.calls.count == 6)
    disk.forgetCalls()
    #expect(disk.changeCallCount == 0 && disk.calls.isEmpty)
  }

  private func code(_ body: () throws -> Void) -> DiskError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? DiskError)?.code
    }
  }

  /// Makes a call of a kind; it succeeds on a disk with the file d/a.
  private static func perform(
    _ call: DiskCall, _ disk: SimulatedDisk, _ file: any DiskFile
  ) throws {
    switch call {
    case .open: _ = try disk.open("d/a", .readWrite)
    case .create: _ = try disk.open("d/new", .create)
    case .makeDirectory: try disk.makeDirectory("d/directory")
    case .rename: try disk.rename("d/a", to: "d/b")
    case .remove: try disk.remove("d/a")
    case .list: _ = try disk.list("/")
    case .status: _ = try disk.status("/")
    case .syncDirectory: try disk.syncDirectory("/")
    case .lock: _ = try disk.lock("lock")
    case .freeBytes: _ = try disk.freeBytes("/")
    case .isRemote: _ = try disk.isRemote("/")
    case .read: _ = try file.read(1, at: 0)
    case .write: try file.write([9], at: 0)
    case .sync: try file.sync(.data)
    case .truncate: try file.truncate(to: 0)
    case .length: _ = try file.length()
    case .close: try file.close()
    }
  }
}
