// Packing and unpacking of numbers at any bit width. The innermost loops of import and replay.

/// Fixed-width bit strings, least significant bit first.
enum BitPacking {
  /// Bytes that `count` numbers of `width` bits occupy.
  @inline(__always)
  static func byteCount(_ count: Int, width: Int) -> Int { (count &* width &+ 7) >> 3 }

  /// Packs `source` at `width` bits each into `target`, which holds `byteCount` bytes and eight
  /// more.
  @inline(__always)
  static func pack(
    _ source: UnsafePointer<UInt64>, count: Int, width: Int, into target: UnsafeMutableRawPointer
  ) {
    guard width > 0 else { return }
    if width == 64 {
      // SAFETY: the caller's target holds 8 bytes a number.
      target.copyMemory(from: source, byteCount: count &* 8)
      return
    }
    var accumulator: UInt64 = 0
    var filled = 0
    var output = target
    for index in 0..<count {
      let value = source[index]
      accumulator |= value &<< UInt64(filled)
      filled &+= width
      if filled >= 64 {
        // SAFETY: whole words before the last lie inside `byteCount`.
        output.storeBytes(of: accumulator.littleEndian, as: UInt64.self)
        output += 8
        filled &-= 64
        accumulator = filled == 0 ? 0 : value &>> UInt64(width &- filled)
      }
    }
    // SAFETY: up to eight bytes behind the section are writable (see above).
    if filled > 0 { output.storeBytes(of: accumulator.littleEndian, as: UInt64.self) }
  }

  /// Unpacks `count` numbers, adds `delta` (zero stays zero when `keepsZero`) and stores them as
  /// `T`.
  ///
  /// Up to eight bytes behind the packed bytes are read (`Memory.slackBytes` provides for them).
  @inline(__always)
  static func unpack<T: FixedWidthInteger & UnsignedInteger>(
    _ source: UnsafeRawPointer, count: Int, width: Int, delta: UInt64, keepsZero: Bool,
    into target: UnsafeMutablePointer<T>
  ) {
    if width == 0 {
      let value = keepsZero ? 0 : T(truncatingIfNeeded: delta)
      for index in 0..<count { target[index] = value }
    } else if width <= 56 {
      let mask = (UInt64(1) &<< UInt64(width)) &- 1
      if keepsZero {
        for index in 0..<count {
          let packed = load(source, bit: index &* width) & mask
          target[index] = packed == 0 ? 0 : T(truncatingIfNeeded: packed &+ delta)
        }
      } else {
        for index in 0..<count {
          target[index] = T(
            truncatingIfNeeded: (load(source, bit: index &* width) & mask) &+ delta)
        }
      }
    } else {
      unpackWide(
        source, count: count, width: width, delta: delta, keepsZero: keepsZero, into: target)
    }
  }

  /// The word that starts at `bit`, shifted down; its low 57 bits are valid.
  @inline(__always)
  private static func load(_ source: UnsafeRawPointer, bit: Int) -> UInt64 {
    // SAFETY: see `unpack`.
    let word = source.loadUnaligned(fromByteOffset: bit >> 3, as: UInt64.self)
    return UInt64(littleEndian: word) &>> UInt64(bit & 7)
  }

  private static func unpackWide<T: FixedWidthInteger & UnsignedInteger>(
    _ source: UnsafeRawPointer, count: Int, width: Int, delta: UInt64, keepsZero: Bool,
    into target: UnsafeMutablePointer<T>
  ) {
    let mask = width == 64 ? UInt64.max : (UInt64(1) &<< UInt64(width)) &- 1
    for index in 0..<count {
      let bit = index &* width
      let shift = UInt64(bit & 7)
      var packed = load(source, bit: bit)
      if shift > 0 {
        let next = source.loadUnaligned(fromByteOffset: (bit >> 3) &+ 8, as: UInt8.self)
        packed |= UInt64(next) &<< (64 &- shift)
      }
      packed &= mask
      target[index] = packed == 0 && keepsZero ? 0 : T(truncatingIfNeeded: packed &+ delta)
    }
  }

  /// Bits that `value` needs.
  @inline(__always)
  static func width(_ value: UInt64) -> Int { 64 &- value.leadingZeroBitCount }
}
