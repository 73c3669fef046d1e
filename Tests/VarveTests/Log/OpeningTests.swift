// Opening what is there, what is not there, and what should not be there.

import Foundation
import Testing
import Varve
import VarveFormat
import VarveTestSupport

@Suite("Opening a log")
struct OpeningTests {
  private let options = LogFixture.options(segmentBytes: 2_000, firstBytes: 512, reserveBytes: 512)

  private func error(_ body: () throws -> Void) -> LogError? {
    do { try body() } catch { return error as? LogError }
    return nil
  }

  @Test("a path that does not exist is no store, and nothing is made there")
  func nothing() throws {
    let disk = SimulatedDisk()
    #expect(error { _ = try LogFixture.open(disk) }?.code == .notAStore)
    #expect(disk.directories == [] && disk.paths == [])
    let inside = error { _ = try Log.create(at: "no/such/place", disk: disk) }
    #expect(inside?.code == .disk && inside?.diskError?.code == .notFound)
    #expect(try LogContents(disk, at: LogRun.path).hasStore == false)
  }

  @Test("a directory that is no store stays as it is (Q52)")
  func otherDirectory() throws {
    let disk = SimulatedDisk()
    disk.setBytes(of: "\(LogRun.path)/letter.txt", to: [1])
    #expect(error { _ = try LogFixture.open(disk) }?.code == .notAStore)
    #expect(disk.paths == ["\(LogRun.path)/letter.txt"])
  }

  @Test("a file where a directory should be, and a directory where a file should be, are named")
  func wrongKinds() throws {
    var disk = SimulatedDisk()
    disk.setBytes(of: LogRun.path, to: [1])
    #expect(error { _ = try LogFixture.open(disk) }?.code == .notAStore)
    #expect(error { _ = try LogFixture.create(disk) }?.diskError?.code == .notDirectory)
    for name in ["super", "lock"] {
      disk = SimulatedDisk()
      disk.setDirectory("\(LogRun.path)/\(name)")
      let found = error { _ = try LogFixture.create(disk, options: options) }
      #expect(found?.diskError?.code == .isDirectory, "\(name)")
      #expect(found?.path?.contains(name) == true)
    }
    disk = SimulatedDisk()
    disk.setBytes(of: "\(LogRun.path)/log", to: [1])
    #expect(error { _ = try LogFixture.create(disk, options: options) }?.code == .disk)
  }

  @Test("a directory under the name of a segment is an error, not damage")
  func directoryAsSegment() throws {
    let disk = SimulatedDisk()
    let log = try LogFixture.create(disk, options: options)
    try log.commit(numbers: 0...0)
    try log.close()
    let directory = StorePaths.parent(LogFixture.segment(disk, ".vlog"))
    disk.setDirectory("\(directory)/open-0000000009.vlog")
    let found = error { _ = try LogContents(disk, at: LogRun.path) }
    #expect(found?.code == .disk)
    #expect(found?.path?.hasSuffix("open-0000000009.vlog") == true)
  }

  @Test("what the permissions forbid is an error with path and call, never damage or loss")
  func permissions() throws {
    for call in [DiskCall.open, .list, .status, .read, .lock, .length] {
      for code in [DiskError.Code.noPermission, .inputOutput] {
        let disk = SimulatedDisk()
        let log = try LogFixture.create(disk, options: options)
        try log.commit(numbers: 0...3)
        try log.close()
        let count = { () -> Int in
          disk.forgetCalls()
          _ = try? LogFixture.open(disk, options: options, seed: 5).close()
          return disk.calls.filter { $0.call == call }.count
        }()
        for ordinal in 1...max(1, count) {
          let image = disk.clone()
          image.inject(DiskFault(.fail(code), on: call, ordinal: ordinal))
          let found = error { _ = try LogFixture.open(image, options: options) }
          #expect(found == nil || found?.code == .disk, "\(call) \(ordinal)")
          if let found { #expect(found.path != nil && !"\(found)".isEmpty) }
          image.clearFaults()
          let second = try LogFixture.open(image, options: options)
          #expect(second.report.findings == [], "\(call) \(ordinal) left something behind")
          try second.close()
        }
      }
    }
  }

  @Test("a read-only file system can be read and not be written (D8)")
  func readOnly() throws {
    let disk = SimulatedDisk()
    let log = try LogFixture.create(disk, options: options)
    try log.commit(numbers: 0...9, padding: 300)
    let image = disk.crash(keeping: .everything)
    try image.remove("\(LogRun.path)/lock")
    image.options.isReadOnly = true
    let before = image.paths.map { image.bytes(of: $0) }
    image.forgetCalls()
    #expect(try LogContents(image, at: LogRun.path).numbers == Array(0...9))
    #expect(
      try LogContents(image, at: LogRun.path, bound: .syncedOffset).numbers.count <= 10)
    #expect(image.changeCallCount == 0)
    #expect(error { _ = try LogFixture.open(image) }?.diskError?.code == .readOnly)
    #expect(image.paths.map { image.bytes(of: $0) } == before)
  }

  @Test("a remote file system is refused unless it is asked for (D9)")
  func remote() throws {
    let disk = SimulatedDisk()
    disk.options.isRemote = true
    #expect(error { _ = try LogFixture.create(disk, options: options) }?.code == .remote)
    var allowing = options
    allowing.allowsRemote = true
    let log = try LogFixture.create(disk, options: allowing)
    try log.commit(numbers: 0...0)
    try log.close()
    #expect(error { _ = try LogFixture.open(disk, options: options) }?.code == .remote)
    #expect(try LogContents(disk, at: LogRun.path).numbers == [0])
  }

  @Test("a second writer is refused until the first one lets go, however it ends (L45, L46, L56)")
  func twoWriters() throws {
    let place = TestDirectory("two-writers")
    let store = place.file("store")
    let disk = PosixDisk()
    // With a timer, whose thread must not keep a forgotten log alive.
    var timed = options
    timed.usesTimer = true
    var first: Log? = try Log.create(at: store, disk: disk, options: timed)
    for _ in 0..<3 {
      #expect(error { _ = try Log.open(at: store, disk: disk) }?.code == .busy)
      #expect(error { _ = try Log.open(at: store, disk: PosixDisk()) }?.code == .busy)
      #expect(error { _ = try Log.create(at: store, disk: disk) }?.code == .busy)
    }
    try first?.commit(numbers: 0...0, durability: .relaxed)
    // Forgotten, not closed.
    first = nil
    let second = try Log.open(at: store, disk: disk, options: options)
    try second.commit(numbers: 1...1)
    try second.close()
    try Log.open(at: store, disk: disk, options: options).close()
    #expect(try LogFixture.numbers(disk, at: store) == [0, 1])
  }

  @Test("a copied store goes on under a replica of its own, the original under the old one (L53)")
  func copied() throws {
    let place = TestDirectory("copied")
    let (store, copy) = (place.file("store"), place.file("copy"))
    let disk = PosixDisk()
    let log = try Log.create(at: store, disk: disk, options: options)
    let replica = log.replica
    try log.commit(numbers: 0...4)
    try log.close()
    try FileManager.default.copyItem(atPath: store, toPath: copy)
    for round in 0..<2 {
      let other = try Log.open(at: copy, disk: disk, options: options)
      #expect(other.report.findings.contains { $0.kind == .copied } == (round == 0))
      #expect(other.replica != replica)
      let position = try other.commit(try LogFixture.draft(10 + round))
      #expect(position.sequence == UInt64(round + 1))
      try other.close()
    }
    let again = try Log.open(at: store, disk: disk, options: options)
    #expect(again.report.findings == [] && again.replica == replica)
    try again.commit(numbers: 5...5)
    try again.close()
    #expect(try LogFixture.numbers(disk, at: store) == [0, 1, 2, 3, 4, 5])
    #expect(try Set(LogFixture.numbers(disk, at: copy)) == [0, 1, 2, 3, 4, 10, 11])
  }

  @Test("a store on another host goes on under a fresh replica (L53)")
  func otherHost() throws {
    let disk = SimulatedDisk()
    var here = options
    here.host = 1
    var there = options
    there.host = 2
    let log = try LogFixture.create(disk, options: here)
    try log.commit(numbers: 0...0)
    try log.close()
    let other = try LogFixture.open(disk, options: there)
    #expect(other.replica != log.replica)
    #expect(other.report.findings.map(\.kind) == [.copied])
    try other.close()
    let same = try LogFixture.open(disk, options: here)
    #expect(same.replica == log.replica && same.report.findings == [])
  }

  @Test("a creation that a crash cut short is finished by the next one (L16)")
  func interruptedCreation() throws {
    let whole = SimulatedDisk()
    try LogFixture.create(whole, options: options).close()
    for point in 1...whole.changeCallCount {
      let disk = SimulatedDisk()
      disk.freezeAfter(calls: point)
      #expect(error { _ = try LogFixture.create(disk, options: options) } != nil)
      for choice in disk.crashChoices(limit: 24 * TestScale.factor) {
        let image = disk.crash(keeping: choice)
        let created = error { try LogFixture.create(image, options: options).close() }
        #expect(created == nil || created?.code == .exists, "\(point) \(choice)")
        let log = try LogFixture.open(image, options: options)
        try log.commit(numbers: 0...0)
        try log.close()
        #expect(try LogFixture.numbers(image, at: LogRun.path) == [0])
      }
    }
  }

  @Test("a store is not created over a damaged one (L40)")
  func damagedStore() throws {
    let disk = SimulatedDisk()
    let log = try LogFixture.create(disk, options: options)
    try log.commit(numbers: 0...2)
    try log.close()
    let segment = LogFixture.segment(disk, ".vlog")
    disk.setBytes(of: segment, to: [UInt8](repeating: 0, count: 500))
    disk.setBytes(of: "\(LogRun.path)/super", to: [UInt8](repeating: 0, count: 8_192))
    #expect(error { _ = try LogFixture.create(disk, options: options) }?.code == .exists)
    let second = try LogFixture.open(disk, options: options)
    #expect(second.report.isDamaged)
    try second.commit(numbers: 3...3)
    try second.close()
    #expect(disk.bytes(of: segment)?.count == 500, "damaged files are never deleted (D14)")
  }

  @Test("a store without its superblock is not written to when it is opened (Q52)")
  func withoutSuperblock() throws {
    let disk = SimulatedDisk()
    let log = try LogFixture.create(disk, options: options)
    try log.commit(numbers: 0...2)
    try log.close()
    try disk.remove("\(LogRun.path)/super")
    let before = disk.paths
    let second = try LogFixture.open(disk, options: options)
    #expect(second.report.findings.map(\.kind) == [.superblock])
    #expect(disk.paths == before)
    try second.commit(numbers: 3...3)
    try second.close()
    #expect(try LogContents(disk, at: LogRun.path).report.findings == [])
  }

  @Test("what an interrupted writer left behind goes away with the next first write (U27)")
  func leftovers() throws {
    let disk = SimulatedDisk()
    let log = try LogFixture.create(disk, options: options)
    try log.commit(numbers: 0...0)
    try log.close()
    let directory = StorePaths.parent(LogFixture.segment(disk, ".vlog"))
    let leftover = "\(directory)/open-0000000002.vlog.tmp"
    disk.setBytes(of: leftover, to: [1, 2, 3])
    disk.setBytes(of: "\(directory)/notes.txt", to: [4])
    let second = try LogFixture.open(disk, options: options)
    #expect(disk.bytes(of: leftover) != nil, "opening writes nothing")
    try second.commit(numbers: 1...1)
    #expect(disk.bytes(of: leftover) == nil)
    #expect(disk.bytes(of: "\(directory)/notes.txt") == [4])
    #expect(second.report.findings.map(\.kind) == [.foreignFile])
    try second.close()
  }

  @Test("append, close and open a hundred times: everything is there (U32, L57)")
  func manyTimes() throws {
    let disk = SimulatedDisk()
    try LogFixture.create(disk, options: options).close()
    for number in 0..<100 {
      let log = try LogFixture.open(disk, options: options, seed: UInt64(number + 1_000))
      #expect(log.report.findings == [])
      #expect(try log.commit(try LogFixture.draft(number)).sequence == UInt64(number + 1))
      try log.close()
    }
    #expect(try LogFixture.numbers(disk, at: LogRun.path) == Array(0..<100))
  }

  @Test("a reader beside a writer sees hints that no frame has promised yet (Q28)")
  func hints() throws {
    let disk = SimulatedDisk()
    let log = try LogFixture.create(disk, options: options)
    var builder = TransactionBuilder()
    builder.add(.schema(.version(1, label: "one")))
    _ = try log.commit(try builder.finish())
    try log.commit(numbers: 0...0, padding: 2_000)
    try log.commit(numbers: 1...1)
    // The newest segment starts with a hint.
    let contents = try LogContents(disk, at: LogRun.path, bound: .syncedOffset)
    #expect(contents.report.findings.map(\.kind) == [.unclean])
    #expect(contents.problems == [] && contents.numbers == [0])
    try log.close()
  }

  @Test("a segment of a newer version is refused, and the lock is free afterwards (U40)")
  func newer() throws {
    let disk = SimulatedDisk()
    let log = try LogFixture.create(disk, options: options)
    try log.commit(numbers: 0...0)
    let header = FileHeader(
      store: log.store, replica: log.replica, ordinal: 2, firstSequence: 2, salt: 3,
      previousChain: log.end.chain, created: Stamp.zero, previousBytes: log.end.acceptedBytes)
    let image = disk.crash(keeping: .everything)
    let directory = StorePaths.parent(LogFixture.segment(image, "open-"))
    for (type, isRefused) in [(UInt8(0x90), false), (0x50, true)] {
      var encoder = SegmentEncoder(header)
      encoder.hint(FrameType(rawValue: type), Bytes.empty)
      image.setBytes(
        of: "\(directory)/open-0000000002.vlog", to: header.encoded.array + encoder.output.bytes)
      let found = error { try LogFixture.open(image, options: options).close() }
      #expect(found?.code == (isRefused ? .tooNew : nil))
      try image.lock("\(LogRun.path)/lock").release()
    }
  }
}
