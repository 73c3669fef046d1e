// Tails that a crash tore, and what is made of them.

import Testing
import Varve
import VarveFormat
import VarveTestSupport

@Suite("Torn tails of a log")
struct TornTailTests {
  private func verdicts(_ disk: SimulatedDisk) throws -> [TailVerdict] {
    try LogContents(disk, at: LogRun.path).verdicts
  }

  @Test("a preallocated log cut inside a record is torn and opens (L1)")
  func preallocated() throws {
    let disk = SimulatedDisk()
    let options = LogFixture.options(firstBytes: 16_384)
    let log = try LogFixture.create(disk, options: options)
    var count = 0
    while log.end.acceptedBytes <= 4_096 {
      try log.commit(numbers: count...count, padding: 55)
      count += 1
    }
    var image = disk.crash(keeping: .everything)
    let path = LogFixture.segment(image, "open-")
    var bytes = try #require(image.bytes(of: path))
    for index in 4_096..<bytes.count { bytes[index] = 0 }
    image.setBytes(of: path, to: bytes)
    #expect(try verdicts(image) == [.torn])
    let second = try LogFixture.open(image, options: options)
    #expect(second.report.findings.map(\.kind) == [.tornTail, .unclean])
    #expect(second.report.continuesReplica)
    #expect(second.report.lastSequence == UInt64(count - 1))
    try second.commit(numbers: 500...500)
    try second.close()
    image = image.crash(keeping: .nothingUnsynced)
    #expect(try LogFixture.numbers(image, at: LogRun.path) == Array(0..<count - 1) + [500])
  }

  @Test("four megabytes of zeros behind the newest segment change nothing (L2)")
  func zeros() throws {
    let disk = SimulatedDisk()
    let log = try LogFixture.create(disk)
    try log.commit(numbers: 0...9)
    let image = disk.crash(keeping: .everything)
    let path = LogFixture.segment(image, "open-")
    let bytes = try #require(image.bytes(of: path))
    image.setBytes(of: path, to: bytes + [UInt8](repeating: 0, count: 4 << 20))
    #expect(try verdicts(image) == [.clean])
    let second = try LogFixture.open(image)
    #expect(second.report.findings.map(\.kind) == [.unclean])
    try second.commit(numbers: 10...10)
    try second.close()
    #expect(try LogFixture.numbers(image, at: LogRun.path) == Array(0...10))
  }

  @Test("a torn segment with empty ones behind it is not corrupt (L10)")
  func emptySegments() throws {
    let disk = SimulatedDisk()
    let options = LogFixture.options(firstBytes: 0)
    let log = try LogFixture.create(disk, options: options)
    try log.commit(numbers: 0...4)
    var image = disk.crash(keeping: .everything)
    let path = LogFixture.segment(image, "open-")
    let bytes = try #require(image.bytes(of: path))
    image.setBytes(of: path, to: bytes + Array(bytes.suffix(30)))
    for round in 0..<3 {
      // The segment is made, then the machine stops at the write of the first commit.
      let next = try LogFixture.open(image, options: options, seed: UInt64(200 + round))
      image.inject(DiskFault(.fail(.inputOutput), on: .write, path: "open-000000000\(round + 2)"))
      image.inject(DiskFault(.fail(.inputOutput), on: .write, path: ".vlog", ordinal: 2))
      #expect(throws: LogError.self) { try next.commit(numbers: 50...50) }
      image = image.crash(keeping: .nothingUnsynced)
    }
    let contents = try LogContents(image, at: LogRun.path)
    #expect(contents.problems == [])
    #expect(contents.verdicts.count > 2)
    #expect(contents.numbers == [0, 1, 2, 3, 4])
    #expect(!contents.report.isDamaged)
  }

  @Test("write A, tear B, reopen, write C and D, crash, reopen: A, C and D are there (P72)")
  func tearAndGoOn() throws {
    let disk = SimulatedDisk()
    let options = LogFixture.options(firstBytes: 0)
    let log = try LogFixture.create(disk, options: options)
    try log.commit(numbers: 0...0)
    disk.inject(DiskFault(.shortWrite(bytes: 20, .inputOutput), on: .write))
    #expect(throws: LogError.self) { try log.commit(numbers: 1...1) }
    let torn = disk.crash(keeping: .everything)
    let second = try LogFixture.open(torn, options: options)
    #expect(second.report.findings.contains { $0.kind == .tornTail })
    try second.commit(numbers: 2...3)
    let image = torn.crash(keeping: .nothingUnsynced)
    let third = try LogFixture.open(image, options: options)
    #expect(!third.report.isDamaged)
    try third.close()
    #expect(try LogFixture.numbers(image, at: LogRun.path) == [0, 2, 3])
  }

  @Test("a transaction of many blocks is there whole or not at all (P75, L36)")
  func blocks() throws {
    let disk = SimulatedDisk()
    let log = try LogFixture.create(disk, options: LogFixture.options(firstBytes: 65_536))
    try log.commit(numbers: 0...0)
    disk.inject(DiskFault(.lie, on: .sync))
    _ = try log.commit(try LogFixture.numberedColumns(1, rows: 3_000))
    let units = disk.unsyncedUnits.filter { unit in
      if case .sector = unit.kind { unit.text.contains(".vlog") } else { false }
    }
    #expect(units.count > 5)
    let all = disk.unsyncedUnits
    for lost in units {
      // All that was written got to the disk, the end of the transaction too, but for one sector.
      let image = disk.crash(keeping: .subset(all.map { $0 != lost }))
      let contents = try LogContents(image, at: LogRun.path)
      #expect(contents.numbers == [0], "\(lost)")
      #expect(!contents.isDamaged, "\(lost)")
    }
    let whole = try LogContents(disk.crash(keeping: .everything), at: LogRun.path)
    #expect(whole.numbers == [0, 1])
  }

  @Test("opening again and again changes nothing, torn or not (L30, Q52)")
  func repeated() throws {
    let disk = SimulatedDisk()
    let log = try LogFixture.create(disk, options: LogFixture.options(firstBytes: 0))
    try log.commit(numbers: 0...5)
    let image = disk.crash(keeping: .everything)
    let path = LogFixture.segment(image, "open-")
    let bytes = try #require(image.bytes(of: path))
    image.setBytes(of: path, to: Array(bytes.dropLast(3)))
    let before = image.paths.map { image.bytes(of: $0) }
    let first = try LogContents(image, at: LogRun.path)
    for round in 0..<3 {
      let log = try LogFixture.open(image, seed: UInt64(300 + round))
      #expect(log.report.findings == first.report.findings)
      try log.close()
      let lock = "\(LogRun.path)/lock"
      #expect(
        image.paths.filter { $0 != lock }.map { image.bytes(of: $0) }
          == before.enumerated().filter { image.paths[$0.offset] != lock }.map(\.element))
    }
    #expect(first.numbers == [0, 1, 2, 3, 4])
  }

  @Test("a number that a recovery did not see is never there twice (L13, L57)")
  func reusedNumbers() throws {
    let options = LogFixture.options(firstBytes: 1_024, reserveBytes: 0)
    let disk = SimulatedDisk()
    let log = try LogFixture.create(disk, options: options)
    try log.commit(numbers: 0...2)
    disk.inject(DiskFault(.fail(.inputOutput), on: .sync))
    #expect(throws: LogError.self) { try log.commit(numbers: 3...3, padding: 900) }
    disk.clearFaults()
    for choice in disk.crashChoices(limit: 64) {
      let image = disk.crash(keeping: choice)
      let seen = try LogFixture.numbers(image, at: LogRun.path)
      let second = try LogFixture.open(image, options: options)
      try second.commit(numbers: 10...11)
      #expect(second.end.nextSequence == UInt64(seen.count + 3))
      let after = image.crash(keeping: .random(TestScale.seed))
      #expect(try LogFixture.numbers(after, at: LogRun.path) == seen + [10, 11], "\(choice)")
    }
  }
}
