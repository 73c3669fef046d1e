// The state of a graph kept up to date transaction by transaction, as an engine would.
// Layer: test support.

import VarveFormat

/// A mistake that the tests must notice when it is made on purpose.
package enum ReferenceMutation: Sendable {
  case none
  /// A writer that saw a value beats it, then the larger stamp wins (not transitive, R4).
  case causalityFirst
  /// Transactions are told apart by replica and sequence, whatever the branch (R39).
  case sequenceIdentity
  /// Deletion marks the children that are known just then (R24).
  case cascadeWhenDeleted([ReferenceSchema.Relationship])
  /// Objects may be named that nobody in the causal past created (R7).
  case unknownReferences
}

/// An incremental replica: causal delivery, then merging.
package struct ReferenceGraph: Sendable {
  package private(set) var state = ReferenceState()
  package private(set) var stampMax = Stamp.zero
  /// Transactions whose past is not complete.
  package private(set) var waiting: [ReferenceTransaction] = []
  /// Transactions that named what they could not know.
  package private(set) var quarantined: Set<ReferenceDot> = []
  private var creations: [ReferenceID: ReferenceDot] = [:]
  private let mutation: ReferenceMutation
  /// Whether operations on unknown objects do nothing: they were dropped with a base (R34).
  private var isBased = false

  package init(_ mutation: ReferenceMutation = .none) { self.mutation = mutation }

  /// The same state without the buffer, as a base would hold it.
  package func checkpoint() -> ReferenceGraph {
    var copy = self
    copy.waiting = []
    return copy
  }

  /// A base of a new generation: dead objects are gone (R33).
  package func generation() -> ReferenceGraph {
    var base = checkpoint()
    base.isBased = true
    for (id, life) in state.lives where !life.isAlive { base.drop(id) }
    return base
  }

  /// Operations on objects that are not there do nothing.
  package mutating func ignoreUnknown() { isBased = true }

  /// Forgets an object and everything of it.
  package mutating func drop(_ id: ReferenceID) {
    state.lives[id] = nil
    state.births[id] = nil
    state.updates[id] = nil
    state.registers = state.registers.filter { $0.key.object != id }
    state.elements = state.elements.filter { element, _ in
      element.object != id && !(element.isEdge && element.value.target == id)
    }
    state.counters = state.counters.filter { $0.key.object != id }
  }

  // MARK: delivery (R8, R9)

  private func line(_ line: ReferenceLine) -> ReferenceLine {
    if case .sequenceIdentity = mutation { ReferenceLine(line.replica) } else { line }
  }

  private func last(_ line: ReferenceLine) -> UInt64 {
    state.vector[self.line(line)] ?? self.line(line).firstSequence - 1
  }

  /// Takes a transaction in, in any order and any number of times.
  package mutating func receive(_ transaction: ReferenceTransaction) {
    waiting.append(transaction)
    var hasProgress = true
    while hasProgress {
      hasProgress = false
      let list = waiting
      waiting = []
      for next in list where next.sequence > last(next.line) {
        if quarantined.contains(next.dot) { continue }
        let isReady =
          next.sequence == last(next.line) + 1
          && next.dependencies.allSatisfy { last($0.key) >= $0.value }
        guard isReady else {
          waiting.append(next)
          continue
        }
        hasProgress = true
        if isLegal(next) { apply(next) } else { quarantined.insert(next.dot) }
      }
    }
  }

  private func isLegal(_ transaction: ReferenceTransaction) -> Bool {
    if case .unknownReferences = mutation { return true }
    // What a base dropped cannot be judged any more.
    if isBased { return true }
    let (objects, dots) = transaction.mentioned
    return dots.allSatisfy { transaction.knows($0) }
      && objects.allSatisfy { creations[$0].map { transaction.knows($0) } ?? false }
  }

  // MARK: merging

  private mutating func apply(_ transaction: ReferenceTransaction) {
    state.vector[line(transaction.line)] = transaction.sequence
    stampMax = max(stampMax, transaction.stamp)
    for (mark, change) in transaction.changes { apply(change, mark, transaction) }
  }

  private func wins(
    _ mark: ReferenceMark, over old: ReferenceMark?, _ transaction: ReferenceTransaction
  ) -> Bool {
    guard let old else { return true }
    if case .causalityFirst = mutation, transaction.knows(old.dot) { return true }
    return mark > old
  }

  private func isKnown(_ id: ReferenceID) -> Bool { !isBased || state.lives[id] != nil }

  private func isForgotten(_ mark: ReferenceMark, _ id: ReferenceID) -> Bool {
    guard let birth = state.births[id] else { return false }
    return mark.isBefore(birth)
  }

  private mutating func apply(
    _ change: ReferenceChange, _ mark: ReferenceMark, _ transaction: ReferenceTransaction
  ) {
    if let id = change.updated {
      guard isKnown(id) else { return }
      if wins(mark, over: state.updates[id], transaction) { state.updates[id] = mark }
    }
    switch change {
    case .create(let id):
      if creations[id] == nil { creations[id] = mark.dot }
      live(id, true, mark, transaction)
    case .life(let id, let isAlive):
      if isKnown(id) { live(id, isAlive, mark, transaction) }
    case .birth(let id): if isKnown(id) { bear(id, mark) }
    case .write(let register, let value):
      guard isKnown(register.object), !isForgotten(mark, register.object) else { return }
      if wins(mark, over: state.registers[register]?.mark, transaction) {
        state.registers[register] = .init(mark: mark, value: value)
      }
    case .add(let element):
      if element.isEdge, let target = element.value.target {
        guard isKnown(target), !isForgotten(mark, target) else { return }
      }
      if isForgotten(mark, element.object) { return }
      state.elements[element, default: [:]][mark.dot] = mark
    case .remove(let element, let dots):
      for dot in dots { state.elements[element]?[dot] = nil }
      if state.elements[element]?.isEmpty ?? false { state.elements[element] = nil }
    case .increment(let counter, let amount, let saw): increment(counter, amount, saw)
    case .reset(let counter, let value): reset(counter, value, mark)
    case .schema(let operation):
      let key = operation.referenceKey
      if wins(mark, over: state.rules[key]?.mark, transaction) {
        state.rules[key] = .init(mark: mark, operation: operation)
      }
    case .opaque(let operation): state.opaque.insert(.init(mark: mark, operation: operation))
    }
  }

  private mutating func live(
    _ id: ReferenceID, _ isAlive: Bool, _ mark: ReferenceMark, _ transaction: ReferenceTransaction
  ) {
    if wins(mark, over: state.lives[id]?.mark, transaction) {
      state.lives[id] = .init(mark: mark, isAlive: isAlive)
    }
    guard case .cascadeWhenDeleted(let relations) = mutation, !isAlive else { return }
    for relation in relations {
      let field: ReferenceField =
        relation.kind == .ordered
        ? .place(relation.field) : .column(FieldType(relation.field, .reference))
      let children = state.registers.filter { register, write in
        register.object.entity == relation.entity && register.field == field
          && write.value.target == id
      }
      for (register, _) in children where state.lives[register.object]?.isAlive ?? false {
        live(register.object, false, mark, transaction)
      }
    }
  }

  /// A new birth: what is older is forgotten for good.
  private mutating func bear(_ id: ReferenceID, _ mark: ReferenceMark) {
    if let old = state.births[id], old > mark { return }
    state.births[id] = mark
    state.registers = state.registers.filter { register, write in
      register.object != id || !write.mark.isBefore(mark)
    }
    for (element, dots) in state.elements
    where element.object == id || element.isEdge && element.value.target == id {
      let left = dots.filter { !$0.value.isBefore(mark) }
      state.elements[element] = left.isEmpty ? nil : left
    }
    let birth = ReferenceReset(mark)
    state.counters = state.counters.filter { counter, count in
      guard counter.object == id else { return true }
      guard let reset = count.reset else { return false }
      return reset >= birth
    }
  }

  /// The reset that counts now: of the counter itself, or the birth of its object.
  package func reset(_ counter: ReferenceCounter) -> ReferenceReset? {
    state.counters[counter]?.reset ?? state.births[counter.object].map { ReferenceReset($0) }
  }

  private mutating func increment(
    _ counter: ReferenceCounter, _ amount: Int64, _ saw: ReferenceReset?
  ) {
    let reset = self.reset(counter)
    guard saw == reset else { return }
    state.counters[counter, default: .init(reset: reset, start: 0, sum: 0)].sum &+= amount
  }

  private mutating func reset(
    _ counter: ReferenceCounter, _ value: Int64, _ mark: ReferenceMark
  ) {
    let new = ReferenceReset(mark)
    if let old = self.reset(counter), old > new { return }
    state.counters[counter] = .init(reset: new, start: value, sum: 0)
  }
}
