// Full disks: nothing acknowledged is lost, nothing is deleted, writing goes on by itself (D7).

import Testing
import Varve
import VarveFormat
import VarveTestSupport

@Suite("Full disks")
struct DiskFullTests {
  private let options = LogFixture.options(
    segmentBytes: 3_000, firstBytes: 512, reserveBytes: 1_024)
  private let userFile = "\(LogRun.path)/notes.txt"

  private func code(_ body: () throws -> Void) -> LogError.Code? {
    do { try body() } catch { return (error as? LogError)?.code }
    return nil
  }

  /// Commits until the disk is full; returns what was acknowledged.
  private func fill(_ log: Log, from first: Int, relaxedEvery: Int = 4) throws -> [Int] {
    var acknowledged: [Int] = []
    for number in first..<first + 2_000 {
      let draft = try LogFixture.draft(number, padding: number % 5 * 60)
      do throws(LogError) {
        _ = try log.commit(draft, durability: number % relaxedEvery == 0 ? .relaxed : .full)
        acknowledged.append(number)
      } catch {
        #expect(error.code == .diskFull)
        return acknowledged
      }
    }
    Issue.record("the disk never filled up")
    return acknowledged
  }

  @Test("at every size of the disk commits are refused, kept and resumed (L25, L26, P73)")
  func everySize() throws {
    for sectors in 34...74 {
      let disk = SimulatedDisk(seed: UInt64(sectors))
      disk.setBytes(of: userFile, to: [1, 2, 3])
      let log = try LogFixture.create(disk, options: options)
      disk.options.capacity = UInt64(sectors * 512)
      var expected = try fill(log, from: 0)
      #expect(log.state == "full")
      #expect(code { try log.commit(numbers: 5_000...5_000) } == .diskFull)
      // Nothing is lost while it is full, by a power failure either.
      for image in [disk, disk.crash(keeping: .nothingUnsynced)] {
        let contents = try LogContents(image, at: LogRun.path)
        #expect(contents.numbers == expected, "\(sectors) sectors")
        #expect(!contents.report.findings.contains { $0.kind == .corrupt || $0.kind == .gap })
      }
      disk.options.capacity = nil
      try log.commit(numbers: 6_000...6_003)
      expected += Array(6_000...6_003)
      #expect(log.state == "writable")
      try log.close()
      let contents = try LogContents(disk, at: LogRun.path)
      #expect(contents.numbers == expected && !contents.isDamaged, "\(sectors) sectors")
      #expect(disk.bytes(of: userFile) == [1, 2, 3])
    }
  }

  @Test("a store can be opened while the disk is full, and written when there is room (L5)")
  func restart() throws {
    for sectors in 34...54 {
      let disk = SimulatedDisk(seed: UInt64(sectors))
      let log = try LogFixture.create(disk, options: options)
      disk.options.capacity = UInt64(sectors * 512)
      let accepted = try fill(log, from: 0)
      let image = disk.crash(keeping: .everything)
      // Not a byte is free, and reading needs none.
      image.options.capacity = 1
      let bytes = image.paths.map { image.bytes(of: $0) }
      image.options.isReadOnly = true
      #expect(try LogContents(image, at: LogRun.path).numbers == accepted)
      image.options.isReadOnly = false
      #expect(image.paths.map { image.bytes(of: $0) } == bytes)
      let second = try LogFixture.open(image, options: options)
      #expect(code { try second.commit(numbers: 5_000...5_000) } == .diskFull)
      image.options.capacity = nil
      try second.commit(numbers: 5_001...5_001)
      try second.close()
      #expect(try LogContents(image, at: LogRun.path).numbers == accepted + [5_001])
    }
  }

  @Test("closing on a full disk says so, unlocks, and loses nothing")
  func closing() throws {
    for sectors in 34...64 {
      let disk = SimulatedDisk(seed: UInt64(sectors))
      let log = try LogFixture.create(
        disk, options: LogFixture.options(segmentBytes: 1 << 20, firstBytes: 0, reserveBytes: 0))
      try log.commit(numbers: 0...3, padding: 100)
      disk.options.capacity = UInt64(sectors * 512)
      let accepted = [0, 1, 2, 3] + (try fill(log, from: 4))
      _ = code { try log.close() }
      let contents = try LogContents(disk.crash(keeping: .nothingUnsynced), at: LogRun.path)
      #expect(contents.numbers == accepted)
      disk.options.capacity = nil
      let second = try LogFixture.open(disk, options: options)
      try second.commit(numbers: 5_000...5_000)
      try second.close()
    }
  }

  @Test("sealing that finds no room neither traps nor poisons (D6, L26)")
  func sealing() throws {
    // The disk fills up with the SEAL itself: every number of free bytes that it may find.
    for free in stride(from: 0, through: 400, by: 8) {
      let disk = SimulatedDisk()
      let log = try LogFixture.create(
        disk, options: LogFixture.options(segmentBytes: 600, firstBytes: 0, reserveBytes: 0))
      try log.commit(numbers: 0...0, padding: 600)
      let used = disk.paths.reduce(0) { $0 + (disk.bytes(of: $1)?.count ?? 0) }
      disk.options.capacity = UInt64(used + free)
      #expect(code { try log.commit(numbers: 1...1) } == .diskFull, "\(free) free bytes")
      #expect(log.state == "full")
      disk.options.capacity = nil
      try log.commit(numbers: 2...2)
      try log.close()
      let contents = try LogContents(disk.crash(keeping: .nothingUnsynced), at: LogRun.path)
      #expect(contents.numbers == [0, 2] && !contents.isDamaged, "\(free) free bytes")
    }
  }

  @Test("a mark that finds no room waits for some, and what it claimed holds")
  func mark() throws {
    for free in stride(from: 0, through: 64, by: 8) {
      let disk = SimulatedDisk()
      let clock = ManualClock()
      let log = try LogFixture.create(
        disk, options: LogFixture.options(firstBytes: 0, reserveBytes: 0), clock: clock)
      try log.commit(numbers: 0...0)
      let used = disk.paths.reduce(0) { $0 + (disk.bytes(of: $1)?.count ?? 0) }
      disk.options.capacity = UInt64(used + free)
      clock.advance(milliseconds: 1_000)
      _ = log.tick()
      #expect(code { try log.commit(numbers: 1...1) } == .diskFull)
      disk.options.capacity = nil
      try log.commit(numbers: 2...2)
      let contents = try LogContents(disk.crash(keeping: .nothingUnsynced), at: LogRun.path)
      #expect(contents.numbers == [0, 2] && !contents.isDamaged, "\(free) free bytes")
    }
  }

  @Test("the reserve is given back on a full disk and put away again (D7)")
  func reserve() throws {
    let disk = SimulatedDisk()
    let log = try LogFixture.create(disk, options: options)
    let files = (0..<2).map { "\(LogRun.path)/reserve-\($0)" }
    #expect(files.allSatisfy { disk.bytes(of: $0)?.count == 1_024 })
    disk.options.capacity = 20_000
    _ = try fill(log, from: 0)
    #expect(files.allSatisfy { disk.bytes(of: $0) == nil })
    disk.options.capacity = nil
    try log.commit(numbers: 5_000...5_000)
    #expect(files.allSatisfy { disk.bytes(of: $0)?.count == 1_024 })
    try log.close()
  }

  @Test("a reserve that was used up is put away again after a restart (D7)")
  func reserveAfterRestart() throws {
    let disk = SimulatedDisk()
    let log = try LogFixture.create(disk, options: options)
    let files = (0..<2).map { "\(LogRun.path)/reserve-\($0)" }
    disk.options.capacity = 20_000
    _ = try fill(log, from: 0)
    let image = disk.crash(keeping: .everything)
    image.options.capacity = nil
    // A power failure may also leave a reserve that has a name and no bytes.
    image.setBytes(of: files[0], to: [])
    let second = try LogFixture.open(image, options: options)
    try second.commit(numbers: 5_000...5_000)
    #expect(files.allSatisfy { image.bytes(of: $0)?.count == 1_024 })
    try second.close()
  }

  @Test("a store that does not fit is not created, and can be created later")
  func creating() throws {
    for capacity in stride(from: UInt64(0), through: 8_192, by: 1_024) {
      let disk = SimulatedDisk()
      disk.options.capacity = capacity
      let result = code { _ = try LogFixture.create(disk, options: options).close() }
      #expect(result == (capacity < 8_192 ? .diskFull : nil))
      disk.options.capacity = nil
      guard result != nil else { continue }
      let log = try LogFixture.create(disk, options: options)
      try log.commit(numbers: 0...0)
      try log.close()
    }
  }
}
