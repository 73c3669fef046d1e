// The order of system calls, call by call, as golden files (D1-D5, Formats/Segment.md section 4).

import Testing
import Varve
import VarveFormat
import VarveTestSupport

@Suite("Order of system calls")
struct TranscriptTests {
  private let options = LogFixture.options(
    segmentBytes: 1_000, firstBytes: 1_024, reserveBytes: 1_024)

  /// A disk whose transcript shows neither reads nor what is random.
  private func tracing(_ disk: SimulatedDisk) -> TracingDisk {
    TracingDisk(disk, omitting: [.read, .length, .status, .list, .isRemote]) { path in
      path.split(separator: "/").map { part in
        if part.count == 26 { return "REPLICA" }
        if part.count == 43, part.hasSuffix(".vlog") { return "\(part.prefix(21))-HASH.vlog" }
        return String(part)
      }.joined(separator: "/")
    }
  }

  private func compare(_ name: String, _ disk: TracingDisk) throws {
    let expected = try Transcript(name).expected(disk.transcript)
    #expect(disk.transcript == expected, "VARVE_RECORD=1 writes Transcripts/\(name).txt")
  }

  @Test("creation, first commit, group, idle mark and close")
  func life() throws {
    let clock = ManualClock()
    let disk = tracing(SimulatedDisk())
    disk.note("# create")
    let log = try LogFixture.create(disk, options: options, clock: clock)
    disk.note("# first commit")
    try log.commit(numbers: 0...0)
    disk.note("# second commit")
    try log.commit(numbers: 1...1)
    disk.note("# two relaxed commits, then a full one that makes them durable")
    try log.commit(numbers: 2...3, durability: .relaxed)
    try log.commit(numbers: 4...4)
    disk.note("# idle")
    clock.advance(milliseconds: 1_000)
    _ = log.tick()
    disk.note("# relaxed commit, then sync")
    try log.commit(numbers: 5...5, durability: .relaxed)
    try log.sync()
    disk.note("# close")
    try log.close()
    try compare("life", disk)
  }

  @Test("rotation: the old segment is sealed and durable before the next one begins")
  func rotation() throws {
    let disk = tracing(SimulatedDisk())
    let log = try LogFixture.create(disk, options: options)
    try log.commit(numbers: 0...0, padding: 900)
    _ = disk.takeLines()
    disk.note("# commit that finds the segment full")
    try log.commit(numbers: 1...1, padding: 50)
    disk.note("# commit with columns")
    _ = try log.commit(try LogFixture.numberedColumns(2, rows: 300))
    try log.close()
    try compare("rotation", disk)
  }

  @Test("opening after an orderly end, after a crash and with a torn tail")
  func reopening() throws {
    let disk = SimulatedDisk()
    let log = try LogFixture.create(disk, options: options)
    try log.commit(numbers: 0...0)
    try log.commit(numbers: 1...1, padding: 500)
    let crashed = disk.crash(keeping: .everything)
    try log.close()
    let orderly = tracing(disk)
    orderly.note("# open and close")
    try LogFixture.open(orderly, options: options).close()
    orderly.note("# open, commit, close")
    let second = try LogFixture.open(orderly, options: options)
    try second.commit(numbers: 2...2)
    try second.close()
    try compare("reopening", orderly)

    let path = LogFixture.segment(crashed, "open-")
    var bytes = try #require(crashed.bytes(of: path))
    for index in 512..<bytes.count { bytes[index] = 0 }
    crashed.setBytes(of: path, to: bytes)
    let torn = tracing(crashed)
    torn.note("# open after a crash with a torn tail")
    let third = try LogFixture.open(torn, options: options)
    #expect(third.report.findings.map(\.kind) == [.tornTail, .unclean])
    torn.note("# commit")
    try third.commit(numbers: 3...3)
    torn.note("# close")
    try third.close()
    try compare("torn", torn)
  }

  @Test("a full disk, and writing that goes on when there is room")
  func full() throws {
    let simulated = SimulatedDisk()
    let disk = tracing(simulated)
    let log = try LogFixture.create(disk, options: options)
    try log.commit(numbers: 0...0)
    _ = disk.takeLines()
    simulated.options.capacity = 11_500
    disk.note("# commit that does not fit")
    #expect(throws: LogError.self) { try log.commit(numbers: 1...1, padding: 800) }
    disk.note("# commit while the disk is full")
    #expect(throws: LogError.self) { try log.commit(numbers: 2...2) }
    simulated.options.capacity = nil
    disk.note("# commit when there is room")
    try log.commit(numbers: 3...3)
    disk.note("# close")
    try log.close()
    try compare("full", disk)
  }

  @Test("a sync that fails: the file is given up, nothing more is written to it")
  func failedSync() throws {
    let simulated = SimulatedDisk()
    let disk = tracing(simulated)
    let log = try LogFixture.create(disk, options: options)
    try log.commit(numbers: 0...0)
    _ = disk.takeLines()
    simulated.inject(DiskFault(.failAndForget(.inputOutput), on: .sync))
    disk.note("# commit whose sync fails")
    #expect(throws: LogError.self) { try log.commit(numbers: 1...1) }
    disk.note("# commit")
    #expect(throws: LogError.self) { try log.commit(numbers: 2...2) }
    disk.note("# close")
    try log.close()
    disk.note("# open and commit")
    let second = try LogFixture.open(disk, options: options)
    try second.commit(numbers: 3...3)
    try second.close()
    try compare("failed-sync", disk)
  }
}
