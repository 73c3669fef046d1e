// A slow reader of column blocks, written from the specification alone and bit by bit, to compare
// the fast one with. Layer: test support.

import VarveFormat

/// A cell as a block says it.
package enum NaiveCell: Hashable, Sendable {
  case none
  case word(UInt64)
  case bytes([UInt8])
}

/// Why the slow reader refuses a block.
package struct NaiveColumnError: Error {
  package let message: String
}

/// Reads one column block.
package struct NaiveColumnReader {
  let payload: [UInt8]
  let type: Int
  let encoding: Int
  let isNullable: Bool
  let rows: Int
  let entries: Int

  private static let words: Set = [2, 3, 4, 8, 10]
  private static let signed: Set = [2, 8]

  /// The cells of a block.
  package static func cells(_ payload: [UInt8]) throws -> [NaiveCell] {
    try NaiveColumnReader(payload).cells()
  }

  private init(_ payload: [UInt8]) throws {
    guard payload.count >= 32 else { throw NaiveColumnError(message: "no header") }
    self.payload = payload
    type = Int(payload[8])
    encoding = Int(payload[9])
    isNullable = payload[10] == 1
    rows = Int(NaiveColumnReader.number(payload, 12, 4))
    entries = Int(NaiveColumnReader.number(payload, 16, 4))
    try require(payload[10] <= 1 && payload[11] == 0, "reserved bits")
    try require(type >= 1 && type <= 14, "type")
    try require(encoding >= 1 && encoding <= 5, "encoding")
    try require(rows >= 1 && rows <= 65_536, "rows")
    try require(encoding == 5 ? entries <= rows : entries == 0, "entries")
  }

  private func require(_ condition: Bool, _ message: String) throws {
    if !condition { throw NaiveColumnError(message: message) }
  }

  /// A little-endian number of `width` bytes, one at a time.
  private static func number(_ bytes: [UInt8], _ offset: Int, _ width: Int) -> UInt64 {
    var value: UInt64 = 0
    for index in 0..<width { value += UInt64(bytes[offset + index]) << UInt64(8 * index) }
    return value
  }

  private func cells() throws -> [NaiveCell] {
    let lengths = (0..<3).map { Int(NaiveColumnReader.number(payload, 20 + 4 * $0, 4)) }
    let (dictionaryBytes, heapBytes, dataBytes) = (lengths[0], lengths[1], lengths[2])
    try require(dictionaryBytes % 8 == 0 && dataBytes % 8 == 0, "sections of whole words")
    try require(encoding == 5 || dictionaryBytes == 0, "a dictionary without use")
    let padding = (8 - heapBytes % 8) % 8
    try require(
      32 + dictionaryBytes + heapBytes + padding + dataBytes == payload.count, "sections")
    let heapStart = 32 + dictionaryBytes
    let dictionary = Array(payload[32..<heapStart])
    let heap = Array(payload[heapStart..<heapStart + heapBytes])
    let dataStart = heapStart + heapBytes + padding
    try require(payload[heapStart + heapBytes..<dataStart].allSatisfy { $0 == 0 }, "heap padding")
    let data = Array(payload[dataStart...])
    let isWord = NaiveColumnReader.words.contains(type)
    try require(heap.isEmpty || (!isWord && (encoding == 4 || encoding == 5)), "a heap")
    switch encoding {
    case 1: return try plain(data, isWord: isWord)
    case 2:
      try require(isWord, "packed bytes")
      return try section(data, count: rows, isNullable: isNullable).map { value in
        value.map { .word($0) } ?? .none
      }
    case 3: return try bitmap(data)
    case 4:
      try require(!isWord && type != 1, "words as bytes")
      return try cut(heap, try section(data, count: rows, isNullable: isNullable))
    default: return try coded(dictionary, heap, data, isWord: isWord)
    }
  }

  private func plain(_ data: [UInt8], isWord: Bool) throws -> [NaiveCell] {
    try require(isWord && data.count == rows * 8 && (!isNullable || type == 4), "plain")
    return (0..<rows).map { row in
      let word = NaiveColumnReader.number(data, row * 8, 8)
      guard isNullable else { return .word(word) }
      return word == 0 ? .none : .word(word - 1)
    }
  }

  private func bitmap(_ data: [UInt8]) throws -> [NaiveCell] {
    let bytes = (rows + 63) / 64 * 8
    try require(type == 1 && data.count == bytes * (isNullable ? 2 : 1), "bitmap")
    let values = isNullable ? Array(data[bytes...]) : data
    func bit(_ bytes: [UInt8], _ index: Int) -> Bool {
      bytes[index / 8] / (1 << UInt8(index % 8)) % 2 == 1
    }
    var cells: [NaiveCell] = []
    for row in 0..<bytes * 8 {
      let isPresent = !isNullable || bit(data, row)
      if row >= rows {
        try require(!bit(values, row) && (!isNullable || !isPresent), "bits behind the rows")
      } else {
        try require(isPresent || !bit(values, row), "a value bit of a nil cell")
        cells.append(isPresent ? .word(bit(values, row) ? 1 : 0) : .none)
      }
    }
    return cells
  }

  private func coded(
    _ dictionary: [UInt8], _ heap: [UInt8], _ data: [UInt8], isWord: Bool
  ) throws -> [NaiveCell] {
    try require(type != 1, "a dictionary of bools")
    let values: [NaiveCell]
    if isWord {
      try require(dictionary.count == entries * 8, "dictionary words")
      values = (0..<entries).map { .word(NaiveColumnReader.number(dictionary, $0 * 8, 8)) }
    } else {
      values = try cut(heap, try section(dictionary, count: entries, isNullable: false))
    }
    return try section(data, count: rows, isNullable: isNullable).map { code in
      guard let code else { return .none }
      try require(code < UInt64(entries), "a code without an entry")
      return values[Int(code)]
    }
  }

  /// Cuts a heap by byte counts.
  private func cut(_ heap: [UInt8], _ counts: [UInt64?]) throws -> [NaiveCell] {
    var position = 0
    var cells: [NaiveCell] = []
    for count in counts {
      guard let count else {
        cells.append(.none)
        continue
      }
      try require(count <= 60_000 && Int(count) <= heap.count - position, "byte counts")
      let cell = Array(heap[position..<position + Int(count)])
      position += Int(count)
      try require(type != 6 || String(validating: cell, as: UTF8.self) != nil, "UTF-8")
      try require((type != 9 && type != 14) || cell.count == 16, "16 bytes")
      cells.append(.bytes(cell))
    }
    try require(position == heap.count, "bytes without a cell")
    return cells
  }

  /// The numbers of a packed section.
  private func section(_ bytes: [UInt8], count: Int, isNullable: Bool) throws -> [UInt64?] {
    try require(bytes.count >= 24, "a packed section")
    let base = NaiveColumnReader.number(bytes, 0, 8)
    let scale = NaiveColumnReader.number(bytes, 8, 8)
    let baseWidth = Int(bytes[16])
    try require(scale >= 1 && [0, 1, 2, 4, 8].contains(baseWidth), "scale and width")
    try require(bytes[17..<24].allSatisfy { $0 == 0 }, "reserved bytes")
    let miniblocks = (count + 127) / 128
    let widthsStart = 24 + (miniblocks * baseWidth + 7) / 8 * 8
    let numbersStart = widthsStart + (miniblocks + 7) / 8 * 8
    try require(numbersStart <= bytes.count, "a packed section is cut")
    try require(bytes[24 + miniblocks * baseWidth..<widthsStart].allSatisfy { $0 == 0 }, "pad")
    try require(bytes[widthsStart + miniblocks..<numbersStart].allSatisfy { $0 == 0 }, "pad")
    var values: [UInt64?] = []
    var bit = numbersStart * 8
    for miniblock in 0..<miniblocks {
      let width = Int(bytes[widthsStart + miniblock])
      try require(width <= 64, "bit width")
      let rows = min(128, count - miniblock * 128)
      try require(bit + rows * width <= bytes.count * 8, "packed numbers are cut")
      let miniblockBase = NaiveColumnReader.number(bytes, 24 + miniblock * baseWidth, baseWidth)
      for row in 0..<rows {
        var packed: UInt64 = 0
        for index in 0..<width {
          let place = bit + row * width + index
          if bytes[place / 8] >> UInt8(place % 8) & 1 == 1 { packed |= 1 << UInt64(index) }
        }
        if isNullable {
          // The number of a value must leave room for the code of nil.
          let (number, overflow) = miniblockBase.addingReportingOverflow(packed &- 1)
          try require(packed == 0 || (!overflow && number < .max), "a number beyond 64 bits")
          values.append(packed == 0 ? nil : base &+ scale &* number)
        } else {
          values.append(base &+ scale &* (miniblockBase &+ packed))
        }
      }
      let used = bit + rows * width
      bit = (used + 7) / 8 * 8
    }
    try require((bit / 8 + 7) / 8 * 8 == bytes.count, "bytes behind a packed section")
    try require(bytes[(bit / 8)...].allSatisfy { $0 == 0 }, "padding of a packed section")
    return values
  }
}
