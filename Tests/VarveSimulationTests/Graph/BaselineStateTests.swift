// A state through a baseline and back, and the rest of a history on top of it.

import Testing
import Varve
import VarveFormat
import VarveTestSupport

@Suite("States through baselines")
struct BaselineStateTests {
  @Test("a state that was written as a baseline and read back has the same digests")
  func transparent() throws {
    for number in 0..<40 * TestScale.factor {
      let seed = TestScale.seed &* 49_979_687 &+ UInt64(number)
      let state = try BaselineStateTests.state(seed).state
      let again = try BaselineStateTests.reread(state)
      try #require(StateDigest(again) == StateDigest(state), "seed \(seed)")
    }
  }

  @Test("baselines of one state have the same bytes, however it came about (Q5)")
  func canonical() throws {
    for number in 0..<20 * TestScale.factor {
      let seed = TestScale.seed &* 67_867_967 &+ UInt64(number)
      let first = try BaselineStateTests.state(seed, order: 1)
      let second = try BaselineStateTests.state(seed, order: 2)
      let bytes = try BaselineStateTests.bytes(first.state)
      #expect(try BaselineStateTests.bytes(second.state) == bytes, "seed \(seed)")
      let again = try BaselineStateTests.reread(first.state)
      #expect(try BaselineStateTests.bytes(again) == bytes, "seed \(seed), read back")
    }
  }

  @Test("a column of which only hidden writes are left is no part of a baseline (Q5)")
  func hiddenColumn() throws {
    let seed: UInt64 = 1_375_086_520_848_672
    let first = try BaselineStateTests.state(seed, order: 1)
    let second = try BaselineStateTests.state(seed, order: 2)
    #expect(
      try BaselineStateTests.bytes(second.state) == BaselineStateTests.bytes(first.state))
  }

  @Test("a baseline at any cut and the rest of the history give the whole (R1)")
  func cut() throws {
    for number in 0..<40 * TestScale.factor {
      let seed = TestScale.seed &* 86_028_121 &+ UInt64(number)
      let history = BaselineStateTests.history(seed)
      var random = FormatRandom(seed: seed)
      let delivery = history.delivery(&random)
      let cut = random.below(delivery.count + 1)
      var engine = ReferenceEngine()
      for (place, transaction) in delivery.enumerated() {
        if place == cut { engine.replaceState(try BaselineStateTests.reread(engine.state)) }
        engine.receive(transaction)
      }
      let expected = ReferenceDefinition.state(history.transactions)
      let digest = ReferenceDigest(expected, ReferenceSchema(expected))
      try #require(StateDigest(engine.state).total == digest.total, "seed \(seed), cut \(cut)")
    }
  }

  private static func history(_ seed: UInt64) -> ReferenceHistory {
    var options = ReferenceOptions()
    options.forkPercent = 0
    return ReferenceHistory(seed: seed, options)
  }

  private static func state(_ seed: UInt64, order: UInt64 = 1) throws -> ReferenceEngine {
    var random = FormatRandom(seed: seed &+ order)
    var engine = ReferenceEngine()
    for transaction in history(seed).delivery(&random) { engine.receive(transaction) }
    return engine
  }

  private static func bytes(_ state: GraphState) throws -> [UInt8] {
    try state.baselineBytes(store: StoreID([UInt8](repeating: 7, count: 16)))
  }

  private static func reread(_ state: GraphState) throws -> GraphState {
    let reader = try BaselineReader(MemorySource(Bytes(try bytes(state))))
    // A compaction reads what it wrote again, and relies on nothing that does not pass.
    try reader.verify()
    return try GraphState(reader)
  }
}
