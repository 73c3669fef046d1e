// Decodes column blocks. All bounds are checked once a column; the unpacking loops then run free.

/// Turns the raw payload of a COLBLOCK frame into memory.
package enum ColumnBlockDecoder {
  /// The header alone.
  package static func header(of payload: Bytes) throws(FormatError) -> ColumnBlockHeader {
    do throws(FormatError) {
      return try payload.read { (reader: inout ByteReader) throws(FormatError) in
        try ColumnBlockHeader(&reader, payloadBytes: payload.count)
      }
    } catch { throw error.inContent() }
  }

  /// Decodes all cells.
  ///
  /// Whether they are values of their type is left to those who read them (`checkCells`).
  package static func decode(_ payload: Bytes) throws(FormatError) -> ColumnBlock {
    do throws(FormatError) { return try decoded(payload) } catch { throw error.inContent() }
  }

  private static func decoded(_ payload: Bytes) throws(FormatError) -> ColumnBlock {
    let header = try header(of: payload)
    let dictionary = payload.slice(ColumnBlockHeader.byteCount, header.dictionaryBytes)
    let heapStart = ColumnBlockHeader.byteCount + header.dictionaryBytes
    let heap = payload.slice(heapStart, header.heapBytes)
    let heapPadding = (8 - header.heapBytes % 8) % 8
    guard payload.slice(heapStart + header.heapBytes, heapPadding).isZero else {
      throw FormatError(.badPadding, "the padding behind a heap is not zero")
    }
    let data = payload.slice(heapStart + header.heapBytes + heapPadding, header.dataBytes)
    switch header.encoding {
    case .plain: return plain(header, data)
    case .packed: return try packed(header, data)
    case .bitmap: return try bitmap(header, data)
    case .bytes: return try bytes(header, heap: heap, data: data)
    case .dictionary: return try self.dictionary(header, dictionary, heap: heap, data: data)
    }
  }

  // MARK: word encodings

  /// The words of the payload are the chunks: nothing is copied.
  ///
  /// (Little-endian hosts only, which the format assumes of all that Swift runs on; `Memory` aligns
  /// payloads to 8.)
  private static func plain(_ header: ColumnBlockHeader, _ data: Bytes) -> ColumnBlock {
    let data = adopted(data)
    let chunks = groups(header.rows).map { start, count in
      Chunk(
        width: 8, isNullable: header.isNullable, rows: UInt16(count), base: 0, scale: 1,
        pointer: data.pointer + start * 8)
    }
    return ColumnBlock(
      header: header, chunks: chunks, owners: [data.owner])
  }

  private static func packed(_ header: ColumnBlockHeader, _ data: Bytes) throws(FormatError)
    -> ColumnBlock
  {
    let (chunks, memory) = try unpack(data, rows: header.rows, isNullable: header.isNullable)
    return ColumnBlock(
      header: header, chunks: chunks, owners: [memory])
  }

  /// Bytes that the block keeps: as they are when most of their memory is used and words are
  /// aligned, else a copy, so that a small heap does not keep a whole read window or payload alive.
  private static func adopted(_ bytes: Bytes) -> Bytes {
    let isAligned = Int(bitPattern: bytes.pointer) % 8 == 0
    let isMostOfIt = bytes.owner.count <= bytes.count * 2 + 1_024
    return isAligned && isMostOfIt ? bytes : bytes.withUnsafeBytes { Bytes(copying: $0) }
  }

  private static func groups(_ rows: Int) -> [(start: Int, count: Int)] {
    stride(from: 0, to: rows, by: Limits.groupRows).map {
      (start: $0, count: min(Limits.groupRows, rows - $0))
    }
  }

  /// Unpacks a packed section into chunks of their narrowest width.
  static func unpack(_ data: Bytes, rows: Int, isNullable: Bool) throws(FormatError)
    -> (chunks: [Chunk], owner: Memory)
  {
    defer { withExtendedLifetime(data) {} }
    let bytes = UnsafeRawBufferPointer(start: data.pointer, count: data.count)
    let section = try PackedSection(bytes, rows: rows, isNullable: isNullable)
    let perChunk = Limits.groupRows / Limits.miniblockRows
    var plans: [(range: Range<Int>, rows: Int, width: Int, base: UInt64, packedBytes: Int)] = []
    var total = 0
    for (start, count) in groups(rows) {
      let first = start / Limits.miniblockRows
      let range = first..<min(first + perChunk, section.miniblocks)
      let layout = section.layout(ofMiniblocks: range)
      let width = byteWidth(bits: layout.bits)
      plans.append((range, count, width, layout.base, layout.packedBytes))
      total += (count * width + 7) / 8 * 8
    }
    let memory = Memory(count: total)
    var chunks: [Chunk] = []
    chunks.reserveCapacity(plans.count)
    var offset = 0
    var target = memory.base
    for plan in plans {
      if isNullable, section.exceedsCodes(plan.range, at: offset) {
        throw FormatError(.badColumn, "a value of a nullable section is beyond its codes")
      }
      fill(section, plan.range, at: offset, width: plan.width, chunkBase: plan.base, into: target)
      chunks.append(
        Chunk(
          width: UInt8(plan.width), isNullable: isNullable, rows: UInt16(plan.rows),
          base: section.base &+ section.scale &* plan.base, scale: section.scale,
          pointer: UnsafeRawPointer(target)))
      offset += plan.packedBytes
      target += (plan.rows * plan.width + 7) / 8 * 8
    }
    return (chunks, memory)
  }

  private static func fill(
    _ section: PackedSection, _ range: Range<Int>, at offset: Int, width: Int, chunkBase: UInt64,
    into target: UnsafeMutableRawPointer
  ) {
    // SAFETY: `target` has `rows * width` bytes for this chunk, aligned to 8.
    switch width {
    case 0: break
    case 1:
      section.unpack(
        range, at: offset, chunkBase: chunkBase, into: target.assumingMemoryBound(to: UInt8.self))
    case 2:
      section.unpack(
        range, at: offset, chunkBase: chunkBase, into: target.assumingMemoryBound(to: UInt16.self))
    case 4:
      section.unpack(
        range, at: offset, chunkBase: chunkBase, into: target.assumingMemoryBound(to: UInt32.self))
    default:
      section.unpack(
        range, at: offset, chunkBase: chunkBase, into: target.assumingMemoryBound(to: UInt64.self))
    }
  }

  // MARK: bools

  private static func bitmap(_ header: ColumnBlockHeader, _ data: Bytes) throws(FormatError)
    -> ColumnBlock
  {
    let bitmapBytes = (header.rows + 63) / 64 * 8
    guard data.count == (header.isNullable ? 2 : 1) * bitmapBytes else {
      throw FormatError(.badColumn, "a bitmap of \(data.count) bytes for \(header.rows) rows")
    }
    let memory = Memory(count: (header.rows + 7) / 8 * 8)
    try data.withUnsafeBytes { (source: UnsafeRawBufferPointer) throws(FormatError) in
      let valueStart = header.isNullable ? bitmapBytes : 0
      for row in 0..<bitmapBytes * 8 {
        let value = source[valueStart + row >> 3] >> UInt8(row & 7) & 1
        let present = header.isNullable ? source[row >> 3] >> UInt8(row & 7) & 1 : 1
        if row >= header.rows {
          guard value == 0, present == 0 || !header.isNullable else {
            throw FormatError(.badPadding, "bits behind the rows of a bitmap are set")
          }
        } else {
          guard present == 1 || value == 0 else {
            throw FormatError(.badColumn, "a nil cell has a value bit")
          }
          let raw = header.isNullable ? (present == 1 ? value + 1 : 0) : value
          memory.base.storeBytes(of: raw, toByteOffset: row, as: UInt8.self)
        }
      }
    }
    let chunks = groups(header.rows).map { start, count in
      Chunk(
        width: 1, isNullable: header.isNullable, rows: UInt16(count), base: 0, scale: 1,
        pointer: UnsafeRawPointer(memory.base + start))
    }
    return ColumnBlock(
      header: header, chunks: chunks, owners: [memory])
  }

  // MARK: byte encodings

  private static func bytes(_ header: ColumnBlockHeader, heap: Bytes, data: Bytes)
    throws(FormatError) -> ColumnBlock
  {
    let heap = adopted(heap)
    let offsets = try self.offsets(
      data, entries: header.rows, isNullable: header.isNullable, heap: heap, type: header.type)
    return ColumnBlock(
      header: header,
      offsets: UnsafeBufferPointer(
        start: UnsafePointer(offsets.base.assumingMemoryBound(to: UInt32.self)),
        count: header.rows + 1),
      heap: UnsafeRawBufferPointer(start: heap.pointer, count: heap.count),
      owners: [offsets, heap.owner])
  }

  /// Turns packed byte counts into ascending ends, and checks them and the bytes that they cut.
  private static func offsets(
    _ section: Bytes, entries: Int, isNullable: Bool, heap: Bytes, type: PhysicalType
  ) throws(FormatError) -> Memory {
    let (chunks, owner) = try unpack(section, rows: entries, isNullable: isNullable)
    defer { withExtendedLifetime(owner) {} }
    let memory = Memory(count: (entries + 1) * 4)
    let ends = memory.base.assumingMemoryBound(to: UInt32.self)
    ends[0] = 0
    let longest = UInt64(min(heap.count, Limits.cellBytesMax))
    var total: UInt64 = 0
    for entry in 0..<entries {
      let length = chunks[entry / Limits.groupRows].word(entry % Limits.groupRows)
      if let length {
        guard length <= longest, type.fixedBytes.map({ UInt64($0) == length }) ?? true
        else { throw FormatError(.badColumn, "a \(type.name) cell of \(length) bytes") }
        total += length
      }
      guard total <= UInt64(heap.count) else {
        throw FormatError(.badColumn, "byte counts exceed the heap of \(heap.count) bytes")
      }
      ends[entry + 1] = UInt32(total) | (length == nil ? ColumnBlock.nilBit : 0)
    }
    guard total == UInt64(heap.count) else {
      throw FormatError(.badColumn, "byte counts of \(total) for a heap of \(heap.count) bytes")
    }
    if type == .string { try checkUTF8(heap, ends: ends, entries: entries) }
    return memory
  }

  /// Valid as a whole, and no cut inside a character: then every string is valid.
  private static func checkUTF8(_ heap: Bytes, ends: UnsafePointer<UInt32>, entries: Int)
    throws(FormatError)
  {
    try heap.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) throws(FormatError) in
      guard UTF8Validation.isValid(bytes) else {
        throw FormatError(.badColumn, "a string cell is not valid UTF-8")
      }
      for entry in 0..<entries {
        let end = Int(ends[entry + 1] & ~ColumnBlock.nilBit)
        if end < bytes.count, bytes[end] & 0xC0 == 0x80 {
          throw FormatError(.badColumn, "a string cell ends inside a character")
        }
      }
    }
  }

  private static func dictionary(
    _ header: ColumnBlockHeader, _ dictionary: Bytes, heap: Bytes, data: Bytes
  ) throws(FormatError) -> ColumnBlock {
    let (chunks, codes) = try unpack(data, rows: header.rows, isNullable: header.isNullable)
    try checkCodes(chunks, entries: header.dictionaryEntries)
    guard !header.type.isWord else {
      let words = adopted(dictionary)
      return ColumnBlock(
        header: header, chunks: chunks,
        dictionaryWords: UnsafeBufferPointer(
          start: words.pointer.assumingMemoryBound(to: UInt64.self),
          count: header.dictionaryEntries),
        owners: [codes, words.owner])
    }
    let heap = adopted(heap)
    let offsets = try self.offsets(
      dictionary, entries: header.dictionaryEntries, isNullable: false, heap: heap,
      type: header.type)
    return ColumnBlock(
      header: header, chunks: chunks,
      offsets: UnsafeBufferPointer(
        start: UnsafePointer(offsets.base.assumingMemoryBound(to: UInt32.self)),
        count: header.dictionaryEntries + 1),
      heap: UnsafeRawBufferPointer(start: heap.pointer, count: heap.count),
      owners: [codes, offsets, heap.owner])
  }

  /// Every code of a cell that is not nil must name an entry.
  private static func checkCodes(_ chunks: [Chunk], entries: Int) throws(FormatError) {
    for chunk in chunks {
      for row in 0..<Int(chunk.rows) {
        if let code = chunk.word(row), code >= UInt64(entries) {
          throw FormatError(.badColumn, "dictionary code \(code) with \(entries) entries")
        }
      }
    }
  }
}
