// The records of a superblock. See Formats/Dump.md, "Superblock".

/// Dumps superblocks.
package enum SuperblockDump {
  /// Whether one of the two slots starts as a superblock does.
  static func recognizes(_ head: Bytes) -> Bool {
    (0..<2).contains { slot in
      let start = slot * Superblock.slotBytes
      guard head.count >= start + Superblock.magic.count else { return false }
      return head.slice(start, Superblock.magic.count).array == Superblock.magic
    }
  }

  /// Hands out the records of a superblock.
  package static func run(
    _ source: any ByteSource, emit: (DumpRecord) throws -> Void
  ) throws -> DumpSummary {
    var summary = DumpSummary()
    let fileBytes = UInt64(Superblock.fileBytes)
    let head = try source.read(0, Superblock.fileBytes)
    try emit(DumpRecord(0, "superblock", [DumpField("bytes", .number(source.length))]))
    var chosen: (slot: Int, counter: UInt64)?
    for slot in 0..<2 {
      let start = min(slot * Superblock.slotBytes, head.count)
      let bytes = head.slice(start, min(Superblock.slotBytes, head.count - start))
      let superblock = valid(bytes, slot)
      let isEmpty = bytes.count == Superblock.slotBytes && bytes.isZero
      if superblock == nil, !isEmpty { summary.damages += 1 }
      let state = superblock != nil ? "valid" : isEmpty ? "empty" : "invalid"
      try emit(
        DumpRecord(
          0, "slot", [DumpField("index", .number(slot)), DumpField("state", .word(state))]))
      guard let superblock else { continue }
      if superblock.counter > chosen?.counter ?? 0 { chosen = (slot, superblock.counter) }
      let minor = try bytes.slice(10, 2).read { (reader: inout ByteReader) throws(FormatError) in
        try reader.uint16()
      }
      try emit(DumpRecord(1, "fields", fields(superblock, minor: minor)))
    }
    if source.length != fileBytes {
      summary.damages += 1
      let code: FormatError.Code = source.length < fileBytes ? .truncated : .badLength
      try emit(
        DumpRecord(
          0, "error",
          [
            DumpField("offset", .number(min(source.length, fileBytes))),
            DumpField("code", .word(code.description)),
          ]))
    }
    let choice = chosen.map { DumpValue.number($0.slot) } ?? .word("none")
    try emit(DumpRecord(0, "end", [DumpField("chosen", choice)]))
    return summary
  }

  /// The superblock of a slot that is intact and in its place.
  private static func valid(_ bytes: Bytes, _ slot: Int) -> Superblock? {
    guard let superblock = try? Superblock(bytes, slot: slot), superblock.counter >= 1,
      superblock.slot == slot
    else { return nil }
    return superblock
  }

  private static func fields(_ superblock: Superblock, minor: UInt16) -> [DumpField] {
    [
      DumpField("version", .word("\(FormatVersion.major).\(minor)")),
      DumpField("store", .word(superblock.store.description)),
      DumpField("replica", .word(superblock.replica.description)),
      DumpField("counter", .number(superblock.counter)),
      DumpField("flags", .word(superblock.isClean ? "clean" : "none")),
      DumpField("openOrdinal", .number(superblock.openOrdinal)),
      DumpField("durableMark", .number(superblock.durableMark)),
      DumpField("lastAccepted", .number(superblock.lastAcceptedLength)),
      DumpField("lastSequence", .number(superblock.lastSequence)),
      DumpField("chain", .hash(superblock.chain)),
      DumpField("maxStamp", .stamp(superblock.maxStamp)),
      DumpField("inode", .number(superblock.inode)),
      DumpField("host", .hexadecimal(superblock.host)),
      DumpField("baseline", .hexadecimal(superblock.baselineHash)),
      DumpField("baselineBytes", .number(superblock.baselineBytes)),
    ]
  }
}

/// Dumps files of any kind.
package enum FileDump {
  /// Hands out the records of a file made of frames or of a superblock.
  ///
  /// - Throws: `notVarve` for other files, `unreadable` when the system cannot read, and what
  ///   `emit` throws.
  package static func run(
    _ source: any ByteSource, options: DumpOptions = DumpOptions(),
    emit: @escaping (DumpRecord) throws -> Void
  ) throws -> DumpSummary {
    let head = try source.read(0, Superblock.slotBytes + Superblock.magic.count)
    let isSegment =
      head.count >= FileHeader.magic.count
      && head.slice(0, FileHeader.magic.count).array == FileHeader.magic
    if !isSegment, SuperblockDump.recognizes(head) {
      return try SuperblockDump.run(source, emit: emit)
    }
    guard isSegment else {
      throw FormatError(
        .notVarve, "the file does not start as a Varve file does", offset: 0, path: source.path)
    }
    return try SegmentDump.run(source, options: options, emit: emit)
  }
}
