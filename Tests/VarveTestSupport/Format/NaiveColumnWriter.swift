// A slow writer of column blocks that uses every freedom that readers must accept: other encodings
// than the writer's rule takes, wider numbers, other bases. Layer: test support.

import VarveFormat

/// Writes one column block in a chosen encoding.
package struct NaiveColumnWriter {
  package var entity: UInt32 = 1
  package var attribute: UInt32 = 2
  package let type: PhysicalType
  package let encoding: ColumnEncoding
  package let isNullable: Bool

  package init(_ type: PhysicalType, _ encoding: ColumnEncoding, isNullable: Bool) {
    self.type = type
    self.encoding = encoding
    self.isNullable = isNullable
  }

  /// Whether blocks of the type can have the encoding.
  package static func fits(
    _ type: PhysicalType, _ encoding: ColumnEncoding, isNullable: Bool
  ) -> Bool {
    switch encoding {
    case .plain: type.isWord && (!isNullable || type == .double)
    case .packed: type.isWord
    case .bitmap: type == .bool
    case .bytes: !type.isWord && type != .bool
    case .dictionary: type != .bool
    }
  }

  /// The block.
  package func block(_ cells: [NaiveCell], _ random: inout FormatRandom) -> [UInt8] {
    var dictionary: [UInt8] = []
    var heap: [UInt8] = []
    var entries = 0
    var data: [UInt8] = []
    switch encoding {
    case .plain:
      data = cells.flatMap { cell -> [UInt8] in
        guard case .word(let word) = cell else { return Reseal.stored(0) }
        return Reseal.stored(isNullable ? word &+ 1 : word)
      }
    case .packed: data = section(cells.map(\.word), isNullable: isNullable, &random)
    case .bitmap: data = bitmap(cells)
    case .bytes:
      heap = cells.flatMap(\.content)
      data = section(cells.map(\.count), isNullable: isNullable, &random)
    case .dictionary:
      var distinct: [NaiveCell] = []
      var codes: [NaiveCell: UInt64] = [:]
      for cell in cells where cell != .none && codes[cell] == nil {
        codes[cell] = UInt64(distinct.count)
        distinct.append(cell)
      }
      entries = distinct.count
      if type.isWord {
        dictionary = distinct.flatMap { Reseal.stored($0.word ?? 0) }
      } else {
        dictionary = section(distinct.map(\.count), isNullable: false, &random)
        heap = distinct.flatMap(\.content)
      }
      data = section(cells.map { codes[$0] }, isNullable: isNullable, &random)
    }
    var bytes = header(
      rows: cells.count, entries: entries, dictionary: dictionary.count, heap: heap.count,
      data: data.count)
    bytes += dictionary + heap
    bytes += [UInt8](repeating: 0, count: (8 - heap.count % 8) % 8)
    return bytes + data
  }

  private func header(rows: Int, entries: Int, dictionary: Int, heap: Int, data: Int) -> [UInt8] {
    var bytes = Reseal.stored(UInt64(entity), 4) + Reseal.stored(UInt64(attribute), 4)
    bytes += [type.rawValue, encoding.rawValue, isNullable ? 1 : 0, 0]
    for number in [rows, entries, dictionary, heap, data] {
      bytes += Reseal.stored(UInt64(number), 4)
    }
    return bytes
  }

  private func bitmap(_ cells: [NaiveCell]) -> [UInt8] {
    let bytes = (cells.count + 63) / 64 * 8
    var present = [UInt8](repeating: 0, count: bytes)
    var values = present
    for (row, cell) in cells.enumerated() where cell != .none {
      present[row / 8] |= 1 << UInt8(row % 8)
      if cell == .word(1) { values[row / 8] |= 1 << UInt8(row % 8) }
    }
    return isNullable ? present + values : values
  }

  /// A packed section with any base and with widths that are at least wide enough.
  private func section(
    _ values: [UInt64?], isNullable: Bool, _ random: inout FormatRandom
  ) -> [UInt8] {
    var base = values.compactMap(\.self).min() ?? 0
    // Numbers count from the base modulo 2^64; in a nullable section the largest one is nil's.
    if random.chance(30), !isNullable { base = random.number() }
    let numbers = values.map { $0.map { $0 &- base } }
    var bases: [UInt64] = []
    var widths: [UInt8] = []
    var bits: [UInt8] = []
    for start in stride(from: 0, to: values.count, by: 128) {
      let rows = numbers[start..<min(start + 128, values.count)]
      let lowest = rows.compactMap(\.self).min() ?? 0
      let miniblockBase = random.chance(50) ? lowest : random.number(max: lowest)
      let packed = rows.map { number -> UInt64 in
        guard let number else { return 0 }
        return number - miniblockBase + (isNullable ? 1 : 0)
      }
      let needed = 64 - (packed.max() ?? 0).leadingZeroBitCount
      let width = random.chance(50) ? needed : random.within(needed...64)
      bases.append(miniblockBase)
      widths.append(UInt8(width))
      bits += NaiveColumnWriter.bits(packed, width: width)
    }
    let largest = bases.max() ?? 0
    let byteWidths: [Int] = [0, 1, 2, 4]
    let baseWidth = byteWidths.first { largest < 1 << UInt64(8 * $0) } ?? 8
    var bytes = Reseal.stored(base) + Reseal.stored(1) + [UInt8(baseWidth)]
    bytes += [UInt8](repeating: 0, count: 7)
    for base in bases { bytes += Reseal.stored(base, baseWidth) }
    NaiveColumnWriter.pad(&bytes)
    bytes += widths
    NaiveColumnWriter.pad(&bytes)
    bytes += bits
    NaiveColumnWriter.pad(&bytes)
    return bytes
  }

  private static func bits(_ numbers: [UInt64], width: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: (numbers.count * width + 7) / 8)
    for (index, number) in numbers.enumerated() {
      for bit in 0..<width where number >> UInt64(bit) & 1 == 1 {
        let place = index * width + bit
        bytes[place / 8] |= 1 << UInt8(place % 8)
      }
    }
    return bytes
  }

  private static func pad(_ bytes: inout [UInt8]) {
    while bytes.count % 8 != 0 { bytes.append(0) }
  }
}

extension NaiveCell {
  var word: UInt64? { if case .word(let word) = self { word } else { nil } }
  var content: [UInt8] { if case .bytes(let bytes) = self { bytes } else { [] } }
  var count: UInt64? { if case .bytes(let bytes) = self { UInt64(bytes.count) } else { nil } }
}

extension NaiveCell {
  /// The cells that a column hands in.
  package static func cells(_ cells: ColumnCells) -> [NaiveCell] {
    (0..<cells.rows).map { row in
      if let present = cells.present, !present[row] { return .none }
      switch cells {
      case .words(let words, _): return .word(words[row])
      case .bytes(let offsets, let heap, _):
        return .bytes(Array(heap[Int(offsets[row])..<Int(offsets[row + 1])]))
      }
    }
  }

  /// The cells of a decoded block.
  package static func cells(_ block: ColumnBlock) -> [NaiveCell] {
    (0..<block.rows).map { row in
      if block.header.type.isWord || block.header.type == .bool {
        return block.word(row).map { .word($0) } ?? .none
      }
      return block.cellBytes(row).map { .bytes([UInt8]($0)) } ?? .none
    }
  }
}
