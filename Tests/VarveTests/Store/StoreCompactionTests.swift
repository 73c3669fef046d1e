// Compaction, and opening over a baseline.

import Testing
import Varve
import VarveFormat
import VarveTestSupport

@Suite("Store: compaction")
struct StoreCompactionTests {
  /// A store with some objects, and the digest of its state.
  private static func filled(_ disk: SimulatedDisk) throws -> (Store, [ObjectID]) {
    let store = try StoreFixture.create(disk)
    let items = try store.write { context in
      let home = try context.insert("Project", ["name": "Home"])
      return try (0..<300).map { number in
        let item = try context.insert("Item", ["title": .string("item \(number)")])
        if number % 3 == 0 { try context.link(item, "project", to: home) }
        return item
      }
    }
    return (store, items)
  }

  @Test("a compacted store opens over its baseline with the same state")
  func opening() throws {
    let disk = SimulatedDisk()
    let (store, items) = try StoreCompactionTests.filled(disk)
    try store.compact()
    try store.write { context in
      try context.set(items[5], "priority", 9)
      try context.delete(items[6])
    }
    let digest = store.digest()
    try store.close()
    let again = try StoreFixture.open(disk)
    #expect(again.report.baseline != nil)
    #expect(again.report.replayedTransactions == 1)
    #expect(again.snapshot().object(items[5])?["priority"] == 9)
    #expect(again.snapshot().object(items[6]) == nil)
    #expect(again.snapshot().object(items[9])?.link("project")?["name"] == "Home")
    #expect(again.digest() == digest)
    #expect(try again.rebuild())
  }

  @Test("compacting what did not change meets the file that is there (R32)")
  func unchanged() throws {
    let disk = SimulatedDisk()
    let (store, _) = try StoreCompactionTests.filled(disk)
    try store.compact()
    let first = disk.paths.filter { $0.hasSuffix(".vbase") }
    let bytes = try disk.bytes(of: #require(first.first))
    try store.compact()
    #expect(disk.paths.filter { $0.hasSuffix(".vbase") } == first)
    #expect(disk.bytes(of: first[0]) == bytes)
    try store.write { try $0.insert("Item") }
    try store.compact()
    #expect(disk.paths.filter { $0.hasSuffix(".vbase") }.count == 2)
    try store.write { try $0.insert("Item") }
    try store.compact()
    #expect(disk.paths.filter { $0.hasSuffix(".vbase") }.count == 2)
  }

  @Test("writes after opening over a baseline are there after the next opening")
  func writing() throws {
    let disk = SimulatedDisk()
    let (store, items) = try StoreCompactionTests.filled(disk)
    try store.compact()
    try store.close()
    for round in 1...3 {
      let again = try StoreFixture.open(disk)
      try again.write { context in
        try context.set(items[round], "title", "changed")
        try context.insert("Item", ["title": "new"])
      }
      #expect(again.snapshot().count("Item") == 300 + round)
      if round == 2 { try again.compact() }
      let digest = again.digest()
      #expect(try again.rebuild())
      #expect(again.digest() == digest)
      try again.close()
    }
  }

  @Test("a damaged baseline is reported and the logs alone give the state (D4, L38)")
  func damaged() throws {
    let disk = SimulatedDisk()
    let (store, items) = try StoreCompactionTests.filled(disk)
    try store.compact()
    let digest = store.digest()
    try store.close()
    let path = try #require(disk.paths.first { $0.hasSuffix(".vbase") })
    var bytes = try #require(disk.bytes(of: path))
    bytes.removeLast(100)
    disk.setBytes(of: path, to: bytes)
    let again = try StoreFixture.open(disk)
    #expect(again.report.baseline == nil)
    #expect(again.report.rejectedBaselines.map(\.path) == [path])
    #expect(again.digest() == digest)
    #expect(again.snapshot().object(items[0])?["title"] == "item 0")
  }

  @Test("whatever block of a baseline is damaged, compacting writes no part of it (Q27, X17)")
  func damagedBlocks() throws {
    let disk = SimulatedDisk()
    let (store, items) = try StoreCompactionTests.filled(disk)
    try store.compact()
    try store.write { try $0.set(items[1], "title", "changed") }
    let digest = store.digest()
    try store.close()
    let path = try #require(disk.paths.first { $0.hasSuffix(".vbase") })
    let sound = try #require(disk.bytes(of: path))
    let reader = try BaselineReader(MemorySource(Bytes(sound)))
    var places: [Int] = []
    reader.directory.forEachBlock { _, block in places.append(Int(block.offset) + 41) }
    #expect(places.count > 8)
    for place in places {
      let copy = disk.clone()
      var bytes = sound
      bytes[place] ^= 0x10
      copy.setBytes(of: path, to: bytes)
      let reading = try Store.openReadOnly(at: StoreFixture.path, disk: copy)
      #expect(reading.digest() == digest, "block at \(place), read only")
      #expect(reading.snapshot().object(items[2])?["title"] == "item 2")
      let again = try StoreFixture.open(copy)
      try again.compact()
      #expect(again.digest() == digest, "block at \(place)")
      try again.close()
      let last = try StoreFixture.open(copy)
      #expect(last.report.baseline != nil)
      #expect(last.digest() == digest, "block at \(place), opened again")
      #expect(try last.rebuild())
    }
  }

  @Test("a column of a baseline that cannot be read is met, and the logs take over (Q27)")
  func damagedColumn() throws {
    let disk = SimulatedDisk()
    let (store, items) = try StoreCompactionTests.filled(disk)
    try store.compact()
    let digest = store.digest()
    try store.close()
    let path = try #require(disk.paths.first { $0.hasSuffix(".vbase") })
    var bytes = try #require(disk.bytes(of: path))
    for place in 170..<300 { bytes[place] ^= 0x55 }
    disk.setBytes(of: path, to: bytes)
    let again = try StoreFixture.open(disk)
    #expect(again.report.baseline != nil)
    _ = try again.snapshot().objects("Item").map { $0["title"] }
    try again.write { try $0.set(items[1], "title", "changed") }
    #expect(again.snapshot().object(items[0])?["title"] == "item 0")
    try again.write { try $0.set(items[1], "title", "item 1") }
    #expect(again.digest().total.content == digest.total.content)
  }
}
