// Runs a list of steps on a store and remembers what was promised. Layer: test support.

import Varve
import VarveFormat

/// One thing that happens to a store.
package enum StoreStep: Sendable {
  /// A durable transaction: a new item, and a change of an older one.
  case write
  /// The same without waiting for the disk.
  case relaxed
  case compact
  case close
  case reopen
}

/// A store on a simulated disk, and what it acknowledged.
package final class StoreRun {
  package let disk: SimulatedDisk
  private let retention: HistoryRetention
  private var store: Store?
  /// Items by number, once a durable write of them was acknowledged.
  package private(set) var acknowledged: [Int: ObjectID] = [:]
  /// Items that may be there: durable or not, acknowledged or not.
  package private(set) var attempted: Set<Int> = []
  package private(set) var errors: [any Error] = []
  private var relaxed: [Int: ObjectID] = [:]
  private var next = 0
  private var generation: UInt64 = 1

  package init(_ disk: SimulatedDisk = SimulatedDisk(), retention: HistoryRetention = .everything) {
    self.disk = disk
    self.retention = retention
  }

  private var options: StoreOptions {
    var options = StoreOptions()
    options.retention = retention
    options.compactsAutomatically = false
    return options
  }

  /// Runs steps; what fails is noted, and the next steps are tried all the same.
  package func run(_ steps: [StoreStep]) {
    for step in steps {
      do { try run(step) } catch { errors.append(error) }
    }
  }

  private func run(_ step: StoreStep) throws {
    switch step {
    case .write: try write(.full)
    case .relaxed: try write(.relaxed)
    case .compact: try opened().compact()
    case .close:
      try store?.close()
      store = nil
      acknowledged.merge(relaxed) { $1 }
      relaxed = [:]
    case .reopen:
      try? store?.close()
      store = nil
      _ = try opened()
    }
  }

  private func write(_ durability: Durability) throws {
    let store = try opened()
    let number = next
    next += 1
    attempted.insert(number)
    let older = acknowledged.keys.sorted().dropLast(2).last.flatMap { acknowledged[$0] }
    let id = try store.write(durability: durability) { context in
      if let older { try context.set(older, "priority", .integer(Int64(number))) }
      return try context.insert("Item", ["title": .string("item \(number)")])
    }
    if durability == .full {
      acknowledged[number] = id
      acknowledged.merge(relaxed) { $1 }
      relaxed = [:]
    } else {
      relaxed[number] = id
    }
  }

  private func opened() throws(StoreError) -> Store {
    if let store { return store }
    generation += 1
    let entropy = SeededEntropy(seed: generation)
    let log = LogFixture.options(segmentBytes: 1_024, firstBytes: 1_024, reserveBytes: 1_024)
    let opened: Store
    if (try? disk.status("\(StoreFixture.path)/super")) == nil {
      opened = try Store.create(
        at: StoreFixture.path, schema: StoreFixture.schema, options: options, disk: disk,
        clock: ManualClock(), entropy: entropy, logOptions: log)
    } else {
      opened = try Store.open(
        at: StoreFixture.path, schema: StoreFixture.schema, options: options, disk: disk,
        clock: ManualClock(), entropy: entropy, logOptions: log)
    }
    store = opened
    return opened
  }

  /// Lets go of the store as a killed program does.
  package func kill() { store = nil }

  // MARK: looking

  /// What is wrong with a disk that should hold everything that was acknowledged.
  ///
  /// Looks without writing, then goes on: what recovered must compact, write and open again.
  package func problems(of image: SimulatedDisk) -> [String] {
    guard image.paths.contains("\(StoreFixture.path)/super") else {
      return acknowledged.isEmpty ? [] : ["the store is gone"]
    }
    do {
      // Reading only shows what is known durable (Q52), which can be less.
      let reading = try Store.openReadOnly(at: StoreFixture.path, disk: image)
      var problems = try look(reading, "reading", isWhole: false)
      let again = StoreRun(image.clone(), retention: retention)
      again.acknowledged = acknowledged
      again.attempted = attempted
      again.next = next + 1_000
      again.generation = generation + 100
      problems += try again.look(again.opened(), "writing", isWhole: true)
      again.run([.write, .compact, .write, .compact, .close])
      problems += again.errors.map { "going on: \($0)" }
      return problems + (try again.look(again.opened(), "having gone on", isWhole: true))
    } catch { return ["\(error)"] }
  }

  private func look(_ store: Store, _ note: String, isWhole: Bool) throws -> [String] {
    var problems: [String] = []
    if store.report.isDamaged { problems.append("\(note): \(store.report)") }
    if !store.report.rejectedBaselines.isEmpty {
      problems.append("\(note): \(store.report.rejectedBaselines)")
    }
    let snapshot = store.snapshot()
    for (number, id) in acknowledged where isWhole {
      guard snapshot.object(id)?["title"] != .string("item \(number)") else { continue }
      problems.append("\(note): item \(number) is missing")
    }
    // Nobody declared items as long as nothing was written.
    let objects = (try? snapshot.objects("Item")) ?? []
    let found = objects.compactMap { object -> Int? in
      guard case .string(let title)? = object["title"] else { return nil }
      return Int(title.dropFirst(5))
    }
    if !attempted.isSuperset(of: found) || Set(found).count != found.count {
      problems.append("\(note): items \(found.sorted()) of \(attempted.sorted())")
    }
    let digest = store.digest()
    if try !store.rebuild() || store.digest() != digest {
      problems.append(
        "\(note): \(snapshot.count("Item")) items, rebuilt \(store.snapshot().count("Item"))")
    }
    return problems
  }
}
