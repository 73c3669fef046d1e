// The two reference models agree on random histories, whatever the order of delivery (R1, R8, R9).

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Reference models")
struct ReferenceTests {
  static func options(_ random: inout FormatRandom) -> ReferenceOptions {
    var options = ReferenceOptions()
    options.replicas = random.within(1...4)
    options.steps = random.within(4...60)
    options.isSkewed = random.chance(50)
    options.forkPercent = random.pick([0, 3, 8])
    return options
  }

  static func graph(
    _ delivery: [ReferenceTransaction], _ mutation: ReferenceMutation = .none
  ) -> ReferenceGraph {
    var graph = ReferenceGraph(mutation)
    for transaction in delivery { graph.receive(transaction) }
    return graph
  }

  @Test("any causal order with duplicates gives the state that the set defines")
  func agreement() {
    var random = TestRun.random()
    var (orders, transactions) = (0, 0)
    for _ in 0..<60 * TestRun.scale {
      let seed = random.word()
      let history = ReferenceHistory(seed: seed, ReferenceTests.options(&random))
      let expected = ReferenceDefinition.state(history.transactions)
      let digest = ReferenceDigest(expected, ReferenceSchema(expected))
      for _ in 0..<3 {
        let graph = ReferenceTests.graph(history.delivery(&random))
        #expect(graph.waiting.isEmpty && graph.quarantined.isEmpty, "seed \(seed)")
        guard graph.state == expected else {
          Issue.record("seed \(seed): \(graph.state.difference(expected))")
          return
        }
        #expect(ReferenceDigest(graph.state, ReferenceSchema(graph.state)) == digest)
        orders += 1
      }
      transactions += history.transactions.count
    }
    print("\(orders) orders, \(transactions) transactions")
  }

  @Test("a copy at any cut goes on to the same state (R32)")
  func cuts() {
    var random = TestRun.random()
    for _ in 0..<40 * TestRun.scale {
      let seed = random.word()
      let history = ReferenceHistory(seed: seed, ReferenceTests.options(&random))
      let delivery = history.delivery(&random)
      let cut = random.within(0...delivery.count)
      var graph = ReferenceTests.graph(Array(delivery[..<cut]))
      let integrated = history.transactions.filter {
        graph.state.vector[$0.line] ?? 0 >= $0.sequence
      }
      #expect(ReferenceDefinition.state(integrated) == graph.state, "seed \(seed)")
      graph = graph.checkpoint()
      for transaction in history.delivery(&random) { graph.receive(transaction) }
      #expect(graph.state == ReferenceDefinition.state(history.transactions), "seed \(seed)")
    }
  }

  @Test("a transaction that names what it cannot know is left out with all that build on it (R7)")
  func illegal() {
    var random = TestRun.random()
    var quarantined = 0
    for _ in 0..<40 * TestRun.scale {
      let seed = random.word()
      var options = ReferenceTests.options(&random)
      options.illegalPercent = 6
      let history = ReferenceHistory(seed: seed, options)
      let definition = ReferenceDefinition(history.transactions)
      #expect(definition.integrated.isDisjoint(with: history.illegal), "seed \(seed)")
      for _ in 0..<2 {
        let graph = ReferenceTests.graph(history.delivery(&random))
        #expect(graph.state == definition.state, "seed \(seed)")
        #expect(graph.quarantined == history.illegal, "seed \(seed)")
        quarantined += graph.quarantined.count
      }
    }
    #expect(quarantined > 0)
  }

  @Test("a seed and options give the same history, of real operations that are read as written")
  func determinism() throws {
    var random = TestRun.random()
    for _ in 0..<50 * TestRun.scale {
      let seed = random.word()
      let options = ReferenceTests.options(&random)
      let history = ReferenceHistory(seed: seed, options)
      #expect(ReferenceHistory(seed: seed, options).transactions == history.transactions)
      for transaction in history.transactions {
        var builder = TransactionBuilder()
        for operation in transaction.operations { builder.add(operation) }
        _ = try builder.finish()
      }
    }
  }

  @Test("a single replica's log is its own order")
  func single() {
    var random = TestRun.random()
    for _ in 0..<40 * TestRun.scale {
      let seed = random.word()
      let history = ReferenceHistory(seed: seed, .single)
      #expect(Set(history.transactions.map(\.line)).count == 1)
      let graph = ReferenceTests.graph(history.transactions)
      #expect(graph.state == ReferenceDefinition.state(history.transactions), "seed \(seed)")
    }
  }

  @Test("the definitions and the log declare the same schema")
  func schema() {
    let history = ReferenceHistory(seed: 1)
    let schema = ReferenceSchema(ReferenceDefinition.state(history.transactions))
    #expect(schema.relationships.count == ReferenceHistory.schema.relationships.count)
    #expect(schema.updatesRevive == [ReferenceKind.mark, ReferenceKind.category])
    #expect(schema.defaults == ReferenceHistory.schema.defaults)
    #expect(schema.unique == ReferenceHistory.schema.unique)
  }
}
