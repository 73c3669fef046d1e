// Numbers that stand for values in an index. Layer: Graph.

import VarveFormat

/// What an index sorts by: equal values have equal codes, and codes of an ordered index rise with
/// the values.
///
/// Codes of long values can be equal without the values being so: whoever looks up verifies.
enum CellCode {
  /// The code of a word.
  @inline(__always)
  static func word(_ word: UInt64, _ type: PhysicalType) -> UInt64 {
    switch type {
    case .integer, .date: return word ^ 1 << 63
    case .double: return double(Double(bitPattern: word))
    default: return word
    }
  }

  /// IEEE 754 numbers in their order: zeros are one value, and so are all that are no numbers.
  private static func double(_ value: Double) -> UInt64 {
    if value.isNaN { return .max }
    let bits = (value == 0 ? 0 : value).bitPattern
    return bits >> 63 == 0 ? bits | 1 << 63 : ~bits
  }

  /// The code of bytes: their hash, or in an ordered index the first eight of them.
  static func bytes(_ bytes: [UInt8], isOrdered: Bool) -> UInt64 {
    guard isOrdered else { return Checksum.hash64(seed: 0, Bytes(bytes)) }
    var code: UInt64 = 0
    for index in 0..<8 { code = code << 8 | (index < bytes.count ? UInt64(bytes[index]) : 0) }
    return code
  }

  /// The code of a value; nil for what is no cell.
  static func value(_ value: Value, isOrdered: Bool) -> UInt64? {
    guard let (type, content) = value.cell else { return nil }
    switch content {
    case .word(let word): return self.word(word, type)
    case .bytes(let bytes): return self.bytes(bytes, isOrdered: isOrdered)
    }
  }

  /// The code of several values.
  static func joined(_ codes: [UInt64]) -> UInt64 {
    guard codes.count > 1 else { return codes.first ?? 0 }
    return codes.reduce(0) { joined($0, $1) }
  }

  @inline(__always)
  static func joined(_ code: UInt64, _ next: UInt64) -> UInt64 {
    // The finalizer of MurmurHash3 (Austin Appleby, public domain).
    var mixed = (code &* 31 &+ 1) ^ next
    mixed = (mixed ^ mixed >> 33) &* 0xFF51_AFD7_ED55_8CCD
    mixed = (mixed ^ mixed >> 33) &* 0xC4CE_B9FE_1A85_EC53
    return mixed ^ mixed >> 33
  }
}
