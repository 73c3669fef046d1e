// Finds the distinct values of a column in order of first appearance: the builder of dictionaries.

/// A hash table from values to codes that gives up beyond a limit.
///
/// Values are ranges of a heap, or words. Open addressing with linear probing; grows by doubling.
struct ValueIndex {
  /// Entry + 1 per slot; 0 is free.
  private var slots: [UInt32]
  private var mask: Int
  /// Per entry: its hash, and the row of its first appearance.
  private var hashes: [UInt64] = []
  private(set) var firstRows: [UInt32] = []
  private let limit: Int

  init(limit: Int) {
    self.limit = limit
    slots = [UInt32](repeating: 0, count: 1_024)
    mask = 1_023
  }

  var count: Int { firstRows.count }

  /// The code of the value of `row`, or nil when there would be more than `limit` entries.
  @inline(__always)
  mutating func code(
    row: Int, hash: UInt64, isEqual: (_ earlierRow: Int) -> Bool
  ) -> UInt32? {
    var slot = Int(truncatingIfNeeded: hash) & mask
    while slots[slot] != 0 {
      let entry = Int(slots[slot] &- 1)
      if hashes[entry] == hash, isEqual(Int(firstRows[entry])) { return UInt32(entry) }
      slot = (slot &+ 1) & mask
    }
    guard count < limit else { return nil }
    slots[slot] = UInt32(count &+ 1)
    hashes.append(hash)
    firstRows.append(UInt32(row))
    if count &* 2 > slots.count { grow() }
    return UInt32(count &- 1)
  }

  @inline(never)
  private mutating func grow() {
    slots = [UInt32](repeating: 0, count: slots.count * 4)
    mask = slots.count - 1
    for (entry, hash) in hashes.enumerated() {
      var slot = Int(truncatingIfNeeded: hash) & mask
      while slots[slot] != 0 { slot = (slot + 1) & mask }
      slots[slot] = UInt32(entry + 1)
    }
  }

  /// A hash of a word (the finaliser of SplitMix64).
  @inline(__always)
  static func hash(_ word: UInt64) -> UInt64 {
    var value = word &+ 0x9E37_79B9_7F4A_7C15
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }

  /// A hash of bytes; up to eight bytes without a call.
  @inline(__always)
  static func hash(_ start: UnsafeRawPointer, _ count: Int) -> UInt64 {
    guard count <= 8 else {
      return Checksum.hash64(seed: 0, UnsafeRawBufferPointer(start: start, count: count))
    }
    var word: UInt64 = 0
    // SAFETY: exactly `count` bytes are read.
    for index in 0..<count {
      word = word << 8 | UInt64(start.load(fromByteOffset: index, as: UInt8.self))
    }
    return hash(word ^ UInt64(count) << 59)
  }
}
