// The engine against the definition: random histories of all operations.

import Testing
import Varve
import VarveFormat
import VarveTestSupport

@Suite("Engine against its definition")
struct EngineTests {
  @Test("a single replica's state and content digests are those of the definition")
  func single() throws {
    for number in 0..<60 * TestScale.factor {
      var options = ReferenceOptions.single
      options.steps = 40
      try EngineTests.compare(seed: TestScale.seed &* 7_919 &+ UInt64(number), options)
    }
  }

  @Test("of a circle whose links one transaction wrote the last object's is cut (R25)")
  func circleOfOneTransaction() throws {
    // An alias closes the circle, so that no link is the one that did.
    var options = ReferenceOptions.single
    options.steps = 40
    try EngineTests.compare(seed: 160_448_450_828, options)
  }

  @Test("replicas that merge in any causal order have the digests of the definition (R1)")
  func merged() throws {
    for number in 0..<60 * TestScale.factor {
      var options = ReferenceOptions()
      options.forkPercent = 0
      options.isSkewed = number % 2 == 1
      try EngineTests.compare(seed: TestScale.seed &* 104_729 &+ UInt64(number), options)
    }
  }

  @Test("without identities, merged objects and new births the same holds")
  func plain() throws {
    for number in 0..<60 * TestScale.factor {
      var options = ReferenceOptions()
      options.forkPercent = 0
      options.kinds = ReferenceKind.plain
      try EngineTests.compare(seed: TestScale.seed &* 15_485_863 &+ UInt64(number), options)
    }
  }

  @Test(
    "each kind of operation by itself has the digests of the definition",
    arguments: ReferenceKind.allCases)
  func kinds(_ kind: ReferenceKind) throws {
    for number in 0..<12 * TestScale.factor {
      var options = ReferenceOptions()
      (options.forkPercent, options.steps) = (0, 20)
      options.kinds = [.create, .createIdentity, .delete, kind]
      try EngineTests.compare(seed: TestScale.seed &* 32_452_843 &+ UInt64(number), options)
    }
  }

  private static func compare(seed: UInt64, _ options: ReferenceOptions) throws {
    let history = ReferenceHistory(seed: seed, options)
    let expected = ReferenceDefinition.state(history.transactions)
    let digest = ReferenceDigest(expected, ReferenceSchema(expected))
    var random = FormatRandom(seed: seed)
    for _ in 0..<2 {
      var engine = ReferenceEngine()
      for transaction in history.delivery(&random) { engine.receive(transaction) }
      #expect(engine.refused.isEmpty, "seed \(seed): \(engine.refused)")
      let own = StateDigest(engine.state)
      for entity in digest.entities.keys.sorted() {
        let found = own.entities.first { $0.entity == entity }?.digest
        #expect(found == digest.entities[entity], "seed \(seed), entity \(entity)")
      }
      try #require(own.total == digest.total, "seed \(seed)")
    }
  }
}
