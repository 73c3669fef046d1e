// The real graph fed with reference transactions. Layer: test support.

import Varve
import VarveFormat

/// Integrates reference transactions into the engine's state, in any order.
package struct ReferenceEngine {
  package private(set) var state = GraphState()
  private var waiting: [ReferenceTransaction] = []
  private var integrated: [ReferenceLine: UInt64] = [:]
  /// What the engine refused.
  package private(set) var refused: [ReferenceDot: GraphError] = [:]

  package init() {}

  /// Goes on from a state, for example one that was read from a baseline.
  package mutating func replaceState(_ state: GraphState) { self.state = state }

  package static func creator(_ line: ReferenceLine) -> Creator {
    line.fork == 0
      ? .replica(line.replica)
      : .branch(line.replica, forkSequence: line.fork, chainPrefix: line.chainPrefix)
  }

  /// Takes a transaction in when its past is there, else later (R8).
  package mutating func receive(_ transaction: ReferenceTransaction) {
    waiting.append(transaction)
    var hasMoved = true
    while hasMoved {
      hasMoved = false
      for candidate in waiting where isReady(candidate) {
        integrate(candidate)
        hasMoved = true
      }
      waiting.removeAll { ($0.sequence <= integrated[$0.line] ?? 0) }
    }
  }

  private func isReady(_ transaction: ReferenceTransaction) -> Bool {
    transaction.sequence == (integrated[transaction.line] ?? transaction.line.firstSequence - 1) + 1
      && transaction.dependencies.allSatisfy { (integrated[$0.key] ?? 0) >= $0.value }
  }

  private mutating func integrate(_ transaction: ReferenceTransaction) {
    do throws(GraphError) {
      try state.integrate(
        transaction.operations, sequence: transaction.sequence, chain: transaction.chain,
        stamp: transaction.stamp, dictionary: transaction.dictionary.map(ReferenceEngine.creator))
    } catch { refused[transaction.dot] = error }
    integrated[transaction.line] = transaction.sequence
  }
}
