// Bulk import of columns, replay and digest (T1, T7, T8 in their first form).

import Varve
import VarveFormat

extension Workload {
  static let importColumns = Workload(
    name: "import.columns", group: "import",
    title: "columns in memory into a durable log, one transaction a table"
  ) { scale in
    let tables = try FlightsData.tables(scale)
    let rows = tables.reduce(0) { $0 + $1.rows }
    var rates: [Double] = []
    var cpu: [Double] = []
    var raw: [Double] = []
    var bytesPerRow: [Double] = []
    for _ in 0...scale.samples {
      try withStoreDirectory(scale) { path in
        let log = try Log.create(at: path, disk: PosixDisk())
        let elapsed = try measure { try importAll(tables, log) }
        let bytes = log.statistics.bytes
        try log.close()
        try verify(path, rows: rows)
        rates.append(Double(rows) / elapsed.seconds)
        cpu.append(elapsed.cpuSeconds * 1e6 / Double(rows))
        bytesPerRow.append(Double(bytes) / Double(rows))
        let limit = try RawLimits.writeAndSync("\(path)/raw", bytes: Int(bytes))
        raw.append(Double(rows) / limit)
      }
    }
    return [
      Measurement(
        workload: "import.columns", metric: "rows/s", unit: "1/s", samples: warm(rates),
        limitName: "write+fdatasync of the same bytes", limit: warm(raw),
        floor: scale.isTiny ? nil : .atLeast(2_500_000), check: "\(rows) rows replayed"),
      Measurement(
        workload: "import.columns", metric: "CPU", unit: "us/row", samples: warm(cpu),
        check: "\(rows) rows"),
      Measurement(
        workload: "import.columns", metric: "log", unit: "bytes/row", samples: warm(bytesPerRow),
        floor: scale.isTiny ? nil : .atMost(32), check: "\(rows) rows"),
    ]
  }

  static let replay = Workload(
    name: "replay", group: "import",
    title: "a log of columns replayed into typed columns, warm cache"
  ) { scale in
    let tables = try FlightsData.tables(scale)
    let rows = tables.reduce(0) { $0 + $1.rows }
    return try withStoreDirectory(scale) { path in
      let log = try Log.create(at: path, disk: PosixDisk())
      try importAll(tables, log)
      try log.close()
      var rates: [Double] = []
      var cpu: [Double] = []
      var digestRates: [Double] = []
      var memory = 0.0
      for _ in 0...scale.samples {
        var result: ReplayResult?
        let elapsed = try measure { result = try replayStore(path) }
        guard let result, result.rows == rows else {
          throw WorkloadError("rows are missing")
        }
        rates.append(Double(rows) / elapsed.seconds)
        cpu.append(elapsed.cpuSeconds * 1e9 / Double(rows))
        memory = Double(result.state.memoryBytes) / Double(rows)
        let digest = measure { _ = StateDigest(result.state) }
        digestRates.append(Double(rows) / digest.seconds)
      }
      return [
        Measurement(
          workload: "replay", metric: "rows/s", unit: "1/s", samples: warm(rates),
          floor: scale.isTiny ? nil : .atLeast(8_000_000), check: "\(rows) rows"),
        Measurement(
          workload: "replay", metric: "CPU", unit: "ns/row", samples: warm(cpu),
          check: "\(rows) rows"),
        Measurement(
          workload: "replay", metric: "memory", unit: "bytes/row", samples: [memory],
          check: "\(rows) rows"),
        Measurement(
          workload: "digest", metric: "rows/s", unit: "1/s", samples: warm(digestRates),
          check: "\(rows) rows"),
      ]
    }
  }

  private static func importAll(_ tables: [BenchmarkTable], _ log: Log) throws {
    for table in tables { _ = try log.commit(try FlightsData.draft(table)) }
  }

  private static func verify(_ path: String, rows: Int) throws {
    guard try replayStore(path).rows == rows else { throw WorkloadError("rows are missing") }
  }

  static func replayStore(_ path: String) throws -> ReplayResult {
    let disk = PosixDisk()
    let catalog = try LogCatalog(disk, StorePaths(path), superblock: nil)
    let result = try Replay.run(disk, catalog)
    guard result.problems.isEmpty else { throw WorkloadError("\(result.problems)") }
    return result
  }

  /// Samples without the first one, which warms up.
  static func warm(_ samples: [Double]) -> [Double] { Array(samples.dropFirst()) }
}
