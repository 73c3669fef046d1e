// Writes packed sections. One pass finds base and scale, one pass packs.

/// The words that a packed section is made of: values of some rows, of which some may be nil.
struct PackedSectionWriter {
  let values: UnsafeBufferPointer<UInt64>
  /// Presence bits of the rows, or nil when all have a value.
  ///
  /// Bit 0 belongs to the first value.
  let present: UnsafePointer<UInt64>?
  let isSigned: Bool

  /// The smallest value in the type's order, and the greatest common divisor and largest of the
  /// distances to it.
  struct Frame {
    var base: UInt64 = 0
    var scale: UInt64 = 1
    var largest: UInt64 = 0
  }

  @inline(__always)
  private func isPresent(_ row: Int) -> Bool {
    // SAFETY: the caller's presence words cover all rows.
    present == nil || present.unsafelyUnwrapped[row >> 6] &>> UInt64(row & 63) & 1 != 0
  }

  /// Base, scale and largest scaled distance.
  func frame() -> Frame {
    // Flipping the sign bit makes signed order unsigned order.
    let flip: UInt64 = isSigned ? 1 << 63 : 0
    var smallest = UInt64.max
    var largest: UInt64 = 0
    var any = false
    for row in 0..<values.count where isPresent(row) {
      let ordered = values[row] ^ flip
      smallest = min(smallest, ordered)
      largest = max(largest, ordered)
      any = true
    }
    guard any else { return Frame() }
    var frame = Frame(base: smallest ^ flip, scale: 1, largest: largest &- smallest)
    frame.scale = scale(base: frame.base)
    frame.largest /= frame.scale
    return frame
  }

  private func scale(base: UInt64) -> UInt64 {
    var divisor: UInt64 = 0
    var previous: UInt64 = 0
    for row in 0..<values.count where isPresent(row) {
      let distance = values[row] &- base
      if distance == previous { continue }
      previous = distance
      divisor = greatestCommonDivisor(divisor, distance)
      if divisor == 1 { return 1 }
    }
    return max(divisor, 1)
  }

  private func greatestCommonDivisor(_ a: UInt64, _ b: UInt64) -> UInt64 {
    var (a, b) = (a, b)
    while b != 0 { (a, b) = (b, a % b) }
    return a
  }

  /// Appends the section.
  func write(_ frame: Frame, into writer: inout ByteWriter) {
    let count = (values.count + Limits.miniblockRows - 1) / Limits.miniblockRows
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: values.count + count) { scratch in
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: max(count, 1)) { widths in
        guard let numbers = scratch.baseAddress, let widths = widths.baseAddress else { return }
        // SAFETY: `scratch` holds one word a value and one a miniblock behind them.
        let bases = numbers + values.count
        for index in 0..<count {
          prepare(index, frame, numbers: numbers, bases: bases, widths: widths)
        }
        emit(count, frame, numbers: numbers, bases: bases, widths: widths, into: &writer)
      }
    }
  }

  /// Turns the rows of one miniblock into the numbers to pack.
  @inline(__always)
  private func prepare(
    _ index: Int, _ frame: Frame, numbers: UnsafeMutablePointer<UInt64>,
    bases: UnsafeMutablePointer<UInt64>, widths: UnsafeMutablePointer<UInt8>
  ) {
    let start = index * Limits.miniblockRows
    let end = min(start + Limits.miniblockRows, values.count)
    var lowest = UInt64.max
    var highest: UInt64 = 0
    var previous: UInt64 = 0
    var previousScaled: UInt64 = 0
    for row in start..<end where isPresent(row) {
      var distance = values[row] &- frame.base
      if frame.scale > 1 {
        if distance != previous {
          previous = distance
          previousScaled = distance / frame.scale
        }
        distance = previousScaled
      }
      numbers[row] = distance
      lowest = min(lowest, distance)
      highest = max(highest, distance)
    }
    guard lowest <= highest else {
      for row in start..<end { numbers[row] = 0 }
      bases[index] = 0
      widths[index] = 0
      return
    }
    bases[index] = lowest
    if present == nil {
      for row in start..<end { numbers[row] &-= lowest }
      widths[index] = UInt8(BitPacking.width(highest &- lowest))
    } else {
      for row in start..<end {
        numbers[row] = isPresent(row) ? numbers[row] &- lowest &+ 1 : 0
      }
      widths[index] = UInt8(BitPacking.width(highest &- lowest &+ 1))
    }
  }

  private func emit(
    _ count: Int, _ frame: Frame, numbers: UnsafeMutablePointer<UInt64>,
    bases: UnsafeMutablePointer<UInt64>, widths: UnsafeMutablePointer<UInt8>,
    into writer: inout ByteWriter
  ) {
    var largestBase: UInt64 = 0
    for index in 0..<count { largestBase = max(largestBase, bases[index]) }
    let baseWidth = byteWidth(bits: BitPacking.width(largestBase))
    writer.uint64(frame.base)
    writer.uint64(frame.scale)
    writer.uint8(UInt8(baseWidth))
    writer.zeros(7)
    for index in 0..<count {
      switch baseWidth {
      case 0: break
      case 1: writer.uint8(UInt8(truncatingIfNeeded: bases[index]))
      case 2: writer.uint16(UInt16(truncatingIfNeeded: bases[index]))
      case 4: writer.uint32(UInt32(truncatingIfNeeded: bases[index]))
      default: writer.uint64(bases[index])
      }
    }
    writer.pad()
    for index in 0..<count { writer.uint8(widths[index]) }
    writer.pad()
    for index in 0..<count {
      let start = index * Limits.miniblockRows
      let rows = min(Limits.miniblockRows, values.count - start)
      let bytes = BitPacking.byteCount(rows, width: Int(widths[index]))
      // The writer's slack takes the last word's overhang.
      writer.reserve(bytes + 8)
      BitPacking.pack(
        numbers + start, count: rows, width: Int(widths[index]), into: writer.extend(bytes))
    }
    writer.pad()
  }
}

/// The narrowest of 0, 1, 2, 4 and 8 bytes that holds `bits`.
@inline(__always)
func byteWidth(bits: Int) -> Int {
  switch bits {
  case 0: 0
  case 1...8: 1
  case 9...16: 2
  case 17...32: 4
  default: 8
  }
}
