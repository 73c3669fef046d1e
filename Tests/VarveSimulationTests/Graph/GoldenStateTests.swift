// A baseline of a whole state, with everything that an engine keeps: read for ever, and written
// again with the same content.

import Testing
import Varve
import VarveFormat
import VarveTestSupport

@Suite("Golden baselines")
struct GoldenStateTests {
  private static let name = "state.vbase"
  private static let store = StoreID([UInt8](repeating: 7, count: 16))
  /// What `state.vbase` holds, by content with and without stamps.
  private static let content = "6448e6f0fa996b12d23bedd89092e6d2"
  private static let stamped = "0f2b37f621724902fe452be2d98fe0a0"

  @Test(
    "the golden state is written once, and never by a normal run",
    .enabled(if: TestRun.isRecording))
  func record() throws {
    // The random history that has most kinds of sides: three replicas that merge.
    var richest: (sides: Int, bytes: [UInt8]) = (0, [])
    for seed in UInt64(1)...400 {
      var options = ReferenceOptions()
      (options.forkPercent, options.steps) = (0, 60)
      let history = ReferenceHistory(seed: seed, options)
      var random = FormatRandom(seed: seed)
      var engine = ReferenceEngine()
      for transaction in history.delivery(&random) { engine.receive(transaction) }
      let bytes = try engine.state.baselineBytes(store: GoldenStateTests.store)
      let reader = try BaselineReader(MemorySource(Bytes(bytes)))
      let sides = Set(reader.directory.sides.map(\.kind)).count
      if sides > richest.sides { richest = (sides, bytes) }
    }
    let state = try GraphState(BaselineReader(MemorySource(Bytes(richest.bytes))))
    print("\(richest.sides) kinds of sides, \(StateDigest(state).total)")
    try GoldenFiles.record(GoldenStateTests.name, richest.bytes)
    // What was written once stays.
    try GoldenFiles.record(GoldenStateTests.name, [])
    #expect(try !GoldenFiles.read(GoldenStateTests.name).isEmpty)
  }

  @Test("a golden state reads as it always read, and is written with the same content (Q5)")
  func reading() throws {
    let golden = try GoldenFiles.read(GoldenStateTests.name)
    let reader = try BaselineReader(MemorySource(Bytes(golden)), store: GoldenStateTests.store)
    try reader.verify()
    let state = try GraphState(reader)
    let digest = StateDigest(state).total
    #expect(digest.content.description == GoldenStateTests.content)
    #expect(digest.state.description == GoldenStateTests.stamped)
    // Not by bytes: another version of the compressor may compress otherwise.
    let again = try BaselineReader(
      MemorySource(Bytes(try state.baselineBytes(store: GoldenStateTests.store))))
    #expect(again.contentHash == reader.contentHash)
    #expect(Set(reader.directory.sides.map(\.kind)).count == 11)
  }
}
