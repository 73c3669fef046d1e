// A new birth takes away what lies beside the columns, of this object alone.

import Testing
import Varve
import VarveTestSupport

@Suite("Store: births")
struct StoreBirthTests {
  private static let schema = Schema(
    version: 1,
    entities: [
      Entity(
        "Page", tag: 1,
        attributes: [
          .counter("visits", tag: 1), .set("tags", tag: 2, of: .string),
          .map("counts", tag: 3, of: .int64), .integer("size", tag: 4, default: 0),
        ])
    ])

  private static func expect(_ snapshot: Snapshot, _ pages: [ObjectID], reborn: Int) {
    for (place, page) in pages.enumerated() {
      let object = snapshot.object(page)
      let isReborn = place == reborn
      #expect(object?["visits"] == .integer(isReborn ? 0 : Int64(place)))
      #expect(object?.members("tags") == (isReborn ? [] : ["t"]))
      #expect(object?.entries("counts").map(\.value) == (isReborn ? [] : [7]))
      #expect(object?["size"] == .integer(isReborn ? 3 : 0))
    }
  }

  @Test(
    "a deleted object that is created again starts without counters, sets and maps (Q17)",
    arguments: [false, true])
  func birth(fromBaseline: Bool) throws {
    let disk = SimulatedDisk()
    var store = try StoreFixture.create(disk, schema: StoreBirthTests.schema)
    let pages = try store.write { context in
      try (0..<300).map { number in
        let page = try context.insert("Page")
        try context.increment(page, "visits", by: Int64(number))
        try context.insert(page, "tags", "t")
        try context.put(page, "counts", key: "k", 7)
        return page
      }
    }
    if fromBaseline {
      try store.compact()
      try store.close()
      store = try StoreFixture.open(disk, schema: StoreBirthTests.schema)
    }
    try store.write { try $0.delete(pages[200]) }
    try store.write { try $0.recreate(pages[200], ["size": 3]) }
    StoreBirthTests.expect(store.snapshot(), pages, reborn: 200)
    #expect(try store.rebuild())
    StoreBirthTests.expect(store.snapshot(), pages, reborn: 200)
  }
}
