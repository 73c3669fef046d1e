// Applies columnar transactions: blocks of fresh rows are adopted, others are scattered (Q35, Q47).
// Layer: Graph.

import VarveFormat

/// A columns operation with its decoded blocks.
struct DecodedColumns {
  var operation: ColumnsOperation
  /// By column of the parts, then block.
  var blocks: [[ColumnBlock]]

  /// The blocks of the attributes, without id and key columns.
  var leading: Int { operation.partColumns.count - operation.columns.count }
}

extension GraphState {
  /// Applies a columns operation.
  ///
  /// - Throws: As `apply`; nothing was applied then.
  mutating func apply(_ columns: DecodedColumns, _ integration: Integration) throws(GraphError) {
    switch (columns.operation.form, columns.operation.identifiers) {
    case (.create, .run(let index, let first)):
      try createRun(columns, index: index, first: first, integration)
    default: try scatter(columns, integration)
    }
  }

  // MARK: fresh rows

  private mutating func createRun(
    _ columns: DecodedColumns, index: UInt32, first: UInt64, _ integration: Integration
  ) throws(GraphError) {
    let operation = columns.operation
    let local = try creator(index, integration)
    let last = lastSerial(operation.entity, local)
    guard first > last, first <= last + GraphState.serialGapMax + 1 else {
      throw GraphError(.outOfRange, "serial \(first) where \(last + 1) is due")
    }
    let slots = try adoptable(columns, integration)
    let table = try internTable(operation.entity)
    var positions: [Int] = []
    for column in operation.columns {
      let key = ColumnKey(tag: column.attribute, type: column.type)
      guard let position = tables[table].intern(key, target: column.target) else {
        throw GraphError(.outOfRange, "more than \(Table.columnsMax) columns in one entity")
      }
      if column.target != 0 { _ = try internTable(column.target) }
      positions.append(position)
    }
    let run = tables[table].internRun(local)
    let start = Int(first) - 1
    let isAligned = start % Limits.groupRows == 0 && operation.blockRows % Limits.groupRows == 0
    if isAligned, tables[table].runs[run].rows == start {
      adopt(operation.rows, slots, positions, table: table, run: run, integration.mark)
    } else {
      append(operation.rows, at: start, slots, positions, table: table, run: run, integration.mark)
    }
    tables[table].createdCount += operation.rows
    noteCreated(table: table, run: run, rows: start..<start + operation.rows, positions)
    noteExplicitNils(operation, slots, table: table, run: run, start: start)
  }

  /// The slots of all attributes, by column and group of 4,096 rows from the first row on.
  private func adoptable(_ columns: DecodedColumns, _ integration: Integration)
    throws(GraphError) -> [[LazyBlock.LoadedSlot]]
  {
    var all: [[LazyBlock.LoadedSlot]] = []
    for (place, column) in columns.operation.columns.enumerated() {
      guard column.type != .identityReference else {
        throw GraphError(.unsupported, "links to identity objects in columns of fresh rows")
      }
      var slots: [LazyBlock.LoadedSlot] = []
      for block in columns.blocks[columns.leading + place] {
        slots += try SlotAdoption.slots(block, integration.creators)
      }
      all.append(slots)
    }
    return all
  }

  /// Whole groups become the run's groups as they are.
  private mutating func adopt(
    _ rows: Int, _ slots: [[LazyBlock.LoadedSlot]], _ positions: [Int], table: Int, run: Int,
    _ mark: WriteMark
  ) {
    let count = tables[table].columns.count
    let firstGroup = tables[table].runs[run].groups.count
    for place in 0..<(rows + Limits.groupRows - 1) / Limits.groupRows {
      let group = RowGroup(columns: count)
      let size = min(rows - place * Limits.groupRows, Limits.groupRows)
      let alive = ColumnSlot(
        base: Life.alive, form: .numbers, isNullable: false, limit: UInt16(size))
      group.adopt(Table.lifeColumn, alive, SlotOwner())
      for (column, position) in positions.enumerated() {
        let loaded = slots[column][place]
        group.adopt(position, loaded.slot, loaded.owner)
      }
      tables[table].runs[run].groups.append(group)
      marks.put(GroupMarks(common: mark), table: table, run: run, group: firstGroup + place)
    }
    tables[table].addRows(rows, run: run, draft: draft)
  }

  /// Rows that do not start at a group's border: cells are gathered group by group.
  private mutating func append(
    _ rows: Int, at start: Int, _ slots: [[LazyBlock.LoadedSlot]], _ positions: [Int],
    table: Int, run: Int, _ mark: WriteMark
  ) {
    tables[table].grow(run: run, toSerial: UInt64(start + rows), draft: draft)
    var row = start
    while row < start + rows {
      let group = row >> 12
      let end = min((group + 1) << 12, start + rows)
      let range = (row & 4_095)..<(end - group << 12)
      gather(
        range, from: row - start, slots, positions, table: table, run: run, group: group)
      for place in range {
        marks.setBirth(RowAddress(table: table, run: run, row: group << 12 + place), mark)
      }
      row = end
    }
  }

  private mutating func gather(
    _ range: Range<Int>, from first: Int, _ slots: [[LazyBlock.LoadedSlot]], _ positions: [Int],
    table: Int, run: Int, group: Int
  ) {
    let columns = tables[table].columns
    _ = tables[table].runs[run].groups.withGroup(
      group, columns: columns.count, isUnpublished: false
    ) { rows, isOwn -> Bool? in
      guard isOwn else { return nil }
      let life = (0..<range.upperBound).map { place in
        range.contains(place) ? Life.alive : rows.word(Table.lifeColumn, place)
      }
      rows.replace(Table.lifeColumn, SlotAdoption.owned(life, isSigned: false))
      for (column, position) in positions.enumerated() {
        // The block size divides the group size, or is a multiple of it.
        let source = slots[column]
        if columns[position].key.holdsWords {
          let words = (0..<range.upperBound).map { place -> UInt64? in
            guard range.contains(place) else { return rows.word(position, place) }
            return GraphState.word(source, first + place - range.lowerBound)
          }
          rows.replace(
            position, SlotAdoption.owned(words, isSigned: columns[position].key.isSigned))
        } else {
          rows.replace(
            position,
            SlotAdoption.ownedBytes(range.upperBound) { place, append in
              if range.contains(place) {
                GraphState.withBytes(source, first + place - range.lowerBound, append)
              } else if let bytes = rows.bytes(position, place) {
                append(bytes)
              }
            })
        }
      }
      return true
    }
  }

  /// Where a row of an operation lies in slots of at most 4,096 rows, whose sizes may differ from
  /// 4,096 when blocks are small.
  private static func locate(_ slots: [LazyBlock.LoadedSlot], _ row: Int) -> (slot: Int, row: Int) {
    let size = Int(slots.first?.slot.limit ?? 1)
    return (row / size, row % size)
  }

  private static func word(_ slots: [LazyBlock.LoadedSlot], _ row: Int) -> UInt64? {
    let place = locate(slots, row)
    let loaded = slots[place.slot]
    guard let number = loaded.slot.number(place.row) else { return nil }
    return loaded.owner.heap.map { $0.word(number) } ?? number
  }

  // SAFETY: the bytes live as long as the heap, which the slots' owners keep alive.
  private static func withBytes(
    _ slots: [LazyBlock.LoadedSlot], _ row: Int, _ body: (UnsafeRawBufferPointer) -> Void
  ) {
    let place = locate(slots, row)
    let loaded = slots[place.slot]
    guard let number = loaded.slot.number(place.row), let bytes = loaded.owner.heap?.bytes(number)
    else { return }
    body(bytes)
  }

  /// Owners and inverses of fresh rows.
  private mutating func noteCreated(
    table: Int, run: Int, rows: Range<Int>, _ positions: [Int]
  ) {
    let view = schema.resolved
    for position in positions where tables[table].columns[position].key.isLink {
      let column = tables[table].columns[position]
      let relation = RelationKey(entity: tables[table].entity, tag: column.key.tag)
      let rule = view.entity(tables[table].entity)?.relationship(column.key.tag)
      let isOwned = rule?.isCascading == true
      // Rebuilt when it is asked for: cheaper than thousands of insertions.
      if rows.count > 4_096 { adjacencies[relation] = nil }
      guard adjacencies[relation] != nil || isOwned else { continue }
      for row in rows {
        let address = RowAddress(table: table, run: run, row: row)
        if adjacencies[relation] != nil,
          let link = tables[table].word(position, run: run, row: row)
        {
          let own = handle(address).link
          adjacencies[relation]?.insert(own, of: link)
        }
        if isOwned { noteOwner(address, target: column.target) }
      }
    }
  }

  private mutating func noteExplicitNils(
    _ operation: ColumnsOperation, _ slots: [[LazyBlock.LoadedSlot]], table: Int, run: Int,
    start: Int
  ) {
    for (place, column) in operation.columns.enumerated() where column.hasExplicitNil {
      guard !ColumnKey(tag: column.attribute, type: column.type).isLink else { continue }
      for row in 0..<operation.rows {
        let at = GraphState.locate(slots[place], row)
        let loaded = slots[place][at.slot]
        let hasValue =
          loaded.slot.number(at.row).map { number in
            loaded.slot.form != .sequence || loaded.owner.heap?.bytes(number) != nil
          } ?? false
        if !hasValue {
          let address = RowAddress(table: table, run: run, row: start + row)
          let key = ColumnKey(tag: column.attribute, type: column.type)
          explicitNils.set(nilKey(address, key), true)
        }
      }
    }
  }

  // MARK: rows that are named one by one

  /// Turns the rows into operations and applies those.
  private mutating func scatter(_ columns: DecodedColumns, _ integration: Integration)
    throws(GraphError)
  {
    try apply(try columns.operations(), integration)
  }
}

extension DecodedColumns {
  /// The same as operations of the row form.
  ///
  /// - Throws: `corrupt` when a cell is no value of its type.
  func operations() throws(GraphError) -> [Operation] {
    var list: [Operation] = []
    list.reserveCapacity(operation.rows)
    for row in 0..<operation.rows {
      let (block, place) = (row / operation.blockRows, row % operation.blockRows)
      let object = try reference(row, block, place)
      switch operation.form {
      case .create:
        var key: [UInt8] = []
        if case .identities = operation.identifiers {
          key = blocks[1][block].cellBytes(place).map { [UInt8]($0) } ?? []
        }
        list.append(.create(object, key: key, try fields(block, place)))
        try appendNils(object, block, place, &list)
      case .set:
        let fields = try fields(block, place)
        if !fields.isEmpty { list.append(.set(object, fields)) }
        try appendNils(object, block, place, &list)
      case .delete: list.append(.delete(object))
      case .link:
        guard let column = operation.columns.first,
          let target = try value(0, block, place).flatMap(\.object)
        else { continue }
        list.append(.link(object, field: column.attribute, target: target))
      }
    }
    return list
  }

  private func reference(_ row: Int, _ block: Int, _ place: Int) throws(GraphError)
    -> ObjectReference
  {
    if case .run(let index, let first) = operation.identifiers {
      return ObjectReference(entity: operation.entity, index: index, serial: first + UInt64(row))
    }
    guard let object = try cell(blocks[0][block], place, operation.entity).object else {
      throw GraphError(.corrupt, "a row of a columns operation has no id")
    }
    return object
  }

  /// The value of an attribute, nil when the cell is nil.
  private func value(_ column: Int, _ block: Int, _ place: Int) throws(GraphError) -> Value? {
    let value = try cell(
      blocks[leading + column][block], place, operation.columns[column].target)
    return value == .null ? nil : value
  }

  private func cell(_ block: ColumnBlock, _ row: Int, _ target: UInt32) throws(GraphError)
    -> Value
  {
    do throws(FormatError) { return try block.value(row, target: target) } catch {
      throw GraphError(error)
    }
  }

  private func fields(_ block: Int, _ place: Int) throws(GraphError) -> [FieldValue] {
    var fields: [FieldValue] = []
    for column in operation.columns.indices {
      if let value = try value(column, block, place) {
        fields.append(FieldValue(operation.columns[column].attribute, value))
      }
    }
    return fields
  }

  private func appendNils(
    _ object: ObjectReference, _ block: Int, _ place: Int, _ list: inout [Operation]
  ) throws(GraphError) {
    var nils: [Int] = []
    for column in operation.columns.indices where operation.columns[column].hasExplicitNil {
      if try value(column, block, place) == nil { nils.append(column) }
    }
    guard !nils.isEmpty else { return }
    list.append(
      .unset(
        object,
        nils.map {
          FieldType(operation.columns[$0].attribute, operation.columns[$0].type)
        }))
  }
}

extension Value {
  /// The object that a link names.
  var object: ObjectReference? {
    switch self {
    case .reference(let object), .identityReference(let object): object
    default: nil
    }
  }
}
