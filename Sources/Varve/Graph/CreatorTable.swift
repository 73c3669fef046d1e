// Who created objects, as small numbers (Q3, Q4). Layer: Graph.

import VarveFormat

/// A replica, or a branch of one: what creates objects and writes registers.
package enum Creator: Hashable, Sendable {
  case replica(ReplicaID)
  /// What a replica wrote from a fork on, on the side that begins with this chain.
  case branch(ReplicaID, forkSequence: UInt64, chainPrefix: [UInt8])

  /// The replica, whatever the branch.
  package var replica: ReplicaID {
    switch self {
    case .replica(let replica), .branch(let replica, _, _): replica
    }
  }
}

extension Creator: Comparable {
  /// By bytes: what breaks ties of stamps (Q16).
  package static func < (a: Creator, b: Creator) -> Bool {
    if a.replica != b.replica { return a.replica < b.replica }
    switch (a, b) {
    case (.replica, .replica), (.branch, .replica): return false
    case (.replica, .branch): return true
    case (.branch(_, let forkA, let chainA), .branch(_, let forkB, let chainB)):
      return forkA != forkB ? forkA < forkB : chainA.lexicographicallyPrecedes(chainB)
    }
  }
}

/// Creators by the index that handles and stamps use; index 0 stands for identity objects.
package struct CreatorTable: Sendable {
  package static let identityIndex: UInt16 = 0
  private var creators: [Creator?] = [nil]
  private var indices: [Creator: UInt16] = [:]
  private static let comparedMax = 8
  /// Place in byte order, by index: compared when stamps tie.
  private var ranks: [UInt16] = [0]

  package init() {}

  package var count: Int { creators.count }

  /// All indices of creators.
  package var all: Range<UInt16> { 1..<UInt16(creators.count) }

  package subscript(index: UInt16) -> Creator? {
    Int(index) < creators.count ? creators[Int(index)] : nil
  }

  package func index(of creator: Creator) -> UInt16? {
    // Comparing a few is faster than hashing one.
    guard creators.count <= CreatorTable.comparedMax, case .replica(let replica) = creator else {
      return indices[creator]
    }
    for index in 1..<creators.count {
      if case .replica(let known)? = creators[index], known == replica { return UInt16(index) }
    }
    return nil
  }

  /// The index of a creator, a new one if it is met for the first time.
  ///
  /// - Throws: `outOfRange` beyond 65,535 creators.
  package mutating func intern(_ creator: Creator) throws(GraphError) -> UInt16 {
    if let index = indices[creator] { return index }
    guard creators.count < Limits.dictionaryMax else {
      throw GraphError(.outOfRange, "more than \(Limits.dictionaryMax - 1) replicas and branches")
    }
    let index = UInt16(creators.count)
    creators.append(creator)
    indices[creator] = index
    let order = creators.indices.dropFirst().sorted { a, b in
      guard let left = creators[a], let right = creators[b] else { return false }
      return left < right
    }
    ranks = [UInt16](repeating: 0, count: creators.count)
    for (rank, place) in order.enumerated() { ranks[place] = UInt16(rank) + 1 }
    return index
  }

  /// Whether a write beats another one: by stamp, ties by the bytes of the author.
  @inline(__always)
  func isNewer(_ a: WriteMark, than b: WriteMark) -> Bool {
    if a.stamp != b.stamp { return a.stamp > b.stamp }
    return ranks[Int(a.author)] > ranks[Int(b.author)]
  }
}
