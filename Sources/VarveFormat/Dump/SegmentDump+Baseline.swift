// What is in the frames of a baseline, and in its directory. See Formats/Dump.md, "Records of a
// baseline".

extension SegmentDump {
  mutating func visitBaselineContent(_ frame: ScannedFrame) throws {
    let type = frame.header.type
    if type == .seal { chain = nil }
    let raw: Bytes
    do throws(FormatError) {
      raw = try frame.payload()
    } catch { throw ContentError(.badCompression) }
    if !type.isIgnorable {
      guard frame.header.syncedOffset == 0, frame.header.flags.subtracting(.compressed).isEmpty
      else { throw ContentError(.badPadding) }
    }
    switch type {
    case .columnBlock: _ = try visitColumn(raw)
    case .seal: try visitBaselineSeal(raw)
    case .side, .directory: try visitBytes(raw)
    case _ where type.isIgnorable: try visitBytes(raw)
    default: throw ContentError(.badDirectory)
    }
  }

  private mutating func visitBaselineSeal(_ raw: Bytes) throws {
    let seal = try ContentError.naming(.badSeal) { () throws(FormatError) in
      try raw.read { (reader: inout ByteReader) throws(FormatError) in try BaselineSeal(&reader) }
    }
    chain = seal.contentHash
    try emit(
      1, "seal",
      [
        DumpField("contentHash", .hash(seal.contentHash)),
        DumpField("rawBytes", .number(seal.rawBytes)), DumpField("blocks", .number(seal.blocks)),
        DumpField("sides", .number(seal.sides)),
        DumpField("directories", .number(seal.directories.count)),
      ])
  }

  /// Prints the directory of a file in which nothing was found wrong so far.
  mutating func endBaseline() throws {
    guard firstProblem == nil else { return }
    guard isSealed else {
      return try report(accepted, .badTrailer, .corrupt)
    }
    let end = scanner.limit - UInt64(Trailer.byteCount)
    let reader: BaselineReader
    do throws(FormatError) {
      reader = try BaselineReader(scanner.source)
      try reader.verify()
    } catch {
      if error.code == .unreadable { throw error }
      return try report(end, .badDirectory, .corrupt)
    }
    try emitDirectory(reader.directory)
  }

  private func emitDirectory(_ directory: BaselineDirectory) throws {
    var fields = [DumpField("era", .number(directory.era.number))]
    if directory.era.number != 0 {
      fields.append(DumpField("opened", .bytes(directory.era.opened)))
    }
    try emit(
      0, "directory",
      fields + [
        DumpField("generation", .number(directory.generation)),
        DumpField("parent", .hash(directory.parent)),
        DumpField("maxStamp", .stamp(directory.maxStamp)),
        DumpField("creators", .number(directory.creators.count)),
        DumpField("declarations", .number(directory.schema.count)),
        DumpField("tables", .number(directory.tables.count)),
        DumpField("sides", .number(directory.sides.count)),
      ])
    if options.headersOnly { return }
    for (index, creator) in directory.creators.enumerated() {
      try emit(1, "creator", [DumpField("index", .number(index + 1))] + creator.dumpFields)
    }
    for declaration in directory.schema {
      try emit(
        1, "schema",
        OperationText.schemaFields(declaration.operation) + declaration.latest.dumpFields("latest")
          + declaration.earliest.dumpFields("earliest"))
    }
    for table in directory.tables { try emit(table) }
    for side in directory.sides {
      try emit(1, "side", [DumpField("form", .number(side.kind))] + side.block.dumpFields)
    }
  }

  private func emit(_ table: BaselineTable) throws {
    try emit(
      1, "table",
      [
        DumpField("entity", .number(table.entity)), DumpField("created", .number(table.created)),
        DumpField("dead", .number(table.dead)), DumpField("hidden", .number(table.hidden)),
        DumpField("columns", .number(table.columns.count)),
        DumpField("runs", .number(table.runs.count)),
      ])
    for column in table.columns {
      try emit(
        2, "column",
        [
          DumpField("tag", .number(column.tag)), DumpField("form", .number(column.kind)),
          DumpField("target", .number(column.target)),
        ])
    }
    for run in table.runs { try emit(run) }
  }

  private func emit(_ run: BaselineRun) throws {
    try emit(
      2, "run",
      [
        DumpField("creator", .number(UInt64(run.creator))), DumpField("rows", .number(run.rows)),
        DumpField("blockRows", .list(run.blockRows.map(String.init))),
      ])
    for (column, slots) in run.columns.enumerated() {
      for (index, block) in slots.enumerated() {
        try emit(
          3, "cells",
          [DumpField("column", .number(column)), DumpField("block", .number(index))]
            + (block?.dumpFields ?? [DumpField("rows", .number(0))]))
      }
    }
    for (kind, blocks) in [("stamps", run.stamps), ("authors", run.authors)] {
      for (index, block) in blocks.enumerated() {
        try emit(3, kind, [DumpField("block", .number(index))] + block.dumpFields)
      }
    }
    for (index, groups) in run.overrides.enumerated() {
      for block in groups.flatMap(\.blocks) {
        try emit(3, "overrides", [DumpField("block", .number(index))] + block.dumpFields)
      }
    }
  }
}

extension BaselineCreator {
  fileprivate var dumpFields: [DumpField] {
    let head = [
      DumpField("sequence", .number(sequence)), DumpField("chain", .hash(chain)),
      DumpField("stamp", .stamp(stamp)),
    ]
    switch name {
    case .replica(let replica):
      return [DumpField("replica", .word(replica.description))] + head
    case .branch(let parent, let fork, let prefix):
      return [
        DumpField("parent", .word(parent.description)), DumpField("fork", .number(fork)),
        DumpField("prefix", .bytes(prefix)),
      ] + head
    }
  }
}

extension BaselineDeclaration.Claim {
  fileprivate func dumpFields(_ name: String) -> [DumpField] {
    [
      DumpField(name, .stamp(stamp)),
      DumpField(name + "Author", .word(author.description)),
      DumpField(name + "Ordinal", .number(ordinal)),
    ]
  }
}

extension BaselineBlock {
  fileprivate var dumpFields: [DumpField] {
    [
      DumpField("rows", .number(rows)), DumpField("offset", .number(offset)),
      DumpField("stored", .number(storedLength)), DumpField("raw", .number(rawLength)),
      DumpField("hash", .hash(hash)),
    ]
  }
}
