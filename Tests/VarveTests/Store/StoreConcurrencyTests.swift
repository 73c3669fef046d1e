// Readers beside writers, compactions and rebuilds; run under the thread sanitizer by hand.

import Synchronization
import Testing
import Varve
import VarveFormat
import VarveTestSupport

@Suite("Store: concurrency")
struct StoreConcurrencyTests {
  private static let schema = Schema(
    version: 1,
    entities: [
      Entity("Project", tag: 1, attributes: [.string("name", tag: 1, default: "")]),
      Entity(
        "Item", tag: 2,
        attributes: [
          .string("title", tag: 1, default: ""),
          .integer("priority", tag: 2, default: 0, isIndexed: true),
        ],
        relationships: [
          .toOne("project", tag: 5, to: "Project", inverse: "items", inverseTag: 6)
        ]),
    ])

  private static let rounds = 30 * TestScale.factor

  /// One transaction that keeps the sum of all priorities.
  private static func write(_ store: Store, _ ids: [ObjectID], _ number: Int) throws {
    let (from, to) = (ids[number * 7 % ids.count], ids[number * 13 % ids.count])
    try store.write { context in
      guard from != to, case .integer(let a)? = context.value(from, "priority"),
        case .integer(let b)? = context.value(to, "priority")
      else { return }
      try context.set(from, "priority", .integer(a - 1))
      try context.set(to, "priority", .integer(b + 1))
      let extra = try context.insert("Item", ["title": .string("extra \(number)")])
      if number % 3 == 0 { try context.delete(extra) }
    }
  }

  /// What a snapshot must say, whenever it was taken.
  private static func isConsistent(_ snapshot: Snapshot, _ project: ObjectID) throws -> Bool {
    var sum: Int64 = 0
    for item in snapshot.object(project)?.links("items") ?? [] {
      guard case .integer(let priority)? = item["priority"] else { return false }
      sum += priority
    }
    let items = try snapshot.objects("Item")
    let zeros = try snapshot.objects("Item", where: "priority", is: 0)
    let scanned = items.filter { $0["priority"] == .integer(0) }
    return sum == 2_000 && zeros.map(\.id) == scanned.map(\.id)
      && items.count == snapshot.count("Item")
  }

  @Test("readers see whole transactions beside writers, compactions and rebuilds (Q34)")
  func readers() throws {
    let store = try StoreFixture.create(
      SimulatedDisk(), schema: StoreConcurrencyTests.schema,
      options: LogFixture.options(segmentBytes: 16 << 10))
    let (project, ids) = try store.write { context in
      let project = try context.insert("Project", ["name": "all"])
      let ids = try (0..<200).map { _ in
        let item = try context.insert("Item", ["priority": 10])
        try context.link(item, "project", to: project)
        return item
      }
      return (project, ids)
    }
    let problems = Mutex<[String]>([])
    let isDone = Crew.run(5) { member in
      for number in 0..<StoreConcurrencyTests.rounds {
        do {
          switch member {
          case 0, 1: try StoreConcurrencyTests.write(store, ids, number * 2 + member)
          case 2: if number % 5 == 0 { try store.compact() }
          default:
            if member == 4, number % 10 == 9 { _ = try store.rebuild() }
            if try !StoreConcurrencyTests.isConsistent(store.snapshot(), project) {
              problems.withLock { $0.append("member \(member), round \(number)") }
            }
          }
        } catch { problems.withLock { $0.append("\(error)") } }
      }
    }
    #expect(isDone)
    #expect(problems.withLock { $0 } == [])
    #expect(try StoreConcurrencyTests.isConsistent(store.snapshot(), project))
    #expect(try store.rebuild())
    try store.close()
  }
}
