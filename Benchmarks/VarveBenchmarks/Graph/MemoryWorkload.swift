// Memory of an open store, in a process of its own (T8).

import Varve

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension Workload {
  static let graphMemory = Workload(
    name: "graph.memory", group: "graph",
    title: "resident memory of a store with all columns read (10 M objects with --large)"
  ) { scale in
    let graph = try FlightsGraph(scale)
    return try withStoreDirectory(scale) { path in
      try graph.makeStore(path, isCompacted: false)
      let logs = try resident(path, "flights", cells: ColumnSums(graph).cells)
      try graph.compact(path)
      let baseline = try resident(path, "flights", cells: ColumnSums(graph).cells)
      let rows = Double(graph.flights.rows)
      var results = [
        Measurement(
          workload: "graph.memory", metric: "from a baseline", unit: "bytes/flight",
          samples: [baseline / rows], floor: scale.isTiny ? nil : .atMost(60),
          check: "all cells read"),
        Measurement(
          workload: "graph.memory", metric: "from logs", unit: "bytes/flight",
          samples: [logs / rows], floor: scale.isTiny ? nil : .atMost(60),
          check: "all cells read"),
      ]
      if scale.isLarge {
        let store = try SyntheticStore("\(path)-large", objects: 10_000_000)
        defer { removeTree(store.path) }
        results.append(
          Measurement(
            workload: "graph.memory", metric: "10 M objects", unit: "bytes",
            samples: [try resident(store.path, "synthetic", cells: 40_000_000)],
            floor: .atMost(1e9), check: "all cells read"))
      }
      return results
    }
  }

  /// Bytes that another process needs to open a store and read everything.
  private static func resident(_ path: String, _ kind: String, cells: Int) throws -> Double {
    let child = try ChildProcess([executable(), "resident", path])
    let answer = child.readLine() ?? ""
    guard child.finish() == 0 else { throw WorkloadError("memory cannot be measured: \(answer)") }
    let numbers = answer.split(separator: " ").compactMap { Int($0) }
    guard numbers.count == 2, numbers[1] == cells else {
      throw WorkloadError("\(answer) instead of \(cells) cells")
    }
    return Double(numbers[0])
  }

  private static func executable() -> String {
    var buffer = [CChar](repeating: 0, count: 4_096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    return count > 0
      ? String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
      : CommandLine.arguments[0]
  }

  /// Opens a store without its schema, reads everything, and prints what that took.
  static func printResident(_ path: String) throws {
    let before = RunEnvironment.residentBytes()
    let store = try Store.openReadOnly(at: path)
    let snapshot = store.snapshot()
    let cells = ColumnSums(snapshot).cells
    let after = RunEnvironment.residentBytes()
    withExtendedLifetime(snapshot) {}
    print("\(after - before) \(cells)")
  }
}
