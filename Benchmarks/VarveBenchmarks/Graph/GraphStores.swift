// Makes stores of the flights graph and measures their files.

import Varve
import VarveFormat

extension FlightsGraph {
  static var options: StoreOptions {
    var options = StoreOptions()
    options.compactsAutomatically = false
    return options
  }

  /// A store with the whole graph: one transaction for the schema, one for each entity.
  ///
  /// - Returns: What the transactions with objects took.
  @discardableResult
  func makeStore(_ path: String, isCompacted: Bool) throws -> Elapsed {
    let store = try Store.create(at: path, schema: schema(), options: FlightsGraph.options)
    try store.write { _ in }
    try store.close()
    var options = LogOptions()
    options.host = HostIdentity.current
    let log = try Log.open(at: path, disk: PosixDisk(), options: options)
    let elapsed = try measure {
      for place in tables.indices { _ = try log.commit(try draft(place)) }
    }
    try log.close()
    if isCompacted { try compact(path) }
    return elapsed
  }

  /// Writes a baseline.
  func compact(_ path: String) throws {
    let store = try open(path)
    guard store.report.isDamaged == false, store.snapshot().count("Flight") == flights.rows else {
      throw WorkloadError("objects are missing: \(store.report)")
    }
    try store.compact()
    try store.close()
  }

  func open(_ path: String) throws -> Store {
    try Store.open(at: path, schema: schema(), options: FlightsGraph.options)
  }

  /// The newest transaction's object ids of an entity, in the order of rows.
  static func ids(_ snapshot: Snapshot, _ entity: String) throws -> [ObjectID] {
    try snapshot.objects(entity).map(\.id)
  }
}

/// Bytes of a store's files.
struct StoreFiles {
  var log: UInt64 = 0
  var baseline: UInt64 = 0

  init(_ path: String) throws { try add(path, isBaseline: false) }

  private mutating func add(_ path: String, isBaseline: Bool) throws {
    let disk = PosixDisk()
    for name in try disk.list(path) {
      let file = "\(path)/\(name)"
      guard let status = try disk.status(file) else { continue }
      if status.isDirectory {
        try add(file, isBaseline: name == "base")
      } else if isBaseline {
        baseline += status.length
      } else if name.hasSuffix(".vlog") {
        log += status.length
      }
    }
  }
}
