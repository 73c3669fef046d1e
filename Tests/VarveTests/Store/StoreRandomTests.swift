// Random work on a store against a dictionary, with snapshots kept, compaction and reopening.

import Testing
import Varve
import VarveFormat
import VarveTestSupport

@Suite("Store: random work")
struct StoreRandomTests {
  /// What an object should be.
  private struct Expected: Equatable {
    var title: String
    var priority: Int64
    var project: ObjectID?
    var isAlive = true
  }

  /// The naive graph: dictionaries, and visibility looked up each time.
  private struct Model {
    var projects: [ObjectID: Bool] = [:]
    var items: [ObjectID: Expected] = [:]
    /// In order of creation, so that a seed gives the same choices.
    var order: (projects: [ObjectID], items: [ObjectID]) = ([], [])

    func isVisible(_ id: ObjectID) -> Bool {
      guard let item = items[id], item.isAlive else { return false }
      return item.project.map { projects[$0] == true } ?? true
    }
  }

  @Test("a store holds what a dictionary holds, through compactions, rebuilds and reopening")
  func dictionary() throws {
    for number in 0..<2 * TestScale.factor {
      let seed = TestScale.seed &* 179_424_673 &+ UInt64(number)
      print("dictionary: seed \(seed), \(TestScale.note)")
      try StoreRandomTests.run(seed: seed, steps: 250)
    }
  }

  private static func run(seed: UInt64, steps: Int) throws {
    var random = FormatRandom(seed: seed)
    let disk = SimulatedDisk()
    var store = try StoreFixture.create(
      disk, options: LogFixture.options(segmentBytes: 8_192), seed: seed)
    var model = Model()
    var kept: [(Snapshot, Model)] = []
    for step in 0..<steps {
      switch random.below(100) {
      case 0..<3: try store.compact()
      case 3..<5: #expect(try store.rebuild(), "seed \(seed), step \(step)")
      case 5..<9:
        let digest = store.digest()
        try store.close()
        store = try StoreFixture.open(
          disk, options: LogFixture.options(segmentBytes: 8_192), seed: seed &+ UInt64(step))
        #expect(store.digest() == digest, "seed \(seed), step \(step)")
      case 9..<12: kept.append((store.snapshot(), model))
      default: try write(&random, store, &model)
      }
      if step % 25 == 0 { try check(store.snapshot(), model, "seed \(seed), step \(step)") }
    }
    for (snapshot, model) in kept { try check(snapshot, model, "seed \(seed), kept") }
    try check(store.snapshot(), model, "seed \(seed), end")
  }

  /// One transaction of a few changes; one in ten is given up.
  private static func write(_ random: inout FormatRandom, _ store: Store, _ model: inout Model)
    throws
  {
    struct GivenUp: Error {}
    let isGivenUp = random.chance(10)
    var draft = model
    do {
      try store.write { context in
        for _ in 0...random.below(5) { try change(&random, context, &draft) }
        if isGivenUp { throw GivenUp() }
      }
      model = draft
    } catch is GivenUp {}
  }

  private static func change(
    _ random: inout FormatRandom, _ context: WriteContext, _ model: inout Model
  ) throws {
    let (projects, items) = model.order
    let kind = random.below(10)
    if kind == 0 || projects.isEmpty {
      let id = try context.insert("Project", ["name": "p"])
      model.projects[id] = true
      model.order.projects.append(id)
    } else if kind < 4 || items.isEmpty {
      let priority = Int64(random.below(1_000)) * Int64(random.below(1_000_000_000))
      let id = try context.insert("Item", ["priority": .integer(priority)])
      model.items[id] = Expected(title: "untitled", priority: priority)
      model.order.items.append(id)
    } else if kind == 9 {
      let id = random.pick(projects)
      if model.projects[id] == true {
        try context.delete(id)
      } else {
        try context.undelete(id)
      }
      model.projects[id]?.toggle()
    } else {
      try changeItem(&random, context, &model, random.pick(items), random.pick(projects))
    }
  }

  private static func changeItem(
    _ random: inout FormatRandom, _ context: WriteContext, _ model: inout Model, _ id: ObjectID,
    _ project: ObjectID
  ) throws {
    guard model.items[id]?.isAlive == true else {
      try context.undelete(id)
      model.items[id]?.isAlive = true
      return
    }
    switch random.below(4) {
    case 0:
      let title = String(repeating: "é", count: random.below(40))
      try context.set(id, "title", .string(title))
      model.items[id]?.title = title
    case 1:
      let priority = Int64(random.below(5)) - 2
      try context.set(id, "priority", .integer(priority))
      model.items[id]?.priority = priority
    case 2:
      guard model.projects[project] == true else { return }
      try context.link(id, "project", to: project)
      model.items[id]?.project = project
    default:
      try context.delete(id)
      model.items[id]?.isAlive = false
    }
  }

  private static func check(_ snapshot: Snapshot, _ model: Model, _ note: String) throws {
    let visible = model.items.keys.filter { model.isVisible($0) }
    #expect(snapshot.count("Item") == visible.count, "\(note)")
    for (id, expected) in model.items {
      guard model.isVisible(id) else {
        #expect(snapshot.object(id) == nil, "\(note)")
        continue
      }
      let object = try #require(snapshot.object(id), "\(note)")
      #expect(object["title"] == .string(expected.title), "\(note)")
      #expect(object["priority"] == .integer(expected.priority), "\(note)")
      #expect(object.link("project")?.id == expected.project, "\(note)")
    }
    for (id, isAlive) in model.projects where isAlive {
      let members = Set(snapshot.object(id)?.links("items").map(\.id) ?? [])
      let expected = Set(visible.filter { model.items[$0]?.project == id })
      #expect(members == expected, "\(note)")
    }
  }
}
