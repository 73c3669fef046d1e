// What a workload is, and what running one gives.

/// One figure, beside the limit or peer that was measured in the same run.
struct Measurement {
  var workload: String
  /// What was measured, for example `rows/s`.
  var metric: String
  var unit: String
  /// One value a sample.
  var samples: [Double]
  /// The limit or peer, one value a sample, alternating with `samples`.
  var limitName: String?
  var limit: [Double] = []
  /// The peer, one value a sample; not a limit, so it has a place of its own.
  var peerName: String?
  var peer: [Double] = []
  /// The floor that must be reached, as a value or as a ratio to the limit.
  var floor: Floor?
  /// What the workload made sure of: a wrong answer is a failure, not a time.
  var check: String

  enum Floor {
    case atLeast(Double)
    case atMost(Double)
    case ratioAtLeast(Double)
    case ratioAtMost(Double)
  }

  var median: Double { Statistics.median(samples) }
  var limitMedian: Double? { limit.isEmpty ? nil : Statistics.median(limit) }
  /// The median of the ratios pair by pair, so that drift of the machine cancels out.
  var ratio: Double? {
    guard limit.count == samples.count, !limit.isEmpty else { return nil }
    return Statistics.median(zip(samples, limit).map { $0 / $1 })
  }

  /// How many times as good as the peer: faster, or smaller.
  var advantage: Double? {
    guard !peer.isEmpty, median > 0 else { return nil }
    let ratio =
      peer.count == samples.count
      ? Statistics.median(zip(samples, peer).map { $0 / $1 }) : median / Statistics.median(peer)
    return unit == "1/s" ? ratio : 1 / ratio
  }

  /// Whether the floor is reached; nil when there is none.
  var isReached: Bool? {
    switch floor {
    case nil: nil
    case .atLeast(let value): median >= value
    case .atMost(let value): median <= value
    case .ratioAtLeast(let value): ratio.map { $0 >= value }
    case .ratioAtMost(let value): ratio.map { $0 <= value }
    }
  }
}

/// How large and how often.
struct Scale {
  var isTiny: Bool
  var samples: Int
  /// Directory of the stores; must be on a real disk.
  var directory: String
  /// Directory of the data sets, nil for generated data only.
  var data: String?
  /// Whether sizes are run that take a minute and gigabytes.
  var isLarge = false
  /// The program of the peer, nil when nothing is compared.
  var peers: String?
}

/// A named piece of work.
struct Workload: Sendable {
  var name: String
  var group: String
  var title: String
  var run: @Sendable (Scale) throws -> [Measurement]
}

/// A workload that could not run or gave a wrong answer.
struct WorkloadError: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}

enum Statistics {
  static func median(_ values: [Double]) -> Double {
    guard !values.isEmpty else { return 0 }
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }

  static func spread(_ values: [Double]) -> (min: Double, max: Double) {
    (values.min() ?? 0, values.max() ?? 0)
  }
}
