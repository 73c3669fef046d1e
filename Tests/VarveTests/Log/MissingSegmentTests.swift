// Segments that are missing, cut or replaced.

import Testing
import Varve
import VarveFormat
import VarveTestSupport

@Suite("Missing segments")
struct MissingSegmentTests {
  private let options = LogFixture.options(segmentBytes: 600, firstBytes: 0)

  /// Four sealed segments with nine transactions.
  private func store() throws -> (disk: SimulatedDisk, segments: [String]) {
    let disk = SimulatedDisk()
    let log = try LogFixture.create(disk, options: options)
    try log.commit(numbers: 0...8, padding: 200)
    try log.close()
    let segments = disk.paths.filter { $0.hasSuffix(".vlog") }
    #expect(segments.count >= 4)
    return (disk, segments)
  }

  @Test("retained segments verify from where they start when older ones are gone (L4)")
  func retained() throws {
    let (disk, segments) = try store()
    try disk.remove(segments[0])
    let contents = try LogContents(disk, at: LogRun.path)
    #expect(contents.problems == [], "the chain starts at the header of the first segment there")
    #expect(contents.verdicts.allSatisfy { $0 == .sealed })
    #expect(contents.findingKinds == ["gap"], "no baseline stands for what is gone")
    let log = try LogFixture.open(disk, options: options)
    #expect(log.report.continuesReplica)
    try log.commit(numbers: 20...20)
    try log.close()
  }

  @Test("a middle segment that was removed by hand is reported, the rest can be read (L28, U44)")
  func middle() throws {
    let (disk, segments) = try store()
    let all = try LogFixture.numbers(disk, at: LogRun.path)
    let bytes = try #require(disk.bytes(of: segments[1]))
    try disk.remove(segments[1])
    let contents = try LogContents(disk, at: LogRun.path)
    #expect(contents.report.findings.map(\.kind) == [.gap])
    #expect(contents.numbers.count < all.count && Set(contents.numbers).isSubset(of: all))
    let log = try LogFixture.open(disk, options: options)
    #expect(log.report.isDamaged)
    try log.commit(numbers: 20...20)
    try log.close()
    #expect(
      Set(try LogFixture.numbers(disk, at: LogRun.path)) == Set(contents.numbers + [20]))
    // It heals by itself when the file is back.
    disk.setBytes(of: segments[1], to: bytes)
    let healed = try LogContents(disk, at: LogRun.path)
    #expect(healed.report.findings == [])
    #expect(healed.numbers.sorted() == all + [20])
  }

  @Test("the newest segment that the superblock names is missed, and no sequence is given again")
  func newest() throws {
    let (disk, segments) = try store()
    let before = try LogContents(disk, at: LogRun.path)
    let replica = try #require(before.entries.keys.first)
    let last = try #require(segments.last)
    try disk.remove(last)
    let log = try LogFixture.open(disk, options: options)
    #expect(log.report.findings.map(\.kind) == [.gap])
    let position = try log.commit(try LogFixture.draft(50))
    #expect(position.replica != replica, "a fresh replica writes (Q51)")
    try log.close()
    let after = try LogContents(disk, at: LogRun.path)
    let kept = try #require(before.entries[replica]).dropLast(3).compactMap(\.number)
    #expect(Set(after.numbers).isSuperset(of: kept))
    #expect(after.numbers.contains(50))
  }

  @Test("a middle segment cut exactly at the end of a frame is corrupt (L8)")
  func cut() throws {
    let (disk, segments) = try store()
    let bytes = try #require(disk.bytes(of: segments[1]))
    let copy = bytes.withUnsafeBytes { Bytes(copying: $0) }
    var scanner = try SegmentScanner(MemorySource(copy))
    guard case .frame(let frame) = try scanner.next() else {
      Issue.record("no frame")
      return
    }
    disk.setBytes(of: segments[1], to: Array(bytes.prefix(Int(frame.end))))
    let contents = try LogContents(disk, at: LogRun.path)
    #expect(contents.report.findings.contains { $0.kind == .corrupt && $0.path == segments[1] })
    #expect(contents.problems.count >= 1)
  }

  @Test("an older segment that is longer or shorter than recorded is named, with its range (L9)")
  func lengths() throws {
    for change in [-100, 100] {
      let (disk, segments) = try store()
      let bytes = try #require(disk.bytes(of: segments[1]))
      let changed =
        change < 0
        ? Array(bytes.dropLast(-change)) : bytes + [UInt8](repeating: 7, count: change)
      disk.setBytes(of: segments[1], to: changed)
      let contents = try LogContents(disk, at: LogRun.path)
      let finding = try #require(contents.report.findings.first { $0.kind == .corrupt })
      #expect(finding.path == segments[1])
      #expect(finding.offset != nil && finding.sequence != nil)
    }
  }

  @Test("what lies behind a bad segment survives (L29, U39)")
  func behind() throws {
    let (disk, segments) = try store()
    let all = try LogFixture.numbers(disk, at: LogRun.path)
    var bytes = try #require(disk.bytes(of: segments[1]))
    bytes[180] ^= 0xFF
    disk.setBytes(of: segments[1], to: bytes)
    let contents = try LogContents(disk, at: LogRun.path)
    #expect(contents.verdicts.filter { $0 == .corrupt }.count == 1)
    #expect(contents.verdicts.filter { $0 == .sealed }.count == segments.count - 1)
    #expect(contents.numbers.last == all.last)
    // It is found by reading; the log is open for writing all the same.
    let log = try LogFixture.open(disk, options: options)
    try log.commit(numbers: 50...50)
    try log.close()
  }

  @Test("an older copy of the newest segment lies below the durable mark (L9, L54)")
  func olderCopy() throws {
    let disk = SimulatedDisk()
    let options = LogFixture.options(firstBytes: 0)
    var log = try LogFixture.create(disk, options: options)
    try log.commit(numbers: 0...3)
    let early = try #require(disk.bytes(of: LogFixture.segment(disk, "open-")))
    try log.commit(numbers: 4...6)
    try log.close()
    let path = LogFixture.segment(disk, ".vlog")
    disk.setBytes(of: path, to: early)
    log = try LogFixture.open(disk, options: options)
    #expect(log.report.findings.contains { $0.kind == .corrupt })
    #expect(!log.report.continuesReplica)
    try log.close()
  }
}
