// How much of every log somebody has seen. Layer: Store.

import VarveFormat

/// A place in the logs: for each replica the sequence of the last transaction that was seen.
///
/// Its text is what a program keeps to go on where it stopped:
///
/// ```swift
/// for try await transaction in store.transactions(after: VersionVector(saved)) {
///   saved = transaction.version.description
/// }
/// ```
public struct VersionVector: Hashable, Sendable {
  private var sequences: [ReplicaID: UInt64] = [:]

  /// Nothing was seen yet.
  public init() {}

  init(_ state: GraphState) {
    for (index, head) in state.heads {
      guard case .replica(let replica)? = state.creators[index] else { continue }
      sequences[replica] = head.sequence
    }
  }

  /// The last sequence of a replica that was seen, 0 when none was.
  public subscript(replica: ReplicaID) -> UInt64 {
    get { sequences[replica] ?? 0 }
    set { sequences[replica] = newValue == 0 ? nil : newValue }
  }

  /// The replicas of which something was seen, in the order of their bytes.
  public var replicas: [ReplicaID] { sequences.keys.sorted() }

  /// Whether everything that `other` has seen was seen here too.
  public func covers(_ other: VersionVector) -> Bool {
    other.sequences.allSatisfy { self[$0.key] >= $0.value }
  }
}

extension VersionVector: LosslessStringConvertible {
  /// `replica:sequence` by replica, with spaces between.
  public var description: String {
    replicas.map { "\($0):\(self[$0])" }.joined(separator: " ")
  }

  /// The vector with a text as `description` gives it; nil for every other text.
  public init?(_ description: String) {
    for entry in description.split(separator: " ") {
      let parts = entry.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count == 2, let replica = ReplicaID(String(parts[0])),
        let sequence = UInt64(parts[1]), sequence > 0, sequences[replica] == nil
      else { return nil }
      sequences[replica] = sequence
    }
  }
}
