// What a baseline says of the state that it holds: everything but the cells. See
// Formats/Baseline.md section 3.

/// The directory of a baseline: creators, schema, and where the blocks of every table lie.
package struct BaselineDirectory: Hashable, Sendable {
  package var era: Era
  package var generation: UInt64
  /// The content hash of the baseline that this one follows, zero when there is none.
  package var parent: Hash128
  /// In canonical order (`BaselineCreator.Name`); links name them by place + 1.
  package var creators: [BaselineCreator]
  package var maxStamp: Stamp
  /// Registers of the schema; written in the order of their bytes.
  package var schema: [BaselineDeclaration]
  /// By entity.
  package var tables: [BaselineTable]
  /// By kind.
  package var sides: [BaselineSide]

  package init(
    era: Era = Era(), generation: UInt64, parent: Hash128 = .zero,
    creators: [BaselineCreator] = [], maxStamp: Stamp, schema: [BaselineDeclaration] = [],
    tables: [BaselineTable] = [], sides: [BaselineSide] = []
  ) {
    self.era = era
    self.generation = generation
    self.parent = parent
    self.creators = creators
    self.maxStamp = maxStamp
    self.schema = schema
    self.tables = tables
    self.sides = sides
  }

  /// What is known before the first block is written.
  package var cut: BaselineCut {
    BaselineCut(
      era: era, generation: generation, parent: parent, creators: creators, maxStamp: maxStamp)
  }
}

/// The point of history that a baseline stands for.
package struct BaselineCut: Hashable, Sendable {
  package var era: Era
  package var generation: UInt64
  package var parent: Hash128
  package var creators: [BaselineCreator]
  package var maxStamp: Stamp

  package init(
    era: Era = Era(), generation: UInt64, parent: Hash128 = .zero,
    creators: [BaselineCreator] = [], maxStamp: Stamp
  ) {
    self.era = era
    self.generation = generation
    self.parent = parent
    self.creators = creators
    self.maxStamp = maxStamp
  }
}

/// A register of the schema.
package struct BaselineDeclaration: Hashable, Sendable {
  /// Who declared something, and when.
  package struct Claim: Hashable, Sendable {
    package var stamp: Stamp
    package var author: ReplicaID
    /// The place in the transaction.
    package var ordinal: UInt64

    package init(stamp: Stamp, author: ReplicaID, ordinal: UInt64 = 0) {
      self.stamp = stamp
      self.author = author
      self.ordinal = ordinal
    }
  }

  package var operation: SchemaOperation
  package var latest: Claim
  package var earliest: Claim

  package init(_ operation: SchemaOperation, latest: Claim, earliest: Claim) {
    self.operation = operation
    self.latest = latest
    self.earliest = earliest
  }
}

/// The objects of one entity.
package struct BaselineTable: Hashable, Sendable {
  package var entity: UInt32
  /// By tag and kind, life first.
  package var columns: [BaselineColumn]
  package var created: UInt64
  package var dead: UInt64
  package var hidden: UInt64
  /// By creator.
  package var runs: [BaselineRun]

  package init(
    entity: UInt32, columns: [BaselineColumn], created: UInt64 = 0, dead: UInt64 = 0,
    hidden: UInt64 = 0, runs: [BaselineRun] = []
  ) {
    self.entity = entity
    self.columns = columns
    self.created = created
    self.dead = dead
    self.hidden = hidden
    self.runs = runs
  }
}

/// A column of a table.
package struct BaselineColumn: Hashable, Sendable {
  /// Kind of the column that says whether objects live.
  package static let lifeKind: UInt8 = 0
  /// Kind of a column of order keys.
  package static let orderKeyKind: UInt8 = 100

  package var tag: UInt32
  /// 0 life, 1...14 a physical type, 100 order key.
  package var kind: UInt8
  /// The entity that references lead to.
  package var target: UInt32

  package init(tag: UInt32, kind: UInt8, target: UInt32 = 0) {
    self.tag = tag
    self.kind = kind
    self.target = target
  }

  /// The physical type of the cells; nil for a kind that is not known.
  package var type: PhysicalType? {
    switch kind {
    case BaselineColumn.lifeKind: .unsigned
    case BaselineColumn.orderKeyKind: .data
    default: PhysicalType(rawValue: kind)
    }
  }

  /// The order of columns in a table.
  static func precedes(_ a: BaselineColumn, _ b: BaselineColumn) -> Bool {
    (a.kind == lifeKind ? 0 : 1, a.tag, a.kind) < (b.kind == lifeKind ? 0 : 1, b.tag, b.kind)
  }
}

/// The objects of one entity that one creator made, row after row.
package struct BaselineRun: Hashable, Sendable {
  /// Rows of the blocks that a column can be cut into, by their code in the file.
  package static let blockRowsChoices = [Limits.blockRowsMax, Limits.groupRows, 64]

  /// The place of the creator + 1, or 0 for objects of identity entities.
  package var creator: UInt32
  package var rows: UInt64
  /// How many rows the blocks of each column have: 65,536, or 4,096 or 64 where cells are long.
  package var blockRows: [Int]
  /// By column, then block; nil where no cell of the block has a value.
  package var columns: [[BaselineBlock?]]
  /// The stamps of the rows, for every 65,536 of them.
  package var stamps: [BaselineBlock]
  /// The authors of the rows, for every 65,536 of them.
  package var authors: [BaselineBlock]
  /// Marks of single registers that differ from their row's, for every 65,536 rows.
  package var overrides: [[BaselineOverrides]]

  /// All columns have blocks of 65,536 rows unless `blockRows` says otherwise.
  package init(
    creator: UInt32, rows: UInt64, blockRows: [Int]? = nil, columns: [[BaselineBlock?]],
    stamps: [BaselineBlock], authors: [BaselineBlock], overrides: [[BaselineOverrides]]
  ) {
    self.creator = creator
    self.rows = rows
    self.blockRows = blockRows ?? columns.map { _ in Limits.blockRowsMax }
    self.columns = columns
    self.stamps = stamps
    self.authors = authors
    self.overrides = overrides
  }

  /// How many blocks of `size` rows hold `rows` rows.
  package static func blockCount(rows: UInt64, size: Int) -> Int {
    Int(clamping: rows / UInt64(size) + (rows % UInt64(size) == 0 ? 0 : 1))
  }

  /// How many rows block `index` of blocks of `size` rows has.
  package static func blockRows(_ index: Int, rows: UInt64, size: Int) -> UInt32 {
    let start = UInt64(index) * UInt64(size)
    return UInt32(min(rows - start, UInt64(size)))
  }
}

/// Marks of registers, sorted by row and column; four blocks with as many cells.
package struct BaselineOverrides: Hashable, Sendable {
  /// Rows, counted in their block of 65,536.
  package var row: BaselineBlock
  /// Places of columns in the table.
  package var column: BaselineBlock
  package var stamp: BaselineBlock
  package var author: BaselineBlock

  package init(
    row: BaselineBlock, column: BaselineBlock, stamp: BaselineBlock, author: BaselineBlock
  ) {
    self.row = row
    self.column = column
    self.stamp = stamp
    self.author = author
  }

  /// In the order of the file.
  package var blocks: [BaselineBlock] { [row, column, stamp, author] }
}

/// Registers in row form, opaque to the format.
package struct BaselineSide: Hashable, Sendable {
  package var kind: UInt8
  package var block: BaselineBlock

  package init(kind: UInt8, block: BaselineBlock) {
    self.kind = kind
    self.block = block
  }
}

/// Where a payload lies and what it must be.
package struct BaselineBlock: Hashable, Sendable {
  package var offset: UInt64
  package var storedLength: UInt32
  package var rawLength: UInt32
  /// Cells; 0 for sides.
  package var rows: UInt32
  /// Hash128 of the raw payload.
  package var hash: Hash128

  package init(
    offset: UInt64, storedLength: UInt32, rawLength: UInt32, rows: UInt32, hash: Hash128
  ) {
    self.offset = offset
    self.storedLength = storedLength
    self.rawLength = rawLength
    self.rows = rows
    self.hash = hash
  }

  /// Bytes of the frame.
  package var frameBytes: Int { (FrameHeader.byteCount + Int(storedLength) + 7) / 8 * 8 }
}
