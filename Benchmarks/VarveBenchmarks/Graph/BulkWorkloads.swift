// Everything in memory, rebuilding from logs, growth and memory (T3, T8).

import Varve
import VarveFormat

extension Workload {
  static let graphAll = Workload(
    name: "graph.all", group: "graph", title: "open and read all columns of all entities"
  ) { scale in
    let graph = try FlightsGraph(scale)
    let expected = try ColumnSums(graph)
    return try scale.withPeer(graph) { peer in
      try withStoreDirectory(scale) { path in
        try graph.makeStore(path, isCompacted: true)
        var samples = Samples(peer)
        for _ in 0...scale.samples * 2 {
          var sums: ColumnSums?
          let elapsed = try measure {
            let store = try graph.open(path)
            sums = ColumnSums(store.snapshot())
            try store.close()
          }
          guard sums == expected else { throw WorkloadError("cells differ from the source") }
          samples.own.append(elapsed)
          try samples.add(peer, "open-all", expecting: expected.cells)
        }
        return samples.warm.rates(
          "graph.all", "objects/s", graph.objects, scale.isTiny ? nil : .atLeast(1e7),
          check: "\(expected.cells) cells")
      }
    }
  }

  static let graphRebuild = Workload(
    name: "graph.rebuild", group: "graph",
    title: "objects, stamps and ids from the logs alone, every object then looked up"
  ) { scale in
    let graph = try FlightsGraph(scale)
    return try withStoreDirectory(scale) { path in
      try graph.makeStore(path, isCompacted: false)
      var samples = Samples(nil)
      for _ in 0...scale.samples * 2 {
        var result: ReplayResult?
        let elapsed = try measure { result = try replayStore(path) }
        guard let result, try rebuilt(result.state) == graph.objects else {
          throw WorkloadError("objects, ids or stamps are missing")
        }
        samples.own.append(elapsed)
      }
      return samples.warm.rates(
        "graph.rebuild", "objects/s", graph.objects, scale.isTiny ? nil : .atLeast(1e7),
        check: "id and stamp of each object")
    }
  }

  /// Objects that are found by their id and know when they were made.
  private static func rebuilt(_ state: GraphState) throws -> Int {
    let snapshot = GraphSnapshot(state)
    var found = 0
    for place in FlightsGraph.entityNames.indices {
      snapshot.forEachObject(FlightsGraph.entity(place)) { handle in
        guard let name = state.name(handle), snapshot.object(name) == handle,
          let mark = state.mark(handle, .life), mark.stamp != .zero
        else { return }
        found += 1
      }
    }
    return found
  }

  // MARK: growth

  static let graphGrowth = Workload(
    name: "graph.growth", group: "graph",
    title: "open to the first lookup from 100 k to 1 M objects (to 10 M with --large)"
  ) { scale in
    let sizes =
      scale.isTiny
      ? [1_000, 10_000] : scale.isLarge ? [100_000, 10_000_000] : [100_000, 1_000_000]
    return try withStoreDirectory(scale) { path in
      let stores = try sizes.enumerated().map { place, size in
        try SyntheticStore("\(path)-\(place)", objects: size)
      }
      defer { for store in stores { removeTree(store.path) } }
      var samples: [[Elapsed]] = stores.map { _ in [] }
      // In turn, so that drift of the machine cancels out.
      for sample in 0...scale.samples * 8 {
        for (place, store) in stores.enumerated() {
          samples[place].append(try store.firstLookup(sample))
        }
      }
      let small = samples[0].dropFirst()
      let large = samples[1].dropFirst()
      return [
        Measurement(
          workload: "graph.growth", metric: "\(sizes[1]) objects", unit: "ms",
          samples: large.map { $0.seconds * 1e3 }, limitName: "\(sizes[0]) objects",
          limit: small.map { $0.seconds * 1e3 },
          floor: scale.isTiny ? nil : .ratioAtMost(1.2), check: "answer of the generator"),
        Measurement(
          workload: "graph.growth", metric: "CPU", unit: "ms",
          samples: large.map { $0.cpuSeconds * 1e3 }, limitName: "\(sizes[0]) objects",
          limit: small.map { $0.cpuSeconds * 1e3 }, check: "same run"),
      ]
    }
  }
}

/// A compacted store of one entity with four attributes.
struct SyntheticStore {
  let path: String
  let objects: Int
  private let ids: [ObjectID]
  private let probes: [Int]

  private static let schema = Schema(
    version: 1,
    entities: [
      Entity(
        "Sample", tag: 1,
        attributes: [
          .integer("number", tag: 1, default: 0), .integer("noise", tag: 2, default: 0),
          .date("time", tag: 3, isOptional: true), .string("word", tag: 4, default: ""),
        ])
    ])

  init(_ path: String, objects: Int) throws {
    self.path = path
    self.objects = objects
    let store = try Store.create(
      at: path, schema: SyntheticStore.schema, options: FlightsGraph.options)
    try store.write { _ in }
    try store.close()
    var options = LogOptions()
    options.host = HostIdentity.current
    let log = try Log.open(at: path, disk: PosixDisk(), options: options)
    for first in stride(from: 0, to: objects, by: 1 << 20) {
      _ = try log.commit(try SyntheticStore.draft(first..<min(first + 1 << 20, objects)))
    }
    try log.close()
    let open = try Store.open(
      at: path, schema: SyntheticStore.schema, options: FlightsGraph.options)
    try open.compact()
    probes = (0..<64).map { $0 * 104_729 % objects }
    let snapshot = open.snapshot()
    let scan = Handle(table: 0, creator: 1, serial: 1)
    guard case .created(let creator, _)? = snapshot.graph.name(scan)?.origin else {
      throw WorkloadError("the first object has no id")
    }
    ids = probes.map {
      ObjectID(ObjectName(entity: 1, .created(creator, serial: UInt64($0 + 1))))
    }
    try open.close()
  }

  private static func noise(_ row: Int) -> UInt64 {
    (UInt64(row) &* 0x9E37_79B9_7F4A_7C15) >> 44
  }

  private static func draft(_ rows: Range<Int>) throws -> TransactionDraft {
    var offsets: [UInt32] = [0]
    var heap: [UInt8] = []
    for row in rows {
      heap += "w\(noise(row) % 1_000)".utf8
      offsets.append(UInt32(heap.count))
    }
    let columns = [
      ColumnInput(1, .integer, .words(rows.map { UInt64($0) }, present: nil)),
      ColumnInput(2, .integer, .words(rows.map(noise), present: nil)),
      ColumnInput(3, .date, .words(rows.map { UInt64($0 / 7) * 1_000_000_000 }, present: nil)),
      ColumnInput(4, .string, .bytes(offsets: offsets, heap: heap, present: nil)),
    ]
    var builder = TransactionBuilder()
    builder.schemaVersion = 1
    try builder.addColumns(
      form: .create, entity: 1, rows: rows.count,
      identifiers: .run(index: 0, firstSerial: UInt64(rows.lowerBound) + 1), columns: columns)
    return try builder.finish()
  }

  /// Opens the store and reads one attribute.
  func firstLookup(_ sample: Int) throws -> Elapsed {
    let probe = sample % probes.count
    var store: Store?
    var found: AttributeValue?
    let elapsed = try measure {
      store = try Store.open(
        at: path, schema: SyntheticStore.schema, options: FlightsGraph.options)
      found = store?.snapshot().object(ids[probe])?["noise"]
    }
    try store?.close()
    guard found == .integer(Int64(SyntheticStore.noise(probes[probe]))) else {
      throw WorkloadError("object \(probes[probe]) has the noise \(String(describing: found))")
    }
    return elapsed
  }

  /// Opens the store and reads all its columns; the number of cells.
  func readAll() throws -> Int {
    let store = try Store.open(
      at: path, schema: SyntheticStore.schema, options: FlightsGraph.options)
    defer { try? store.close() }
    return ColumnSums(store.snapshot(), entities: 1).cells
  }
}

/// A sum over every cell, so that nothing can be left out.
struct ColumnSums: Equatable {
  private(set) var cells = 0
  private var words: UInt64 = 0
  private var bytes: UInt64 = 0

  /// As a store has them.
  init(_ snapshot: Snapshot, entities: Int = FlightsGraph.entityNames.count) {
    for place in 0..<entities {
      let entity = FlightsGraph.entity(place)
      let keys = TableScan.keys(snapshot.graph, entity: entity)
      guard let scan = TableScan(snapshot.graph, entity: entity, keys) else { continue }
      scan.forEach { rows in
        for (column, key) in keys.enumerated() {
          if key.isLink || key.type?.isWord == true {
            let mask: UInt64 = key.isLink ? 0xFFFF_FFFF_FFFF : .max
            var (count, sum) = (0, UInt64(0))
            rows.forEachWord(column) { _, word in
              count += 1
              sum &+= word & mask
            }
            cells += count
            words &+= sum
          } else {
            var (count, sum) = (0, UInt64(0))
            rows.forEachBytes(column) { _, cell in
              count += 1
              sum &+= UInt64(cell.count) << 8 &+ UInt64(cell.last ?? 0)
            }
            cells += count
            bytes &+= sum
          }
        }
      }
    }
  }

  /// As the source has them.
  init(_ graph: FlightsGraph) throws {
    for table in graph.tables {
      for column in table.columns {
        let present = column.cells.present
        switch column.cells {
        case .words(let list, _):
          for (row, word) in list.enumerated() where present?[row] != false {
            cells += 1
            words &+= word
          }
        case .bytes(let offsets, let heap, _):
          for row in 0..<offsets.count - 1 where present?[row] != false {
            cells += 1
            let cell = heap[Int(offsets[row])..<Int(offsets[row + 1])]
            bytes &+= UInt64(cell.count) << 8 &+ UInt64(cell.last ?? 0)
          }
        }
      }
      for link in table.links {
        for row in link.rows where row > 0 {
          cells += 1
          words &+= UInt64(row)
        }
      }
    }
  }
}
