// Samples of the engine, and of a peer in turn with them.

/// Times of the same work, in the order in which they were measured.
struct Samples {
  var own: [Elapsed] = []
  var peer: [Elapsed] = []
  let peerName: String?

  init(_ peer: Peer?) { peerName = peer?.name }

  /// Lets the peer do the same; its answer must be `expected`.
  mutating func add(_ peer: Peer?, _ line: String, expecting expected: Int) throws {
    guard let peer else { return }
    self.peer.append(try peer.ask(line, expecting: Int64(expected)).0)
  }

  /// Without the first of each, which found nothing in any cache.
  var warm: Samples {
    var rest = self
    rest.own = Array(own.dropFirst())
    rest.peer = Array(peer.dropFirst())
    return rest
  }

  /// A rate and the processor time behind it.
  func rates(
    _ name: String, _ metric: String, _ count: Int, _ floor: Measurement.Floor?, check: String
  ) -> [Measurement] {
    [
      measurement(name, metric, "1/s", floor, check) { Double(count) / $0.seconds },
      measurement(name, "CPU", "ns each", nil, "same run") { $0.cpuSeconds * 1e9 / Double(count) },
    ]
  }

  /// A time and the processor's part of it.
  func milliseconds(
    _ name: String, _ metric: String, _ floor: Measurement.Floor?, check: String
  ) -> [Measurement] {
    [
      measurement(name, metric, "ms", floor, check) { $0.seconds * 1e3 },
      measurement(name, "\(metric), CPU", "ms", nil, "same run") { $0.cpuSeconds * 1e3 },
    ]
  }

  private func measurement(
    _ name: String, _ metric: String, _ unit: String, _ floor: Measurement.Floor?, _ check: String,
    _ value: (Elapsed) -> Double
  ) -> Measurement {
    var result = Measurement(
      workload: name, metric: metric, unit: unit, samples: own.map(value), floor: floor,
      check: check)
    if !peer.isEmpty {
      result.peerName = peerName
      result.peer = peer.map(value)
    }
    return result
  }
}
