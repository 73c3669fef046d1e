// What an index is over. Layer: Graph.

import VarveFormat

/// Columns of an entity by whose values its objects are found.
struct IndexKey: Hashable, Sendable {
  var entity: UInt32
  var columns: [ColumnKey]
  /// The codes of what objects without a value read as, by column; nil for nothing.
  var defaults: [UInt64?]
  /// Whether it answers ranges too; of one column only.
  var isOrdered: Bool

  /// - Parameters:
  ///   - attributes: Single values, all of one entity.
  ///   - isOrdered: Whether ranges are asked for.
  init(_ attributes: [AttributeRule], isOrdered: Bool) {
    entity = attributes.first?.entity ?? 0
    columns = attributes.map { ColumnKey(tag: $0.tag, type: $0.type) }
    defaults = attributes.map { rule in
      rule.defaultValue.flatMap { CellCode.value($0, isOrdered: isOrdered) }
    }
    self.isOrdered = isOrdered
  }
}

/// A value and an object that had it when the index looked.
struct IndexEntry: Comparable, Sendable {
  var code: UInt64
  /// The handle's bits.
  var object: UInt64

  @inline(__always)
  static func < (a: IndexEntry, b: IndexEntry) -> Bool {
    a.code != b.code ? a.code < b.code : a.object < b.object
  }
}
