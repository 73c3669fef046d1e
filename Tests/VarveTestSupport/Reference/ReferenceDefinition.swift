// The state of a graph as a definition over the set of transactions: slow, and plain to see.
// Layer: test support.

import VarveFormat

/// The state as a function of a set of transactions (R1).
package struct ReferenceDefinition {
  private typealias Fact = (mark: ReferenceMark, change: ReferenceChange)

  private let transactions: [ReferenceDot: ReferenceTransaction]
  /// Those that count: their past counts, and they are legal (R7, R8).
  package private(set) var integrated: Set<ReferenceDot> = []
  private var facts: [Fact] = []
  private var births: [ReferenceID: ReferenceMark] = [:]

  /// The state of the transactions, whatever their order and however often each is named.
  package static func state(_ transactions: some Sequence<ReferenceTransaction>) -> ReferenceState {
    ReferenceDefinition(transactions).state
  }

  package init(_ list: some Sequence<ReferenceTransaction>) {
    transactions = Dictionary(list.map { ($0.dot, $0) }, uniquingKeysWith: { first, _ in first })
    integrated = leastFixpoint()
    for dot in integrated { facts += transactions[dot]?.changes ?? [] }
    births = latest { if case .birth(let id) = $0 { (id, true) } else { nil } }.mapValues(\.mark)
  }

  // MARK: what counts

  private func leastFixpoint() -> Set<ReferenceDot> {
    var creations: [ReferenceID: Set<ReferenceDot>] = [:]
    for transaction in transactions.values {
      for (_, change) in transaction.changes {
        if case .create(let id) = change { creations[id, default: []].insert(transaction.dot) }
      }
    }
    var valid: Set<ReferenceDot> = []
    var candidates = Set(transactions.keys)
    while true {
      let next = candidates.filter { dot in
        guard let transaction = transactions[dot] else { return false }
        return followsValid(transaction, valid) && isLegal(transaction, creations)
      }
      if next.isEmpty { return valid }
      valid.formUnion(next)
      candidates.subtract(next)
    }
  }

  private func followsValid(_ transaction: ReferenceTransaction, _ valid: Set<ReferenceDot>)
    -> Bool
  {
    let (line, sequence) = (transaction.line, transaction.sequence)
    let isNext =
      sequence == line.firstSequence || valid.contains(ReferenceDot(line, sequence - 1))
    return isNext
      && transaction.dependencies.allSatisfy { valid.contains(ReferenceDot($0.key, $0.value)) }
  }

  private func isLegal(
    _ transaction: ReferenceTransaction, _ creations: [ReferenceID: Set<ReferenceDot>]
  ) -> Bool {
    let (objects, dots) = transaction.mentioned
    return dots.allSatisfy { transaction.knows($0) }
      && objects.allSatisfy { creations[$0, default: []].contains { transaction.knows($0) } }
  }

  // MARK: the state

  /// The largest mark for each key.
  private func latest<Key: Hashable, Part>(_ select: (ReferenceChange) -> (Key, Part)?)
    -> [Key: (mark: ReferenceMark, part: Part)]
  {
    var best: [Key: (mark: ReferenceMark, part: Part)] = [:]
    for (mark, change) in facts {
      guard let (key, part) = select(change) else { continue }
      if let old = best[key], old.mark > mark { continue }
      best[key] = (mark, part)
    }
    return best
  }

  /// Whether a birth hides what was written at a mark.
  private func isForgotten(_ mark: ReferenceMark, _ id: ReferenceID) -> Bool {
    births[id].map { mark.isBefore($0) } ?? false
  }

  package var state: ReferenceState {
    var state = ReferenceState()
    for dot in integrated {
      state.vector[dot.line] = max(state.vector[dot.line] ?? 0, dot.sequence)
    }
    state.lives = latest { change in
      switch change {
      case .create(let id): (id, true)
      case .life(let id, let isAlive): (id, isAlive)
      default: nil
      }
    }.mapValues { .init(mark: $0.mark, isAlive: $0.part) }
    state.births = births
    state.updates = latest { change in change.updated.map { ($0, true) } }.mapValues(\.mark)
    state.registers = latest { change in
      if case .write(let register, let value) = change { (register, value) } else { nil }
    }.filter { !isForgotten($0.value.mark, $0.key.object) }
      .mapValues { .init(mark: $0.mark, value: $0.part) }
    state.elements = elements
    state.counters = counters
    state.rules = latest { change in
      if case .schema(let operation) = change { (operation.referenceKey, operation) } else { nil }
    }.mapValues { .init(mark: $0.mark, operation: $0.part) }
    for case (let mark, .opaque(let operation)) in facts {
      state.opaque.insert(.init(mark: mark, operation: operation))
    }
    return state
  }

  /// Adds without the dots that a removal names.
  private var elements: [ReferenceElement: [ReferenceDot: ReferenceMark]] {
    var removed: [ReferenceElement: Set<ReferenceDot>] = [:]
    for case (_, .remove(let element, let dots)) in facts {
      removed[element, default: []].formUnion(dots)
    }
    var left: [ReferenceElement: [ReferenceDot: ReferenceMark]] = [:]
    for case (let mark, .add(let element)) in facts {
      let isOld =
        isForgotten(mark, element.object)
        || element.isEdge && element.value.target.map { isForgotten(mark, $0) } ?? false
      if isOld || removed[element, default: []].contains(mark.dot) { continue }
      left[element, default: [:]][mark.dot] = max(left[element]?[mark.dot] ?? mark, mark)
    }
    return left
  }

  /// The winning reset and the sum of the increments that name it.
  private var counters: [ReferenceCounter: ReferenceState.Count] {
    let resets = latest { change in
      if case .reset(let counter, let value) = change { (counter, value) } else { nil }
    }
    var increments: [ReferenceCounter: [(Int64, ReferenceReset?)]] = [:]
    for case (_, .increment(let counter, let amount, let saw)) in facts {
      increments[counter, default: []].append((amount, saw))
    }
    var counters: [ReferenceCounter: ReferenceState.Count] = [:]
    for counter in Set(resets.keys).union(increments.keys) {
      let reset = resets[counter].flatMap { isForgotten($0.mark, counter.object) ? nil : $0 }
      let winner =
        reset.map { ReferenceReset($0.mark) } ?? births[counter.object].map { ReferenceReset($0) }
      let named = increments[counter, default: []].filter { $0.1 == winner }
      if reset == nil, named.isEmpty { continue }
      counters[counter] = .init(
        reset: winner, start: reset?.part ?? 0, sum: named.reduce(0) { $0 &+ $1.0 })
    }
    return counters
  }
}
