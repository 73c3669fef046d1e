// Syncs that fail, lie, or fail once and then succeed.

import Testing
import Varve
import VarveFormat
import VarveTestSupport

@Suite("Failed syncs of a log")
struct FailedSyncTests {
  private let options = LogFixture.options(segmentBytes: 2_000, firstBytes: 512, reserveBytes: 0)

  private func code(_ body: () throws -> Void) -> LogError.Code? {
    do { try body() } catch { return (error as? LogError)?.code }
    return nil
  }

  @Test("after one failed sync nothing is acknowledged any more (L20, L42, D6)")
  func onceAndNeverAgain() throws {
    let disk = SimulatedDisk()
    let log = try LogFixture.create(disk, options: options)
    try log.commit(numbers: 0...0)
    disk.inject(DiskFault(.failAndForget(.inputOutput), on: .sync))
    #expect(code { try log.commit(numbers: 1...1) } == .outcomeUnknown)
    #expect(code { try log.commit(numbers: 2...2) } == .poisoned)
    #expect(code { try log.commit(numbers: 3...3, durability: .relaxed) } == .poisoned)
    #expect(code { try log.sync() } == .disk)
    #expect(log.state == "poisoned")
    try log.close()
    let image = disk.crash(keeping: .everything)
    #expect(try LogFixture.numbers(image, at: LogRun.path) == [0])
  }

  @Test("a recovery does not trust what the system only remembers (L20, L21, D6)")
  func pageCache() throws {
    let disk = SimulatedDisk()
    let log = try LogFixture.create(disk, options: options)
    try log.commit(numbers: 0...0)
    disk.inject(DiskFault(.failAndForget(.inputOutput), on: .sync))
    #expect(code { try log.commit(numbers: 1...1) } == .outcomeUnknown)
    try log.close()
    // The same machine: the system shows the transaction, and the next sync succeeds.
    #expect(try LogFixture.numbers(disk, at: LogRun.path) == [0, 1])
    let second = try LogFixture.open(disk, options: options)
    try second.commit(numbers: 2...2)
    #expect(try LogFixture.numbers(disk, at: LogRun.path) == [0, 2])
    let contents = try LogContents(disk.crash(keeping: .nothingUnsynced), at: LogRun.path)
    #expect(contents.numbers == [0, 2])
    #expect(!contents.isDamaged)
  }

  @Test("what a recovery has shown survives the next power failure (L21)")
  func syncBeforeTrust() throws {
    let disk = SimulatedDisk()
    do {
      let log = try LogFixture.create(disk, options: options)
      try log.commit(numbers: 0...5, durability: .relaxed)
      // The process ends here.
    }
    let second = try LogFixture.open(disk, options: options)
    #expect(second.report.lastSequence == 6)
    let image = disk.crash(keeping: .nothingUnsynced)
    #expect(try LogFixture.numbers(image, at: LogRun.path) == Array(0...5))
  }

  @Test("a failed sync of the superblock stops the log, whatever reached the disk (L12, L18)")
  func superblock() throws {
    let disk = SimulatedDisk()
    let log = try LogFixture.create(disk, options: options)
    try log.commit(numbers: 0...0, padding: 2_000)
    disk.inject(DiskFault(.fail(.inputOutput), on: .sync, path: "super"))
    #expect(code { try log.commit(numbers: 1...1) } == .disk)
    #expect(code { try log.commit(numbers: 2...2) } == .poisoned)
    try log.close()
    disk.clearFaults()
    for choice in disk.crashChoices(limit: 64) {
      let image = disk.crash(keeping: choice)
      let contents = try LogContents(image, at: LogRun.path)
      #expect(contents.numbers == [0] && !contents.isDamaged, "\(choice)")
      let second = try LogFixture.open(image, options: options)
      try second.commit(numbers: 3...3)
      #expect(try LogFixture.numbers(image, at: LogRun.path) == [0, 3])
    }
  }

  @Test("the superblock never points at something that is not durable (L18, D4)")
  func pointer() throws {
    let steps: [LogStep] = [
      .commit(padding: 1_900), .commit(padding: 1_900), .relaxed(padding: 1_900),
      .commit(padding: 5), .close,
    ]
    let whole = LogRun(options)
    try whole.run(steps)
    for point in 1...whole.disk.changeCallCount {
      let run = LogRun(options)
      run.disk.freezeAfter(calls: point)
      try run.run(steps)
      run.kill()
      let units = run.disk.unsyncedUnits
      let mask = units.map { $0.text.contains("super") }
      let image = run.disk.crash(keeping: .subset(mask))
      let contents = try LogContents(image, at: LogRun.path)
      #expect(!contents.isDamaged, "only the superblock survived at call \(point)")
      #expect(run.promise.allows(contents.numbers))
    }
  }

  @Test("an error that only close reports is heard (L17)")
  func closeFails() throws {
    let disk = SimulatedDisk()
    let log = try LogFixture.create(disk, options: options)
    disk.inject(DiskFault(.failAndForget(.inputOutput), on: .close, path: ".vlog.tmp"))
    #expect(code { try log.commit(numbers: 0...0) } == .disk)
    try log.close()
    disk.clearFaults()
    let second = try LogFixture.open(disk, options: options)
    try second.commit(numbers: 1...1)
    disk.inject(DiskFault(.failAndForget(.inputOutput), on: .close, path: ".vlog"))
    #expect(code { try second.close() } == .disk)
    disk.clearFaults()
    let image = disk.crash(keeping: .nothingUnsynced)
    #expect(try LogFixture.numbers(image, at: LogRun.path) == [1])
    #expect(try LogContents(image, at: LogRun.path).findingKinds == ["unclean"])
  }

  @Test("a failure while closing leaves the store unclean and unlocked (L22, D5)")
  func uncleanEnd() throws {
    for call in [DiskCall.write, .sync, .truncate, .rename, .syncDirectory] {
      let disk = SimulatedDisk()
      let log = try LogFixture.create(disk, options: options)
      try log.commit(numbers: 0...2)
      disk.inject(DiskFault(.fail(.inputOutput), on: call))
      #expect(code { try log.close() } == .disk, "\(call)")
      #expect(code { try log.commit(numbers: 3...3) } == .closed)
      disk.clearFaults()
      let second = try LogFixture.open(disk, options: options)
      #expect(second.report.findings.map(\.kind) == [.unclean], "\(call)")
      try second.close()
      #expect(try LogFixture.numbers(disk, at: LogRun.path) == [0, 1, 2])
    }
  }

  @Test("a disk that lies about a sync is found out when a later frame promised the bytes")
  func lie() throws {
    let disk = SimulatedDisk()
    let log = try LogFixture.create(disk, options: options)
    try log.commit(numbers: 0...0)
    disk.inject(DiskFault(.lie, on: .sync, path: ".vlog"))
    try log.commit(numbers: 1...1, padding: 600)
    // The next sync makes durable what is written from now on, and not what it lied about.
    let units = disk.unsyncedUnits.count
    try log.commit(numbers: 2...2)
    #expect(units > 0)
    let contents = try LogContents(disk.crash(keeping: .nothingUnsynced), at: LogRun.path)
    #expect(contents.numbers == [0, 1, 2] || contents.isDamaged)
  }

  @Test("acknowledged means durable unless relaxed was asked for (L41, D2, Q61)")
  func modes() throws {
    #expect(LogOptions().durability == .full)
    let disk = SimulatedDisk()
    let clock = ManualClock()
    let log = try LogFixture.create(disk, options: options, clock: clock)
    func durable() throws -> [Int] {
      try LogFixture.numbers(disk.crash(keeping: .nothingUnsynced), at: LogRun.path)
    }
    try log.commit(numbers: 0...0)
    #expect(try durable() == [0])
    try log.commit(numbers: 1...1, durability: .grouped(milliseconds: 0))
    #expect(try durable() == [0, 1])
    try log.commit(numbers: 2...2, durability: .relaxed)
    #expect(try durable() == [0, 1])
    clock.advance(milliseconds: 1_500)
    _ = log.tick()
    #expect(try durable() == [0, 1, 2])
    try log.commit(numbers: 3...3, durability: .relaxed)
    try log.sync()
    #expect(try durable() == [0, 1, 2, 3])
    try log.commit(numbers: 4...4, durability: .relaxed)
    try log.commit(numbers: 5...5)
    #expect(try durable() == [0, 1, 2, 3, 4, 5])
    try log.commit(numbers: 6...6, durability: .relaxed)
    try log.close()
    #expect(try durable() == [0, 1, 2, 3, 4, 5, 6])
  }
}
