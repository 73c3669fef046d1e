// History that is not kept (Q25): what is retired, when, and what that leaves.

import Testing
import Varve
import VarveFormat
import VarveTestSupport

@Suite("Store: retention")
struct RetentionTests {
  /// Rounds of writes with a compaction after each; small segments.
  private static func filled(
    _ disk: SimulatedDisk, _ retention: HistoryRetention, rounds: Int
  ) throws -> (Store, [ObjectID]) {
    var options = StoreOptions()
    options.retention = retention
    options.compactsAutomatically = false
    let store = try Store.create(
      at: StoreFixture.path, schema: StoreFixture.schema, options: options, disk: disk,
      clock: ManualClock(), entropy: SeededEntropy(seed: 7),
      logOptions: LogFixture.options(segmentBytes: 2 << 10))
    var items: [ObjectID] = []
    for round in 0..<rounds {
      for number in 0..<40 {
        items.append(
          try store.write { context in
            try context.insert("Item", ["title": .string("item \(round).\(number)")])
          })
      }
      try store.compact()
    }
    return (store, items)
  }

  private static func segments(_ disk: SimulatedDisk) -> [String] {
    disk.paths.filter { $0.hasSuffix(".vlog") }.sorted()
  }

  @Test("by default compacting keeps every segment")
  func everything() throws {
    let disk = SimulatedDisk()
    let (store, _) = try RetentionTests.filled(disk, .everything, rounds: 4)
    try store.close()
    let first = try #require(RetentionTests.segments(disk).first)
    #expect(first.contains("/0000000001-"))
  }

  @Test("segments go only when two baselines cover them, from the beginning, without a hole")
  func newest() throws {
    let disk = SimulatedDisk()
    let (store, items) = try RetentionTests.filled(disk, .newest(bytes: 0), rounds: 1)
    let all = RetentionTests.segments(disk)
    try store.write { try $0.set(items[0], "priority", 5) }
    let report = try store.compact()
    #expect(report.retiredSegments > 0)
    #expect(report.retiredSegments < all.count)
    let left = RetentionTests.segments(disk)
    #expect(left.first == all[report.retiredSegments])
    let digest = store.digest()
    #expect(try store.rebuild())
    #expect(store.digest() == digest)
    try store.close()
    let again = try StoreFixture.open(disk)
    #expect(!again.report.isDamaged, "\(again.report)")
    #expect(again.digest() == digest)
    #expect(again.replica == store.replica)
    #expect(again.snapshot().object(items[0])?["priority"] == 5)
  }

  @Test("a size keeps at least so many bytes, an age at least so much time")
  func amounts() throws {
    let disk = SimulatedDisk()
    let (store, _) = try RetentionTests.filled(disk, .newest(bytes: 12 << 10), rounds: 6)
    let bytes = RetentionTests.segments(disk).reduce(0) { $0 + (disk.bytes(of: $1)?.count ?? 0) }
    #expect(bytes >= 12 << 10)
    #expect(store.digest().total.content != .zero)
    let aged = SimulatedDisk()
    _ = try RetentionTests.filled(aged, .recent(.seconds(1 << 30)), rounds: 4)
    #expect(RetentionTests.segments(aged).first?.contains("/0000000001-") == true)
    let young = SimulatedDisk()
    _ = try RetentionTests.filled(young, .recent(.zero), rounds: 4)
    #expect(RetentionTests.segments(young).first?.contains("/0000000001-") == false)
  }

  @Test("following from before the floor says that the history was retired")
  func feed() async throws {
    let disk = SimulatedDisk()
    let (store, _) = try RetentionTests.filled(disk, .newest(bytes: 0), rounds: 3)
    var early = store.transactions(after: VersionVector()).makeAsyncIterator()
    do {
      _ = try await early.next()
      Issue.record("the history before the floor was handed out")
    } catch { #expect((error as StoreError).code == .historyRetired) }
    var behind = store.transactions(after: store.version).makeAsyncIterator()
    try store.write { try $0.insert("Item") }
    #expect(try await behind.next() != nil)
  }

  @Test("a reader that follows while segments are retired gets all in order, or is told (Q25)")
  func followed() async throws {
    var options = StoreOptions()
    options.retention = .newest(bytes: 0)
    options.compactsAutomatically = false
    let store = try Store.create(
      at: StoreFixture.path, schema: StoreFixture.schema, options: options, disk: SimulatedDisk(),
      clock: ManualClock(), entropy: SeededEntropy(seed: 5),
      logOptions: LogFixture.options(segmentBytes: 2 << 10))
    let follower = Task { () -> [UInt64] in
      var seen: [UInt64] = []
      do {
        for try await transaction in store.transactions() {
          seen.append(transaction.sequence)
          if seen.count == 60 { break }
        }
      } catch { #expect((error as? StoreError)?.code == .historyRetired, "\(error)") }
      return seen
    }
    for round in 0..<60 {
      try store.write { context in
        try context.insert("Item", ["title": .string("item \(round)")])
      }
      if round % 5 == 4 { try store.compact() }
    }
    let seen = await follower.value
    #expect(seen == (0..<seen.count).map { UInt64($0 + 1) })
    try store.close()
  }

  @Test("with one baseline damaged the other one and the log still give everything (X17)")
  func damagedBaseline() throws {
    let disk = SimulatedDisk()
    let (store, items) = try RetentionTests.filled(disk, .newest(bytes: 0), rounds: 3)
    try store.write { try $0.set(items[3], "priority", 3) }
    let digest = store.digest()
    try store.close()
    let baselines = disk.paths.filter { $0.hasSuffix(".vbase") }
    #expect(baselines.count == 2)
    for path in baselines {
      let sound = try #require(disk.bytes(of: path))
      disk.setBytes(of: path, to: Array(sound.dropLast(9)))
      let again = try StoreFixture.open(disk)
      #expect(again.report.rejectedBaselines.map(\.path).allSatisfy { $0 == path })
      #expect(!again.report.isDamaged)
      #expect(again.digest() == digest, "\(path)")
      try again.close()
      disk.setBytes(of: path, to: sound)
    }
  }

  @Test("without any baseline the loss is reported, and nothing is written over it")
  func lost() throws {
    let disk = SimulatedDisk()
    let (store, _) = try RetentionTests.filled(disk, .newest(bytes: 0), rounds: 3)
    let replica = store.replica
    try store.close()
    for path in disk.paths where path.hasSuffix(".vbase") { try disk.remove(path) }
    let again = try StoreFixture.open(disk)
    #expect(again.report.isDamaged)
    #expect(again.report.problems.contains { $0.message.contains("neither in the log") })
    try again.write { try $0.insert("Item") }
    #expect(again.replica != replica)
    try again.close()
  }

  @Test("with damaged blocks in both baselines nothing is shown or written in their place (Q27)")
  func damagedBlocks() throws {
    let disk = SimulatedDisk()
    let (store, items) = try RetentionTests.filled(disk, .newest(bytes: 0), rounds: 3)
    try store.close()
    let baselines = disk.paths.filter { $0.hasSuffix(".vbase") }
    for path in baselines {
      let bytes = try #require(disk.bytes(of: path))
      let reader = try BaselineReader(MemorySource(Bytes(bytes)))
      var damaged = bytes
      reader.directory.forEachBlock { _, block in damaged[Int(block.offset) + 41] ^= 1 }
      disk.setBytes(of: path, to: damaged)
    }
    let again = try StoreFixture.open(disk)
    for _ in 0..<3 { _ = again.snapshot().object(items[0])?["title"] }
    #expect(throws: StoreError.self) { try again.write { try $0.insert("Item") } }
    #expect(throws: StoreError.self) { try again.compact() }
    #expect(disk.paths.filter { $0.hasSuffix(".vbase") } == baselines)
  }

  @Test("a damaged previous baseline retires nothing")
  func damagedPrevious() throws {
    let disk = SimulatedDisk()
    let (store, _) = try RetentionTests.filled(disk, .everything, rounds: 2)
    try store.close()
    let baselines = disk.paths.filter { $0.hasSuffix(".vbase") }
    for path in baselines {
      var bytes = try #require(disk.bytes(of: path))
      bytes[bytes.count / 2] ^= 4
      disk.setBytes(of: path, to: bytes)
    }
    var options = StoreOptions()
    options.retention = .newest(bytes: 0)
    let again = try Store.open(
      at: StoreFixture.path, schema: StoreFixture.schema, options: options, disk: disk,
      clock: ManualClock(), entropy: SeededEntropy(seed: 9), logOptions: LogFixture.options())
    try again.write { try $0.insert("Item") }
    #expect(try again.compact().retiredSegments == 0)
    #expect(RetentionTests.segments(disk).first?.contains("/0000000001-") == true)
  }
}
