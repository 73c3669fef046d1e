// The short form of the most frequent operation.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Word writes")
struct WordWriteTests {
  @Test("a write of a number has the bytes of its operation", arguments: 1...20)
  func bytes(seed: Int) throws {
    var random = FormatRandom(seed: UInt64(seed))
    var short = TransactionBuilder()
    var long = TransactionBuilder()
    for _ in 0..<200 {
      let type = random.pick([PhysicalType.bool, .integer, .unsigned, .double, .date])
      let object =
        random.chance(20)
        ? ObjectReference(
          entity: UInt32(random.number(max: 1 << 31)), identity: Hash128(low: 1, high: .max))
        : ObjectReference(
          entity: UInt32(random.number(max: .init(UInt32.max))),
          index: UInt32(random.below(65_535)), serial: random.number(max: 1 << 36 - 2) + 1)
      let word = type == .bool ? UInt64(random.below(2)) : random.number()
      let write = WordWrite(
        object, UInt32(random.number(max: .init(UInt32.max))), type, word)
      short.add(write)
      long.add(write.operation)
    }
    let (a, b) = (try short.finish(), try long.finish())
    #expect(a.operationBytes.array == b.operationBytes.array, "seed \(seed)")
    #expect(a.operations == b.operations)
  }
}
