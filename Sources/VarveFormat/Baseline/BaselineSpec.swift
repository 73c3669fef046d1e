// A whole baseline file as a value: for golden files, tests and tools. Whatever the encoder writes
// can be decoded into one, and encodes to the same bytes again.

/// What a baseline says, without offsets and hashes; payloads are raw.
package struct BaselineSpec: Equatable, Sendable {
  package struct Overrides: Equatable, Sendable {
    package var row: Bytes
    package var column: Bytes
    package var stamp: Bytes
    package var author: Bytes

    package init(row: Bytes, column: Bytes, stamp: Bytes, author: Bytes) {
      self.row = row
      self.column = column
      self.stamp = stamp
      self.author = author
    }
  }

  package struct Run: Equatable, Sendable {
    package var creator: UInt32
    package var rows: UInt64
    package var blockRows: [Int]
    package var columns: [[Bytes?]]
    package var stamps: [Bytes]
    package var authors: [Bytes]
    package var overrides: [[Overrides]]

    package init(
      creator: UInt32, rows: UInt64, blockRows: [Int]? = nil, columns: [[Bytes?]],
      stamps: [Bytes], authors: [Bytes], overrides: [[Overrides]]
    ) {
      self.creator = creator
      self.rows = rows
      self.blockRows = blockRows ?? columns.map { _ in Limits.blockRowsMax }
      self.columns = columns
      self.stamps = stamps
      self.authors = authors
      self.overrides = overrides
    }
  }

  package struct Table: Equatable, Sendable {
    package var entity: UInt32
    package var columns: [BaselineColumn]
    package var created: UInt64 = 0
    package var dead: UInt64 = 0
    package var hidden: UInt64 = 0
    package var runs: [Run]

    package init(entity: UInt32, columns: [BaselineColumn], runs: [Run]) {
      self.entity = entity
      self.columns = columns
      self.runs = runs
    }
  }

  package struct Side: Equatable, Sendable {
    package var kind: UInt8
    package var payload: Bytes

    package init(kind: UInt8, payload: Bytes) {
      self.kind = kind
      self.payload = payload
    }
  }

  package var store: StoreID
  package var cut: BaselineCut
  package var schema: [BaselineDeclaration] = []
  package var tables: [Table] = []
  package var sides: [Side] = []

  package init(store: StoreID, cut: BaselineCut) {
    self.store = store
    self.cut = cut
  }
}

// MARK: encoding

extension BaselineSpec {
  /// The file.
  ///
  /// - Throws: `badDirectory` when something is out of order, `badColumn` for a payload that is no
  ///   column block.
  package func encoded() throws(FormatError) -> Bytes {
    var encoder = BaselineEncoder(store: store, cut: cut)
    var directory = BaselineDirectory(
      era: cut.era, generation: cut.generation, parent: cut.parent, creators: cut.creators,
      maxStamp: cut.maxStamp, schema: schema)
    for table in tables { directory.tables.append(try table.encode(into: &encoder)) }
    for side in sides {
      directory.sides.append(
        BaselineSide(kind: side.kind, block: encoder.addSide(side.payload)))
    }
    let ending = try encoder.finish(directory)
    var writer = ByteWriter(capacity: ending.output.count)
    ending.output.withPieces { pieces in
      for piece in pieces { writer.bytes(piece) }
    }
    return writer.finish()
  }
}

extension BaselineSpec.Table {
  fileprivate func encode(into encoder: inout BaselineEncoder) throws(FormatError) -> BaselineTable
  {
    var table = BaselineTable(
      entity: entity, columns: columns, created: created, dead: dead, hidden: hidden)
    for run in runs { table.runs.append(try run.encode(into: &encoder)) }
    return table
  }
}

extension BaselineSpec.Run {
  fileprivate func encode(into encoder: inout BaselineEncoder) throws(FormatError) -> BaselineRun {
    var run = BaselineRun(
      creator: creator, rows: rows, blockRows: blockRows, columns: [], stamps: [], authors: [],
      overrides: [])
    for column in columns {
      var slots: [BaselineBlock?] = []
      for payload in column {
        if let payload {
          slots.append(try encoder.add(decoding: payload))
        } else {
          slots.append(nil)
        }
      }
      run.columns.append(slots)
    }
    for payload in stamps { run.stamps.append(try encoder.add(decoding: payload)) }
    for payload in authors { run.authors.append(try encoder.add(decoding: payload)) }
    for groups in overrides {
      var list: [BaselineOverrides] = []
      for group in groups {
        list.append(
          BaselineOverrides(
            row: try encoder.add(decoding: group.row),
            column: try encoder.add(decoding: group.column),
            stamp: try encoder.add(decoding: group.stamp),
            author: try encoder.add(decoding: group.author)))
      }
      run.overrides.append(list)
    }
    return run
  }
}

extension BaselineEncoder {
  /// Appends a block that says itself how many rows it has.
  fileprivate mutating func add(decoding raw: Bytes) throws(FormatError) -> BaselineBlock {
    add(raw, rows: try ColumnBlockDecoder.header(of: raw).rows)
  }
}

// MARK: decoding

extension BaselineSpec {
  /// Decodes a whole file, in which nothing may be damaged.
  ///
  /// - Throws: What is wrong with the file.
  package init(decoding bytes: Bytes) throws(FormatError) {
    let reader = try BaselineReader(MemorySource(bytes))
    try reader.verify()
    let directory = reader.directory
    store = reader.header.store
    cut = directory.cut
    schema = directory.schema
    for table in directory.tables {
      var spec = Table(entity: table.entity, columns: table.columns, runs: [])
      (spec.created, spec.dead, spec.hidden) = (table.created, table.dead, table.hidden)
      for run in table.runs { spec.runs.append(try Run(decoding: run, reader)) }
      tables.append(spec)
    }
    for side in directory.sides {
      sides.append(Side(kind: side.kind, payload: try reader.side(side.block)))
    }
  }
}

extension BaselineSpec.Run {
  fileprivate init(decoding run: BaselineRun, _ reader: BaselineReader) throws(FormatError) {
    self.init(
      creator: run.creator, rows: run.rows, blockRows: run.blockRows, columns: [], stamps: [],
      authors: [], overrides: [])
    for column in run.columns {
      var payloads: [Bytes?] = []
      for block in column {
        if let block { payloads.append(try reader.raw(block)) } else { payloads.append(nil) }
      }
      columns.append(payloads)
    }
    for block in run.stamps { stamps.append(try reader.raw(block)) }
    for block in run.authors { authors.append(try reader.raw(block)) }
    for groups in run.overrides {
      var list: [BaselineSpec.Overrides] = []
      for group in groups {
        list.append(
          BaselineSpec.Overrides(
            row: try reader.raw(group.row), column: try reader.raw(group.column),
            stamp: try reader.raw(group.stamp), author: try reader.raw(group.author)))
      }
      overrides.append(list)
    }
  }
}

extension BaselineReader {
  /// The raw payload of a column block, checked by its hashes alone.
  package func raw(_ block: BaselineBlock) throws(FormatError) -> Bytes {
    do throws(FormatError) {
      return try payload(block, .columnBlock)
    } catch { throw placed(error, block) }
  }
}
