// The transactions of a store as programs follow them.

import Synchronization
import Testing
import Varve
import VarveFormat
import VarveTestSupport

@Suite("Store: transactions", .timeLimit(.minutes(5)))
struct TransactionFeedTests {
  /// The next `count` transactions.
  private static func take(
    _ count: Int, _ iterator: inout TransactionSequence.Iterator
  ) async throws -> [Transaction] {
    var list: [Transaction] = []
    for _ in 0..<count {
      guard let transaction = try await iterator.next() else { break }
      list.append(transaction)
    }
    return list
  }

  @Test("a transaction tells who wrote it and what happened to each object, once")
  func changes() async throws {
    let store = try StoreFixture.create(SimulatedDisk())
    let (home, milk) = try store.write { context in
      context.author = "Ann"
      context.label = "first things"
      let home = try context.insert("Project", ["name": "Home"])
      let milk = try context.insert("Item", ["title": "Milk"])
      try context.link(milk, "project", to: home)
      try context.set(milk, "priority", 3)
      return (home, milk)
    }
    try store.write { context in
      try context.set(milk, "isDone", true)
      try context.set(milk, "title", "Oat milk")
      try context.delete(home)
    }
    var iterator = store.transactions().makeAsyncIterator()
    let list = try await TransactionFeedTests.take(2, &iterator)
    #expect(list.map(\.sequence) == [1, 2])
    #expect(list[0].replica == store.replica && list[0].isLocal)
    #expect(list[0].author == "Ann" && list[0].label == "first things")
    #expect(list[0].origin == .local && list[0].stamp < list[1].stamp)
    let first = Array(list[0].changes)
    #expect(first.map(\.object) == [home, milk] && list[0].changes.count == 2)
    #expect(first.map(\.kind) == [.inserted, .inserted])
    #expect(first[1].tags == [1, 2, 5])
    #expect(first[1].names(in: store.snapshot()) == ["title", "priority", "project"])
    let second = Array(list[1].changes)
    #expect(second.map(\.object) == [milk, home])
    #expect(second.map(\.kind) == [.updated, .deleted])
    #expect(second.map(\.tags) == [[1, 3], []])
    #expect(list[1].version == store.version && store.snapshot().version == store.version)
  }

  @Test("a program that kept the text of a version misses nothing and sees nothing twice")
  func resuming() async throws {
    let disk = SimulatedDisk()
    let options = LogFixture.options(segmentBytes: 9_000)
    var store = try StoreFixture.create(disk, options: options)
    var titles: [ObjectID] = []
    for number in 0..<120 {
      titles.append(
        try store.write { try $0.insert("Item", ["priority": .integer(Int64(number))]) })
    }
    var iterator = store.transactions().makeAsyncIterator()
    let before = try await TransactionFeedTests.take(50, &iterator)
    let saved = try #require(before.last).version.description
    try store.compact()
    try store.close()
    store = try StoreFixture.open(disk, options: options)
    try store.write { try $0.set(titles[0], "isDone", true) }
    iterator = store.transactions(after: VersionVector(saved)).makeAsyncIterator()
    let after = try await TransactionFeedTests.take(71, &iterator)
    #expect((before + after).map(\.sequence) == LogFixture.denseSequences(121))
    let inserted = (before + after).flatMap { Array($0.changes) }.filter { $0.kind == .inserted }
    #expect(inserted.map(\.object) == titles)
    #expect(after.last?.version == store.version)
  }

  @Test("a waiting task gets every transaction of eight threads, in order and when it is durable")
  func live() async throws {
    let store = try StoreFixture.create(SimulatedDisk(), options: LogFixture.options())
    let reader = Task {
      var seen: [UInt64] = []
      var isEarly = false
      for try await transaction in store.transactions() {
        seen.append(transaction.sequence)
        isEarly = isEarly || !store.version.covers(transaction.version)
        if seen.count == 400 { break }
      }
      return (seen, isEarly)
    }
    let failures = Mutex(0)
    let isDone = Crew.run(8) { member in
      for number in 0..<50 {
        let written = try? store.write { context in
          try context.insert("Item", ["title": .string("\(member) \(number)")])
        }
        if written == nil { failures.withLock { $0 += 1 } }
      }
    }
    #expect(isDone && failures.withLock { $0 } == 0)
    let (seen, isEarly) = try await reader.value
    #expect(seen == LogFixture.denseSequences(400))
    #expect(!isEarly)
  }

  @Test("what is kept in memory and what the log says are the same transactions")
  func memoryAndLog() async throws {
    let store = try StoreFixture.create(SimulatedDisk())
    var live = store.transactions().makeAsyncIterator()
    let ids = try store.write { context in
      try (0..<3).map { _ in try context.insert("Item") }
    }
    try store.write { context in
      context.label = "changes"
      try context.delete(ids[1])
      try context.set(ids[0], "weight", 2.5)
    }
    let kept = try await TransactionFeedTests.take(2, &live)
    live = store.transactions().makeAsyncIterator()
    let read = try await TransactionFeedTests.take(2, &live)
    #expect(kept.map { Array($0.changes) } == read.map { Array($0.changes) })
    #expect(kept.map(\.version) == read.map(\.version))
    #expect(kept.map(\.stamp) == read.map(\.stamp) && kept.map(\.label) == read.map(\.label))
  }

  @Test("rows of a bulk write are inserted objects and take no memory each")
  func columns() async throws {
    let disk = SimulatedDisk()
    let log = try Log.create(
      at: StoreFixture.path, disk: disk, clock: ManualClock(), entropy: SeededEntropy(seed: 3),
      options: LogFixture.options())
    _ = try log.commit(LogFixture.columnsDraft(rows: 70_000))
    try log.close()
    let store = try StoreFixture.open(disk, schema: nil)
    var iterator = store.transactions().makeAsyncIterator()
    let transaction = try #require(try await iterator.next())
    #expect(transaction.changes.count == 70_000)
    #expect(Set(transaction.changes.map(\.object)).count == 70_000)
    #expect(transaction.changes.allSatisfy { $0.kind == .inserted && !$0.tags.isEmpty })
  }

  @Test("the sequence ends when the store is closed and when the task is cancelled")
  func ending() async throws {
    let store = try StoreFixture.create(SimulatedDisk())
    try store.write { try $0.insert("Item") }
    let cancelled = Task {
      var count = 0
      for try await _ in store.transactions() { count += 1 }
      return count
    }
    let closed = Task {
      var count = 0
      for try await _ in store.transactions() { count += 1 }
      return count
    }
    try await Task.sleep(for: .milliseconds(20))
    cancelled.cancel()
    #expect(try await cancelled.value <= 1)
    try store.close()
    #expect(try await closed.value == 1)
  }

  @Test("a store opened for reading gives its history and ends")
  func readOnly() async throws {
    let disk = SimulatedDisk()
    let store = try StoreFixture.create(disk)
    for _ in 0..<5 { try store.write { try $0.insert("Item") } }
    try store.close()
    let reader = try Store.openReadOnly(at: StoreFixture.path, disk: disk)
    var sequences: [UInt64] = []
    for try await transaction in reader.transactions() {
      #expect(!transaction.isLocal || transaction.replica == store.replica)
      sequences.append(transaction.sequence)
    }
    #expect(sequences == LogFixture.denseSequences(5))
  }

  @Test("history that is gone is an error that says what to do (Q25)")
  func retired() async throws {
    let disk = SimulatedDisk()
    let options = LogFixture.options(segmentBytes: 9_000)
    let store = try StoreFixture.create(disk, options: options)
    let text = String(repeating: "x", count: 500)
    for number in 0..<120 {
      try store.write { try $0.insert("Item", ["title": .string("\(number) \(text)")]) }
    }
    try store.compact()
    let segments = disk.paths.filter { $0.hasSuffix(".vlog") }.sorted()
    #expect(segments.count > 1)
    try disk.remove(segments[0])
    var iterator = store.transactions().makeAsyncIterator()
    await #expect { try await iterator.next() } throws: { error in
      (error as? StoreError)?.code == .historyRetired
    }
    iterator = store.transactions(after: store.version).makeAsyncIterator()
    try store.write { try $0.insert("Item") }
    #expect(try await iterator.next()?.sequence == 121)
  }

  @Test("a transaction that a full disk refused is never seen (D7)")
  func refused() async throws {
    let disk = SimulatedDisk()
    let store = try StoreFixture.create(disk)
    let item = try store.write { try $0.insert("Item") }
    var iterator = store.transactions(after: store.version).makeAsyncIterator()
    disk.options.capacity = UInt64(disk.paths.reduce(0) { $0 + (disk.bytes(of: $1)?.count ?? 0) })
    var written: [String] = []
    for number in 0..<40 {
      let title = "\(number) " + String(repeating: "long ", count: 200)
      let isWritten = (try? store.write { try $0.set(item, "title", .string(title)) }) != nil
      if isWritten { written.append(title) }
    }
    #expect(written.count < 40)
    disk.options.capacity = nil
    try store.write { context in
      context.label = "later"
      try context.set(item, "priority", 1)
    }
    let list = try await TransactionFeedTests.take(written.count + 1, &iterator)
    #expect(list.map(\.sequence) == (0...written.count).map { UInt64($0 + 2) })
    #expect(list.last?.label == "later")
    #expect(list.last?.version == store.version)
  }

  @Test("a store in memory gives what is written while somebody listens")
  func inMemory() async throws {
    let store = Store.inMemory(schema: StoreFixture.schema)
    var iterator = store.transactions(after: store.version).makeAsyncIterator()
    let item = try store.write { try $0.insert("Item") }
    #expect(try await iterator.next().map { Array($0.changes).map(\.object) } == [item])
    var late = store.transactions().makeAsyncIterator()
    _ = try await late.next()
    for _ in 0..<9_000 { try store.write { try $0.set(item, "isDone", true) } }
    await #expect(throws: StoreError.self) { _ = try await iterator.next() }
  }

  @Test("the text of a version reads back, and nothing else does")
  func text() throws {
    var version = VersionVector()
    #expect(VersionVector("") == version)
    version[ReplicaID([UInt8](repeating: 7, count: 16))] = 12
    version[ReplicaID([UInt8](repeating: 1, count: 16))] = 3
    #expect(VersionVector(version.description) == version)
    for text in ["x", "x:1", version.description + " a:1", version.description + ":", ":"] {
      #expect(VersionVector(text) == nil, "\(text)")
    }
    let twice = version.description + " " + version.description
    #expect(VersionVector(twice) == nil)
  }
}
