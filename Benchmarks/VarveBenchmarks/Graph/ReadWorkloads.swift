// Lookups by id and steps along links in memory (T4).

import Varve
import VarveFormat

extension Workload {
  static let graphRead = Workload(
    name: "graph.read", group: "graph",
    title: "lookups by id, flight to plane to model, planes to flights"
  ) { scale in
    let graph = try FlightsGraph(scale)
    return try scale.withPeer(graph) { peer in
      try withStoreDirectory(scale) { path in
        try graph.makeStore(path, isCompacted: true)
        let store = try graph.open(path)
        let run = try GraphReads(graph, store.snapshot(), count: scale.isTiny ? 10_000 : 1_000_000)
        var results: [Measurement] = []
        for kind in GraphReads.Kind.allCases {
          var samples = Samples(peer)
          for _ in 0...scale.samples {
            samples.own.append(try run.measure(kind))
            try samples.add(peer, run.line(kind), expecting: Int(run.expected(kind)))
          }
          results += samples.warm.rates(
            "graph.read", kind.rawValue, run.steps(kind), scale.isTiny ? nil : kind.floor,
            check: "sums of the source")
        }
        try store.close()
        return results
      }
    }
  }
}

/// Reads of one snapshot, each with the sum that the source gives.
struct GraphReads {
  enum Kind: String, CaseIterable {
    case lookup = "lookups/s, readers"
    case toOne = "to-one/s, readers"
    case toMany = "to-many members/s, readers"
    case dynamicLookup = "lookups/s, dynamic"
    case dynamicToOne = "to-one/s, dynamic"
    case dynamicToMany = "to-many members/s, dynamic"

    var floor: Measurement.Floor {
      switch self {
      case .lookup, .dynamicLookup: .atLeast(4e7)
      case .toOne, .dynamicToOne: .atLeast(3e7)
      case .toMany, .dynamicToMany: .atLeast(1e8)
      }
    }
  }

  private let snapshot: Snapshot
  private let graph: FlightsGraph
  /// Flights in random order.
  private let rows: [Int]
  private let ids: [ObjectID]
  private let handles: [Handle]
  private let objects: [DynamicObject]
  private let planes: [DynamicObject]
  private let planeLink: RelationshipRule
  private let seats: ColumnKey
  private let distance: ColumnKey
  private let lookupSum: Int64
  private let toOneSum: Int64
  private let members: Int

  init(_ graph: FlightsGraph, _ snapshot: Snapshot, count: Int) throws {
    self.graph = graph
    self.snapshot = snapshot
    var random = SplitMix(seed: 11)
    let flights = graph.flights
    rows = (0..<count).map { _ in Int(random.next() % UInt64(flights.rows)) }
    let all = try snapshot.objects("Flight")
    objects = rows.map { all[$0] }
    ids = objects.map(\.id)
    handles = objects.map(\.handle)
    planes = try snapshot.objects("Plane")
    guard let rule = snapshot.graph.schema.entity(named: "Flight"),
      let link = rule.relationship(named: "plane")
    else { throw WorkloadError("flights have no link to planes") }
    planeLink = link
    seats = ColumnKey(tag: graph.tables[FlightsGraph.plane].tag("seats"), type: .integer)
    distance = ColumnKey(tag: flights.tag("distance"), type: .integer)
    let distances = try flights.integers("distance")
    lookupSum = rows.reduce(0) { $0 + (distances[$1] ?? 0) }
    let places = try graph.link("plane").rows
    let seated = try graph.tables[FlightsGraph.plane].integers("seats")
    toOneSum = rows.reduce(0) { sum, row in
      sum + (places[row] > 0 ? seated[places[row] - 1] ?? 0 : 0)
    }
    members = places.reduce(0) { $0 + ($1 > 0 ? 1 : 0) }
  }

  /// What one run of a kind counts.
  func steps(_ kind: Kind) -> Int {
    switch kind {
    case .toMany, .dynamicToMany: members
    default: rows.count
    }
  }

  func measure(_ kind: Kind) throws -> Elapsed {
    var sum: Int64 = 0
    let elapsed = try VarveBenchmarks.measure { sum = try run(kind) }
    guard sum == expected(kind) else {
      throw WorkloadError("\(kind): \(sum) instead of \(expected(kind))")
    }
    return elapsed
  }

  /// The sum that the source gives.
  func expected(_ kind: Kind) -> Int64 {
    switch kind {
    case .lookup, .dynamicLookup: lookupSum
    case .toOne, .dynamicToOne: toOneSum
    case .toMany, .dynamicToMany: Int64(members)
    }
  }

  /// What a peer is asked.
  func line(_ kind: Kind) -> String {
    switch kind {
    case .lookup, .dynamicLookup: "lookup \(rows.count) 11"
    case .toOne, .dynamicToOne: "to-one \(rows.count) 11"
    case .toMany, .dynamicToMany: "to-many"
    }
  }

  private func run(_ kind: Kind) throws -> Int64 {
    switch kind {
    case .lookup: try lookup()
    case .toOne: try toOne()
    case .toMany: toMany()
    case .dynamicLookup: dynamicLookup()
    case .dynamicToOne: dynamicToOne()
    case .dynamicToMany: dynamicToMany()
    }
  }

  private func lookup() throws -> Int64 {
    guard
      let reader = ColumnReader(
        snapshot.graph, entity: FlightsGraph.entity(FlightsGraph.flight), distance)
    else { throw WorkloadError("no flight has a distance") }
    var sum: Int64 = 0
    for handle in handles {
      if let word = reader.visibleWord(handle) { sum += Int64(bitPattern: word) }
    }
    return sum
  }

  private func toOne() throws -> Int64 {
    let links = LinkColumnReader(snapshot.graph, planeLink)
    guard
      let reader = ColumnReader(
        snapshot.graph, entity: FlightsGraph.entity(FlightsGraph.plane), seats)
    else { throw WorkloadError("no plane has seats") }
    var sum: Int64 = 0
    for handle in handles {
      if let plane = links.target(of: handle), let word = reader.word(plane) {
        sum += Int64(bitPattern: word)
      }
    }
    return sum
  }

  private func toMany() -> Int64 {
    let reader = MemberReader(snapshot.graph, planeLink)
    var count: Int64 = 0
    for plane in planes { reader.forEach(plane.handle) { _ in count += 1 } }
    return count
  }

  private func dynamicLookup() -> Int64 {
    var sum: Int64 = 0
    for id in ids {
      if case .integer(let value)? = snapshot.object(id)?["distance"] { sum += value }
    }
    return sum
  }

  private func dynamicToOne() -> Int64 {
    var sum: Int64 = 0
    for object in objects {
      if case .integer(let value)? = object.link("plane")?["seats"] { sum += value }
    }
    return sum
  }

  private func dynamicToMany() -> Int64 {
    var count: Int64 = 0
    for plane in planes { count += Int64(plane.links("flights").count) }
    return count
  }
}
