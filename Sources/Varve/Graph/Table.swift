// The objects of one entity in memory: columns in groups, in runs by creator (Q35, Q37).
// Layer: Graph.

import VarveFormat

/// What a column holds: registers of one attribute and type, or what the engine keeps of a row.
package struct ColumnKey: Hashable, Sendable {
  package var tag: UInt32
  /// A physical type, or one of the numbers below.
  package var kind: UInt8

  package init(tag: UInt32, type: PhysicalType) {
    self.tag = tag
    kind = type.rawValue
  }

  private init(tag: UInt32, kind: UInt8) {
    self.tag = tag
    self.kind = kind
  }

  /// Whether and how an object lives; see `Life`.
  package static let life = ColumnKey(tag: 0, kind: 0)

  /// The key by which a child of an ordered to-many is sorted.
  static func orderKey(_ tag: UInt32) -> ColumnKey { ColumnKey(tag: tag, kind: 100) }
  var isOrderKey: Bool { kind == 100 }

  /// The type of a register's values; nil for what is no register.
  package var type: PhysicalType? { PhysicalType(rawValue: kind) }

  /// Whether cells are words, rather than bytes.
  var holdsWords: Bool {
    if self == .life { return true }
    return type.map { $0.isWord || $0 == .bool || $0 == .identityReference } ?? false
  }

  var isSigned: Bool { type?.isSigned ?? false }

  /// Whether cells are links to objects.
  package var isLink: Bool { type == .reference || type == .identityReference }
}

/// The state of an object's life, as the word of column 0; a row without one was never created.
enum Life {
  static let alive: UInt64 = 0
  static let dead: UInt64 = 1
  /// Alive, but owned by something that is not visible (R24).
  static let hidden: UInt64 = 2
}

/// A column of a table.
package struct TableColumn: Sendable {
  package let key: ColumnKey
  /// The entity that links point to; 0 when there are none or it is not known.
  package var target: UInt32
}

/// Rows that one creator made, by serial: row r has serial r + 1.
struct Run: Sendable {
  let creator: UInt16
  /// Rows, those never created in between included.
  var rows = 0
  /// The draft that last added rows, and the rows there were before it: cells behind them are
  /// written in place, because nobody else looks at them.
  var draft: UInt64 = 0
  var publishedRows = 0
  var groups = GroupList()

  init(creator: UInt16) { self.creator = creator }

  /// Whether only the draft knows a row.
  @inline(__always)
  func isUnpublished(_ row: Int, in draft: UInt64) -> Bool {
    self.draft == draft && row >= publishedRows
  }

  /// Rows of a group.
  func rows(inGroup group: Int) -> Int { min(rows - group << 12, Limits.groupRows) }
}

/// Where a row lies.
struct RowAddress: Hashable, Sendable {
  var table: Int
  var run: Int
  var row: Int

  @inline(__always) var group: Int { row >> 12 }
  @inline(__always) var place: Int { row & (Limits.groupRows - 1) }
}

/// The rows of one entity.
package struct Table: Sendable {
  package let entity: UInt32
  package internal(set) var columns: [TableColumn] = [TableColumn(key: .life, target: 0)]
  private var positions: [ColumnKey: Int] = [.life: 0]
  /// The first column of a tag, which is the one that is asked for in all but odd cases.
  private var firstOfTag = TagPlaces([0])
  var runs: ContiguousArray<Run> = []
  /// The run of a creator plus one, by creator index.
  private var runByCreator: ContiguousArray<UInt16> = []
  /// Objects that are dead, and those that are alive but hidden.
  package internal(set) var deadCount = 0
  package internal(set) var hiddenCount = 0
  /// Rows that were created, dead ones included.
  package internal(set) var createdCount = 0

  static let lifeColumn = 0
  static let columnsMax = 4_096

  init(entity: UInt32) { self.entity = entity }

  /// Objects that can be seen.
  package var visibleCount: Int { createdCount - deadCount - hiddenCount }
  /// Whether every created row can be seen, so that nobody has to look.
  @inline(__always) var isAllVisible: Bool { deadCount &+ hiddenCount == 0 }

  /// Rows of all runs.
  package var rows: Int { runs.reduce(0) { $0 + $1.rows } }

  /// Bytes of memory that cells take.
  var memoryBytes: Int {
    var blocks: Set<ObjectIdentifier> = []
    var total = 0
    for run in runs {
      for index in 0..<run.groups.count {
        total += run.groups[index].memoryBytes(&blocks)
      }
    }
    return total
  }

  // MARK: columns

  /// Whether any row has a value in a column.
  ///
  /// - Complexity: O(rows) for a column that nobody has a value in, usually O(1).
  func hasValue(_ column: Int) -> Bool {
    for run in runs {
      for index in 0..<run.groups.count {
        let group = run.groups[index]
        if group.slot(column).form == .absent { continue }
        for row in 0..<run.rows(inGroup: index) where group.hasValue(column, row) { return true }
      }
    }
    return false
  }

  @inline(__always)
  package func position(_ key: ColumnKey) -> Int? {
    guard let first = firstOfTag[key.tag] else { return nil }
    return columns[first].key == key ? first : positions[key]
  }

  /// Positions of all columns of a tag.
  package func positions(ofTag tag: UInt32) -> [Int] {
    columns.indices.filter { columns[$0].key.tag == tag && $0 > 0 }
  }

  /// The position of a column, made when it is new.
  mutating func intern(_ key: ColumnKey, target: UInt32 = 0) -> Int? {
    if let position = position(key) {
      if target != 0, columns[position].target == 0 { columns[position].target = target }
      return position
    }
    guard columns.count < Table.columnsMax else { return nil }
    columns.append(TableColumn(key: key, target: target))
    positions[key] = columns.count - 1
    if firstOfTag[key.tag] == nil { firstOfTag[key.tag] = columns.count - 1 }
    return columns.count - 1
  }

  // MARK: runs

  @inline(__always)
  func run(of creator: UInt16) -> Int? {
    guard Int(creator) < runByCreator.count else { return nil }
    let run = runByCreator[Int(creator)]
    return run == 0 ? nil : Int(run) &- 1
  }

  /// The run of a creator, made when it is new.
  mutating func internRun(_ creator: UInt16) -> Int {
    if let run = run(of: creator) { return run }
    while runByCreator.count <= Int(creator) { runByCreator.append(0) }
    runs.append(Run(creator: creator))
    runByCreator[Int(creator)] = UInt16(runs.count)
    return runs.count - 1
  }

  // MARK: cells

  @inline(__always)
  func word(_ column: Int, run: Int, row: Int) -> UInt64? {
    runs[run].groups[row >> 12].word(column, row & (Limits.groupRows - 1))
  }

  @inline(__always)
  func life(run: Int, row: Int) -> UInt64? { word(Table.lifeColumn, run: run, row: row) }

  /// Whether the row is an object that can be seen.
  @inline(__always)
  func isVisible(run: Int, row: Int) -> Bool {
    life(run: run, row: row) == Life.alive
  }

  /// Whether an object can be seen.
  @inline(__always)
  func isVisible(creator: UInt16, serial: UInt64) -> Bool {
    guard let run = locate(creator: creator, serial: serial) else { return false }
    return isVisible(run: run, row: Int(serial) &- 1)
  }

  /// The column of a to-one relationship.
  func linkColumn(_ tag: UInt32) -> Int? {
    position(ColumnKey(tag: tag, type: .reference))
      ?? position(ColumnKey(tag: tag, type: .identityReference))
  }

  /// Calls `body` with creator and serial of every visible row.
  func forEachVisible(_ body: (UInt16, UInt64) -> Void) {
    for run in runs {
      for index in 0..<run.groups.count {
        let group = run.groups[index]
        for row in 0..<run.rows(inGroup: index)
        where group.word(Table.lifeColumn, row) == Life.alive {
          body(run.creator, UInt64(index << 12 + row + 1))
        }
      }
    }
  }

  /// The run of an object that was created, nil when it never was.
  @inline(__always)
  func locate(creator: UInt16, serial: UInt64) -> Int? {
    guard let run = run(of: creator), serial &- 1 < UInt64(runs[run].rows) else { return nil }
    return run
  }
}

// MARK: writing

extension Table {
  /// The run of an object that was created, and with `alive` is not dead.
  ///
  /// Changes nothing; mutating, so that the table is not copied for the call.
  @inline(__always)
  mutating func createdRun(creator: UInt16, serial: UInt64, alive: Bool) -> Int? {
    guard let run = locate(creator: creator, serial: serial),
      let life = life(run: run, row: Int(serial) &- 1), !alive || life != Life.dead
    else { return nil }
    return run
  }

  /// Adds rows of a run up to a serial; they are not created yet.
  mutating func grow(run: Int, toSerial serial: UInt64, draft: UInt64) {
    if runs[run].draft != draft {
      runs[run].draft = draft
      runs[run].publishedRows = runs[run].rows
    }
    let last = Int(serial)
    while runs[run].rows < last {
      let row = runs[run].rows
      if row & (Limits.groupRows - 1) == 0, runs[run].groups.count == row >> 12 {
        runs[run].groups.append(RowGroup(columns: columns.count))
      }
      runs[run].rows = row + 1
      _ = runs[run].groups.withGroup(row >> 12, columns: 0, isUnpublished: true) { group, _ in
        group.clearUnpublished(row & (Limits.groupRows - 1))
      }
    }
  }

  /// Counts rows whose groups were adopted.
  mutating func addRows(_ rows: Int, run: Int, draft: UInt64) {
    if runs[run].draft != draft {
      runs[run].draft = draft
      runs[run].publishedRows = runs[run].rows
    }
    runs[run].rows += rows
  }

  /// Writes the word of a cell.
  mutating func setWord(_ column: Int, _ address: RowAddress, _ word: UInt64?, draft: UInt64) {
    let isUnpublished = runs[address.run].isUnpublished(address.row, in: draft)
    let rows = runs[address.run].rows(inGroup: address.group)
    let (place, isSigned) = (address.place, columns[column].key.isSigned)
    _ = runs[address.run].groups.withGroup(
      address.group, columns: column + 1, isUnpublished: isUnpublished
    ) { group, isOwn -> Bool? in
      if group.writeInPlace(column, place, word, isOwn: isOwn, isUnpublished: isUnpublished) {
        return true
      }
      if word == nil, group.slots[column].form == .absent { return true }
      guard isOwn else { return nil }
      group.rewrite(
        column, rows: rows, holding: word, at: place, rule: .words(isSigned: isSigned))
      return true
    }
  }

  /// Writes the bytes of a cell.
  mutating func setBytes(_ column: Int, _ address: RowAddress, _ bytes: [UInt8]?, draft: UInt64) {
    let isUnpublished = runs[address.run].isUnpublished(address.row, in: draft)
    let rows = runs[address.run].rows(inGroup: address.group)
    let place = address.place
    _ = runs[address.run].groups.withGroup(
      address.group, columns: column + 1, isUnpublished: isUnpublished
    ) { group, isOwn -> Bool? in
      guard let bytes else {
        if group.writeInPlace(column, place, nil, isOwn: isOwn, isUnpublished: isUnpublished) {
          return true
        }
        if group.slots[column].form == .absent { return true }
        guard isOwn else { return nil }
        group.rewrite(column, rows: rows, holding: nil, at: place, rule: .codes)
        return true
      }
      return Table.store(
        bytes, column, place, rows: rows, in: group, isOwn: isOwn, isUnpublished: isUnpublished)
    }
  }

  private static func store(
    _ bytes: [UInt8], _ column: Int, _ place: Int, rows: Int, in group: RowGroup, isOwn: Bool,
    isUnpublished: Bool
  ) -> Bool? {
    var heap = group.heap(column)
    if heap.map({ $0.appended >= CellHeap.appendedMax }) ?? true {
      guard isOwn else { return nil }
      group.compactHeap(column, rows: rows)
      heap = group.heap(column)
    }
    guard let code = heap?.append(bytes) else { return nil }
    if group.writeInPlace(column, place, code, isOwn: isOwn, isUnpublished: isUnpublished) {
      return true
    }
    guard isOwn else { return nil }
    group.rewrite(column, rows: rows, holding: code, at: place, rule: .codes)
    return true
  }
}
