// Keys of entities: fetched by, held unique at author time, listed where merging broke them (R27).

import Testing
import Varve
import VarveFormat
import VarveTestSupport

@Suite("Store: keys")
struct KeyTests {
  private static func schema(_ uniqueness: Entity.Uniqueness?, version: UInt64 = 1) -> Schema {
    Schema(
      version: version,
      entities: [
        Entity(
          "Seat", tag: 1,
          attributes: [
            .string("hall", tag: 1, isOptional: uniqueness?.mode != .identity),
            .integer("number", tag: 2, default: 0),
            .string("guest", tag: 3, isOptional: true),
          ], uniqueness: uniqueness)
      ])
  }

  private func code(_ body: () throws -> Any?) -> StoreError.Code? {
    do {
      _ = try body()
      return nil
    } catch { return (error as? StoreError)?.code }
  }

  @Test("an object is fetched by its key, also after the key changed", arguments: [true, false])
  func fetched(isFlag: Bool) throws {
    let disk = SimulatedDisk()
    let schema = KeyTests.schema(isFlag ? .flag("hall", "number") : .dedupe("hall", "number"))
    let store = try StoreFixture.create(disk, schema: schema)
    let ids = try store.write { context in
      try (0..<50).map { try context.insert("Seat", ["hall": "A", "number": .integer($0)]) }
    }
    #expect(try store.snapshot().object("Seat", key: ["A", 7])?.id == ids[7])
    let before = store.snapshot()
    try store.write { try $0.set(ids[7], "number", 70) }
    #expect(try store.snapshot().object("Seat", key: ["A", 7]) == nil)
    #expect(try store.snapshot().object("Seat", key: ["A", 70])?.id == ids[7])
    #expect(try before.object("Seat", key: ["A", 7])?.id == ids[7])
    try store.compact()
    try store.close()
    let again = try StoreFixture.open(disk, schema: schema)
    #expect(try again.snapshot().object("Seat", key: ["A", 70])?.id == ids[7])
    #expect(code { try again.snapshot().object("Seat", key: ["A"]) } == .invalidValue)
  }

  @Test("a key that makes the id finds its object")
  func identity() throws {
    let store = Store.inMemory(schema: KeyTests.schema(.identity("hall", "number")))
    let id = try store.write { try $0.insert("Seat", ["hall": "A", "number": 3]) }
    #expect(try store.snapshot().object("Seat", key: ["A", 3])?.id == id)
    #expect(try store.snapshot().object("Seat", key: ["A", 4]) == nil)
    #expect(try store.snapshot().violations("Seat").isEmpty)
  }

  @Test("a write that would give two objects one key throws and changes nothing (R28)")
  func refused() throws {
    let store = Store.inMemory(schema: KeyTests.schema(.flag("hall", "number")))
    let first = try store.write { try $0.insert("Seat", ["hall": "A", "number": 1]) }
    let second = try store.write { try $0.insert("Seat", ["hall": "A", "number": 2]) }
    let digest = store.digest()
    #expect(
      code { try store.write { try $0.insert("Seat", ["hall": "A", "number": 1]) } }
        == .duplicateKey)
    #expect(code { try store.write { try $0.set(second, "number", 1) } } == .duplicateKey)
    let both = code {
      try store.write { context in
        try context.insert("Seat", ["hall": "B", "number": 5])
        return try context.insert("Seat", ["hall": "B", "number": 5])
      }
    }
    #expect(both == .duplicateKey)
    #expect(store.digest() == digest)
    // What counts is how the body ends: keys can be exchanged, and taken over from the deleted.
    try store.write { context in
      try context.set(first, "number", 2)
      try context.set(second, "number", 1)
    }
    try store.write { try $0.delete(second) }
    let third = try store.write { try $0.insert("Seat", ["hall": "A", "number": 1]) }
    #expect(code { try store.write { try $0.undelete(second) } } == .duplicateKey)
    #expect(try store.snapshot().object("Seat", key: ["A", 1])?.id == third)
    // The default counts as a value, and an object without one has no key.
    try store.write { try $0.insert("Seat", ["hall": "C"]) }
    #expect(
      code { try store.write { try $0.insert("Seat", ["hall": "C", "number": 0]) } }
        == .duplicateKey)
    try store.write { context in
      try context.insert("Seat", ["number": 9])
      try context.insert("Seat", ["number": 9])
    }
  }

  @Test("objects that share a key all the same are listed, and the first is the one fetched (Q20)")
  func violations() throws {
    let disk = SimulatedDisk()
    let free = try StoreFixture.create(disk, schema: KeyTests.schema(nil))
    let ids = try free.write { context in
      try (0..<6).map { number in
        try context.insert(
          "Seat", ["hall": "A", "number": .integer(number % 3), "guest": .string("\(number)")])
      }
    }
    try free.close()
    let schema = KeyTests.schema(.flag("hall", "number"), version: 2)
    let store = try StoreFixture.open(disk, schema: schema)
    try store.write { try $0.set(ids[5], "guest", "nobody") }
    let listed = try store.snapshot().violations("Seat").map { $0.map(\.id) }
    #expect(listed == [[ids[0], ids[3]], [ids[1], ids[4]], [ids[2], ids[5]]])
    #expect(try store.snapshot().object("Seat", key: ["A", 1])?.id == ids[1])
    #expect(store.snapshot().count("Seat") == 6)
    // Edits that do not touch the key go on; one that mends it is no violation any more.
    try store.write { try $0.set(ids[4], "number", 44) }
    try store.write { try $0.delete(ids[3]) }
    #expect(try store.snapshot().violations("Seat").map { $0.map(\.id) } == [[ids[2], ids[5]]])
    #expect(code { try store.write { try $0.set(ids[4], "number", 1) } } == .duplicateKey)
  }
}
