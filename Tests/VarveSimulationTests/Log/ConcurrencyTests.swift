// Many threads commit at once: everybody gets a turn, an answer and a sequence of one's own.

import Synchronization
import Testing
import Varve
import VarveFormat
import VarveTestSupport

@Suite("Concurrent commits")
struct ConcurrencyTests {
  private static let threads = 8

  /// What the threads were told.
  private final class Answers: Sendable {
    let acks = Mutex<[(thread: Int, number: Int, sequence: UInt64)]>([])
    let stamps = Mutex<[UInt64: Stamp]>([:])
    let errors = Mutex<[LogError.Code]>([])
  }

  private static func commit(
    _ log: Log, _ thread: Int, _ index: Int, _ durability: Durability, _ answers: Answers
  ) -> Bool {
    let number = thread * 10_000 + index
    guard let draft = try? LogFixture.draft(number, padding: index % 50) else { return false }
    do throws(LogError) {
      let position = try log.commit(draft, durability: durability)
      answers.acks.withLock { $0.append((thread, number, position.sequence)) }
      answers.stamps.withLock { $0[position.sequence] = position.stamp }
      return true
    } catch {
      answers.errors.withLock { $0.append(error.code) }
      return false
    }
  }

  private static func durability(_ index: Int) -> Durability {
    switch index % 3 {
    case 0: .full
    case 1: .grouped(milliseconds: 0)
    default: .relaxed
    }
  }

  private func checkDense(_ answers: Answers, _ disk: any Disk, at path: String) throws {
    let contents = try LogContents(disk, at: path)
    #expect(contents.problems == [])
    let entries = contents.entries.values.first ?? []
    let acks = answers.acks.withLock { $0 }
    #expect(Set(acks.map(\.sequence)).count == acks.count, "a sequence was given twice")
    let isThere = acks.allSatisfy { ack in
      ack.sequence <= UInt64(entries.count)
        && entries[Int(ack.sequence) - 1].number == ack.number
    }
    #expect(isThere)
    let stamps = answers.stamps.withLock { $0.sorted { $0.key < $1.key }.map(\.value) }
    #expect(zip(stamps, stamps.dropFirst()).allSatisfy { $0 < $1 }, "stamps fall (R2)")
    #expect(entries.map(\.sequence) == LogFixture.denseSequences(entries.count))
  }

  @Test("eight threads get dense sequences on a simulated disk, each commit durable")
  func simulated() throws {
    let disk = SimulatedDisk(seed: 1)
    var options = LogFixture.options(segmentBytes: 20_000)
    options.usesTimer = true
    let log = try Log.create(at: "store", disk: disk, options: options)
    let answers = Answers()
    let each = 60 * TestScale.factor
    let isDone = Crew.run(Self.threads) { thread in
      for index in 0..<each {
        _ = Self.commit(log, thread, index, Self.durability(index), answers)
      }
    }
    try #require(isDone, "a thread waits for ever")
    #expect(answers.errors.withLock { $0 } == [])
    #expect(answers.acks.withLock { $0.count } == Self.threads * each)
    try log.sync()
    try checkDense(answers, disk.crash(keeping: .nothingUnsynced), at: "store")
    try log.close()
    try checkDense(answers, disk, at: "store")
  }

  @Test("eight threads get dense sequences on the real disk, and everybody a share")
  func real() throws {
    let place = TestDirectory("threads")
    var options = LogOptions()
    options.rotation.segmentBytes = 200_000
    options.reserveBytes = 4_096
    let log = try Log.create(at: place.file("store"), disk: PosixDisk(), options: options)
    let answers = Answers()
    let end = SystemClock().monotonicNanoseconds() + 500_000_000 * UInt64(TestScale.factor)
    let isDone = Crew.run(Self.threads) { thread in
      var index = 0
      while SystemClock().monotonicNanoseconds() < end, index < 9_000 {
        _ = Self.commit(log, thread, index, Self.durability(index), answers)
        index += 1
      }
    }
    try #require(isDone, "a thread waits for ever")
    try log.close()
    try checkDense(answers, PosixDisk(), at: place.file("store"))
    let shares = (0..<Self.threads).map { thread in
      answers.acks.withLock { acks in acks.filter { $0.thread == thread }.count }
    }
    print("shares of eight threads: \(shares)")
    #expect(shares.allSatisfy { $0 * 20 > shares.reduce(0, +) / Self.threads })
  }

  @Test("a full commit is durable when it returns, whoever wrote it")
  func durable() throws {
    let disk = SimulatedDisk(seed: 2)
    let log = try Log.create(
      at: "store", disk: disk, options: LogFixture.options(segmentBytes: 8_000))
    let answers = Answers()
    let lost = Mutex<[Int]>([])
    let isDone = Crew.run(Self.threads) { thread in
      for index in 0..<(12 * TestScale.factor) {
        let isRelaxed = thread % 2 == 0
        let number = thread * 10_000 + index
        let isCommitted = Self.commit(
          log, thread, index, isRelaxed ? .relaxed : .full, answers)
        guard isCommitted, !isRelaxed else { continue }
        let image = disk.crash(keeping: .nothingUnsynced)
        let numbers = (try? LogContents(image, at: "store").numbers) ?? []
        if !numbers.contains(number) { lost.withLock { $0.append(number) } }
      }
    }
    try #require(isDone, "a thread waits for ever")
    #expect(lost.withLock { $0 } == [])
    try log.close()
  }

  @Test("closing while others commit ends, and what was acknowledged stays")
  func closing() throws {
    for round in 0..<(6 * TestScale.factor) {
      let disk = SimulatedDisk(seed: UInt64(round))
      var options = LogFixture.options(segmentBytes: 6_000)
      options.usesTimer = round % 2 == 0
      let log = try Log.create(at: "store", disk: disk, options: options)
      let answers = Answers()
      let isDone = Crew.run(Self.threads + 2, seconds: 30) { thread in
        guard thread < Self.threads else {
          // Two threads close, at the same time.
          while answers.acks.withLock({ $0.count }) < 100 {}
          do throws(LogError) { try log.close() } catch {
            answers.errors.withLock { $0.append(error.code) }
          }
          return
        }
        var index = 0
        while Self.commit(log, thread, index, Self.durability(index), answers) { index += 1 }
      }
      try #require(isDone, "closing waits for ever")
      #expect(answers.errors.withLock { Set($0) } == [.closed])
      try checkDense(answers, disk.crash(keeping: .nothingUnsynced), at: "store")
      try disk.lock("store/lock").release()
    }
  }

  @Test("when a group fails all who wait for it hear it (L42)", arguments: [1, 4, 9])
  func failure(ordinal: Int) throws {
    for call in [DiskCall.write, .sync] {
      let disk = SimulatedDisk(seed: 3)
      let log = try Log.create(at: "store", disk: disk, options: LogFixture.options())
      _ = try log.commit(try LogFixture.draft(99_999))
      disk.inject(
        DiskFault(.fail(.inputOutput), on: call, path: ".vlog", ordinal: ordinal))
      let answers = Answers()
      let isDone = Crew.run(Self.threads, seconds: 30) { thread in
        var index = 0
        while Self.commit(log, thread, index, .full, answers) { index += 1 }
      }
      try #require(isDone, "somebody waits for a group that failed")
      let errors = answers.errors.withLock { $0 }
      #expect(errors.count == Self.threads)
      #expect(errors.allSatisfy { $0 == .outcomeUnknown || $0 == .poisoned })
      #expect(errors.contains(.outcomeUnknown))
      try log.close()
      disk.clearFaults()
      try checkDense(answers, disk.crash(keeping: .nothingUnsynced), at: "store")
    }
  }

  @Test("when the disk fills up under a group nobody is told a lie (L26, P73)")
  func full() throws {
    for round in 0..<(10 * TestScale.factor) {
      let disk = SimulatedDisk(seed: UInt64(round))
      let log = try Log.create(
        at: "store", disk: disk,
        options: LogFixture.options(firstBytes: 512, reserveBytes: 512))
      disk.options.capacity = UInt64(20_480 + round * 512)
      let answers = Answers()
      let isDone = Crew.run(Self.threads, seconds: 30) { thread in
        for index in 0..<40 {
          let isCommitted = Self.commit(log, thread, index, Self.durability(index), answers)
          // Somebody makes room at once, so that sequences are given again while others wait.
          if !isCommitted { disk.options.capacity = nil }
        }
      }
      try #require(isDone, "somebody waits for ever")
      #expect(answers.errors.withLock { Set($0) }.isSubset(of: [.diskFull]))
      try log.sync()
      try checkDense(answers, disk.crash(keeping: .nothingUnsynced), at: "store")
      try log.close()
      let contents = try LogContents(disk, at: "store")
      let acknowledged = answers.acks.withLock { Set($0.map(\.number)) }
      #expect(Set(contents.numbers) == acknowledged, "refused, and there all the same")
    }
  }
}
