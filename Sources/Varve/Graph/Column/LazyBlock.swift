// A block of a column that is read when it is first touched (Q27, Q35). Layer: Graph.

import Synchronization
import VarveFormat

/// Loads a column block once, on the first thread that needs it.
final class LazyBlock: @unchecked Sendable {
  /// Reads, verifies and decodes; called at most once unless it fails.
  private let load: @Sendable () throws(GraphError) -> [LoadedSlot]
  private let groups: Int
  private let mutex = Mutex<State>(State())
  private let resolved = Atomic<UnsafeMutablePointer<ColumnSlot>?>(nil)

  /// A slot with what keeps its memory alive.
  struct LoadedSlot {
    var slot: ColumnSlot
    var owner: SlotOwner
  }

  private struct State: @unchecked Sendable {
    var owners: [SlotOwner] = []
  }

  init(groups: Int, load: @escaping @Sendable () throws(GraphError) -> [LoadedSlot]) {
    self.groups = groups
    self.load = load
  }

  deinit { resolved.load(ordering: .acquiring)?.deallocate() }

  // SAFETY: the slots are written before they are published, and live as long as the block.

  /// The cells of a group; absent after a failure, which the loader noted.
  @inline(__always)
  func slot(_ group: Int) -> UnsafePointer<ColumnSlot> {
    if let slots = resolved.load(ordering: .acquiring) { return UnsafePointer(slots + group) }
    return UnsafePointer(loadNow() + group)
  }

  /// The cells of a group if they were read already.
  func slotIfRead(_ group: Int) -> ColumnSlot? {
    resolved.load(ordering: .acquiring).map { ($0 + group).pointee }
  }

  /// What keeps a group's cells alive besides the block.
  func owner(_ group: Int) -> SlotOwner {
    _ = slot(group)
    return mutex.withLock { group < $0.owners.count ? $0.owners[group] : SlotOwner() }
  }

  @inline(never)
  private func loadNow() -> UnsafeMutablePointer<ColumnSlot> {
    mutex.withLock { state in
      if let slots = resolved.load(ordering: .acquiring) { return slots }
      let slots = UnsafeMutablePointer<ColumnSlot>.allocate(capacity: groups)
      slots.initialize(repeating: .absent, count: groups)
      // Whoever loads notes a failure; the cells read as absent then.
      if let loaded = try? load() {
        for (index, item) in loaded.prefix(groups).enumerated() { slots[index] = item.slot }
        state.owners = loaded.map(\.owner)
      }
      resolved.store(slots, ordering: .releasing)
      return slots
    }
  }
}
