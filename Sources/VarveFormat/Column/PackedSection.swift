// Packed sections: frame of reference with a scale, bit-packed in miniblocks of 128.
// The layout stands in Formats/Transaction.md section 4.
//
//   0   u64  base        24  m x width  miniblock bases, padded to 8
//   8   u64  scale       ..  m x u8     bit widths, padded to 8
//   16  u8   base width  ..             packed numbers, padded to 8
//   17  7    zero

/// A parsed and bounds-checked packed section.
struct PackedSection {
  static let headerBytes = 24

  let base: UInt64
  let scale: UInt64
  let rows: Int
  let isNullable: Bool
  private let baseWidth: Int
  private let bases: UnsafeRawPointer
  private let widths: UnsafeRawPointer
  private let numbers: UnsafeRawPointer

  var miniblocks: Int { (rows + Limits.miniblockRows - 1) / Limits.miniblockRows }

  /// Checks every length of a section of exactly `bytes.count` bytes.
  ///
  /// The bytes must live as long as the section and have readable slack behind them.
  init(_ bytes: UnsafeRawBufferPointer, rows: Int, isNullable: Bool) throws(FormatError) {
    var reader = ByteReader(bytes)
    self.rows = rows
    self.isNullable = isNullable
    base = try reader.uint64()
    scale = try reader.uint64()
    baseWidth = Int(try reader.uint8())
    try reader.zeros(7)
    guard scale >= 1, [0, 1, 2, 4, 8].contains(baseWidth), let start = bytes.baseAddress else {
      throw FormatError(.badColumn, "a packed section has scale \(scale), base width \(baseWidth)")
    }
    let count = (rows + Limits.miniblockRows - 1) / Limits.miniblockRows
    // SAFETY: each skip is checked against the buffer before a pointer into it is used.
    bases = start + reader.position
    try reader.skip(count * baseWidth)
    try PackedSection.padding(&reader)
    widths = start + reader.position
    try reader.skip(count)
    let numbersOffset = (reader.position + 7) / 8 * 8
    var total = 0
    for index in 0..<count {
      let width = Int(widths.load(fromByteOffset: index, as: UInt8.self))
      guard width <= 64 else { throw FormatError(.badColumn, "a bit width of \(width)") }
      let rowsHere = min(Limits.miniblockRows, rows - index * Limits.miniblockRows)
      total += BitPacking.byteCount(rowsHere, width: width)
    }
    try PackedSection.padding(&reader)
    numbers = start + numbersOffset
    try reader.skip(total)
    try PackedSection.padding(&reader)
    try reader.finish(.badColumn, "a packed section")
  }

  private static func padding(_ reader: inout ByteReader) throws(FormatError) {
    try reader.zeros((8 - reader.position % 8) % 8)
  }

  @inline(__always)
  private func miniblockBase(_ index: Int) -> UInt64 {
    // SAFETY: `index < miniblocks`, and `init` checked `miniblocks * baseWidth` bytes.
    switch baseWidth {
    case 0: 0
    case 1: UInt64(bases.load(fromByteOffset: index, as: UInt8.self))
    case 2:
      UInt64(UInt16(littleEndian: bases.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self)))
    case 4:
      UInt64(UInt32(littleEndian: bases.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self)))
    default: UInt64(littleEndian: bases.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
    }
  }

  @inline(__always)
  private func width(_ index: Int) -> Int {
    Int(widths.load(fromByteOffset: index, as: UInt8.self))
  }

  /// Bits that the raw numbers of a chunk need, its lowest miniblock base, and the bytes that its
  /// packed numbers take.
  func layout(ofMiniblocks range: Range<Int>) -> (bits: Int, base: UInt64, packedBytes: Int) {
    var lowest = UInt64.max
    var packedBytes = 0
    for index in range {
      // A miniblock of nil cells only has base 0 by rule, which must not lower the chunk's base.
      if !(isNullable && width(index) == 0) { lowest = min(lowest, miniblockBase(index)) }
      let rowsHere = min(Limits.miniblockRows, rows - index * Limits.miniblockRows)
      packedBytes += BitPacking.byteCount(rowsHere, width: width(index))
    }
    if lowest == .max { lowest = 0 }
    var bits = 0
    for index in range where !(isNullable && width(index) == 0) {
      let span = width(index) == 64 ? UInt64.max : (UInt64(1) << UInt64(width(index))) - 1
      let (largest, overflow) = (miniblockBase(index) &- lowest).addingReportingOverflow(span)
      bits = max(bits, overflow ? 64 : BitPacking.width(largest))
    }
    return (bits, lowest, packedBytes)
  }

  /// Whether a value of a nullable section has the number 2^64-1 or more: its code would be nil's.
  ///
  /// Only sections that span nearly all 64 bits are looked at cell by cell.
  func exceedsCodes(_ range: Range<Int>, at offset: Int) -> Bool {
    var source = numbers + offset
    return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: Limits.miniblockRows) { cells in
      guard let packed = cells.baseAddress else { return false }
      for index in range {
        let rowsHere = min(Limits.miniblockRows, rows &- index &* Limits.miniblockRows)
        let bits = width(index)
        let largest = UInt64.max - miniblockBase(index)
        if bits > 0, BitPacking.width(largest) <= bits {
          BitPacking.unpack(
            source, count: rowsHere, width: bits, delta: 0, keepsZero: true, into: packed)
          for row in 0..<rowsHere where packed[row] > largest { return true }
        }
        source += BitPacking.byteCount(rowsHere, width: bits)
      }
      return false
    }
  }

  /// Unpacks the miniblocks of `range`, whose packed numbers start at `offset`, relative to
  /// `chunkBase`.
  func unpack<T: FixedWidthInteger & UnsignedInteger>(
    _ range: Range<Int>, at offset: Int, chunkBase: UInt64, into target: UnsafeMutablePointer<T>
  ) {
    var source = numbers + offset
    var output = target
    for index in range {
      let rowsHere = min(Limits.miniblockRows, rows &- index &* Limits.miniblockRows)
      let bits = width(index)
      BitPacking.unpack(
        source, count: rowsHere, width: bits, delta: miniblockBase(index) &- chunkBase,
        keepsZero: isNullable, into: output)
      source += BitPacking.byteCount(rowsHere, width: bits)
      output += rowsHere
    }
  }
}
