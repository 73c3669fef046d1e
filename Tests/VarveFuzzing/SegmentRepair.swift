// Makes mutated segments pass their checksums, sequences and chains, so that what stands behind
// them is fuzzed, too.

import VarveFormat
import VarveTestSupport

/// Repairs what a mutation breaks first.
enum SegmentRepair {
  /// A header that is valid.
  static let header = DamageSamples.header().encoded.array

  /// A frame whose checksums are still to be made right.
  static func frame(type: FrameType, payload: [UInt8]) -> [UInt8] {
    let count = (0..<4).map { UInt8(truncatingIfNeeded: payload.count >> (8 * $0)) }
    let fixed: [UInt8] = [0, 0, 0, 0, type.rawValue, 0, 0, 0] + count + count
    let padding = (8 - payload.count % 8) % 8
    return fixed + [UInt8](repeating: 0, count: 24) + payload
      + [UInt8](repeating: 0, count: padding)
  }

  /// Repairs header and frames from the start on, as far as the walk gets.
  static func reseal(_ file: inout [UInt8]) {
    guard file.count >= FileHeader.byteCount else { return }
    file.replaceSubrange(0..<8, with: FileHeader.magic)
    file.replaceSubrange(
      0..<FileHeader.byteCount, with: Reseal.fileHeader(Array(file[..<128])).array)
    // The scanner reads the memory that is being repaired; nothing is copied frame by frame.
    let memory = Memory(count: file.count)
    file.withUnsafeBytes { source in
      UnsafeMutableRawBufferPointer(start: memory.base, count: memory.count)
        .copyMemory(from: source)
    }
    if let scanner = try? SegmentScanner(MemorySource(Bytes(memory))) {
      var repair = FrameRepair(memory: memory, scanner: scanner)
      while repair.next() {}
    }
    file = Bytes(memory).array
  }
}

/// Repairs frame by frame.
private struct FrameRepair: ~Copyable {
  private let memory: Memory
  private var scanner: SegmentScanner
  private var state: SegmentState

  init(memory: Memory, scanner: consuming SegmentScanner) {
    self.memory = memory
    state = SegmentState(scanner.header)
    self.scanner = scanner
  }

  private func byte(_ offset: Int) -> UInt8 {
    memory.base.load(fromByteOffset: offset, as: UInt8.self)
  }

  private func store(_ value: UInt64, _ count: Int = 8, at offset: Int) {
    guard offset + count <= memory.count else { return }
    for index in 0..<count {
      memory.base.storeBytes(
        of: UInt8(truncatingIfNeeded: value >> UInt64(8 * index)), toByteOffset: offset + index,
        as: UInt8.self)
    }
  }

  /// Repairs the next frame; false when the walk ends there.
  mutating func next() -> Bool {
    let offset = Int(scanner.position)
    guard offset + FrameHeader.byteCount <= memory.count,
      !Bytes(memory, start: offset, count: FrameHeader.byteCount).isZero
    else { return false }
    store(0, 2, at: offset + 6)
    store(state.nextSequence, at: offset + 16)
    let type = FrameType(rawValue: byte(offset + 4))
    let isCompressed = byte(offset + 5) & 1 != 0
    if type == .transaction || type == .mark, !isCompressed {
      store(state.chain.low, at: offset + 40)
      store(state.chain.high, at: offset + 48)
    }
    if type == .transaction, !isCompressed {
      let parts = state.pendingParts
      for (index, part) in parts.enumerated() { store(part.offset, at: offset + 64 + index * 8) }
      store(state.nextSequence, at: offset + 64 + parts.count * 8 + 16)
    }
    reseal(offset)
    guard case .frame(let frame)? = try? scanner.next() else { return false }
    do throws(FormatError) { _ = try state.accept(frame) } catch { return false }
    return frame.header.type != .seal
  }

  private func reseal(_ offset: Int) {
    let salt = scanner.header.salt
    let covered = Bytes(memory, start: offset + 4, count: 28)
    let seed = Checksum.hash64(seed: salt ^ UInt64(offset), covered)
    store(seed, 4, at: offset)
    let stored = (0..<4).reduce(0) { $0 | Int(byte(offset + 8 + $1)) << (8 * $1) }
    let start = offset + FrameHeader.byteCount
    let payload = Bytes(memory, start: start, count: min(stored, memory.count - start))
    store(Checksum.hash64(seed: seed, payload), at: offset + 32)
  }
}

/// Repairs and checks column blocks.
enum ColumnRepair {
  /// Makes the data section as long as the payload leaves room for.
  static func lengths(_ bytes: inout [UInt8]) {
    guard bytes.count >= 40 else { return }
    bytes.removeLast(bytes.count % 8)
    bytes[11] = 0
    bytes[10] &= 1
    let dictionary = Int(bytes[20]) & 0xF8
    let heap = Int(bytes[24])
    let used = 32 + dictionary + (heap + 7) / 8 * 8
    guard used <= bytes.count else { return }
    let data = bytes.count - used
    let lengths = [dictionary, heap, data]
    for (index, length) in lengths.enumerated() {
      for byte in 0..<4 { bytes[20 + 4 * index + byte] = UInt8(length >> (8 * byte) & 255) }
    }
  }

  /// What was read must survive the writer's own choice of encoding.
  static func encodeAgain(_ bytes: [UInt8], _ cells: [NaiveCell]) {
    guard let header = try? ColumnBlockDecoder.header(of: Bytes(bytes)) else { return }
    var presence = Presence()
    for cell in cells { presence.append(cell != .none) }
    var words: [UInt64] = []
    var list: [[UInt8]] = []
    for cell in cells {
      switch cell {
      case .none:
        words.append(0)
        list.append([])
      case .word(let word): words.append(word)
      case .bytes(let bytes): list.append(bytes)
      }
    }
    let isWord = header.type.isWord || header.type == .bool
    // The one word that nullable doubles cannot have is no double of this format.
    if header.type == .double, words.contains(.max) { return }
    let column: ColumnCells =
      isWord ? .words(words, present: presence) : ColumnCells(list, present: presence)
    let raw = ColumnBlockEncoder.encode(
      column, rows: 0..<cells.count, entity: 1, attribute: 1, type: header.type)
    Fuzzing.require(
      (try? ColumnBlockDecoder.decode(raw)).map { NaiveCell.cells($0) } == cells)
  }
}
