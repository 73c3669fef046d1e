// A state over a baseline: nothing but the directory and the sides is read before it is touched
// (Q27, Q35). Layer: Graph.

import Synchronization
import VarveFormat

extension GraphState {
  /// The state that a baseline holds.
  ///
  /// Blocks of columns are read when they are touched; what cannot be read then is noted in
  /// `failureLog`.
  ///
  /// - Throws: What is wrong with the directory or the sides.
  package init(_ reader: BaselineReader) throws(GraphError) {
    self.init()
    let log = FailureLog()
    failureLog = log
    let directory = reader.directory
    for entry in directory.creators {
      let creator: Creator =
        switch entry.name {
        case .replica(let replica): .replica(replica)
        case .branch(let replica, let fork, let prefix):
          .branch(replica, forkSequence: fork, chainPrefix: prefix)
        }
      let index = try creators.intern(creator)
      if entry.sequence > 0 {
        heads[index] = CreatorHead(
          sequence: entry.sequence, chain: entry.chain, stamp: entry.stamp)
      }
    }
    maxStamp = directory.maxStamp
    for declaration in directory.schema {
      schema.merge(
        SchemaDeclaration(
          declaration.operation, latest: SchemaClaim(declaration.latest),
          earliest: SchemaClaim(declaration.earliest)))
    }
    let source = BaselineSource(reader, log)
    for (place, table) in directory.tables.enumerated() {
      try adopt(table, place, source)
    }
    // Keys first: links name identity objects by them.
    do throws(FormatError) {
      for side in directory.sides.sorted(by: { $0.kind < $1.kind }) {
        try BaselineSides.decode(side.kind, try reader.side(side.block), into: &self)
      }
    } catch { throw GraphError(error) }
    source.setIdentities(identities)
  }

  private mutating func adopt(_ table: BaselineTable, _ place: Int, _ source: BaselineSource)
    throws(GraphError)
  {
    let index = try internTable(table.entity)
    for column in table.columns.dropFirst() {
      guard tables[index].intern(ColumnKey(column), target: column.target) != nil else {
        throw GraphError(.outOfRange, "more than \(Table.columnsMax) columns in one entity")
      }
      if column.target != 0 { _ = try internTable(column.target) }
    }
    tables[index].createdCount = Int(clamping: table.created)
    tables[index].deadCount = Int(clamping: table.dead)
    tables[index].hiddenCount = Int(clamping: table.hidden)
    for (number, run) in table.runs.enumerated() {
      guard run.creator < UInt32(creators.count), run.rows <= Limits.serialMax else {
        throw GraphError(.corrupt, "a run of creator \(run.creator) with \(run.rows) rows")
      }
      let own = tables[index].internRun(UInt16(run.creator))
      let rows = Int(run.rows)
      let groups = (rows + Limits.groupRows - 1) / Limits.groupRows
      let lazy = BaselineRunSource(source, table: place, run: number)
      tables[index].runs[own].rows = rows
      tables[index].runs[own].groups = GroupList(count: groups, source: lazy)
      marks.setSource(table: index, run: own, groups: groups, lazy)
    }
  }
}

extension ColumnKey {
  init(_ column: BaselineColumn) {
    if column.kind == BaselineColumn.orderKeyKind {
      self = .orderKey(column.tag)
    } else if column.kind == BaselineColumn.lifeKind {
      self = .life
    } else {
      self.init(tag: column.tag, type: PhysicalType(rawValue: column.kind) ?? .data)
    }
  }
}

extension SchemaClaim {
  init(_ claim: BaselineDeclaration.Claim) {
    self.init(stamp: claim.stamp, author: claim.author, ordinal: claim.ordinal)
  }
}

/// An open baseline that columns are read from.
final class BaselineSource: Sendable {
  let reader: BaselineReader
  let log: FailureLog
  private let identities = Mutex<[UInt32: ShardedMap<Hash128, UInt64>]>([:])

  init(_ reader: BaselineReader, _ log: FailureLog) {
    self.reader = reader
    self.log = log
  }

  func setIdentities(_ all: [UInt32: ShardedMap<Hash128, UInt64>]) {
    identities.withLock { $0 = all }
  }

  /// Serials of identity objects of an entity by the hash of their key.
  func identities(_ entity: UInt32) -> ShardedMap<Hash128, UInt64> {
    identities.withLock { $0[entity] } ?? ShardedMap()
  }

  /// Reads a block; a failure is noted.
  func block(_ block: BaselineBlock, entity: UInt32, tag: UInt32, type: PhysicalType)
    throws(GraphError) -> ColumnBlock
  {
    do throws(FormatError) {
      return try reader.block(block, entity: entity, attribute: tag, type: type)
    } catch {
      let error = GraphError(error)
      log.note(error)
      throw error
    }
  }
}

/// The groups and marks of one run of a baseline, made when they are first asked for.
final class BaselineRunSource: GroupSource, MarkSource, @unchecked Sendable {
  private let source: BaselineSource
  private let table: Int
  private let run: Int
  private let cache = Mutex<Cache>(Cache())
  /// The groups of the cache, for readers that do not wait.
  private let made: UnsafeMutablePointer<Atomic<UnsafeMutableRawPointer?>>
  private let groupCount: Int

  private struct Cache: @unchecked Sendable {
    var groups: [Int: RowGroup] = [:]
    /// Blocks by column and place.
    var blocks: [Int: LazyBlock] = [:]
    var marks: [Int: GroupMarks] = [:]
    /// Decoded marks of the block that was asked for last.
    var decoded: (block: Int, marks: DecodedMarks)?
  }

  init(_ source: BaselineSource, table: Int, run: Int) {
    self.source = source
    self.table = table
    self.run = run
    let rows = Int(source.reader.directory.tables[table].runs[run].rows)
    groupCount = (rows + Limits.groupRows - 1) / Limits.groupRows
    made = .allocate(capacity: max(groupCount, 1))
    for index in 0..<groupCount { (made + index).initialize(to: Atomic(nil)) }
  }

  deinit {
    made.deinitialize(count: groupCount)
    made.deallocate()
  }

  private var content: BaselineTable { source.reader.directory.tables[table] }

  // MARK: groups

  func group(_ index: Int) -> RowGroup {
    // SAFETY: `made` has a place for each group, and the cache keeps what it points to alive.
    guard index < groupCount, let group = made[index].load(ordering: .acquiring) else {
      return makeGroup(index)
    }
    return Unmanaged<RowGroup>.fromOpaque(group).takeUnretainedValue()
  }

  @inline(never)
  private func makeGroup(_ index: Int) -> RowGroup {
    cache.withLock { cache in
      if let group = cache.groups[index] { return group }
      let group = make(index, &cache)
      cache.groups[index] = group
      if index < groupCount {
        made[index].store(Unmanaged.passUnretained(group).toOpaque(), ordering: .releasing)
      }
      return group
    }
  }

  private func make(_ index: Int, _ cache: inout Cache) -> RowGroup {
    let content = content
    let run = content.runs[run]
    let group = RowGroup(columns: content.columns.count)
    for column in content.columns.indices {
      let size = run.blockRows[column]
      let perBlock = max(size / Limits.groupRows, 1)
      let place = size >= Limits.groupRows ? index / perBlock : index * (Limits.groupRows / size)
      guard place < run.columns[column].count else { continue }
      let count = size >= Limits.groupRows ? 1 : Limits.groupRows / size
      let blocks = run.columns[column][place..<min(place + count, run.columns[column].count)]
      guard blocks.contains(where: { $0 != nil }) else { continue }
      let key = column << 32 | place
      let lazy: LazyBlock
      if let known = cache.blocks[key] {
        lazy = known
      } else {
        lazy = block(column, Array(blocks), size: size, rows: Int(run.rows), place: place)
        cache.blocks[key] = lazy
      }
      // SAFETY: the group owns the block that the pointer leads to.
      let slot = ColumnSlot(
        pointer: UnsafeRawPointer(Unmanaged.passUnretained(lazy).toOpaque()),
        base: UInt64(index % perBlock), form: .lazy, limit: UInt16(Limits.groupRows))
      group.adopt(column, slot, SlotOwner(lazy: lazy))
    }
    return group
  }

  /// A block that is read when it is touched; several small ones together make a group.
  private func block(
    _ column: Int, _ blocks: [BaselineBlock?], size: Int, rows: Int, place: Int
  ) -> LazyBlock {
    let content = content
    let description = content.columns[column]
    let source = source
    let entity = content.entity
    let type = description.type ?? .data
    let groups = max(size / Limits.groupRows, 1)
    return LazyBlock(groups: groups) { () throws(GraphError) in
      if blocks.count == 1, size >= Limits.groupRows, let only = blocks[0] {
        let decoded = try source.block(only, entity: entity, tag: description.tag, type: type)
        if type == .identityReference {
          let serials = source.identities(description.target)
          return BaselineRunSource.links(decoded, serials)
        }
        return try SlotAdoption.slots(decoded, nil)
      }
      var list: [ColumnBlock?] = []
      for block in blocks {
        list.append(
          try block.map { block throws(GraphError) in
            try source.block(block, entity: entity, tag: description.tag, type: type)
          })
      }
      let count = min(rows - place * size, Limits.groupRows)
      return [
        SlotAdoption.ownedBytes(count) { row, append in
          if let bytes = list[row / size]?.cellBytes(row % size) { append(bytes) }
        }
      ]
    }
  }

  /// Links to identity objects by their serials.
  private static func links(_ block: ColumnBlock, _ serials: ShardedMap<Hash128, UInt64>)
    -> [LazyBlock.LoadedSlot]
  {
    stride(from: 0, to: block.rows, by: Limits.groupRows).map { start in
      let end = min(start + Limits.groupRows, block.rows)
      let words = (start..<end).map { row -> UInt64? in
        guard let bytes = block.cellBytes(row) else { return nil }
        var reader = ByteReader(bytes)
        return (try? reader.hash128()).flatMap { serials[$0] }
      }
      return SlotAdoption.owned(words, isSigned: false)
    }
  }

  // MARK: marks

  private struct DecodedMarks {
    var stamps: ColumnBlock?
    var authors: ColumnBlock?
    var overrides:
      [(row: ColumnBlock, column: ColumnBlock, stamp: ColumnBlock, author: ColumnBlock)]
  }

  func marks(_ index: Int) -> GroupMarks {
    cache.withLock { cache in
      if let marks = cache.marks[index] { return marks }
      let block = index >> 4
      if cache.decoded?.block != block { cache.decoded = (block, decode(block)) }
      let marks = cache.decoded.map { make(index, $0.marks) } ?? GroupMarks(common: .zero)
      cache.marks[index] = marks
      return marks
    }
  }

  private func decode(_ block: Int) -> DecodedMarks {
    let run = content.runs[run]
    let entity = content.entity
    func read(_ block: BaselineBlock) -> ColumnBlock? {
      try? source.block(block, entity: entity, tag: 0, type: .unsigned)
    }
    var marks = DecodedMarks(overrides: [])
    if block < run.stamps.count { marks.stamps = read(run.stamps[block]) }
    if block < run.authors.count { marks.authors = read(run.authors[block]) }
    for group in block < run.overrides.count ? run.overrides[block] : [] {
      guard let row = read(group.row), let column = read(group.column),
        let stamp = read(group.stamp), let author = read(group.author)
      else { continue }
      marks.overrides.append((row, column, stamp, author))
    }
    return marks
  }

  private func make(_ index: Int, _ decoded: DecodedMarks) -> GroupMarks {
    let first = (index & 15) << 12
    let creators = source.reader.directory.creators.count
    func mark(_ stamp: UInt64?, _ author: UInt64?) -> WriteMark {
      let author = author ?? 0
      return WriteMark(
        stamp: stamp ?? 0, author: author <= UInt64(creators) ? UInt16(author) : 0)
    }
    let rows = min((decoded.stamps?.rows ?? 0) - first, Limits.groupRows)
    let marks = GroupMarks(
      common: rows > 0 ? mark(decoded.stamps?.word(first), decoded.authors?.word(first)) : .zero)
    for row in 0..<max(rows, 0) {
      marks.setRow(
        row, mark(decoded.stamps?.word(first + row), decoded.authors?.word(first + row)))
    }
    let columns = content.columns.count
    for group in decoded.overrides {
      for place in 0..<group.row.rows {
        guard let row = group.row.word(place), Int(row) >= first, Int(row) < first + 4_096,
          let column = group.column.word(place), column < UInt64(columns)
        else { continue }
        marks.setRegister(
          Int(column), Int(row) - first, mark(group.stamp.word(place), group.author.word(place)))
      }
    }
    return marks
  }
}
