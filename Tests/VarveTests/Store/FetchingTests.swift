// Fetching by values: with and without an index, across snapshots, against reading everything.

import Testing
import Varve
import VarveFormat
import VarveTestSupport

@Suite("Store: fetching")
struct FetchingTests {
  /// The same attributes twice: once with an index and once without.
  private static let schema = Schema(
    version: 1,
    entities: [
      Entity(
        "Track", tag: 1,
        attributes: [
          .string("title", tag: 1, isIndexed: true), .string("plainTitle", tag: 2),
          .integer("length", tag: 3, isOptional: true, isIndexed: true),
          .integer("plainLength", tag: 4, isOptional: true),
          .double("rating", tag: 5, default: 2.5, isIndexed: true),
          .double("plainRating", tag: 6, default: 2.5),
          .decimal("price", tag: 7, isOptional: true, isIndexed: true),
          .date("released", tag: 8, isOptional: true, isIndexed: true),
        ])
    ])

  private static let titles = [
    "", "a", "aa", "intermezzo", "intermezzo 1", "intermezzo 2", "intermezzo 10", "é", "e\u{301}",
    "zz\u{0}", "\u{10FFFF}",
  ]
  private static let ratings = [-0.0, 0.0, 2.5, -1, 1e300, -.infinity, .infinity, .nan]

  private static func change(
    _ random: inout FormatRandom, _ context: WriteContext, _ ids: inout [ObjectID]
  ) throws {
    if ids.isEmpty || random.chance(4) {
      ids.append(try context.insert("Track", ["title": "", "plainTitle": ""]))
    }
    let id = random.pick(ids)
    switch random.below(7) {
    case 0:
      let title = AttributeValue.string(random.pick(titles))
      try? context.set(id, "title", title)
      try? context.set(id, "plainTitle", title)
    case 1, 2:
      let length = random.chance(6) ? nil : AttributeValue.integer(Int64(random.below(12)) - 6)
      try? context.set(id, "length", length)
      try? context.set(id, "plainLength", length)
    case 3:
      let rating = AttributeValue.double(random.pick(ratings))
      try? context.set(id, "rating", rating)
      try? context.set(id, "plainRating", rating)
    case 4:
      try? context.set(
        id, "price",
        .decimal(
          isNegative: random.chance(2), magnitude: UInt128(random.below(40)),
          exponent: Int64(random.below(3)) - 1))
    case 5: try? context.delete(id)
    default: try? context.undelete(id)
    }
  }

  /// Ids by fetching, held against reading every object.
  private static func check(_ snapshot: Snapshot, _ note: String) throws {
    let all = try snapshot.objects("Track")
    for title in titles {
      let wanted = all.filter { $0["title"].map { utf8($0) } == Array(title.utf8) }.map(\.id)
      for name in ["title", "plainTitle"] {
        let found = try snapshot.objects("Track", where: name, is: .string(title)).map(\.id)
        #expect(found == wanted, "\(note): \(name) \(title)")
      }
    }
    for length in -7...7 {
      let wanted = all.filter { $0["length"] == .integer(Int64(length)) }.map(\.id)
      for name in ["length", "plainLength"] {
        let found = try snapshot.objects("Track", where: name, is: .integer(Int64(length)))
        #expect(found.map(\.id) == wanted, "\(note): \(name) \(length)")
        let nothing = try snapshot.objects("Track", where: name, is: nil)
        #expect(nothing.map(\.id) == all.filter { $0[name] == nil }.map(\.id), "\(note)")
      }
    }
    for rating in ratings {
      let indexed = try snapshot.objects("Track", where: "rating", is: .double(rating))
      let plain = try snapshot.objects("Track", where: "plainRating", is: .double(rating))
      #expect(indexed.map(\.id) == plain.map(\.id), "\(note): \(rating)")
      let count = all.filter { object in
        guard case .double(let value)? = object["rating"] else { return false }
        return value == rating || value.isNaN && rating.isNaN
      }.count
      #expect(indexed.count == count, "\(note): \(rating)")
    }
    try checkRanges(snapshot, all, note)
  }

  private static func checkRanges(
    _ snapshot: Snapshot, _ all: [DynamicObject], _ note: String
  ) throws {
    for (name, plain, bounds) in [
      ("title", "plainTitle", ["a", "intermezzo 1", "é", "\u{10FFFF}"].map { .string($0) }),
      ("length", "plainLength", [-6, -1, 0, 3].map { .integer($0) }),
      ("rating", "plainRating", [-.infinity, 0, 2.5, .infinity].map { .double($0) }),
    ] as [(String, String, [AttributeValue])] {
      for lower in [nil] + bounds.map(Optional.some) {
        for upper in [nil] + bounds.map(Optional.some) {
          let found = try snapshot.objects("Track", where: name, from: lower, through: upper)
          let scanned = try snapshot.objects("Track", where: plain, from: lower, through: upper)
          #expect(found.map(\.id) == scanned.map(\.id), "\(note): \(name)")
          if lower == nil, upper == nil {
            #expect(found.count == all.filter { $0[name] != nil }.count, "\(note): \(name)")
          }
        }
      }
    }
    let prices = try snapshot.objects("Track", where: "price", from: nil, through: nil)
    let numbers = prices.compactMap { object -> Double? in
      guard case .decimal(let isNegative, let magnitude, let exponent)? = object["price"] else {
        return nil
      }
      let scale = exponent < 0 ? 0.1 : exponent == 0 ? 1.0 : exponent == 1 ? 10 : 100
      return (isNegative ? -1 : 1) * Double(magnitude) * scale
    }
    #expect(numbers.count == all.filter { $0["price"] != nil }.count)
    for (a, b) in zip(numbers, numbers.dropFirst()) { #expect(a < b + 1e-9, "\(note)") }
  }

  private static func utf8(_ value: AttributeValue) -> [UInt8] {
    guard case .string(let text) = value else { return [] }
    return Array(text.utf8)
  }

  @Test("a fetch finds what reading everything finds, by index or not, in every snapshot")
  func random() throws {
    for number in 0..<2 * TestScale.factor {
      let seed = TestScale.seed &* 86_028_121 &+ UInt64(number)
      print("fetching: seed \(seed), \(TestScale.note)")
      var random = FormatRandom(seed: seed)
      let disk = SimulatedDisk()
      var store = try StoreFixture.create(disk, schema: FetchingTests.schema, seed: seed)
      var ids: [ObjectID] = []
      var kept: [Snapshot] = []
      for step in 0..<60 {
        try store.write { context in
          for _ in 0...random.below(30) { try FetchingTests.change(&random, context, &ids) }
        }
        if random.chance(3) {
          try FetchingTests.check(store.snapshot(), "seed \(seed), step \(step)")
        }
        if random.chance(8) { kept.append(store.snapshot()) }
        if random.chance(15) { try store.compact() }
        if random.chance(15) {
          try store.close()
          store = try StoreFixture.open(
            disk, schema: FetchingTests.schema, seed: seed &+ UInt64(step))
        }
      }
      for snapshot in kept { try FetchingTests.check(snapshot, "seed \(seed), kept") }
      try FetchingTests.check(store.snapshot(), "seed \(seed), end")
    }
  }

  @Test("an index over more than a group finds objects of any group after any change")
  func groups() throws {
    let store = Store.inMemory(schema: FetchingTests.schema)
    let ids = try store.write { context in
      try (0..<10_000).map { number in
        try context.insert(
          "Track", ["title": .string("track \(number)"), "length": .integer(Int64(number % 100))])
      }
    }
    for round in 0..<20 {
      try store.write { try $0.set(ids[round * 491], "length", .integer(Int64(1_000 + round))) }
      let found = try store.snapshot().objects(
        "Track", where: "length", is: .integer(Int64(1_000 + round)))
      #expect(found.map(\.id) == [ids[round * 491]])
      let seven = try store.snapshot().objects("Track", where: "length", is: 7)
      #expect(seven.count == 100 - (0...round).filter { $0 * 491 % 100 == 7 }.count)
    }
    let late = try store.snapshot().objects("Track", where: "length", from: 1_000, through: nil)
    #expect(late.map(\.id) == (0..<20).map { ids[$0 * 491] })
    let title = try store.snapshot().objects("Track", where: "title", is: "track 8765")
    #expect(title.map(\.id) == [ids[8_765]])
  }

  @Test("names that nobody declared and values of other types are refused")
  func refused() throws {
    let store = Store.inMemory(schema: FetchingTests.schema)
    try store.write { try $0.insert("Track", ["title": "a", "plainTitle": "a"]) }
    let snapshot = store.snapshot()
    #expect(code { try snapshot.objects("Song", where: "title", is: "a") } == .unknownName)
    #expect(code { try snapshot.objects("Track", where: "name", is: "a") } == .unknownName)
    #expect(code { try snapshot.objects("Track", where: "title", is: 4) } == .invalidValue)
    #expect(
      code { try snapshot.objects("Track", where: "length", from: "a", through: nil) }
        == .invalidValue)
    #expect(code { try snapshot.object("Track", key: ["a"]) } == .invalidValue)
  }

  private func code(_ body: () throws -> Any?) -> StoreError.Code? {
    do {
      _ = try body()
      return nil
    } catch { return (error as? StoreError)?.code }
  }
}
