// A dictionary that is cheap to copy: a change copies one of its shards. Layer: Graph.

/// A map in shards, shared between a snapshot and the next draft shard by shard.
///
/// - Complexity: O(1) lookups; a change costs O(count / 256) once a draft and shard.
struct ShardedMap<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private final class Shard: @unchecked Sendable {
    var values: [Key: Value]
    init(_ values: [Key: Value]) { self.values = values }
  }

  private static var shardCount: Int { 256 }
  private var shards: ContiguousArray<Shard?> = []
  private(set) var count = 0

  init() {}

  var isEmpty: Bool { count == 0 }

  private func place(_ key: Key) -> Int {
    // Swift's own hash is seeded by the process; only places depend on it.
    key.hashValue & (Self.shardCount - 1)
  }

  subscript(key: Key) -> Value? {
    shards.isEmpty ? nil : shards[place(key)]?.values[key]
  }

  /// Runs `body` on the value of a key; a nil left behind removes it.
  mutating func update<R>(_ key: Key, _ body: (inout Value?) -> R) -> R {
    if shards.isEmpty { shards = ContiguousArray(repeating: nil, count: Self.shardCount) }
    let place = place(key)
    if !isKnownUniquelyReferenced(&shards[place]) {
      shards[place] = Shard(shards[place]?.values ?? [:])
    }
    guard let shard = shards[place] else {
      var none: Value?
      return body(&none)
    }
    let before = shard.values.count
    defer { count += shard.values.count - before }
    return body(&shard.values[key])
  }

  mutating func set(_ key: Key, _ value: Value?) { update(key) { $0 = value } }

  /// All entries, in no order.
  func forEach(_ body: (Key, Value) -> Void) {
    for shard in shards {
      guard let shard else { continue }
      for (key, value) in shard.values { body(key, value) }
    }
  }

  /// All keys, in no order.
  var keys: [Key] {
    var list: [Key] = []
    list.reserveCapacity(count)
    forEach { key, _ in list.append(key) }
    return list
  }
}
