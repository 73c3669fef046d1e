// Digests of a state (Q49). See Formats/Digest.md. Layer: Graph.

import VarveFormat

/// The digests of a state, by entity and in total.
package struct StateDigest: Sendable, Equatable {
  package struct Entity: Sendable, Equatable {
    package var entity: UInt32
    /// Objects that were created.
    package var rows: Int
    package var digest: DigestPair
  }

  package var entities: [Entity] = []
  package var total = DigestPair()

  /// Digests everything on all cores.
  ///
  /// - Complexity: O(registers).
  package init(_ state: GraphState) {
    let names = DigestNames(state)
    let sides = SideDigest.sums(state, names)
    for table in state.sortedTables {
      var digest = StateDigest.digest(table, state, names)
      if let side = sides[table.entity] { digest += side }
      guard table.createdCount > 0 || digest != DigestPair() else { continue }
      entities.append(Entity(entity: table.entity, rows: table.createdCount, digest: digest))
      total += digest
    }
  }

  /// Rows of one task.
  private static let taskGroups = 16

  private struct Task {
    var run: Int
    var groups: Range<Int>
    var column: Int
  }

  private static func digest(_ table: Table, _ state: GraphState, _ names: DigestNames)
    -> DigestPair
  {
    var tasks: [Task] = []
    for (run, rows) in table.runs.enumerated() {
      for start in stride(from: 0, to: rows.groups.count, by: taskGroups) {
        let groups = start..<min(start + taskGroups, rows.groups.count)
        for column in table.columns.indices where !table.columns[column].key.isOrderKey {
          tasks.append(Task(run: run, groups: groups, column: column))
        }
      }
    }
    let all = tasks
    let sums = Parallel.map(all.count) { (index: Int) throws(Never) in
      ColumnDigest(state, table, names, run: all[index].run, column: all[index].column)
        .sum(all[index].groups)
    }
    return sums.reduce(into: DigestPair()) { $0 += $1 }
  }
}

/// Creators as digests name them.
struct DigestNames: Sendable {
  private let creators: [[16 of UInt8]]
  private let state: GraphState

  init(_ state: GraphState) {
    self.state = state
    creators = (0..<UInt16(state.creators.count)).map { index in
      state.creators[index].map { DigestNames.identity($0) } ?? [16 of UInt8](repeating: 0)
    }
  }

  /// The 16 bytes that stand for a creator.
  private static func identity(_ creator: Creator) -> [16 of UInt8] {
    guard case .branch(let replica, let fork, let prefix) = creator else {
      return creator.replica.bytes
    }
    var writer = ByteWriter(capacity: 32)
    writer.bytes(replica.array)
    writer.uint64(fork)
    writer.bytes(prefix)
    let bytes = Checksum.hash128(writer.finish()).storedBytes
    return [16 of UInt8] { bytes[$0] }
  }

  @inline(__always)
  subscript(creator: UInt16) -> [16 of UInt8] { creators[Int(creator)] }

  /// Entity, creator and serial of an object.
  func oid(_ handle: Handle) -> (entity: UInt32, creator: [16 of UInt8], serial: UInt64) {
    let entity = handle.table < state.tables.count ? state.tables[handle.table].entity : 0
    guard handle.creator == CreatorTable.identityIndex else {
      return (entity, creators[Int(handle.creator)], handle.serial)
    }
    let bytes = (state.identityKeys[handle.bits]?.hash ?? .zero).storedBytes
    return (entity, [16 of UInt8] { bytes[$0] }, 0)
  }

  func bytes(_ handle: Handle) -> [UInt8] {
    let oid = oid(handle)
    var writer = ByteWriter(capacity: 32)
    writer.uint32(oid.entity)
    for index in 0..<16 { writer.uint8(oid.creator[index]) }
    writer.uint64(oid.serial)
    return writer.finish().array
  }
}
