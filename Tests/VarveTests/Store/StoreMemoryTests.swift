// Memory of a store that is written to for a long time.

import Testing
import Varve
import VarveFormat
import VarveTestSupport

@Suite("Store: memory")
struct StoreMemoryTests {
  @Test("memory stays flat over many small updates, with snapshots taken and compactions (P81)")
  func flat() throws {
    let rounds = 4_000 * TestScale.factor
    print("\(rounds * 50) updates, \(TestScale.note)")
    let store = try StoreFixture.create(
      SimulatedDisk(), options: LogFixture.options(segmentBytes: 64 << 10))
    let ids = try store.write { context in
      try (0..<1_000).map { try context.insert("Item", ["title": .string("item \($0)")]) }
    }
    var random = FormatRandom(seed: TestScale.seed)
    var sizes: [Int] = []
    var kept = store.snapshot()
    for round in 0..<rounds {
      try store.write { context in
        for _ in 0..<25 {
          let id = random.pick(ids)
          try context.set(id, "title", .string("title \(random.below(1_000_000))"))
          try context.set(id, "priority", .integer(Int64(random.below(1 << 40))))
        }
      }
      if round % 10 == 0 { kept = store.snapshot() }
      if round % 100 == 99 { try store.compact() }
      if round % (rounds / 8) == rounds / 8 - 1 { sizes.append(store.memoryBytes) }
    }
    #expect(kept.count("Item") == 1_000)
    // Heaps of strings fill up and are compacted: what counts is that it has an end.
    let early = try #require(sizes.prefix(3).max())
    print("bytes: \(sizes)")
    #expect(try #require(sizes.max()) <= early * 3 / 2, "\(sizes)")
  }
}
