// Cells of a run as the columns of a baseline. Layer: Graph.

import VarveFormat

/// Gathers the cells of one run in the order and with the names of a baseline.
struct BaselineGathering {
  let table: Table
  let run: Int
  /// The place of each creator in the baseline plus one, by local index.
  let creators: [UInt32]
  /// Key hashes of identity objects by table, in the order of their serials.
  let identities: [Int: [Hash128]]
  /// Rows in the order of the baseline; nil when they stay as they are.
  let order: [Int]?

  /// The rows of the run in a block, in the order of the baseline.
  private func rows(_ block: Range<Int>) -> [Int] {
    order.map { Array($0[block]) } ?? Array(block)
  }

  /// The block of a column; nil when no cell has a value.
  func part(_ column: Int, _ block: Range<Int>, target: Int?) -> EncodedPart? {
    let key = table.columns[column].key
    let type: PhysicalType = key.isOrderKey ? .data : key == .life ? .unsigned : key.type ?? .data
    let cells: ColumnCells? =
      type == .identityReference
      ? hashes(column, block, target: target)
      : key.holdsWords ? words(column, block) : bytes(column, block)
    guard let cells else { return nil }
    return BaselineGathering.part(
      cells, rows: block.count, entity: table.entity, attribute: key.tag, type: type)
  }

  /// Encodes cells as a block by itself.
  static func part(
    _ cells: ColumnCells, rows: Int, entity: UInt32, attribute: UInt32, type: PhysicalType
  ) -> EncodedPart {
    let raw = ColumnBlockEncoder.encode(
      cells, rows: 0..<rows, entity: entity, attribute: attribute, type: type)
    let header = try? ColumnBlockDecoder.header(of: raw)
    return EncodedPart(frameType: .columnBlock, raw: raw, column: header)
  }

  private func words(_ column: Int, _ block: Range<Int>) -> ColumnCells? {
    let isLink = table.columns[column].key.isLink
    var words: [UInt64] = []
    var present = Presence()
    words.reserveCapacity(block.count)
    let groups = table.runs[run].groups
    if order == nil {
      var start = block.lowerBound
      while start < block.upperBound {
        let end = min((start >> 12 + 1) << 12, block.upperBound)
        let group = groups[start >> 12]
        for row in start..<end {
          let word = group.word(column, row & 4_095)
          words.append(word.map { isLink ? named($0) : $0 } ?? 0)
          present.append(word != nil)
        }
        start = end
      }
    } else {
      for row in rows(block) {
        let word = groups[row >> 12].word(column, row & 4_095)
        words.append(word.map { isLink ? named($0) : $0 } ?? 0)
        present.append(word != nil)
      }
    }
    guard present.nilCount < block.count else { return nil }
    return .words(words, present: present.nilCount == 0 ? nil : present)
  }

  /// A link with the baseline's name of its creator.
  @inline(__always)
  private func named(_ link: UInt64) -> UInt64 {
    UInt64(creators[Int(link >> 48)]) << 48 | link & 0xFFFF_FFFF_FFFF
  }

  /// Links to identity objects by the hashes of their keys.
  private func hashes(_ column: Int, _ block: Range<Int>, target: Int?) -> ColumnCells? {
    guard let target, let hashes = identities[target] else { return nil }
    var offsets: [UInt32] = [0]
    var heap: [UInt8] = []
    var present = Presence()
    for row in rows(block) {
      let link = table.runs[run].groups[row >> 12].word(column, row & 4_095)
      let serial = link.map { Int($0 & 0xFFFF_FFFF_FFFF) } ?? 0
      if serial >= 1, serial <= hashes.count { heap += hashes[serial - 1].storedBytes }
      present.append(serial >= 1 && serial <= hashes.count)
      offsets.append(UInt32(heap.count))
    }
    guard present.nilCount < block.count else { return nil }
    return .bytes(offsets: offsets, heap: heap, present: present.nilCount == 0 ? nil : present)
  }

  private func bytes(_ column: Int, _ block: Range<Int>) -> ColumnCells? {
    var offsets: [UInt32] = [0]
    var heap: [UInt8] = []
    var present = Presence()
    offsets.reserveCapacity(block.count + 1)
    let groups = table.runs[run].groups
    for row in rows(block) {
      let group = groups[row >> 12]
      let bytes = group.bytes(column, row & 4_095)
      // Cells that are too long for a column lie beside it.
      if let bytes, bytes.count <= Limits.cellBytesMax {
        heap.append(contentsOf: bytes)
        present.append(true)
      } else {
        present.append(false)
      }
      offsets.append(UInt32(heap.count))
      withExtendedLifetime(group) {}
    }
    guard present.nilCount < block.count else { return nil }
    return .bytes(offsets: offsets, heap: heap, present: present.nilCount == 0 ? nil : present)
  }

  /// The largest number of rows a block with which every block of a byte column fits a frame.
  func blockRows(_ column: Int) -> Int {
    if table.columns[column].key.holdsWords { return Limits.blockRowsMax }
    let groups = table.runs[run].groups
    var sizes: [Int] = []
    for index in 0..<groups.count {
      let group = groups[index]
      var total = 0
      for row in 0..<table.runs[run].rows(inGroup: index) {
        let count = group.bytes(column, row)?.count ?? 0
        if count <= Limits.cellBytesMax { total += count }
      }
      sizes.append(total)
    }
    // With room for lengths and codes at their widest.
    let heapMax = Limits.frameRawBytesMax - Limits.blockRowsMax * 9 - (64 << 10)
    let perBlock = Limits.blockRowsMax / Limits.groupRows
    let isOrdered = order != nil
    let sums = stride(from: 0, to: sizes.count, by: perBlock).map { start in
      sizes[start..<min(start + perBlock, sizes.count)].reduce(0, +)
    }
    if isOrdered ? sizes.reduce(0, +) <= heapMax : sums.allSatisfy({ $0 <= heapMax }) {
      return Limits.blockRowsMax
    }
    if !isOrdered, sizes.allSatisfy({ $0 <= heapMax }) { return Limits.groupRows }
    return 64
  }
}
