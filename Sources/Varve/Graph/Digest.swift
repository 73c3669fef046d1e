// Digests of tables (Q49). See Formats/Digest.md. Layer: Graph.

import VarveFormat

/// The digests of a state, by entity and in total.
package struct StateDigest: Sendable, Equatable {
  package struct Entity: Sendable, Equatable {
    package var entity: UInt32
    package var rows: Int
    package var digest: DigestPair
  }

  package var entities: [Entity] = []
  package var total = DigestPair()

  /// Digests all tables on all cores.
  ///
  /// - Complexity: O(registers).
  package init(_ tables: TableSet) {
    for table in tables.sorted {
      let digest = StateDigest.digest(table)
      entities.append(Entity(entity: table.entity, rows: table.rows, digest: digest))
      total += digest
    }
  }

  /// One piece of work: a block of a column, or the objects of a run.
  private enum Task {
    case objects(RowRun)
    case block(RowRun, Int, Int)
  }

  private static func digest(_ table: EntityTable) -> DigestPair {
    var tasks: [Task] = []
    for run in table.runs {
      tasks.append(.objects(run))
      for (column, attribute) in run.columns.enumerated() {
        for block in attribute.blocks.indices { tasks.append(.block(run, column, block)) }
      }
    }
    let all = tasks
    let entity = table.entity
    let sums = Parallel.map(all.count) { (index: Int) throws(Never) in digest(all[index], entity) }
    return sums.reduce(into: DigestPair()) { $0 += $1 }
  }

  private static func digest(_ task: Task, _ entity: UInt32) -> DigestPair {
    switch task {
    case .objects(let run):
      var hasher = RegisterHasher(
        entity: entity, attribute: 0, creator: run.creator, stamp: run.stamp, author: run.creator)
      for row in 0..<run.rows { hasher.object(run.firstSerial + UInt64(row)) }
      return hasher.sum
    case .block(let run, let column, let block):
      let attribute = run.columns[column]
      let cells = attribute.blocks[block]
      var hasher = RegisterHasher(
        entity: entity, attribute: attribute.key.tag, creator: run.creator, stamp: run.stamp,
        author: run.creator, valueBytesMax: max(cells.header.heapBytes, 64))
      hasher.block(
        cells, firstSerial: run.firstSerial + UInt64(block * run.blockRows),
        reference: { word in
          // Links are plain values until the graph resolves them: only the log's own replica
          // occurs.
          (attribute.target, run.creator, word & 0xFFFF_FFFF_FFFF)
        })
      return hasher.sum
    }
  }
}
