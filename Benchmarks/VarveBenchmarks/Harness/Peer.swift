// Another engine on the same data, in a process of its own.

import Varve

/// A program of `Benchmarks/Peers`, asked line by line.
final class Peer {
  let name: String
  private let child: ChildProcess
  private let directory: String

  /// Hands the data over and starts the program.
  init(_ program: String, data: [UInt8], directory: String) throws {
    self.directory = directory
    let disk = PosixDisk()
    try disk.makeDirectory(directory)
    let file = try disk.open("\(directory)/data", .create)
    try data.withUnsafeBytes { try file.write([$0], at: 0) }
    try file.close()
    child = try ChildProcess([program, "\(directory)/data", "\(directory)/database"])
    name = try child.ask("version")
    _ = try ask("import")
  }

  /// One answer: time, and the number that tells whether the answer is right.
  func ask(_ line: String, expecting expected: Int64? = nil) throws -> (Elapsed, value: Int64) {
    let answer = try child.ask(line)
    let fields = answer.split(separator: " ")
    guard fields.count == 3, let seconds = Double(fields[0]), let cpu = Double(fields[1]),
      let value = Int64(fields[2])
    else { throw WorkloadError("\(name), \(line): \(answer)") }
    guard expected == nil || expected == value else {
      throw WorkloadError("\(name), \(line): \(value) instead of \(expected ?? 0)")
    }
    return (Elapsed(seconds: seconds, cpuSeconds: cpu), value)
  }

  /// Ends the program and removes its files.
  func finish() {
    child.finish()
    removeTree(directory)
  }
}

extension Scale {
  /// Runs `body` with the peer, or with none when peers are not asked for.
  func withPeer<R>(_ graph: FlightsGraph, _ body: (Peer?) throws -> R) throws -> R {
    guard let peers else { return try body(nil) }
    let peer = try Peer(
      peers, data: graph.handedOver(),
      directory: "\(directory)/varve-bench-peer-\(SystemEntropy().uint64())")
    defer { peer.finish() }
    return try body(peer)
  }

  /// Builds the peers and returns the path of the program.
  static func buildPeers() throws -> String {
    let package = "Benchmarks/Peers"
    let build = try ChildProcess(["swift", "build", "-c", "release", "--package-path", package])
    var lines: [String] = []
    while let line = build.readLine() { lines.append(line) }
    guard build.finish() == 0 else {
      throw WorkloadError(
        "\(package) cannot be built (from the root of the repository, with libsqlite3-dev):\n"
          + lines.joined(separator: "\n"))
    }
    return "\(package)/.build/release/peer-sqlite"
  }
}

extension FlightsGraph {
  /// All tables as the peers read them: counts and words of 64 bits, little-endian.
  func handedOver() -> [UInt8] {
    var bytes: [UInt8] = []
    func add(_ word: UInt64) {
      for shift in stride(from: UInt64(0), to: 64, by: 8) {
        bytes.append(UInt8(truncatingIfNeeded: word >> shift))
      }
    }
    func add(_ count: Int) { add(UInt64(count)) }
    func add(_ name: String) {
      add(name.utf8.count)
      bytes += name.utf8
    }
    add(tables.count)
    for table in tables {
      add(table.name)
      add(table.rows)
      add(table.columns.count + table.links.count)
      for column in table.columns {
        add(column.name)
        let present = column.cells.present
        switch column.cells {
        case .words(let words, _):
          add(column.type == .double ? 1 : 0)
          for word in words { add(word) }
          for row in 0..<table.rows { bytes.append(present?[row] == false ? 0 : 1) }
        case .bytes(let offsets, let heap, _):
          add(2)
          for offset in offsets { add(Int(offset)) }
          for row in 0..<table.rows { bytes.append(present?[row] == false ? 0 : 1) }
          bytes += heap
        }
      }
      for link in table.links {
        add(link.name)
        add(3)
        for row in link.rows { add(row) }
        for row in link.rows { bytes.append(row > 0 ? 1 : 0) }
      }
    }
    return bytes
  }
}
