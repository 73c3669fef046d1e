// The groups of a run, in leaves of 64 (Q35). Layer: Graph.

import VarveFormat

/// Where groups come from that nobody has touched yet.
protocol GroupSource: AnyObject, Sendable {
  /// The group at an index, always the same object.
  func group(_ index: Int) -> RowGroup
}

/// Up to 64 groups.
final class GroupLeaf: @unchecked Sendable {
  /// Groups by place; nil while only the source has them.
  fileprivate(set) var groups: ContiguousArray<RowGroup?>

  init() { groups = [] }

  init(copying other: GroupLeaf) { groups = other.groups }
}

/// A persistent list of groups: copying it is cheap, and a change copies one leaf.
struct GroupList: Sendable {
  private var leaves: ContiguousArray<GroupLeaf?> = []
  private(set) var count = 0
  /// Groups that have no entry in a leaf.
  private var source: (any GroupSource)?

  init() {}

  /// `count` groups that come from `source` when they are touched.
  init(count: Int, source: any GroupSource) {
    self.count = count
    self.source = source
    leaves = ContiguousArray(repeating: nil, count: (count + 63) / 64)
  }

  @inline(__always)
  subscript(index: Int) -> RowGroup {
    if let leaf = leaves[index >> 6], index & 63 < leaf.groups.count,
      let group = leaf.groups[index & 63]
    {
      return group
    }
    return untouched(index)
  }

  @inline(never)
  private func untouched(_ index: Int) -> RowGroup {
    source?.group(index) ?? RowGroup(columns: 0)
  }

  /// Adds a group at the end.
  mutating func append(_ group: RowGroup) {
    if count & 63 == 0, leaves.count == count >> 6 { leaves.append(nil) }
    count += 1
    put(group, count - 1)
  }

  /// Puts another group in place.
  mutating func put(_ group: RowGroup, _ index: Int) {
    let leaf = ownLeaf(index >> 6)
    while leaf.groups.count <= index & 63 { leaf.groups.append(nil) }
    leaf.groups[index & 63] = group
  }

  /// The leaf at a place, copied when a snapshot shares it.
  private mutating func ownLeaf(_ place: Int) -> GroupLeaf {
    if isKnownUniquelyReferenced(&leaves[place]), let leaf = leaves[place] { return leaf }
    let leaf = leaves[place].map { GroupLeaf(copying: $0) } ?? GroupLeaf()
    leaves[place] = leaf
    return leaf
  }

  /// Runs `body` on a group that belongs to the writer alone, with room for `columns` columns.
  ///
  /// With `isUnpublished` a group that snapshots share is handed out as it is: `isOwn` is false
  /// then, and the body may only write cells behind the published rows.
  @inline(__always)
  mutating func withGroup<R>(
    _ index: Int, columns: Int, isUnpublished: Bool,
    _ body: (_ group: RowGroup, _ isOwn: Bool) -> R?
  ) -> R? {
    let place = index >> 6
    let leaf = ownLeaf(place)
    while leaf.groups.count <= index & 63 { leaf.groups.append(nil) }
    let isOwn = isKnownUniquelyReferenced(&leaf.groups[index & 63])
    if let group = leaf.groups[index & 63], group.columnCount >= columns, isOwn || isUnpublished,
      let result = body(group, isOwn)
    {
      return result
    }
    let old = leaf.groups[index & 63] ?? untouched(index)
    let copy =
      isOwn && old.columnCount >= columns ? old : RowGroup(copying: old, columns: columns)
    leaf.groups[index & 63] = copy
    return body(copy, true)
  }
}
