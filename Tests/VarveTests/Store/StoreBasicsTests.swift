// Writing and reading through the dynamic face.

import Testing
import Varve
import VarveFormat
import VarveTestSupport

@Suite("Store: basics")
struct StoreBasicsTests {
  @Test("what a write did is there for readers and after reopening")
  func reopening() throws {
    let disk = SimulatedDisk()
    let store = try StoreFixture.create(disk)
    let (home, milk) = try store.write { context in
      let home = try context.insert("Project", ["name": "Home"])
      let milk = try context.insert("Item", ["title": "Buy milk", "priority": 2])
      try context.link(milk, "project", to: home)
      return (home, milk)
    }
    let digest = store.digest()
    func check(_ snapshot: Snapshot) throws {
      let item = try #require(snapshot.object(milk))
      #expect(item["title"] == "Buy milk")
      #expect(item["priority"] == 2)
      #expect(item["isDone"] == false)
      #expect(item["weight"] == nil)
      #expect(item.link("project")?["name"] == "Home")
      #expect(snapshot.object(home)?.links("items").map(\.id) == [milk])
      #expect(snapshot.count("Item") == 1)
    }
    try check(store.snapshot())
    try store.close()
    let again = try StoreFixture.open(disk)
    try check(again.snapshot())
    #expect(again.digest() == digest)
    #expect(!again.report.isDamaged)
  }

  @Test("a body that throws changes nothing, also not what the same body created")
  func rollback() throws {
    struct Refused: Error {}
    let store = try StoreFixture.create(SimulatedDisk())
    let milk = try store.write { try $0.insert("Item", ["title": "Buy milk"]) }
    let digest = store.digest()
    #expect(throws: Refused.self) {
      try store.write { context in
        try context.set(milk, "title", "Buy bread")
        try context.insert("Item", ["title": "Buy butter"])
        try context.delete(milk)
        throw Refused()
      }
    }
    #expect(store.digest() == digest)
    #expect(store.snapshot().object(milk)?["title"] == "Buy milk")
    let next = try store.write { try $0.insert("Item") }
    #expect(next.description.hasSuffix("/2"))
    #expect(store.snapshot().object(next)?["title"] == "untitled")
    #expect(store.snapshot().count("Item") == 2)
  }

  @Test("a snapshot that is kept never changes")
  func keptSnapshots() throws {
    let store = try StoreFixture.create(SimulatedDisk())
    let item = try store.write { try $0.insert("Item", ["priority": 0]) }
    var snapshots = [store.snapshot()]
    for number in 1...200 {
      try store.write { context in
        try context.set(item, "priority", .integer(Int64(number) * 1_000_003))
        try context.insert("Item", ["title": .string("item \(number)")])
      }
      snapshots.append(store.snapshot())
    }
    for (number, snapshot) in snapshots.enumerated() {
      #expect(snapshot.object(item)?["priority"] == .integer(Int64(number) * 1_000_003))
      #expect(snapshot.count("Item") == number + 1)
      #expect(try snapshot.objects("Item").count == number + 1)
    }
  }

  @Test("deleting an owner hides what it owns, undeleting brings it back (R23, R24)")
  func cascades() throws {
    let disk = SimulatedDisk()
    let store = try StoreFixture.create(disk)
    let (home, milk) = try store.write { context in
      let home = try context.insert("Project", ["name": "Home"])
      let milk = try context.insert("Item", ["title": "Buy milk"])
      try context.link(milk, "project", to: home)
      return (home, milk)
    }
    try store.write { try $0.delete(home) }
    #expect(store.snapshot().object(milk) == nil)
    #expect(store.snapshot().count("Item") == 0)
    // A child that comes later is hidden, too.
    let late = try store.write { context in
      let late = try context.insert("Item", ["title": "late"])
      return late
    }
    #expect(store.snapshot().count("Item") == 1)
    try store.write { try $0.undelete(home) }
    #expect(store.snapshot().object(milk)?.link("project")?["name"] == "Home")
    #expect(store.snapshot().object(late) != nil)
    try store.close()
    #expect(try StoreFixture.open(disk).snapshot().count("Item") == 2)
  }

  @Test("links to a deleted object read as nil and come back with it (R15)")
  func nullify() throws {
    let store = try StoreFixture.create(SimulatedDisk())
    let (ann, task) = try store.write { context in
      let ann = try context.insert("Person", ["name": "Ann"])
      let task = try context.insert("Item")
      try context.link(task, "assignee", to: ann)
      return (ann, task)
    }
    try store.write { try $0.delete(ann) }
    #expect(store.snapshot().object(task)?.link("assignee") == nil)
    try store.write { try $0.undelete(ann) }
    #expect(store.snapshot().object(task)?.link("assignee")?["name"] == "Ann")
  }

  @Test("edges of a many-to-many relationship are seen from both ends (R17)")
  func edges() throws {
    let disk = SimulatedDisk()
    let store = try StoreFixture.create(disk)
    let (ann, home) = try store.write { context in
      let ann = try context.insert("Person", ["name": "Ann"])
      let home = try context.insert("Project", ["name": "Home"])
      try context.add(ann, "projects", home)
      return (ann, home)
    }
    #expect(store.snapshot().object(home)?.links("people").map(\.id) == [ann])
    try store.close()
    let again = try StoreFixture.open(disk)
    #expect(again.snapshot().object(ann)?.links("projects").map(\.id) == [home])
    try again.write { try $0.remove(ann, "projects", home) }
    #expect(again.snapshot().object(ann)?.links("projects") == [])
  }

  @Test("names that do not exist and values that do not fit are refused by a typed error (R28)")
  func refusals() throws {
    let store = try StoreFixture.create(SimulatedDisk())
    let item = try store.write { try $0.insert("Item") }
    func code(_ body: (WriteContext) throws -> Void) -> StoreError.Code? {
      do { try store.write { try body($0) } } catch { return (error as? StoreError)?.code }
      return nil
    }
    #expect(code { try $0.insert("Nothing") } == .unknownName)
    #expect(code { try $0.set(item, "colour", "red") } == .unknownName)
    #expect(code { try $0.set(item, "title", 3) } == .invalidValue)
    #expect(code { try $0.set(item, "title", nil) } == .invalidValue)
    #expect(code { try $0.link(item, "project", to: item) } == .invalidValue)
    try store.write { try $0.delete(item) }
    #expect(code { try $0.set(item, "title", "x") } == .unknownObject)
    #expect(store.snapshot().count("Item") == 0)
  }

  @Test("what a body changes back and forth is replayed as it was left")
  func backAndForth() throws {
    let disk = SimulatedDisk()
    let store = try StoreFixture.create(disk)
    let (item, home) = try store.write { context in
      let item = try context.insert("Item", ["title": "first", "weight": 1.5])
      try context.set(item, "weight", nil)
      try context.set(item, "title", "second")
      #expect(context.value(item, "title") == "second")
      #expect(context.value(item, "weight") == nil)
      // The project comes behind the item that points to it.
      let home = try context.insert("Project", ["name": "Home"])
      try context.link(item, "project", to: home)
      #expect(context.link(item, "project") == home)
      #expect(context.links(home, "items") == [item])
      return (item, home)
    }
    let other = try store.write { context in
      try context.set(item, "weight", 2.5)
      try context.set(item, "weight", nil)
      try context.set(item, "weight", 3.5)
      let other = try context.insert("Item", ["weight": 1.0])
      try context.set(other, "weight", nil)
      try context.set(other, "weight", 4.5)
      try context.link(other, "project", to: home)
      try context.link(other, "project", to: nil)
      return other
    }
    let digest = store.digest()
    #expect(try store.rebuild())
    #expect(store.digest() == digest)
    let snapshot = store.snapshot()
    #expect(snapshot.object(item)?["weight"] == 3.5)
    #expect(snapshot.object(other)?["weight"] == 4.5)
    #expect(snapshot.object(other)?.link("project") == nil)
    #expect(snapshot.object(home)?.links("items").map(\.id) == [item])
  }

  @Test("an empty string is a value and not a missing one")
  func emptyString() throws {
    let disk = SimulatedDisk()
    let store = try StoreFixture.create(disk)
    let item = try store.write { try $0.insert("Item", ["title": ""]) }
    #expect(store.snapshot().object(item)?["title"] == "")
    try store.compact()
    try store.close()
    #expect(try StoreFixture.open(disk).snapshot().object(item)?["title"] == "")
  }

  @Test("a store in memory works without files")
  func inMemory() throws {
    let store = Store.inMemory(schema: StoreFixture.schema)
    let item = try store.write { try $0.insert("Item", ["title": "here"]) }
    #expect(store.snapshot().object(item)?["title"] == "here")
    try store.close()
    #expect(throws: StoreError.self) { try store.write { try $0.insert("Item") } }
  }
}
