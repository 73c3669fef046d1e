// Writes of single numbers, which are applied group by group: the same as one by one.

import Testing
import Varve
import VarveFormat
import VarveTestSupport

@Suite("Store: numbers")
struct StoreNumberTests {
  struct GivenUp: Error {}

  /// What items must read as.
  private struct Model {
    var items: [ObjectID] = []
    var priorities: [Int64?] = []
    var titles: [String] = []
  }

  private static func change(
    _ context: WriteContext, _ model: inout Model, _ random: inout FormatRandom, count: Int
  ) throws {
    for _ in 0..<count {
      let place = random.below(model.items.count)
      switch random.below(40) {
      case 0:
        try context.set(model.items[place], "title", .string("t\(place)"))
        model.titles[place] = "t\(place)"
      case 1:
        // What was written is seen at once.
        let now = context.value(model.items[place], "priority")
        #expect(now == model.priorities[place].map { .integer($0) })
      case 2:
        let item = try context.insert("Item", ["title": "new"])
        try context.set(item, "priority", 5)
        try context.set(item, "priority", 6)
        model.items.append(item)
        model.priorities.append(6)
        model.titles.append("new")
      default:
        let number = Int64(random.below(1 << 20)) - 7
        try context.set(model.items[place], "priority", .integer(number))
        model.priorities[place] = number
      }
    }
  }

  private static func check(_ snapshot: Snapshot, _ model: Model) {
    for (place, item) in model.items.enumerated() {
      let object = snapshot.object(item)
      #expect(object?["priority"] == model.priorities[place].map { .integer($0) })
      #expect(object?["title"] == .string(model.titles[place]))
    }
  }

  @Test(
    "numbers written many times in many transactions are what the logs say (Q16)", arguments: 1...4)
  func many(seed: Int) throws {
    var random = FormatRandom(seed: UInt64(seed))
    let disk = SimulatedDisk()
    let store = try StoreFixture.create(disk)
    var model = Model()
    model.items = try store.write { context in
      try (0..<5_000).map { try context.insert("Item", ["priority": .integer(Int64($0))]) }
    }
    model.priorities = (0..<5_000).map { Int64($0) }
    model.titles = try store.snapshot().objects("Item").map {
      if case .string(let title)? = $0["title"] { title } else { "" }
    }
    for count in [3, 400, 6_000, 5, 12_000, 900] {
      let held = store.snapshot()
      let before = model
      try? store.write { context in
        try StoreNumberTests.change(context, &model, &random, count: count)
        throw GivenUp()
      }
      model = before
      StoreNumberTests.check(store.snapshot(), model)
      try store.write { try StoreNumberTests.change($0, &model, &random, count: count) }
      StoreNumberTests.check(store.snapshot(), model)
      StoreNumberTests.check(held, before)
    }
    // The logs alone give the same state with all its stamps.
    #expect(try store.rebuild(), "seed \(seed)")
    StoreNumberTests.check(store.snapshot(), model)
    try store.compact()
    try store.close()
    let again = try StoreFixture.open(disk)
    StoreNumberTests.check(again.snapshot(), model)
    try again.write { try StoreNumberTests.change($0, &model, &random, count: 3_000) }
    #expect(try again.rebuild(), "seed \(seed)")
  }

  @Test("a number of the wrong type, width or name is refused, whatever was written before")
  func refusals() throws {
    let store = try StoreFixture.create(SimulatedDisk())
    try store.write { context in
      let item = try context.insert("Item", ["title": "a"])
      let other = try context.insert("Item", ["title": "b"])
      try context.set(item, "priority", 1)
      #expect(throws: StoreError.self) { try context.set(other, "priority", true) }
      #expect(throws: StoreError.self) { try context.set(other, "title", 1) }
      #expect(throws: StoreError.self) { try context.set(other, "weight", 1) }
      try context.delete(other)
      #expect(throws: StoreError.self) { try context.set(other, "priority", 1) }
    }
    let items = try store.snapshot().objects("Item")
    #expect(items.map { $0["priority"] } == [.integer(1)])
    try store.write { context in
      try context.set(items[0].id, "priority", 2)
      #expect(throws: StoreError.self) { try context.set(items[0].id, "priority", 2.5) }
    }
    #expect(store.snapshot().object(items[0].id)?["priority"] == .integer(2))
  }
}
