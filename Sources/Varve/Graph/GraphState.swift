// The state of a store as the writer keeps it: what all integrated transactions amount to.
// Layer: Graph.

import VarveFormat

/// The registers, edges and lives of all objects, with what merging needs to know of them.
///
/// A value: a copy shares all memory and costs the same for ten objects and ten million. The state
/// is a function of the set of transactions that were applied (R1).
package struct GraphState: Sendable {
  package internal(set) var tables: ContiguousArray<Table> = []
  private var tableByEntity = TagPlaces()
  package internal(set) var creators = CreatorTable()
  package internal(set) var schema = SchemaState()
  /// When registers were written; empty in snapshots.
  var marks = StampBook()

  /// Many-to-many edges by relationship.
  var edges: [RelationKey: EdgeTable] = [:]
  /// Inverses of to-one columns, as far as somebody asked for them.
  var adjacencies: [RelationKey: Adjacency] = [:]
  /// Indexes that somebody asked for, as of an earlier draft.
  var indexes: [IndexKey: AttributeIndex] = [:]
  var counters = ShardedMap<CellKey, Counter>()
  var sets = ShardedMap<MemberKey, [AddDot]>()
  var setMembers = ShardedMap<CellKey, [Value]>()
  var maps = ShardedMap<MemberKey, MapCell>()
  var mapKeys = ShardedMap<CellKey, [Value]>()
  /// Tags under which objects of a table have counters, sets and maps.
  var sideTags: [Int: Set<UInt32>] = [:]
  /// Objects that read as another one, by handle.
  var aliases = ShardedMap<UInt64, Alias>()
  /// Attributes that were set to nil, where that differs from never written.
  var explicitNils = ShardedMap<CellKey, Bool>()
  /// Serials of identity objects by the hash of their key, and their hashes and keys by handle.
  var identities: [UInt32: ShardedMap<Hash128, UInt64>] = [:]
  var identityKeys = ShardedMap<UInt64, IdentityKey>()
  /// The newest writes to objects that left no mark in a column, by handle.
  var updates = ShardedMap<UInt64, WriteMark>()
  /// The rules before a transaction changed them.
  var schemaBefore: ResolvedSchema?
  /// Whether everything that is hidden has to be worked out again.
  var isVisibilityStale = false
  /// Objects that were born again, by handle.
  var births = ShardedMap<UInt64, WriteMark>()
  /// Parents that read as nil because they close a cycle of owners, by child (R25).
  var cuts: [RelationKey: Set<UInt64>] = [:]
  /// Operations of newer versions, kept byte for byte.
  package internal(set) var opaque: [OpaqueOperation] = []

  /// The last transaction of each creator, by index.
  package internal(set) var heads: [UInt16: CreatorHead] = [:]
  package internal(set) var maxStamp = Stamp.zero
  /// Where lazy columns report what they could not read.
  var failureLog: FailureLog?
  /// Counts drafts, so that rows that only one of them knows can be told from others.
  var draft: UInt64 = 1
  /// Objects whose visibility has to be looked at when the transaction is complete.
  var visibilityChanges: [UInt64] = []

  package init() {}

  // MARK: tables

  @inline(__always)
  package func tableIndex(_ entity: UInt32) -> Int? { tableByEntity[entity] }

  package func table(_ entity: UInt32) -> Table? { tableByEntity[entity].map { tables[$0] } }

  /// The table of an entity, made when it is new.
  ///
  /// - Throws: `outOfRange` beyond 4,096 entities.
  mutating func internTable(_ entity: UInt32) throws(GraphError) -> Int {
    if let index = tableByEntity[entity] { return index }
    guard tables.count < Handle.tablesMax else {
      throw GraphError(.outOfRange, "more than \(Handle.tablesMax) entities")
    }
    tables.append(Table(entity: entity))
    tableByEntity[entity] = tables.count - 1
    return tables.count - 1
  }

  /// Tables by entity tag.
  package var sortedTables: [Table] { tables.sorted { $0.entity < $1.entity } }

  /// Objects that can be seen.
  package var visibleCount: Int { tables.reduce(0) { $0 + $1.visibleCount } }

  // MARK: objects

  /// Where a created object lies, nil when it never was created.
  @inline(__always)
  func address(_ handle: Handle) -> RowAddress? {
    guard handle.table < tables.count, handle.serial > 0,
      let run = tables[handle.table].locate(creator: handle.creator, serial: handle.serial)
    else { return nil }
    return RowAddress(table: handle.table, run: run, row: Int(handle.serial) - 1)
  }

  /// An object by its name, with its place; nil when it was never created, and with `alive` when it
  /// is dead.
  ///
  /// Changes nothing; mutating, so that the state of a draft is not copied for the call.
  @inline(__always)
  mutating func created(_ name: borrowing ObjectName, alive: Bool) -> (Handle, RowAddress)? {
    guard let handle = handle(name),
      let run = tables[handle.table].createdRun(
        creator: handle.creator, serial: handle.serial, alive: alive)
    else { return nil }
    return (handle, RowAddress(table: handle.table, run: run, row: Int(handle.serial) - 1))
  }

  func handle(_ address: RowAddress) -> Handle {
    Handle(
      table: address.table, creator: tables[address.table].runs[address.run].creator,
      serial: UInt64(address.row) + 1)
  }

  /// What an object is called outside.
  package func name(_ handle: Handle) -> ObjectName? {
    guard handle.table < tables.count else { return nil }
    let entity = tables[handle.table].entity
    if handle.creator == CreatorTable.identityIndex {
      return identityKeys[handle.bits].map { ObjectName(entity: entity, .identity($0.hash)) }
    }
    return creators[handle.creator].map {
      ObjectName(entity: entity, .created($0, serial: handle.serial))
    }
  }

  /// The object with a name, nil when it is not known.
  package func handle(_ name: ObjectName) -> Handle? {
    guard let table = tableByEntity[name.entity] else { return nil }
    switch name.origin {
    case .created(let creator, let serial):
      guard let index = creators.index(of: creator),
        tables[table].locate(creator: index, serial: serial) != nil
      else { return nil }
      return Handle(table: table, creator: index, serial: serial)
    case .identity(let hash):
      return identities[name.entity]?[hash].map {
        Handle(table: table, creator: CreatorTable.identityIndex, serial: $0)
      }
    }
  }

  /// How far the log of each replica is integrated.
  package var integratedHeads: [LogHead] {
    heads.compactMap { index, head in
      creators[index].map { creator in
        var log = LogHead(replica: creator.replica)
        log.nextSequence = head.sequence + 1
        log.chain = head.chain
        return log
      }
    }
  }

  /// The last transaction of a replica that is in the state; 0 for none.
  package func head(of replica: ReplicaID) -> UInt64 {
    creators.index(of: .replica(replica)).flatMap { heads[$0]?.sequence } ?? 0
  }

  /// Whether every transaction of another state of the same store is in this one.
  func reaches(_ other: GraphState) -> Bool {
    other.integratedHeads.allSatisfy { head(of: $0.replica) + 1 >= $0.nextSequence }
  }

  /// Stamp and author of a register's newest write; column `life` gives those of the object's life.
  package func mark(_ handle: Handle, _ key: ColumnKey) -> (stamp: Stamp, author: Creator)? {
    guard let address = address(handle), let column = tables[address.table].position(key) else {
      return nil
    }
    let mark = marks.register(address, column)
    return creators[mark.author].map { (Stamp(rawValue: mark.stamp), $0) }
  }

  /// Bytes of memory that the cells of a state's own take, and those of the blocks it adopted.
  package var memoryBytes: Int { tables.reduce(marks.memoryBytes) { $0 + $1.memoryBytes } }

  /// Starts a draft: rows that it adds are its own until it is published.
  mutating func beginDraft() { draft += 1 }
}

/// A relationship, by the entity and tag of its stored side.
package struct RelationKey: Hashable, Sendable {
  package var entity: UInt32
  package var tag: UInt32

  package init(entity: UInt32, tag: UInt32) {
    self.entity = entity
    self.tag = tag
  }
}

/// A register that is not a cell of a column, by object and tag.
struct CellKey: Hashable, Sendable {
  var handle: UInt64
  var tag: UInt32
  /// The physical type where that matters.
  var kind: UInt8 = 0
}

/// A member of a set or an entry of a map.
struct MemberKey: Hashable, Sendable {
  var handle: UInt64
  var tag: UInt32
  var member: Value
}

/// A counter (Q18): increments count only while the reset that they saw is the newest.
struct Counter: Sendable, Equatable {
  var reset = WriteMark.zero
  var sum: Int64 = 0
  /// Whether it was ever reset or incremented since the reset or birth that counts.
  var isCounted = false
}

/// The newest write of a map's entry; no value when it was removed.
struct MapCell: Sendable {
  var value: Value?
  var mark: WriteMark
}

/// That an object reads as another one.
struct Alias: Sendable {
  var target: UInt64
  var mark: WriteMark
}

/// The key of an identity object.
struct IdentityKey: Sendable {
  var hash: Hash128
  /// Empty until the object is created: a reference may come first (Q54).
  var bytes: [UInt8]
}

/// An operation that this version does not know.
package struct OpaqueOperation: Sendable, Hashable {
  package var author: UInt16
  package var sequence: UInt64
  package var opcode: UInt8
  package var bytes: [UInt8]
}

/// Where the log of a creator ends as far as it is integrated.
package struct CreatorHead: Sendable, Equatable {
  package var sequence: UInt64
  package var chain: Hash128
  package var stamp: Stamp
}
