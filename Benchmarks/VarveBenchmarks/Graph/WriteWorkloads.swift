// Updates and deletions through the public interface (T6).

import Varve
import VarveFormat

extension Workload {
  static let graphUpdate = Workload(
    name: "graph.update", group: "graph",
    title: "100,000 random updates of one attribute in one durable transaction"
  ) { scale in
    let graph = try FlightsGraph(scale)
    let count = scale.isTiny ? 1_000 : 100_000
    return try scale.withPeer(graph) { peer in
      try withStoreDirectory(scale) { path in
        try graph.makeStore(path, isCompacted: true)
        let store = try graph.open(path)
        var run = try Updates(graph, store)
        var durable = Samples(peer)
        var raw: [Double] = []
        var relaxed = Samples(nil)
        for sample in 0...scale.samples * 2 {
          let before = try StoreFiles(path).log
          durable.own.append(try run.update(count, sample, .full))
          let bytes = Int(try StoreFiles(path).log - before)
          raw.append(
            try RawLimits.appendAndSync("\(path)/raw-\(sample)", count: 1, size: bytes) * 1e3)
          try durable.add(peer, "update 1 \(count) \(sample)", expecting: count)
          relaxed.own.append(try run.update(count, sample + 1, .relaxed))
        }
        try store.close()
        try checkAll(graph, path, run.expected)
        let check = "before, after and opened again"
        var results = durable.warm.milliseconds(
          "graph.update", "\(count) updates", scale.isTiny ? nil : .atMost(16), check: check)
        results[0].limitName = "raw append+fdatasync"
        results[0].limit = Array(raw.dropFirst())
        return results
          + relaxed.warm.milliseconds(
            "graph.update", "\(count) updates, not synced", nil, check: check)
      }
    }
  }

  /// Random updates, and what they must give.
  private struct Updates {
    let store: Store
    let ids: [ObjectID]
    var expected: [Int64?]
    private var random = SplitMix(seed: 5)

    init(_ graph: FlightsGraph, _ store: Store) throws {
      self.store = store
      ids = try FlightsGraph.ids(store.snapshot(), "Flight")
      expected = try graph.flights.integers("distance")
    }

    /// One transaction, looked at from both sides.
    mutating func update(_ count: Int, _ sample: Int, _ durability: Durability) throws -> Elapsed {
      let rows = (0..<count).map { _ in Int(random.next() % UInt64(ids.count)) }
      // A program has the ids at hand; finding them at random places of a list is not measured.
      let targets = rows.map { ids[$0] }
      let held = store.snapshot()
      let elapsed = try measure {
        try store.write(durability: durability) { context in
          for (place, id) in targets.enumerated() {
            try context.set(id, "distance", .integer(Int64(place % 3_000 + sample)))
          }
        }
      }
      try check(held, ids, expected, rows)
      for (place, row) in rows.enumerated() { expected[row] = Int64(place % 3_000 + sample) }
      try check(store.snapshot(), ids, expected, rows)
      return elapsed
    }
  }

  private static func check(
    _ snapshot: Snapshot, _ ids: [ObjectID], _ expected: [Int64?], _ rows: [Int]
  ) throws {
    for row in rows {
      guard snapshot.object(ids[row])?["distance"] == expected[row].map({ .integer($0) }) else {
        throw WorkloadError("flight \(row) has another distance")
      }
    }
  }

  /// What was written is there when the store is opened again.
  private static func checkAll(
    _ graph: FlightsGraph, _ path: String, _ expected: [Int64?]
  ) throws {
    let store = try graph.open(path)
    let snapshot = store.snapshot()
    for (row, object) in try snapshot.objects("Flight").enumerated() {
      guard object["distance"] == expected[row].map({ .integer($0) }) else {
        throw WorkloadError("flight \(row) has another distance after opening")
      }
    }
    try store.close()
  }

  static let graphCommit = Workload(
    name: "graph.commit", group: "graph",
    title: "1,000 durable transactions of 100 updates, beside the same bytes without an engine"
  ) { scale in
    let graph = try FlightsGraph(scale)
    let (count, size) = (scale.isTiny ? 20 : 1_000, 100)
    return try scale.withPeer(graph) { peer in
      try withStoreDirectory(scale) { path in
        try graph.makeStore(path, isCompacted: true)
        var expected = try graph.flights.integers("distance")
        var random = SplitMix(seed: 6)
        var samples = Samples(peer)
        var raw: [Double] = []
        for sample in 0...scale.samples {
          let before = try StoreFiles(path).log
          let store = try graph.open(path)
          let ids = try FlightsGraph.ids(store.snapshot(), "Flight")
          let rows = (0..<count).map { _ in
            (0..<size).map { _ in Int(random.next() % UInt64(ids.count)) }
          }
          samples.own.append(try commit(store, ids, rows, sample))
          for list in rows { for row in list { expected[row] = Int64(row % 100 + sample) } }
          try check(store.snapshot(), ids, expected, rows.flatMap { $0 })
          try store.close()
          let bytes = Int(try StoreFiles(path).log - before)
          raw.append(
            try RawLimits.appendAndSync("\(path)/raw-\(sample)", count: count, size: bytes / count))
          try samples.add(peer, "update \(count) \(size) \(sample)", expecting: count * size)
        }
        try checkAll(graph, path, expected)
        var results = samples.warm.milliseconds(
          "graph.commit", "\(count) x \(size) updates", nil, check: "after, and opened again")
        results[0].limitName = "raw append+fdatasync"
        results[0].limit = Array(raw.dropFirst()).map { $0 * 1e3 }
        results[0].floor = scale.isTiny ? nil : .ratioAtMost(1.6)
        return results
      }
    }
  }

  /// A durable transaction for each list of rows.
  private static func commit(
    _ store: Store, _ ids: [ObjectID], _ rows: [[Int]], _ sample: Int
  ) throws -> Elapsed {
    let targets = rows.map { list in list.map { (row: $0, id: ids[$0]) } }
    return try measure {
      for list in targets {
        try store.write { context in
          for (row, id) in list {
            try context.set(id, "distance", .integer(Int64(row % 100 + sample)))
          }
        }
      }
    }
  }

  static let graphDelete = Workload(
    name: "graph.delete", group: "graph", title: "every tenth plane deleted, its flights unlinked"
  ) { scale in
    let graph = try FlightsGraph(scale)
    let links = try graph.link("plane").rows
    let nullified = links.reduce(0) { $0 + ($1 > 0 && ($1 - 1) % 10 == 0 ? 1 : 0) }
    return try scale.withPeer(graph) { peer in
      var relaxed = Samples(peer)
      var durable = Samples(peer)
      for sample in 0...scale.samples {
        relaxed.own.append(try delete(scale, graph, nullified, .relaxed))
        durable.own.append(try delete(scale, graph, nullified, .full))
        if sample > 0 { _ = try peer?.ask("import") }
        try relaxed.add(peer, "delete-planes 0", expecting: nullified)
        _ = try peer?.ask("import")
        try durable.add(peer, "delete-planes 1", expecting: nullified)
      }
      let planes = (graph.tables[FlightsGraph.plane].rows + 9) / 10
      let name = "graph.delete"
      let check = "links of all flights"
      return relaxed.warm.milliseconds(
        name, "\(planes) planes", scale.isTiny ? nil : .atMost(1), check: check)
        + durable.warm.milliseconds(name, "\(planes) planes, synced", nil, check: check)
        + [
          Measurement(
            workload: name, metric: "links nullified", unit: "count",
            samples: [Double(nullified)], check: check)
        ]
    }
  }

  /// Deletes in a fresh store, and looks at every flight.
  private static func delete(
    _ scale: Scale, _ graph: FlightsGraph, _ nullified: Int, _ durability: Durability
  ) throws -> Elapsed {
    try withStoreDirectory(scale) { path in
      try graph.makeStore(path, isCompacted: true)
      let store = try graph.open(path)
      let ids = try FlightsGraph.ids(store.snapshot(), "Plane")
      // The first write of a store makes a segment, which takes several syncs.
      try store.write { try $0.set(ids[1], "seats", 1) }
      let elapsed = try measure {
        try store.write(durability: durability) { context in
          for row in stride(from: 0, to: ids.count, by: 10) { try context.delete(ids[row]) }
        }
      }
      let snapshot = store.snapshot()
      let linked = try snapshot.objects("Flight").reduce(0) {
        $0 + ($1.link("plane") == nil ? 0 : 1)
      }
      let before = try graph.link("plane").rows.reduce(0) { $0 + ($1 > 0 ? 1 : 0) }
      guard linked == before - nullified,
        snapshot.count("Plane") == ids.count - (ids.count + 9) / 10
      else { throw WorkloadError("\(linked) flights have a plane") }
      try store.close()
      return elapsed
    }
  }
}
