// The blocks of a directory in the order of the file.

/// What a block of a baseline is for.
package enum BaselinePlace: Hashable, Sendable {
  /// Cells of a column.
  case column(table: Int, run: Int, column: Int, block: Int)
  /// When the rows came into being.
  case stamps(table: Int, run: Int, block: Int)
  /// Who made the rows.
  case authors(table: Int, run: Int, block: Int)
  /// One of the four blocks of a group of overrides.
  case overrides(table: Int, run: Int, block: Int, group: Int, part: Int)
  case side(Int)
}

extension BaselineDirectory {
  /// Hands out all blocks in the order of the file.
  package func forEachBlock<E: Error>(
    _ body: (BaselinePlace, BaselineBlock) throws(E) -> Void
  ) throws(E) {
    for (table, content) in tables.enumerated() {
      for run in content.runs.indices {
        try content.runs[run].forEachBlock(table: table, run: run, body)
      }
    }
    for (index, side) in sides.enumerated() { try body(.side(index), side.block) }
  }

  /// Entity, attribute and type that a column block at a place states; nil for sides.
  package func columnHeader(
    at place: BaselinePlace
  ) -> (entity: UInt32, attribute: UInt32, type: PhysicalType)? {
    switch place {
    case .side: return nil
    case .column(let table, _, let index, _):
      let column = tables[table].columns[index]
      return column.type.map { (tables[table].entity, column.tag, $0) }
    case .stamps(let table, _, _), .authors(let table, _, _), .overrides(let table, _, _, _, _):
      return (tables[table].entity, 0, .unsigned)
    }
  }
}

extension BaselineRun {
  fileprivate func forEachBlock<E: Error>(
    table: Int, run: Int, _ body: (BaselinePlace, BaselineBlock) throws(E) -> Void
  ) throws(E) {
    for (column, slots) in columns.enumerated() {
      for (index, block) in slots.enumerated() {
        guard let block else { continue }
        try body(.column(table: table, run: run, column: column, block: index), block)
      }
    }
    for (index, block) in stamps.enumerated() {
      try body(.stamps(table: table, run: run, block: index), block)
    }
    for (index, block) in authors.enumerated() {
      try body(.authors(table: table, run: run, block: index), block)
    }
    for (index, groups) in overrides.enumerated() {
      for (group, marks) in groups.enumerated() {
        for (part, block) in marks.blocks.enumerated() {
          try body(
            .overrides(table: table, run: run, block: index, group: group, part: part), block)
        }
      }
    }
  }
}
