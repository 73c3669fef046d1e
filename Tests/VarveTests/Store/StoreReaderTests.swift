// Readers of columns and links beside what objects say of themselves.

import Testing
import Varve
import VarveFormat
import VarveTestSupport

@Suite("Store: readers")
struct StoreReaderTests {
  /// Objects of two runs of a million serials' worth of changes: updates, nils, deletions.
  private static func filled(_ disk: SimulatedDisk, seed: UInt64) throws -> (Store, [ObjectID]) {
    var random = FormatRandom(seed: seed)
    let store = try StoreFixture.create(disk)
    let items = try store.write { context in
      let projects = try (0..<5).map { try context.insert("Project", ["name": .string("\($0)")]) }
      return try (0..<5_000).map { number in
        let item = try context.insert(
          "Item", ["title": .string("t\(number)"), "priority": .integer(Int64(number % 90))])
        if number % 3 > 0 { try context.link(item, "project", to: projects[number % 5]) }
        return item
      }
    }
    for _ in 0..<3 {
      try store.write { context in
        for _ in 0..<200 {
          let item = items[random.below(items.count)]
          guard context.exists(item) else { continue }
          switch random.below(4) {
          case 0: try context.delete(item)
          case 1: try context.set(item, "title", .string("new \(random.below(1_000))"))
          case 2: try context.link(item, "project", to: nil)
          default:
            try context.set(item, "priority", .integer(Int64(random.below(1 << 30)) - (1 << 29)))
          }
        }
      }
    }
    return (store, items)
  }

  private static let item: UInt32 = 2
  private static let priority = ColumnKey(tag: 2, type: .integer)
  private static let title = ColumnKey(tag: 1, type: .string)
  private static let project = ColumnKey(tag: 5, type: .reference)

  private static func check(_ snapshot: Snapshot) throws {
    let numbers = try #require(ColumnReader(snapshot.graph, entity: item, priority))
    let texts = try #require(ColumnReader(snapshot.graph, entity: item, title))
    let scan = try #require(
      TableScan(snapshot.graph, entity: item, [priority, title, project]))
    var scanned: [UInt64: Int64] = [:]
    var links = 0
    var lengths = 0
    scan.forEach { rows in
      rows.forEachWord(0) { row, word in
        scanned[rows.firstSerial + UInt64(row)] = Int64(bitPattern: word)
      }
      rows.forEachWord(2) { row, word in
        links += 1
        #expect(rows.word(2, row) == word)
      }
      rows.forEachBytes(1) { _, bytes in lengths += bytes.count }
    }
    let objects = try snapshot.objects("Item")
    #expect(scanned.count == objects.count)
    #expect(links == objects.filter { $0.link("project") != nil }.count)
    var length = 0
    let rule = try #require(
      snapshot.graph.schema.entity(named: "Item")?.relationship(named: "project"))
    let projects = LinkColumnReader(snapshot.graph, rule)
    for object in objects {
      #expect(projects.target(of: object.handle) == object.link("project")?.handle)
      #expect(numbers.visibleWord(object.handle) == numbers.word(object.handle))
      let word = numbers.word(object.handle).map { Int64(bitPattern: $0) }
      #expect(object["priority"] == word.map { .integer($0) })
      #expect(scanned[object.handle.serial] == word)
      #expect(object["title"] == texts.string(object.handle).map { .string($0) })
      if case .string(let text)? = object["title"] { length += text.utf8.count }
      #expect(snapshot.object(object.id) == object)
    }
    #expect(lengths == length)
  }

  @Test("readers and scans say what objects say, before and after compaction", arguments: 1...3)
  func agreement(seed: Int) throws {
    let disk = SimulatedDisk()
    let (store, items) = try StoreReaderTests.filled(disk, seed: UInt64(seed))
    try StoreReaderTests.check(store.snapshot())
    try store.compact()
    try store.close()
    let again = try StoreFixture.open(disk)
    try StoreReaderTests.check(again.snapshot())
    let held = again.snapshot()
    let reader = try #require(
      ColumnReader(held.graph, entity: StoreReaderTests.item, StoreReaderTests.priority))
    let object = try #require(try held.objects("Item").first)
    let before = reader.word(object.handle)
    try again.write { context in
      for item in items where context.exists(item) { try context.set(item, "priority", -7) }
    }
    // What a reader shows never changes.
    #expect(reader.word(object.handle) == before)
    try StoreReaderTests.check(held)
    try StoreReaderTests.check(again.snapshot())
  }
}
