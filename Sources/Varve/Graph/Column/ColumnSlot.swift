// Where the cells of one column of one group lie. Layer: Graph.

import VarveFormat

/// One column of a group of up to 4,096 rows (Q35).
///
/// A number is `base + scale * (raw - 1)` when nullable, `base + scale * raw` when not, modulo
/// 2^64.
/// Numbers are words, entries of a dictionary of words, or entries of a heap of bytes.
struct ColumnSlot {
  enum Form: UInt8 {
    /// No cell has a value.
    case absent
    /// Raw numbers lie at `pointer`; with a width of 0 all of them are 0.
    case numbers
    /// The number of row r is `base + r`: cells are entries of a heap in row order.
    case sequence
    /// `pointer` is a `LazyBlock`, `base` the group's place in it.
    case lazy
  }

  var pointer: UnsafeRawPointer?
  /// A `CellHeap`, kept alive by the group.
  var heap: UnsafeRawPointer?
  var base: UInt64 = 0
  var scale: UInt64 = 1
  var form = Form.absent
  /// Bytes of a raw number: 0, 1, 2, 4 or 8.
  var width: UInt8 = 0
  var isNullable = true
  /// Rows that the group's own memory has room for; 0 when the memory is another's and never
  /// written.
  var capacity: UInt16 = 0
  /// Rows that can be read; those behind have no value.
  var limit: UInt16 = 0

  static var absent: ColumnSlot { ColumnSlot() }

  // SAFETY: `pointer` has room for the rows that its maker promised, and callers stay below them.

  @inline(__always)
  func raw(_ row: Int) -> UInt64 {
    guard let pointer else { return 0 }
    return switch width {
    case 0: 0
    case 1: UInt64(pointer.load(fromByteOffset: row, as: UInt8.self))
    case 2: UInt64(pointer.load(fromByteOffset: row &* 2, as: UInt16.self))
    case 4: UInt64(pointer.load(fromByteOffset: row &* 4, as: UInt32.self))
    default: pointer.load(fromByteOffset: row &* 8, as: UInt64.self)
    }
  }

  /// The number of a row that is not lazy, or nil.
  @inline(__always)
  func number(_ row: Int) -> UInt64? {
    guard row < Int(limit) else { return nil }
    switch form {
    case .numbers:
      let raw = raw(row)
      if isNullable { return raw == 0 ? nil : base &+ scale &* (raw &- 1) }
      return base &+ scale &* raw
    case .sequence: return base &+ UInt64(row)
    case .absent, .lazy: return nil
    }
  }

  /// The raw number that stands for `number`, or nil when the chunk cannot hold it.
  @inline(__always)
  func code(_ number: UInt64?) -> UInt64? {
    guard form == .numbers, isNullable else { return nil }
    guard let number else { return 0 }
    var code = number &- base
    if scale != 1 {
      guard code % scale == 0 else { return nil }
      code /= scale
    }
    code &+= 1
    guard code != 0, width == 8 || code < 1 &<< (UInt64(width) &* 8) else { return nil }
    return code
  }
}

/// Writes raw numbers.
enum RawNumbers {
  // SAFETY: as for reading; the memory is the writer's own.

  @inline(__always)
  static func store(_ raw: UInt64, at pointer: UnsafeMutableRawPointer, _ row: Int, width: UInt8) {
    switch width {
    case 0: break
    case 1:
      pointer.storeBytes(
        of: UInt8(truncatingIfNeeded: raw), toByteOffset: row, as: UInt8.self)
    case 2:
      pointer.storeBytes(
        of: UInt16(truncatingIfNeeded: raw), toByteOffset: row &* 2, as: UInt16.self)
    case 4:
      pointer.storeBytes(
        of: UInt32(truncatingIfNeeded: raw), toByteOffset: row &* 4, as: UInt32.self)
    default: pointer.storeBytes(of: raw, toByteOffset: row &* 8, as: UInt64.self)
    }
  }

  /// The narrowest width for raw numbers up to `largest`.
  static func width(_ largest: UInt64) -> UInt8 {
    if largest <= 0xFF { return 1 }
    if largest <= 0xFFFF { return 2 }
    return largest <= 0xFFFF_FFFF ? 4 : 8
  }
}
