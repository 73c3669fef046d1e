// Bits of newer versions in a superblock, and numbers at the end of what names hold.

import Testing
import Varve
import VarveFormat
import VarveTestSupport

@Suite("The limits of a writer")
struct NewerFeatureTests {
  private let superblock = "\(LogRun.path)/super"

  @Test("a superblock keeps the bits that it does not know, and nobody writes to such a store")
  func compatibleFeatures() throws {
    let disk = SimulatedDisk()
    let log = try LogFixture.create(disk)
    _ = try log.commit(try LogFixture.draft(1))
    try log.close()
    var bytes = try #require(disk.bytes(of: superblock))
    for slot in 0..<2 {
      var piece = Array(bytes[slot * 4_096..<slot * 4_096 + 4_096])
      guard piece.contains(where: { $0 != 0 }) else { continue }
      piece[17] = 0x20
      piece = Reseal.superblock(piece, slot: slot)
      bytes.replaceSubrange(slot * 4_096..<slot * 4_096 + 4_096, with: piece)
      let read = try Superblock(Bytes(piece), slot: slot)
      #expect(read.compatibleFeatures == 0x2000)
      #expect(read.encoded.array == piece)
    }
    disk.setBytes(of: superblock, to: bytes)
    #expect(try LogFixture.numbers(disk, at: LogRun.path) == [1])
    let refused = #expect(throws: LogError.self) { _ = try LogFixture.open(disk) }
    #expect(refused?.code == .tooNew)
    #expect(refused?.message.contains("feature bit 13") == true)
    #expect(disk.bytes(of: superblock) == bytes)
    // The lock was released.
    let lock = try disk.lock("\(LogRun.path)/lock")
    lock.release()
  }

  /// A store whose one open segment has this header and a transaction.
  private func store(ordinal: UInt64, firstSequence: UInt64) throws -> SimulatedDisk {
    let disk = SimulatedDisk()
    let log = try LogFixture.create(disk)
    let (store, replica) = (log.store, log.replica)
    try log.close()
    let header = FileHeader(
      store: store, replica: replica, ordinal: ordinal, firstSequence: firstSequence, salt: 3,
      previousChain: Hash128(low: 1, high: 2), created: Stamp(milliseconds: 1), previousBytes: 500)
    var encoder = SegmentEncoder(header)
    encoder.append(try LogFixture.draft(1), stamp: Stamp(milliseconds: 2), isFullVector: true)
    encoder.endGroup()
    let directory = "\(LogRun.path)/log/\(replica)"
    try disk.makeDirectory("\(LogRun.path)/log")
    try disk.makeDirectory(directory)
    let path = "\(directory)/\(SegmentName.open(ordinal: ordinal))"
    disk.setBytes(of: path, to: header.encoded.array + encoder.output.bytes)
    var current = Superblock(store: store, replica: replica)
    current.counter = 8
    current.openOrdinal = ordinal
    current.inode = try #require(try disk.status(superblock)).inode
    var bytes = try #require(disk.bytes(of: superblock))
    bytes.replaceSubrange(0..<4_096, with: current.encoded.array)
    disk.setBytes(of: superblock, to: bytes)
    return disk
  }

  private func code(_ body: () throws -> Void) -> LogError.Code? {
    do { try body() } catch { return (error as? LogError)?.code }
    return nil
  }

  @Test("a log whose numbers are used up refuses to write instead of cutting them")
  func numbers() throws {
    let last = SegmentName.numberMax
    for (ordinal, first) in [(last, 1 as UInt64), (5, last)] {
      let log = try LogFixture.open(try store(ordinal: ordinal, firstSequence: first))
      #expect(code { _ = try log.commit(try LogFixture.draft(2)) } == .tooLarge)
      #expect(code { try log.close() } == nil)
    }
    let disk = try store(ordinal: 5, firstSequence: last - 2)
    let log = try LogFixture.open(disk)
    #expect(code { _ = try log.commit(try LogFixture.draft(2)) } == nil)
    #expect(code { _ = try log.commit(try LogFixture.draft(3)) } == nil)
    #expect(code { _ = try log.commit(try LogFixture.draft(4)) } == .tooLarge)
    #expect(code { try log.close() } == nil)
    #expect(try LogFixture.numbers(disk, at: LogRun.path) == [1, 2, 3])
  }
}
