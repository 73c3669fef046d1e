// Blocks become slots without a look at their rows (Q35, Q47). Layer: Graph.

import VarveFormat

/// How creators that a log names by its dictionary are named in memory.
struct CreatorMap: Sendable {
  /// Local index by dictionary index; the largest number where there is none.
  var locals: [UInt16]

  /// The local index, nil when the log never declared the index.
  @inline(__always)
  func local(_ index: UInt64) -> UInt16? {
    guard index < locals.count, locals[Int(index)] != .max else { return nil }
    return locals[Int(index)]
  }
}

// SAFETY: every slot goes with its owner, which keeps alive what the slot points to.

/// Turns decoded blocks into slots.
enum SlotAdoption {
  /// The slots of all groups of a block, the first group at row 0 of it.
  ///
  /// Without `creators` references name them by local index already.
  ///
  /// - Throws: `unknownReplica` for a reference whose creator the log never declared.
  static func slots(_ block: ColumnBlock, _ creators: CreatorMap?) throws(GraphError)
    -> [LazyBlock.LoadedSlot]
  {
    let groups = (block.rows + Limits.groupRows - 1) / Limits.groupRows
    let hasHeap = block.header.encoding == .dictionary || block.header.encoding == .bytes
    let heap = hasHeap ? CellHeap(block) : nil
    let heapPointer = heap.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }
    if block.header.encoding == .bytes {
      return (0..<groups).map { group in
        let start = group * Limits.groupRows
        let slot = ColumnSlot(
          heap: heapPointer, base: UInt64(start), form: .sequence,
          limit: UInt16(min(block.rows - start, Limits.groupRows)))
        return LazyBlock.LoadedSlot(slot: slot, owner: SlotOwner(block: block, heap: heap))
      }
    }
    var list: [LazyBlock.LoadedSlot] = []
    list.reserveCapacity(groups)
    for chunk in block.chunks {
      let slot = ColumnSlot(
        pointer: chunk.pointer, heap: heapPointer, base: chunk.base, scale: chunk.scale,
        form: .numbers, width: chunk.width, isNullable: chunk.isNullable, limit: chunk.rows)
      let loaded = LazyBlock.LoadedSlot(slot: slot, owner: SlotOwner(block: block, heap: heap))
      if block.header.type == .reference, let creators {
        list.append(try renamed(loaded, rows: Int(chunk.rows), creators))
      } else {
        list.append(loaded)
      }
    }
    return list
  }

  private static let serialMask: UInt64 = 0xFFFF_FFFF_FFFF

  /// References with the local names of creators: by moving the frame when all name one creator.
  private static func renamed(
    _ loaded: LazyBlock.LoadedSlot, rows: Int, _ creators: CreatorMap
  ) throws(GraphError) -> LazyBlock.LoadedSlot {
    let slot = loaded.slot
    if slot.heap == nil, slot.width < 8 {
      let largest: UInt64 = slot.width == 0 ? 0 : 1 &<< (UInt64(slot.width) &* 8) &- 1
      let (span, overflow) = slot.scale.multipliedReportingOverflow(by: largest)
      let (last, carry) = slot.base.addingReportingOverflow(span)
      if !overflow, !carry, slot.base >> 48 == last >> 48 {
        var moved = loaded
        let local = try known(slot.base >> 48, creators)
        moved.slot.base = UInt64(local) << 48 | slot.base & serialMask
        return moved
      }
    }
    return try rewritten(loaded, rows: rows, creators)
  }

  private static func known(_ index: UInt64, _ creators: CreatorMap) throws(GraphError) -> UInt16 {
    guard let local = creators.local(index) else {
      throw GraphError(.unknownReplica, "replica index \(index) was never declared")
    }
    return local
  }

  private static func rewritten(
    _ loaded: LazyBlock.LoadedSlot, rows: Int, _ creators: CreatorMap
  ) throws(GraphError) -> LazyBlock.LoadedSlot {
    var numbers: [UInt64?] = []
    numbers.reserveCapacity(rows)
    let heap = loaded.owner.heap
    for row in 0..<rows {
      guard let number = loaded.slot.number(row) else {
        numbers.append(nil)
        continue
      }
      let word = heap.map { $0.word(number) } ?? number
      let local = try known(word >> 48, creators)
      numbers.append(UInt64(local) << 48 | word & serialMask)
    }
    return owned(numbers, isSigned: false)
  }

  /// Numbers in memory of their own.
  static func owned(_ numbers: [UInt64?], isSigned: Bool, appendedAt row: Int? = nil)
    -> LazyBlock.LoadedSlot
  {
    let plan = ChunkPlan(numbers, isSigned: isSigned, appendedAt: row)
    let memory = Memory(zeroed: plan.capacity * Int(plan.width))
    let slot = ColumnSlot(
      pointer: UnsafeRawPointer(memory.base), base: plan.base, form: .numbers,
      width: plan.width, capacity: UInt16(plan.capacity), limit: UInt16(plan.capacity))
    for (row, number) in numbers.enumerated() {
      guard let number, let code = slot.code(number) else { continue }
      RawNumbers.store(code, at: memory.base, row, width: plan.width)
    }
    return LazyBlock.LoadedSlot(slot: slot, owner: SlotOwner(memory: memory))
  }

  /// Bytes in a heap of their own; `fill` hands the bytes of a row to `append`, or does not.
  static func ownedBytes(
    _ rows: Int, _ fill: (Int, (UnsafeRawBufferPointer) -> Void) -> Void
  ) -> LazyBlock.LoadedSlot {
    let heap = CellHeap(nil)
    let capacity = ChunkPlan.capacity(rows: rows)
    let memory = Memory(zeroed: capacity * 2)
    var slot = ColumnSlot(
      pointer: UnsafeRawPointer(memory.base), form: .numbers, width: 2,
      capacity: UInt16(capacity), limit: UInt16(capacity))
    for row in 0..<rows {
      fill(row) { bytes in
        guard let code = heap.append(bytes), let raw = slot.code(code) else { return }
        RawNumbers.store(raw, at: memory.base, row, width: 2)
      }
    }
    slot.heap = UnsafeRawPointer(Unmanaged.passUnretained(heap).toOpaque())
    return LazyBlock.LoadedSlot(slot: slot, owner: SlotOwner(memory: memory, heap: heap))
  }
}
