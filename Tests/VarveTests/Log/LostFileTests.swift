// Files of a log that are gone or there twice when the store is opened.

import Testing
import Varve
import VarveFormat
import VarveTestSupport

@Suite("Lost and doubled files")
struct LostFileTests {
  private let options = LogFixture.options(segmentBytes: 1_024, firstBytes: 1_024)

  /// A closed store of several sealed segments, and their paths in order.
  private func store() throws -> (disk: SimulatedDisk, segments: [String]) {
    let disk = SimulatedDisk()
    let log = try LogFixture.create(disk, options: options)
    for number in 0..<12 { _ = try log.commit(try LogFixture.draft(number, padding: 300)) }
    try log.close()
    let segments = disk.paths.filter { $0.hasSuffix(".vlog") }.sorted()
    #expect(segments.count > 3)
    return (disk, segments)
  }

  @Test("what is written after a middle segment was lost can be read (Q51)")
  func middle() throws {
    let (disk, segments) = try store()
    try disk.remove(segments[1])
    let log = try LogFixture.open(disk, options: options)
    #expect(!log.report.continuesReplica)
    let own = disk.paths.first { $0.hasSuffix(".vlog") }
    _ = try log.commit(try LogFixture.columnsDraft(rows: 10))
    #expect(own?.contains(log.replica.description) == false)
    try log.close()
    let catalog = try LogCatalog(disk, StorePaths(LogRun.path), superblock: nil)
    let result = try Replay.run(disk, catalog)
    #expect(result.rows == 10)
    #expect(result.problems.count == 1)
    #expect(catalog.report.findings.map(\.kind) == [.gap])
  }

  @Test("a log folder that is gone, or a file in its place, is no empty store")
  func folder() throws {
    let (disk, segments) = try store()
    for path in segments { try disk.remove(path) }
    let log = try LogFixture.open(disk, options: options)
    #expect(log.report.findings.contains { $0.kind == .gap && $0.sequence == 12 })
    #expect(!log.report.continuesReplica)
    try log.close()
  }

  @Test("two files of one ordinal: the sealed name counts, the other is reported and left alone")
  func doubled() throws {
    let (disk, segments) = try store()
    let all = try LogFixture.numbers(disk, at: LogRun.path)
    let bytes = try #require(disk.bytes(of: segments[0]))
    let parent = segments[0].split(separator: "/").dropLast().joined(separator: "/")
    let double = "\(parent)/\(SegmentName.open(ordinal: 1))"
    disk.setBytes(of: double, to: bytes)
    let opening = try LogOpening(disk, StorePaths(LogRun.path), syncsTails: false)
    #expect(opening.report.findings.map(\.kind) == [.foreignFile])
    #expect(opening.report.findings.first?.path == double)
    #expect(try LogFixture.numbers(disk, at: LogRun.path) == all)
    #expect(disk.bytes(of: double) == bytes)
  }

  @Test("zeros behind the trailer are corruption under a sealed name, and clean under an open one")
  func zeros() throws {
    let (disk, segments) = try store()
    let path = try #require(segments.last)
    let bytes = try #require(disk.bytes(of: path))
    disk.setBytes(of: path, to: bytes + [UInt8](repeating: 0, count: 8))
    var opening = try LogOpening(disk, StorePaths(LogRun.path), syncsTails: false)
    #expect(opening.report.findings.map(\.kind) == [.corrupt])
    let ordinal = opening.heads[0].ordinal
    let parent = path.split(separator: "/").dropLast().joined(separator: "/")
    try disk.rename(path, to: "\(parent)/\(SegmentName.open(ordinal: ordinal))")
    opening = try LogOpening(disk, StorePaths(LogRun.path), syncsTails: false)
    #expect(opening.report.findings == [])
  }
}
