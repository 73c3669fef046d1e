// Random numbers, texts and values that like the edges. Layer: test support.

import VarveFormat

/// A generator of everything that files hold.
package struct FormatRandom {
  package var generator: SplitMix64

  package init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  package mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }

  package mutating func within(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &generator)
  }

  package mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

  package mutating func pick<T>(_ choices: [T]) -> T { choices[below(choices.count)] }

  /// Any 64 bits.
  package mutating func word() -> UInt64 { generator.next() }

  /// A number of any magnitude: edges, powers of two and their neighbours, small and large ones.
  package mutating func number() -> UInt64 {
    switch below(6) {
    case 0: pick([0, 1, 127, 128, 255, 256, 16_383, 16_384, .max, .max - 1, 1 << 63])
    case 1: (1 &<< word()) &+ UInt64(below(3)) &- 1
    case 2: UInt64(below(200))
    default: word() &>> UInt64(below(64))
    }
  }

  package mutating func number(max limit: UInt64) -> UInt64 {
    limit == .max ? number() : number() % (limit + 1)
  }

  package mutating func signed() -> Int64 {
    chance(15) ? pick([.min, .max, 0, -1, 1]) : Int64(bitPattern: number())
  }

  package mutating func tag() -> UInt32 {
    chance(10) ? UInt32(truncatingIfNeeded: word()) : UInt32(within(1...300))
  }

  /// A dictionary index; 0 is the log's own replica.
  package mutating func index() -> UInt32 {
    chance(60) ? UInt32(below(4)) : UInt32(below(Limits.dictionaryMax))
  }

  package mutating func serial() -> UInt64 { max(number(max: Limits.serialMax), 1) }

  package mutating func bytes(_ count: Int) -> [UInt8] {
    var list: [UInt8] = []
    list.reserveCapacity(count + 8)
    while list.count < count {
      withUnsafeBytes(of: word()) { list.append(contentsOf: $0) }
    }
    list.removeLast(list.count - count)
    return list
  }

  package mutating func bytes(max limit: Int) -> [UInt8] { bytes(within(0...limit)) }

  package mutating func text(max limit: Int = 20) -> String {
    let alphabet = Array("abcdefgh XYZ019-äßé€漢字😀\u{0}\n\"\\\u{301}")
    var text = ""
    for _ in 0..<within(0...limit) { text.append(pick(alphabet)) }
    return text
  }

  package mutating func hash() -> Hash128 { Hash128(low: word(), high: word()) }

  package mutating func stamp() -> Stamp { Stamp(rawValue: number()) }

  package mutating func store() -> StoreID { StoreID(bytes(16)) }

  package mutating func replica() -> ReplicaID { ReplicaID(bytes(16)) }

  /// Up to `limit` things.
  package mutating func list<T>(max limit: Int, _ make: (inout FormatRandom) -> T) -> [T] {
    let count = within(0...limit)
    return (0..<count).map { _ in make(&self) }
  }
}
