// The objects of one entity as columns. Layer: Graph.

import VarveFormat

/// Rows that one transaction created, with the blocks that it brought: adopted as they were
/// decoded.
package struct RowRun: Sendable {
  package let creator: ReplicaID
  package let firstSerial: UInt64
  package let rows: Int
  package let blockRows: Int
  package let stamp: Stamp
  package let sequence: UInt64
  package let columns: [AttributeColumn]

  /// The blocks of one attribute in row order.
  package struct AttributeColumn: Sendable {
    package let key: AttributeKey
    package let target: UInt32
    package let blocks: [ColumnBlock]
  }

  package func column(_ tag: UInt32) -> AttributeColumn? { columns.first { $0.key.tag == tag } }
}

extension RowRun.AttributeColumn {
  /// The value at a row of the run.
  ///
  /// - Throws: `badColumn` for a cell that is no value of its type.
  package func value(_ row: Int, blockRows: Int) throws(FormatError) -> Value {
    try blocks[row / blockRows].value(row % blockRows, target: target)
  }
}

/// All rows of an entity, in runs per creator (Q37).
package struct EntityTable: Sendable {
  package let entity: UInt32
  package private(set) var runs: [RowRun] = []

  package init(entity: UInt32) { self.entity = entity }

  package var rows: Int { runs.reduce(0) { $0 + $1.rows } }

  mutating func adopt(_ run: RowRun) { runs.append(run) }

  /// Runs in an order that does not depend on the order of replay.
  mutating func sort() {
    runs.sort {
      $0.creator != $1.creator ? $0.creator < $1.creator : $0.firstSerial < $1.firstSerial
    }
  }

  /// Run and row of an object, or nil.
  ///
  /// - Complexity: O(log runs).
  package func locate(creator: ReplicaID, serial: UInt64) -> (run: Int, row: Int)? {
    var low = 0
    var high = runs.count
    while low < high {
      let middle = (low + high) / 2
      let run = runs[middle]
      let isBefore =
        run.creator != creator ? run.creator < creator : run.firstSerial <= serial
      if isBefore { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return nil }
    let run = runs[low - 1]
    guard run.creator == creator, serial >= run.firstSerial,
      serial - run.firstSerial < UInt64(run.rows)
    else { return nil }
    return (low - 1, Int(serial - run.firstSerial))
  }

  /// Bytes of memory that the columns keep.
  package var memoryBytes: Int {
    runs.reduce(0) { total, run in
      run.columns.reduce(total) { $1.blocks.reduce($0) { $0 + $1.memoryBytes } }
    }
  }
}

/// The state of a store: a table for each entity.
package struct TableSet: Sendable {
  package private(set) var tables: [UInt32: EntityTable] = [:]
  package var schema = SchemaState()

  package init() {}

  mutating func adopt(_ run: RowRun, entity: UInt32) {
    tables[entity, default: EntityTable(entity: entity)].adopt(run)
  }

  mutating func sort() {
    for entity in tables.keys { tables[entity]?.sort() }
  }

  /// Tables by entity tag.
  package var sorted: [EntityTable] { tables.values.sorted { $0.entity < $1.entity } }

  package var rows: Int { tables.values.reduce(0) { $0 + $1.rows } }
}
