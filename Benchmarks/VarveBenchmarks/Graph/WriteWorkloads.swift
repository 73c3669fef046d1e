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
    return try withStoreDirectory(scale) { path in
      try graph.makeStore(path, isCompacted: true)
      let store = try graph.open(path)
      let ids = try FlightsGraph.ids(store.snapshot(), "Flight")
      var expected = try graph.flights.integers("distance")
      var random = SplitMix(seed: 5)
      var samples: [Elapsed] = []
      for sample in 0...scale.samples * 2 {
        let rows = (0..<count).map { _ in Int(random.next() % UInt64(ids.count)) }
        let held = store.snapshot()
        samples.append(
          try measure {
            try store.write { context in
              for (place, row) in rows.enumerated() {
                try context.set(ids[row], "distance", .integer(Int64(place + sample)))
              }
            }
          })
        try check(held, ids, expected, rows)
        for (place, row) in rows.enumerated() { expected[row] = Int64(place + sample) }
        try check(store.snapshot(), ids, expected, rows)
      }
      try store.close()
      try checkAll(graph, path, expected)
      return milliseconds(
        "graph.update", "\(count) updates", warm(samples), scale.isTiny ? nil : .atMost(16),
        check: "before, after and opened again")
    }
  }

  /// A time and the processor's part of it.
  static func milliseconds(
    _ name: String, _ metric: String, _ samples: [Elapsed], _ floor: Measurement.Floor?,
    check: String
  ) -> [Measurement] {
    [
      Measurement(
        workload: name, metric: metric, unit: "ms", samples: samples.map { $0.seconds * 1e3 },
        floor: floor, check: check),
      Measurement(
        workload: name, metric: "\(metric), CPU", unit: "ms",
        samples: samples.map { $0.cpuSeconds * 1e3 }, check: "same run"),
    ]
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
    return try withStoreDirectory(scale) { path in
      try graph.makeStore(path, isCompacted: true)
      var expected = try graph.flights.integers("distance")
      var random = SplitMix(seed: 6)
      var samples: [Elapsed] = []
      var raw: [Double] = []
      for sample in 0...scale.samples {
        let before = try StoreFiles(path).log
        let store = try graph.open(path)
        let ids = try FlightsGraph.ids(store.snapshot(), "Flight")
        let rows = (0..<count).map { _ in
          (0..<size).map { _ in Int(random.next() % UInt64(ids.count)) }
        }
        samples.append(
          try measure {
            for list in rows {
              try store.write { context in
                for row in list {
                  try context.set(ids[row], "distance", .integer(Int64(row % 100 + sample)))
                }
              }
            }
          })
        for list in rows { for row in list { expected[row] = Int64(row % 100 + sample) } }
        try check(store.snapshot(), ids, expected, rows.flatMap { $0 })
        try store.close()
        let bytes = Int(try StoreFiles(path).log - before)
        raw.append(
          try RawLimits.appendAndSync("\(path)/raw-\(sample)", count: count, size: bytes / count))
      }
      try checkAll(graph, path, expected)
      var results = milliseconds(
        "graph.commit", "\(count) x \(size) updates", warm(samples), nil,
        check: "after, and opened again")
      results[0].limitName = "raw append+fdatasync"
      results[0].limit = Array(raw.dropFirst()).map { $0 * 1e3 }
      results[0].floor = scale.isTiny ? nil : .ratioAtMost(1.6)
      return results
    }
  }

  static let graphDelete = Workload(
    name: "graph.delete", group: "graph", title: "every tenth plane deleted, its flights unlinked"
  ) { scale in
    let graph = try FlightsGraph(scale)
    let links = try graph.link("plane").rows
    let nullified = links.reduce(0) { $0 + ($1 > 0 && ($1 - 1) % 10 == 0 ? 1 : 0) }
    let kept = links.reduce(0) { $0 + ($1 > 0 ? 1 : 0) } - nullified
    var samples: [Elapsed] = []
    for _ in 0...scale.samples {
      try withStoreDirectory(scale) { path in
        try graph.makeStore(path, isCompacted: true)
        let store = try graph.open(path)
        let ids = try FlightsGraph.ids(store.snapshot(), "Plane")
        samples.append(
          try measure {
            try store.write { context in
              for row in stride(from: 0, to: ids.count, by: 10) { try context.delete(ids[row]) }
            }
          })
        let snapshot = store.snapshot()
        let linked = try snapshot.objects("Flight").reduce(0) {
          $0 + ($1.link("plane") == nil ? 0 : 1)
        }
        guard linked == kept, snapshot.count("Plane") == ids.count - (ids.count + 9) / 10 else {
          throw WorkloadError("\(linked) flights have a plane instead of \(kept)")
        }
        try store.close()
      }
    }
    return milliseconds(
      "graph.delete", "\((graph.tables[FlightsGraph.plane].rows + 9) / 10) planes",
      warm(samples), scale.isTiny ? nil : .atMost(1), check: "links of all flights")
      + [
        Measurement(
          workload: "graph.delete", metric: "links nullified", unit: "count",
          samples: [Double(nullified)], check: "links of all flights")
      ]
  }
}
