// Replicas as people name them: by an unambiguous prefix of their id.

import Varve
import VarveFormat

/// Short forms of replica ids.
enum ReplicaText {
  /// Characters of an id that tables show.
  static let shortCount = 8

  static func short(_ replica: ReplicaID) -> String {
    String(replica.description.prefix(shortCount))
  }

  /// The replica whose id starts with `prefix`.
  ///
  /// - Throws: `UsageError` when there is none, or more than one.
  static func find(_ prefix: String, among replicas: [ReplicaID]) throws(UsageError) -> ReplicaID {
    guard !prefix.isEmpty else {
      throw UsageError(
        .badArgument, "a replica is named by the start of its id, and this is empty",
        hint: "\"varve info\" lists the replicas.")
    }
    let found = replicas.filter { $0.description.hasPrefix(prefix.lowercased()) }
    if found.count == 1 { return found[0] }
    let known = replicas.map { short($0) }.joined(separator: ", ")
    throw UsageError(
      .badArgument,
      found.isEmpty
        ? "no replica starts with \"\(prefix)\"" : "\"\(prefix)\" starts several replicas",
      hint: "The replicas here are \(known).")
  }
}

/// The replicas that a log's indices stand for.
struct IndexBook: Sendable {
  private var replicas: [UInt32: ReplicaID]

  init(own: ReplicaID) { replicas = [0: own] }

  mutating func learn(_ entries: [DictionaryEntry]) {
    for entry in entries {
      if case .replica(let replica) = entry.name { replicas[entry.index] = replica }
    }
  }

  subscript(index: UInt32) -> ReplicaID? { replicas[index] }
}
