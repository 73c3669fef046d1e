// Writes a state as a baseline: canonical, whatever the order in which the state came about (Q5).
// Layer: Graph.

import VarveFormat

/// Turns a state into the blocks and the directory of a baseline.
struct BaselineWriting {
  private let state: GraphState
  /// Local indices of creators in canonical order, and the place plus one of each.
  private let creatorOrder: [UInt16]
  private let creatorPlaces: [UInt32]
  private var identityOrders: [Int: [Int]] = [:]
  private var identitySerials: [Int: [UInt64]] = [:]
  private var identityHashes: [Int: [Hash128]] = [:]

  init(_ state: GraphState) {
    self.state = state
    let creators = state.creators
    creatorOrder = creators.all.sorted { a, b in
      guard let left = creators[a], let right = creators[b] else { return false }
      return left < right
    }
    var places = [UInt32](repeating: 0, count: creators.count)
    for (place, index) in creatorOrder.enumerated() { places[Int(index)] = UInt32(place + 1) }
    creatorPlaces = places
    for index in state.tables.indices { orderIdentities(index) }
  }

  /// Objects that are named by a key are sorted by its hash.
  private mutating func orderIdentities(_ table: Int) {
    guard let run = state.tables[table].run(of: CreatorTable.identityIndex) else { return }
    let rows = state.tables[table].runs[run].rows
    let state = state
    let order = (0..<rows).sorted { a, b in
      state.order(
        Handle(table: table, creator: 0, serial: UInt64(a) + 1),
        precedes: Handle(table: table, creator: 0, serial: UInt64(b) + 1))
    }
    var serials = [UInt64](repeating: 0, count: rows)
    for (place, row) in order.enumerated() { serials[row] = UInt64(place) + 1 }
    identityOrders[table] = order
    identityHashes[table] = (0..<rows).map { row in
      state.identityKeys[Handle(table: table, creator: 0, serial: UInt64(row) + 1).bits]?.hash
        ?? .zero
    }
    identitySerials[table] = serials
  }

  /// An object with the baseline's names.
  func name(_ handle: Handle) -> (creator: UInt32, serial: UInt64) {
    if handle.creator == CreatorTable.identityIndex,
      let serials = identitySerials[handle.table], Int(handle.serial) <= serials.count
    {
      return (0, serials[Int(handle.serial) - 1])
    }
    return (creatorPlaces[Int(handle.creator)], handle.serial)
  }

  func place(_ creator: UInt16) -> UInt32 { creatorPlaces[Int(creator)] }

  /// What is known before the first block is written.
  ///
  /// A checkpoint loses nothing, so it belongs to the generation that the state stands on and has
  /// no parent of its own: any replica writes the same bytes at the same cut (R32).
  var cut: BaselineCut {
    BaselineCut(generation: 0, creators: creators, maxStamp: state.maxStamp)
  }

  private var creators: [BaselineCreator] {
    creatorOrder.compactMap { index in
      guard let creator = state.creators[index] else { return nil }
      let head = state.heads[index]
      let name: BaselineCreator.Name =
        switch creator {
        case .replica(let replica): .replica(replica)
        case .branch(let replica, let fork, let prefix):
          .branch(parent: replica, forkSequence: fork, chainPrefix: prefix)
        }
      return BaselineCreator(
        name, sequence: head?.sequence ?? 0, chain: head?.chain ?? .zero,
        stamp: head?.stamp ?? .zero)
    }
  }

  /// Adds all blocks to an encoder, handing its output on from time to time, and returns the
  /// directory.
  ///
  /// - Throws: What `drain` throws.
  func write<E: Error>(
    into encoder: inout BaselineEncoder,
    drain: (inout BaselineEncoder) throws(E) -> Void
  ) throws(E) -> BaselineDirectory {
    var directory = BaselineDirectory(
      generation: 0, creators: creators, maxStamp: state.maxStamp)
    directory.schema = state.schema.declarations.map { declaration in
      BaselineDeclaration(
        declaration.operation, latest: BaselineDeclaration.Claim(declaration.latest),
        earliest: BaselineDeclaration.Claim(declaration.earliest))
    }
    let order = state.tables.indices.sorted { state.tables[$0].entity < state.tables[$1].entity }
    for index in order {
      if let table = try table(index, into: &encoder, drain) { directory.tables.append(table) }
    }
    for (kind, payload) in BaselineSides.encode(state, self) {
      directory.sides.append(BaselineSide(kind: kind, block: encoder.addSide(payload)))
      try drain(&encoder)
    }
    return directory
  }

  private func table<E: Error>(
    _ index: Int, into encoder: inout BaselineEncoder,
    _ drain: (inout BaselineEncoder) throws(E) -> Void
  ) throws(E) -> BaselineTable? {
    let table = state.tables[index]
    guard table.rows > 0 else { return nil }
    let columns = usedColumns(index).sorted { a, b in
      let (left, right) = (table.columns[a].key, table.columns[b].key)
      if (left == .life) != (right == .life) { return left == .life }
      return left.tag != right.tag ? left.tag < right.tag : left.kind < right.kind
    }
    var result = BaselineTable(
      entity: table.entity,
      columns: columns.map {
        BaselineColumn(
          tag: table.columns[$0].key.tag, kind: table.columns[$0].key.kind,
          target: table.columns[$0].target)
      }, created: UInt64(table.createdCount), dead: UInt64(table.deadCount),
      hidden: UInt64(table.hiddenCount))
    let runs = table.runs.indices.filter { table.runs[$0].rows > 0 }.sorted {
      place(table.runs[$0].creator) < place(table.runs[$1].creator)
    }
    for run in runs {
      result.runs.append(try self.run(index, table, run, columns, into: &encoder, drain))
    }
    return result
  }

  /// Columns in which a cell has a value or a mark of its own, and the one of lives.
  ///
  /// Others were made by writes of which nothing is left, which not every order of arrival makes.
  private func usedColumns(_ index: Int) -> [Int] {
    let table = state.tables[index]
    var used = [Bool](repeating: false, count: table.columns.count)
    used[Table.lifeColumn] = true
    for column in table.columns.indices where !used[column] {
      used[column] = table.hasValue(column)
    }
    if used.contains(false) {
      for run in table.runs.indices {
        for group in 0..<table.runs[run].groups.count {
          state.marks.group(index, run, group)?.forEachRegister { column, _, _ in
            used[column] = true
          }
        }
      }
    }
    // An order key belongs to the register of its link, which is read as one with a place then.
    for (column, key) in table.columns.map(\.key).enumerated() where key.isOrderKey {
      if let link = table.linkColumn(key.tag), used[link] { used[column] = true }
    }
    return table.columns.indices.filter { used[$0] }
  }

  private func run<E: Error>(
    _ index: Int, _ table: Table, _ run: Int, _ columns: [Int],
    into encoder: inout BaselineEncoder, _ drain: (inout BaselineEncoder) throws(E) -> Void
  ) throws(E) -> BaselineRun {
    let rows = table.runs[run].rows
    let creator = table.runs[run].creator
    let gathering = BaselineGathering(
      table: table, run: run, creators: creatorPlaces, identities: identityHashes,
      order: creator == CreatorTable.identityIndex ? identityOrders[index] : nil)
    var result = BaselineRun(
      creator: place(creator), rows: UInt64(rows), blockRows: [], columns: [], stamps: [],
      authors: [], overrides: [])
    for column in columns {
      let size = gathering.blockRows(column)
      let target = state.tableIndex(table.columns[column].target)
      let parts = Parallel.map(BaselineRun.blockCount(rows: UInt64(rows), size: size)) {
        (block: Int) throws(Never) in
        gathering.part(
          column, block * size..<min((block + 1) * size, rows), target: target)
      }
      result.blockRows.append(size)
      var blocks: [BaselineBlock?] = []
      for part in parts {
        blocks.append(part.map { encoder.add($0) })
        try drain(&encoder)
      }
      result.columns.append(blocks)
    }
    try marks(index, table, run, columns, gathering, into: &encoder, &result, drain)
    return result
  }

  private func marks<E: Error>(
    _ index: Int, _ table: Table, _ run: Int, _ columns: [Int], _ gathering: BaselineGathering,
    into encoder: inout BaselineEncoder, _ result: inout BaselineRun,
    _ drain: (inout BaselineEncoder) throws(E) -> Void
  ) throws(E) {
    let rows = table.runs[run].rows
    var places = [Int](repeating: 0, count: table.columns.count)
    for (place, column) in columns.enumerated() { places[column] = place }
    let starts = Array(stride(from: 0, to: rows, by: Limits.blockRowsMax))
    let state = state
    let marks = starts.map { start in
      BaselineMarks(
        state, table: index, run: run, rows: start..<min(start + Limits.blockRowsMax, rows),
        order: gathering.order, places: places, creators: creatorPlaces)
    }
    for block in marks {
      result.stamps.append(encoder.add(block.part(block.stamps, table.entity)))
    }
    for block in marks {
      result.authors.append(encoder.add(block.part(block.authors, table.entity)))
    }
    for block in marks {
      var groups: [BaselineOverrides] = []
      for start in stride(from: 0, to: block.overrides.count, by: Limits.blockRowsMax) {
        let end = min(start + Limits.blockRowsMax, block.overrides.count)
        let list = block.overrides[start..<end]
        groups.append(
          BaselineOverrides(
            row: encoder.add(block.part(list.map { UInt64($0.row) }, table.entity)),
            column: encoder.add(block.part(list.map { UInt64($0.column) }, table.entity)),
            stamp: encoder.add(block.part(list.map(\.stamp), table.entity)),
            author: encoder.add(block.part(list.map { UInt64($0.author) }, table.entity))))
      }
      result.overrides.append(groups)
      try drain(&encoder)
    }
  }
}

/// The marks of up to 65,536 rows of a run, with the names of a baseline.
struct BaselineMarks {
  struct Override {
    var row: Int
    var column: Int
    var stamp: UInt64
    var author: UInt32
  }

  private(set) var stamps: [UInt64] = []
  private(set) var authors: [UInt64] = []
  private(set) var overrides: [Override] = []

  init(
    _ state: GraphState, table: Int, run: Int, rows: Range<Int>, order: [Int]?, places: [Int],
    creators: [UInt32]
  ) {
    var newPlaces: [Int: Int] = [:]
    for (place, row) in rows.enumerated() {
      let own = order.map { $0[row] } ?? row
      // What was only named and never created has no birth.
      let isCreated = state.tables[table].life(run: run, row: own) != nil
      let known = isCreated ? state.marks.group(table, run, own >> 12) : nil
      let mark = known?.row(own & 4_095) ?? .zero
      stamps.append(mark.stamp)
      authors.append(mark.stamp == 0 ? 0 : UInt64(creators[Int(mark.author)]))
      if order != nil { newPlaces[own] = place }
    }
    let groups =
      order == nil
      ? Array(rows.lowerBound >> 12...(rows.upperBound - 1) >> 12)
      : Array(Set(newPlaces.keys.map { $0 >> 12 })).sorted()
    for group in groups {
      state.marks.group(table, run, group)?.forEachRegister { column, row, mark in
        let own = group << 12 + row
        let place = order == nil ? own - rows.lowerBound : newPlaces[own]
        guard let place, place >= 0, place < rows.count else { return }
        // A mark that is the row's own says something only where nothing else is written.
        let isPlain =
          mark.stamp == stamps[place] && UInt64(creators[Int(mark.author)]) == authors[place]
        if isPlain, state.tables[table].runs[run].groups[group].hasValue(column, row) { return }
        overrides.append(
          Override(
            row: place, column: places[column], stamp: mark.stamp,
            author: creators[Int(mark.author)]))
      }
    }
    overrides.sort { ($0.row, $0.column) < ($1.row, $1.column) }
  }

  /// A block of numbers.
  func part(_ numbers: [UInt64], _ entity: UInt32) -> EncodedPart {
    BaselineGathering.part(
      .words(numbers, present: nil), rows: numbers.count, entity: entity, attribute: 0,
      type: .unsigned)
  }
}

extension BaselineDeclaration.Claim {
  init(_ claim: SchemaClaim) {
    self.init(stamp: claim.stamp, author: claim.author, ordinal: claim.ordinal)
  }
}

extension GraphState {
  /// The state as the bytes of a baseline, for tests and tools.
  ///
  /// - Throws: `badDirectory` when the state does not fit a baseline.
  package func baselineBytes(store: StoreID) throws(FormatError) -> [UInt8] {
    let writing = BaselineWriting(self)
    var encoder = BaselineEncoder(store: store, cut: writing.cut)
    let directory = writing.write(into: &encoder) {
      (_: inout BaselineEncoder) throws(Never) in
    }
    let ending = try encoder.finish(directory)
    return ending.output.withPieces { $0.flatMap { [UInt8]($0) } }
  }
}
