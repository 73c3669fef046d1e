// Keys that sort the members of an ordered relationship (R19, Q22). Layer: Store.

/// Makes byte strings between two others.
enum OrderKey {
  /// A key above `lower` and below `upper`, either of which may be missing.
  ///
  /// The random bytes at its end keep two replicas from making the same key for the same gap.
  static func between(_ lower: [UInt8]?, _ upper: [UInt8]?, random: [UInt8]) -> [UInt8] {
    var key: [UInt8] = []
    let low = lower ?? []
    var high = upper
    var place = 0
    while true {
      let a = place < low.count ? Int(low[place]) : 0
      let b = high.map { place < $0.count ? Int($0[place]) : 0 } ?? 256
      if b - a > 1 {
        // At an open end the next number, in a gap the middle.
        let isOpen = high == nil
        key.append(UInt8(isOpen ? a + 1 : (a + b) / 2))
        return key + random
      }
      key.append(UInt8(a))
      // Behind a smaller digit the upper key no longer limits.
      if b > a { high = nil }
      place += 1
      if place > 4_096 { return key + random }
    }
  }
}
