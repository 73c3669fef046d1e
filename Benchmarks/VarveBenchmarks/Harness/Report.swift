// Prints measurements as a table or as JSON.

/// Renders results.
enum Report {
  static func text(_ measurements: [Measurement]) -> String {
    var rows: [[String]] = [
      [
        "workload", "metric", "median", "min", "max", "limit", "ratio", "must reach", "", "peer",
        "times",
      ]
    ]
    for measurement in measurements {
      let spread = Statistics.spread(measurement.samples)
      let limit = measurement.limitMedian.map {
        "\(number($0)) \(measurement.limitName ?? "")"
      }
      rows.append([
        measurement.workload, "\(measurement.metric) [\(measurement.unit)]",
        number(measurement.median), number(spread.min), number(spread.max), limit ?? "-",
        measurement.ratio.map { number($0) } ?? "-", floor(measurement.floor),
        measurement.isReached.map { $0 ? "reached" : "MISSED" } ?? "",
        measurement.peerName.map { "\(number(Statistics.median(measurement.peer))) \($0)" } ?? "",
        measurement.advantage.map { number($0) } ?? "",
      ])
    }
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      var line = ""
      for (index, cell) in row.enumerated() {
        line += cell + String(repeating: " ", count: widths[index] - cell.count + 2)
      }
      while line.last == " " { line.removeLast() }
      return line + "\n"
    }.joined()
  }

  private static func floor(_ floor: Measurement.Floor?) -> String {
    switch floor {
    case nil: "-"
    case .atLeast(let value): ">= \(number(value))"
    case .atMost(let value): "<= \(number(value))"
    case .ratioAtLeast(let value): "ratio >= \(number(value))"
    case .ratioAtMost(let value): "ratio <= \(number(value))"
    }
  }

  /// Three significant digits, with a suffix for thousands and above.
  static func number(_ value: Double) -> String {
    let magnitude = abs(value)
    if magnitude >= 1e9 { return trimmed(value / 1e9) + "G" }
    if magnitude >= 1e6 { return trimmed(value / 1e6) + "M" }
    if magnitude >= 1e4 { return trimmed(value / 1e3) + "k" }
    return trimmed(value)
  }

  private static func trimmed(_ value: Double) -> String {
    let digits: Double =
      abs(value) >= 100 ? 1 : abs(value) >= 10 ? 10 : abs(value) >= 1 ? 100 : 10_000
    let scaled = (value * digits).rounded() / digits
    return "\(scaled)"
  }

  static func json(_ measurements: [Measurement], environment: [(String, String)]) -> String {
    let env = environment.map { "\(quoted($0.0)):\(quoted($0.1))" }.joined(separator: ",")
    let results = measurements.map { measurement in
      var fields = [
        "\"name\":\(quoted(measurement.workload))", "\"metric\":\(quoted(measurement.metric))",
        "\"unit\":\(quoted(measurement.unit))", "\"median\":\(measurement.median)",
        "\"samples\":[\(measurement.samples.map { "\($0)" }.joined(separator: ","))]",
        "\"check\":\(quoted(measurement.check))",
      ]
      if let name = measurement.limitName, let ratio = measurement.ratio {
        fields.append("\"limitName\":\(quoted(name))")
        fields.append("\"limit\":[\(measurement.limit.map { "\($0)" }.joined(separator: ","))]")
        fields.append("\"ratio\":\(ratio)")
      }
      if let name = measurement.peerName, let advantage = measurement.advantage {
        fields.append("\"peerName\":\(quoted(name))")
        fields.append("\"peer\":[\(measurement.peer.map { "\($0)" }.joined(separator: ","))]")
        fields.append("\"advantage\":\(advantage)")
      }
      if let reached = measurement.isReached { fields.append("\"reached\":\(reached)") }
      return "{\(fields.joined(separator: ","))}"
    }
    let list = results.joined(separator: ",")
    return "{\"schema\":\"varve.bench/1\",\"env\":{\(env)},\"results\":[\(list)]}"
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case _ where scalar.value < 0x20: result += " "
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
