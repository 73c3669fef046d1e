// Mistakes that were made elsewhere are made on purpose, and must be noticed.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Reference models: mistakes are noticed")
struct ReferenceMutationTests {
  /// Histories until one shows a difference from the definition; nil when none does.
  private static func caught(
    _ mutation: ReferenceMutation, _ options: (inout FormatRandom) -> ReferenceOptions,
    differs: (ReferenceState, ReferenceState) -> Bool
  ) -> Int? {
    var random = TestRun.random()
    for round in 1...400 {
      let history = ReferenceHistory(seed: random.word(), options(&random))
      let expected = ReferenceDefinition.state(history.transactions)
      for _ in 0..<3 {
        let delivery = history.delivery(&random)
        let right = ReferenceTests.graph(delivery)
        #expect(right.state == expected)
        if differs(ReferenceTests.graph(delivery, mutation).state, expected) { return round }
      }
    }
    return nil
  }

  private static func clocks(absorbing: Bool) -> (inout FormatRandom) -> ReferenceOptions {
    { random in
      var options = ReferenceOptions()
      options.steps = random.within(15...40)
      options.isSkewed = true
      options.absorbsStamps = absorbing
      options.forkPercent = 0
      return options
    }
  }

  @Test("causality before stamps depends on the order of delivery; stamps alone do not (R4)")
  func causalityFirst() {
    let found = Self.caught(.causalityFirst, Self.clocks(absorbing: false)) {
      $0.registers != $1.registers || $0.lives != $1.lives
    }
    #expect(found != nil)
    print("noticed after \(found ?? 0) histories")
  }

  @Test("stamps that extend causality make both rules the same (R2)")
  func extendingStamps() {
    var random = TestRun.random()
    for _ in 0..<30 * TestRun.scale {
      let history = ReferenceHistory(
        seed: random.word(), Self.clocks(absorbing: true)(&random))
      let delivery = history.delivery(&random)
      let both = [ReferenceMutation.none, .causalityFirst].map {
        ReferenceTests.graph(delivery, $0).state
      }
      #expect(both[0] == both[1])
      for transaction in history.transactions {
        for other in history.transactions where transaction.knows(other.dot) {
          #expect(other.stamp < transaction.stamp)
        }
      }
    }
  }

  @Test("identity by replica and sequence loses a clone's transactions, with the chain it does not")
  func clones() {
    let found = Self.caught(.sequenceIdentity) { random in
      var options = ReferenceOptions()
      options.steps = random.within(15...40)
      options.forkPercent = 12
      return options
    } differs: {
      $0.registers != $1.registers || $0.lives != $1.lives
    }
    #expect(found != nil)
    print("noticed after \(found ?? 0) histories")
  }

  @Test("a cascade at the time of deletion misses children that come later (R24)")
  func cascade() {
    let relations = ReferenceHistory.schema.relationships.filter { $0.isCascade }
    var flat = ReferenceHistory.schema
    flat.relationships = flat.relationships.map { relation in
      var relation = relation
      relation.isCascade = false
      return relation
    }
    let found = Self.caught(.cascadeWhenDeleted(relations), { _ in ReferenceOptions() }) {
      ReferenceView($0, flat).objects != ReferenceView($1, ReferenceHistory.schema).objects
    }
    #expect(found != nil)
    print("noticed after \(found ?? 0) histories")
  }

  @Test("operations on unknown objects are noticed (R7)")
  func unknownReferences() {
    let found = Self.caught(.unknownReferences) { random in
      var options = ReferenceTests.options(&random)
      options.illegalPercent = 10
      return options
    } differs: {
      $0 != $1
    }
    #expect(found != nil)
    print("noticed after \(found ?? 0) histories")
  }

  /// A replica that drops dead objects as soon as all others are known to have seen the deletion.
  private struct Collector {
    var graph = ReferenceGraph()
    let members: Set<ReferenceLine>
    private var known: [ReferenceDot: ReferenceTransaction] = [:]
    private(set) var dropped = 0

    init(_ members: Set<ReferenceLine>) {
      self.members = members
      graph.ignoreUnknown()
    }

    mutating func receive(_ transaction: ReferenceTransaction) {
      known[transaction.dot] = transaction
      graph.receive(transaction)
      let vector = graph.state.vector
      let seen = members.map { member -> [ReferenceLine: UInt64] in
        guard let last = vector[member], let own = known[ReferenceDot(member, last)] else {
          return [:]
        }
        return own.dependencies.merging([member: last]) { $1 }
      }
      for (id, life) in graph.state.lives where !life.isAlive {
        let dot = life.mark.dot
        guard seen.allSatisfy({ $0[dot.line] ?? 0 >= dot.sequence }) else { continue }
        graph.drop(id)
        dropped += 1
      }
    }
  }

  @Test("collecting dead objects in one round diverges")
  func oneRound() {
    var random = TestRun.random()
    var (found, dropped) = (0, 0)
    for _ in 0..<5_000 where found == 0 {
      var options = ReferenceOptions()
      (options.steps, options.forkPercent, options.kinds) = (60, 0, ReferenceKind.plain)
      let history = ReferenceHistory(seed: random.word(), options)
      let members = Set(history.transactions.map(\.line))
      let sets = (0..<2).map { _ in
        var collector = Collector(members)
        for transaction in history.delivery(&random) { collector.receive(transaction) }
        dropped += collector.dropped
        return ReferenceView(collector.graph.state, ReferenceHistory.schema).objects
      }
      if sets[0] != sets[1] { found += 1 }
    }
    #expect(found > 0 && dropped > 0)
  }

  @Test("a newer base needs no vote: all who start from it agree (R33)")
  func generations() {
    var random = TestRun.random()
    var dropped = 0
    for _ in 0..<30 * TestRun.scale {
      var options = ReferenceOptions()
      (options.steps, options.kinds) = (random.within(20...60), ReferenceKind.plain)
      let seed = random.word()
      let history = ReferenceHistory(seed: seed, options)
      var base = ReferenceGraph()
      for _ in 0..<random.within(1...3) {
        for transaction in history.delivery(&random).prefix(random.within(1...20)) {
          base.receive(transaction)
        }
        let before = base.state.lives.count
        base = base.generation()
        dropped += before - base.state.lives.count
      }
      let results = (0..<3).map { _ in
        var graph = base
        for transaction in history.delivery(&random) { graph.receive(transaction) }
        #expect(graph.waiting.isEmpty)
        return graph.state
      }
      guard results.allSatisfy({ $0 == results[0] }) else {
        Issue.record("seed \(seed): \(results[0].difference(results[1]))")
        return
      }
    }
    #expect(dropped > 0)
  }
}
