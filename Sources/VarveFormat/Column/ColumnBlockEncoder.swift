// Encodes cells into column blocks by the choice rule of Formats/Transaction.md section 4, so that
// the same cells always give the same bytes.

/// Turns cells into the raw payload of a COLBLOCK frame.
package enum ColumnBlockEncoder {
  /// Encodes the cells of `rows`.
  ///
  /// - Precondition: `rows` lies inside the cells, starts at a multiple of 64, and holds 1...65,536
  ///   rows.
  package static func encode(
    _ cells: ColumnCells, rows: Range<Int>, entity: UInt32, attribute: UInt32, type: PhysicalType
  ) -> Bytes {
    precondition(rows.lowerBound % 64 == 0 && !rows.isEmpty && rows.count <= Limits.blockRowsMax)
    precondition(rows.upperBound <= cells.rows, "a block past the end of its cells")
    let hasNil = hasNil(cells.present, rows)
    var header = ColumnBlockHeader(
      entity: entity, attribute: attribute, type: type, encoding: .packed, isNullable: hasNil,
      rows: rows.count)
    return withPresence(hasNil ? cells.present : nil, rows) { present in
      switch cells {
      case .words(let words, _):
        words.withUnsafeBufferPointer { all in
          let values = UnsafeBufferPointer(rebasing: all[rows])
          return encodeWords(&header, values, present)
        }
      case .bytes(let offsets, let heap, _):
        offsets.withUnsafeBufferPointer { all in
          // Empty cells need an address, too: what a block holds must not depend on its neighbours.
          (heap.isEmpty ? [0] : heap).withUnsafeBytes { heap in
            let ends = UnsafeBufferPointer(rebasing: all[rows.lowerBound...rows.upperBound])
            return encodeBytes(&header, ByteCells(offsets: ends, heap: heap, present: present))
          }
        }
      }
    }
  }

  private static func hasNil(_ present: Presence?, _ rows: Range<Int>) -> Bool {
    guard let present, present.nilCount > 0 else { return false }
    return rows.contains { !present[$0] }
  }

  private static func withPresence<R>(
    _ present: Presence?, _ rows: Range<Int>, _ body: (UnsafePointer<UInt64>?) -> R
  ) -> R {
    guard let present else { return body(nil) }
    return present.words.withUnsafeBufferPointer { words in
      // SAFETY: `rows` starts at a multiple of 64 inside the presence words.
      body(words.baseAddress.map { $0 + rows.lowerBound / 64 })
    }
  }

  // MARK: words

  private static func encodeWords(
    _ header: inout ColumnBlockHeader, _ values: UnsafeBufferPointer<UInt64>,
    _ present: UnsafePointer<UInt64>?
  ) -> Bytes {
    switch header.type {
    case .bool: return encodeBitmap(&header, values, present)
    case .double:
      return encodeDictionary(&header, values, present, limit: values.count / 4)
        ?? encodePlain(&header, values, present)
    default:
      let section = PackedSectionWriter(
        values: values, present: present, isSigned: header.type.isSigned)
      let frame = section.frame()
      if present != nil, frame.largest == .max,
        let bytes = encodeDictionary(&header, values, present, limit: values.count)
      {
        return bytes
      }
      var body = ByteWriter(capacity: values.count * 2 + 1_024)
      section.write(frame, into: &body)
      return assemble(&header, .packed, data: body)
    }
  }

  private static func encodePlain(
    _ header: inout ColumnBlockHeader, _ values: UnsafeBufferPointer<UInt64>,
    _ present: UnsafePointer<UInt64>?
  ) -> Bytes {
    var data = ByteWriter(capacity: values.count * 8)
    for row in 0..<values.count {
      if let present {
        let isPresent = present[row >> 6] >> UInt64(row & 63) & 1 != 0
        data.uint64(isPresent ? values[row] &+ 1 : 0)
      } else {
        data.uint64(values[row])
      }
    }
    return assemble(&header, .plain, data: data)
  }

  private static func encodeBitmap(
    _ header: inout ColumnBlockHeader, _ values: UnsafeBufferPointer<UInt64>,
    _ present: UnsafePointer<UInt64>?
  ) -> Bytes {
    var data = ByteWriter(capacity: values.count / 4 + 16)
    let words = (values.count + 63) / 64
    if let present {
      for index in 0..<words {
        let rowsHere = min(64, values.count - index * 64)
        data.uint64(present[index] & (rowsHere == 64 ? .max : (1 << UInt64(rowsHere)) - 1))
      }
    }
    for index in 0..<words {
      var bits: UInt64 = 0
      for row in index * 64..<min(index * 64 + 64, values.count) where values[row] != 0 {
        bits |= 1 << UInt64(row & 63)
      }
      data.uint64(present.map { bits & $0[index] } ?? bits)
    }
    return assemble(&header, .bitmap, data: data)
  }

  /// Codes into distinct words, or nil when there are more than `limit`.
  private static func encodeDictionary(
    _ header: inout ColumnBlockHeader, _ values: UnsafeBufferPointer<UInt64>,
    _ present: UnsafePointer<UInt64>?, limit: Int
  ) -> Bytes? {
    var index = ValueIndex(limit: limit)
    var codes = [UInt64](repeating: 0, count: values.count)
    for row in 0..<values.count {
      if let present, present[row >> 6] >> UInt64(row & 63) & 1 == 0 { continue }
      let value = values[row]
      guard
        let code = index.code(
          row: row, hash: ValueIndex.hash(value), isEqual: { values[$0] == value })
      else { return nil }
      codes[row] = UInt64(code)
    }
    var dictionary = ByteWriter(capacity: index.count * 8 + 8)
    for row in index.firstRows { dictionary.uint64(values[Int(row)]) }
    header.dictionaryEntries = index.count
    return assemble(
      &header, .dictionary, dictionary: dictionary, data: packedCodes(codes, present))
  }

  private static func packedCodes(_ codes: [UInt64], _ present: UnsafePointer<UInt64>?)
    -> ByteWriter
  {
    var data = ByteWriter(capacity: codes.count * 2 + 1_024)
    codes.withUnsafeBufferPointer {
      let section = PackedSectionWriter(values: $0, present: present, isSigned: false)
      section.write(section.frame(), into: &data)
    }
    return data
  }

  // MARK: bytes

  /// The cells of a byte column of one block.
  private struct ByteCells {
    let offsets: UnsafeBufferPointer<UInt32>
    let heap: UnsafeRawBufferPointer
    let present: UnsafePointer<UInt64>?

    var rows: Int { offsets.count - 1 }

    @inline(__always)
    func isPresent(_ row: Int) -> Bool {
      present == nil || present.unsafelyUnwrapped[row >> 6] &>> UInt64(row & 63) & 1 != 0
    }

    @inline(__always)
    func cell(_ row: Int) -> (start: UnsafeRawPointer, count: Int) {
      let start = Int(offsets[row])
      // SAFETY: the importer's offsets ascend inside its heap, which has an address.
      return (heap.baseAddress.unsafelyUnwrapped + start, Int(offsets[row &+ 1]) &- start)
    }
  }

  private static func encodeBytes(_ header: inout ColumnBlockHeader, _ cells: ByteCells) -> Bytes {
    encodeBytesDictionary(&header, cells) ?? encodeBytesPlainly(&header, cells)
  }

  private static func encodeBytesDictionary(_ header: inout ColumnBlockHeader, _ cells: ByteCells)
    -> Bytes?
  {
    var index = ValueIndex(limit: cells.rows / 2)
    var codes = [UInt64](repeating: 0, count: cells.rows)
    for row in 0..<cells.rows where cells.isPresent(row) {
      let (start, count) = cells.cell(row)
      let code = index.code(row: row, hash: ValueIndex.hash(start, count)) { earlier in
        let other = cells.cell(earlier)
        return other.count == count && compareBytes(other.start, start, count) == 0
      }
      guard let code else { return nil }
      codes[row] = UInt64(code)
    }
    var heap = ByteWriter(capacity: 4_096)
    var lengths: [UInt64] = []
    lengths.reserveCapacity(index.count)
    for row in index.firstRows {
      let (start, count) = cells.cell(Int(row))
      heap.bytes(UnsafeRawBufferPointer(start: start, count: count))
      lengths.append(UInt64(count))
    }
    header.dictionaryEntries = index.count
    return assemble(
      &header, .dictionary, dictionary: packedCodes(lengths, nil), heap: heap,
      data: packedCodes(codes, cells.present))
  }

  private static func encodeBytesPlainly(_ header: inout ColumnBlockHeader, _ cells: ByteCells)
    -> Bytes
  {
    var heap = ByteWriter(capacity: 4_096)
    var lengths = [UInt64](repeating: 0, count: cells.rows)
    for row in 0..<cells.rows where cells.isPresent(row) {
      let (start, count) = cells.cell(row)
      heap.bytes(UnsafeRawBufferPointer(start: start, count: count))
      lengths[row] = UInt64(count)
    }
    return assemble(&header, .bytes, heap: heap, data: packedCodes(lengths, cells.present))
  }

  // MARK: assembly

  private static func assemble(
    _ header: inout ColumnBlockHeader, _ encoding: ColumnEncoding,
    dictionary: consuming ByteWriter = ByteWriter(capacity: 0),
    heap: consuming ByteWriter = ByteWriter(capacity: 0), data: consuming ByteWriter
  ) -> Bytes {
    data.pad()
    header.encoding = encoding
    header.dictionaryBytes = dictionary.count
    header.heapBytes = heap.count
    header.dataBytes = data.count
    var payload = ByteWriter(
      capacity: ColumnBlockHeader.byteCount + dictionary.count + heap.count + data.count + 16)
    header.write(into: &payload)
    dictionary.withUnsafeBytes { payload.bytes($0) }
    heap.withUnsafeBytes { payload.bytes($0) }
    payload.pad()
    data.withUnsafeBytes { payload.bytes($0) }
    return payload.finish()
  }
}
