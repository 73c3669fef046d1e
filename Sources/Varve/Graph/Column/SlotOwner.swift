// What keeps the memory of a column of a group alive. Layer: Graph.

import VarveFormat

/// The owners of what a slot points to.
struct SlotOwner {
  /// The group's own raw numbers, written in place while nobody else has them.
  var memory: Memory?
  /// The block that the raw numbers were adopted from.
  var block: ColumnBlock?
  var heap: CellHeap?
  var lazy: LazyBlock?
}

/// Owners of the columns of a group that was adopted, by column.
final class OwnerTable {
  var list: ContiguousArray<SlotOwner>

  init(_ columns: Int) { list = ContiguousArray(repeating: SlotOwner(), count: columns) }
}
