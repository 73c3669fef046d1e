// The log from creation to reopening, without faults.

import Testing
import Varve
import VarveFormat
import VarveTestSupport

@Suite("Log basics")
struct LogBasicsTests {
  @Test("what was committed is read back after closing and opening")
  func reopen() throws {
    let disk = SimulatedDisk()
    let log = try Log.create(
      at: "store", disk: disk, clock: ManualClock(), entropy: SeededEntropy(seed: 1),
      options: LogFixture.options())
    for number in 0..<10 { _ = try log.commit(try LogFixture.draft(number)) }
    let position = try log.commit(try LogFixture.columnsDraft(rows: 1_000))
    #expect(position.sequence == 11)
    try log.close()
    #expect(try LogFixture.numbers(disk, at: "store") == Array(0..<10))

    let second = try Log.open(
      at: "store", disk: disk, clock: ManualClock(), entropy: SeededEntropy(seed: 2),
      options: LogFixture.options())
    #expect(second.report.findings == [])
    #expect(second.report.lastSequence == 11)
    #expect(try second.commit(try LogFixture.draft(10)).sequence == 12)
    try second.close()
    #expect(try LogFixture.numbers(disk, at: "store") == Array(0...10))
  }

  @Test("opening writes nothing (Q52)")
  func openingWritesNothing() throws {
    let disk = SimulatedDisk()
    try Log.create(
      at: "store", disk: disk, entropy: SeededEntropy(seed: 1), options: LogFixture.options()
    ).close()
    disk.forgetCalls()
    let before = disk.paths.map { disk.bytes(of: $0) }
    try Log.open(
      at: "store", disk: disk, entropy: SeededEntropy(seed: 2), options: LogFixture.options()
    ).close()
    #expect(disk.paths.map { disk.bytes(of: $0) } == before)
  }

  @Test("a segment that is full is sealed and the chain goes on in the next one")
  func rotation() throws {
    let disk = SimulatedDisk()
    let log = try Log.create(
      at: "store", disk: disk, entropy: SeededEntropy(seed: 1),
      options: LogFixture.options(segmentBytes: 8_192))
    for number in 0..<100 { _ = try log.commit(try LogFixture.draft(number, padding: 300)) }
    try log.close()
    #expect(try LogFixture.numbers(disk, at: "store") == Array(0..<100))
    let opening = try LogOpening(disk, StorePaths("store"), syncsTails: false)
    let segments = try #require(opening.catalog.logs.first).segments
    #expect(segments.count > 3)
    for segment in segments {
      #expect(try LogReader(disk).read(segment).verdict == .sealed)
    }
    #expect(opening.report.findings == [])
  }

  @Test("a second writer in the same process is refused (L45)")
  func secondWriter() throws {
    let disk = SimulatedDisk()
    let log = try Log.create(
      at: "store", disk: disk, entropy: SeededEntropy(seed: 1), options: LogFixture.options())
    let error = #expect(throws: LogError.self) {
      _ = try Log.open(at: "store", disk: disk, options: LogFixture.options())
    }
    #expect(error?.code == .busy)
    try log.close()
    try Log.open(at: "store", disk: disk, options: LogFixture.options()).close()
  }
}
