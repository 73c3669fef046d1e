// Many-to-many edges with dots: an add-wins set (R17, Q18). Layer: Graph.

/// One add of an edge or of a member of a set: the transaction that made it.
struct AddDot: Hashable, Sendable {
  var author: UInt16
  var sequence: UInt64
  var stamp: UInt64
}

/// The edges of one relationship.
struct EdgeTable: Sendable {
  /// Two link words.
  struct Edge: Hashable, Sendable {
    var source: UInt64
    var target: UInt64
  }

  private(set) var dots = ShardedMap<Edge, [AddDot]>()
  private var forward = ShardedMap<UInt64, MemberList>()
  private var inverse = ShardedMap<UInt64, MemberList>()

  /// Adds a dot.
  mutating func add(_ edge: Edge, _ dot: AddDot) {
    let isNew = dots.update(edge) { list in
      defer {
        if list?.contains(where: { $0.author == dot.author && $0.sequence == dot.sequence }) != true
        {
          list = (list ?? []) + [dot]
        }
      }
      return list == nil
    }
    guard isNew else { return }
    forward.update(edge.source) { $0 = EdgeTable.with(&$0) { $0.insert(edge.target) } }
    inverse.update(edge.target) { $0 = EdgeTable.with(&$0) { $0.insert(edge.source) } }
  }

  /// Removes the dots that `isRemoved` names; the edge goes with its last one.
  mutating func remove(_ edge: Edge, where isRemoved: (AddDot) -> Bool) {
    let isGone = dots.update(edge) { list in
      guard var rest = list else { return false }
      rest.removeAll(where: isRemoved)
      list = rest.isEmpty ? nil : rest
      return rest.isEmpty
    }
    guard isGone else { return }
    forward.update(edge.source) { $0 = EdgeTable.with(&$0) { $0.remove(edge.target) } }
    inverse.update(edge.target) { $0 = EdgeTable.with(&$0) { $0.remove(edge.source) } }
  }

  private static func with(_ list: inout MemberList?, _ body: (inout MemberList) -> Void)
    -> MemberList?
  {
    var members = list.take() ?? MemberList()
    body(&members)
    return members.count == 0 ? nil : members
  }

  /// Targets of a source, in ascending order.
  func targets(_ source: UInt64, _ body: (UInt64) -> Void) { forward[source]?.forEach(body) }
  /// Sources of a target, in ascending order.
  func sources(_ target: UInt64, _ body: (UInt64) -> Void) { inverse[target]?.forEach(body) }
}
