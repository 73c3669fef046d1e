// From a closed store to the first answer (T3), and what the files take (T7).

import Varve
import VarveFormat

extension Workload {
  static let graphOpen = Workload(
    name: "graph.open", group: "graph",
    title: "open to the first lookup and the first filtered fetch, warm cache"
  ) { scale in
    let graph = try FlightsGraph(scale)
    return try scale.withPeer(graph) { peer in
      try withStoreDirectory(scale) { path in
        try graph.makeStore(path, isCompacted: false)
        let logs = try firstLookup(scale, graph, path, nil)
        try graph.compact(path)
        let lookup = try firstLookup(scale, graph, path, peer)
        let fetch = try firstFetch(scale, graph, path, peer)
        let name = "graph.open"
        let check = "answer of the source"
        return lookup.milliseconds(
          name, "lookup, compacted", scale.isTiny ? nil : .atMost(1), check: check)
          + fetch.milliseconds(
            name, "fetch, compacted", scale.isTiny ? nil : .atMost(3), check: check)
          + logs.milliseconds(
            name, "lookup, logs alone", scale.isTiny ? nil : .atMost(20), check: check)
      }
    }
  }

  /// Opens a store and reads one attribute of one object.
  static func firstLookup(
    _ scale: Scale, _ graph: FlightsGraph, _ path: String, _ peer: Peer?
  ) throws -> Samples {
    let distances = try graph.flights.integers("distance")
    var samples = Samples(peer)
    let store = try graph.open(path)
    let ids = try FlightsGraph.ids(store.snapshot(), "Flight")
    try store.close()
    for sample in 0...scale.samples * 4 {
      let row = (sample * 7_919 + 13) % graph.flights.rows
      var store: Store?
      var found: AttributeValue?
      let elapsed = try measure {
        store = try graph.open(path)
        found = store?.snapshot().object(ids[row])?["distance"]
      }
      try store?.close()
      guard found == distances[row].map({ AttributeValue.integer($0) }) else {
        throw WorkloadError("flight \(row) has the distance \(String(describing: found))")
      }
      samples.own.append(elapsed)
      try samples.add(
        peer, "open-lookup \(row + 1)", expecting: distances[row].map { Int($0) } ?? 0)
    }
    return samples.warm
  }

  private static func firstFetch(
    _ scale: Scale, _ graph: FlightsGraph, _ path: String, _ peer: Peer?
  ) throws -> Samples {
    let expected = try FlightFetch.expected(graph)
    let sum = expected.enumerated().reduce(0) { $0 + ($1.offset + 1) * Int($1.element) }
    var samples = Samples(peer)
    for _ in 0...scale.samples * 4 {
      var store: Store?
      var found: [UInt64] = []
      let elapsed = try measure {
        let opened = try graph.open(path)
        found = try FlightFetch.run(opened.snapshot(), graph)
        store = opened
      }
      try store?.close()
      guard found == expected else {
        throw WorkloadError("\(found.count) flights instead of \(expected.count)")
      }
      samples.own.append(elapsed)
      try samples.add(peer, "open-fetch", expecting: sum)
    }
    return samples.warm
  }

  static let graphSize = Workload(
    name: "graph.size", group: "graph", title: "bytes of the log and of a fresh baseline"
  ) { scale in
    let graph = try FlightsGraph(scale)
    var samples: Samples?
    var sizes: [Measurement] = []
    try scale.withPeer(graph) { peer in
      var imports = Samples(peer)
      for sample in 0...scale.samples {
        try withStoreDirectory(scale) { path in
          imports.own.append(try graph.makeStore(path, isCompacted: sample == scale.samples))
          try imports.add(peer, "import", expecting: graph.objects)
          if sample == scale.samples { sizes = try fileSizes(scale, graph, path, peer) }
        }
      }
      samples = imports.warm
    }
    return
      (samples?.rates(
        "graph.import", "objects/s", graph.objects, nil, check: "\(graph.flights.rows) flights")
      ?? []) + sizes
  }

  private static func fileSizes(
    _ scale: Scale, _ graph: FlightsGraph, _ path: String, _ peer: Peer?
  ) throws -> [Measurement] {
    let files = try StoreFiles(path)
    var baseline = Measurement(
      workload: "graph.size", metric: "baseline", unit: "bytes",
      samples: [Double(files.baseline)],
      floor: scale.data == nil || scale.isTiny ? nil : .atMost(6.5e6),
      check: "\(graph.objects) objects")
    if let peer {
      baseline.peerName = peer.name
      baseline.peer = [Double(try peer.ask("size").value)]
    }
    return [
      baseline,
      Measurement(
        workload: "graph.size", metric: "log", unit: "bytes", samples: [Double(files.log)],
        check: "\(graph.objects) objects"),
    ]
  }
}

/// The filtered fetch: flights of UA that left more than an hour late, by distance.
enum FlightFetch {
  static let carrier = "UA"
  static let delay: Int64 = 60

  /// Serials in the right order; equal distances by serial.
  static func expected(_ graph: FlightsGraph) throws -> [UInt64] {
    let flights = graph.flights
    let carriers = try flights.strings("carrier")
    let delays = try flights.integers("dep_delay")
    let distances = try flights.integers("distance")
    let rows = carriers.indices.filter { carriers[$0] == carrier && (delays[$0] ?? 0) > delay }
    return rows.sorted { (distances[$0] ?? 0, $0) < (distances[$1] ?? 0, $1) }
      .map { UInt64($0 + 1) }
  }

  /// Scans three columns; no index is declared.
  static func run(_ snapshot: Snapshot, _ graph: FlightsGraph) throws -> [UInt64] {
    guard
      let airline = try snapshot.objects("Airline").first(where: {
        $0["carrier"] == .string(carrier)
      }),
      let scan = TableScan(
        snapshot.graph, entity: FlightsGraph.entity(FlightsGraph.flight),
        [
          ColumnKey(tag: graph.flights.tag("dep_delay"), type: .integer),
          ColumnKey(tag: try graph.link("airline").tag, type: .reference),
          ColumnKey(tag: graph.flights.tag("distance"), type: .integer),
        ])
    else { throw WorkloadError("there is no airline \(carrier)") }
    let link = airline.handle.link
    var found: [(distance: Int64, serial: UInt64)] = []
    scan.forEach { rows in
      rows.forEachWord(0) { row, word in
        guard Int64(bitPattern: word) > delay, rows.word(1, row) == link else { return }
        let distance = rows.word(2, row).map { Int64(bitPattern: $0) } ?? 0
        found.append((distance, rows.firstSerial + UInt64(row)))
      }
    }
    return found.sorted { ($0.distance, $0.serial) < ($1.distance, $1.serial) }.map(\.serial)
  }
}
