// What of a state does not lie in columns, as sides of a baseline. See Formats/Baseline.md.
// Layer: Graph.

import VarveFormat

/// Kinds of sides; each is a list of records in canonical order.
enum SideKind: UInt8, CaseIterable {
  case identityKeys = 1
  case edges, counters, sets, maps, aliases, births, explicitNils, cuts, longCells, opaque, updates
}

/// Writes and reads the sides of a baseline.
///
/// A record starts with the objects and tags that it is about. Objects are entity, creator (0: an
/// identity), serial, each a varint.
enum BaselineSides {
  /// Bytes of a side, about.
  private static let pieceBytes = 1 << 20

  /// All sides of a state, by kind.
  static func encode(_ state: GraphState, _ names: BaselineWriting) -> [(UInt8, Bytes)] {
    let encoder = SideEncoder(state, names)
    var sides: [(UInt8, Bytes)] = []
    for kind in SideKind.allCases {
      let records = encoder.records(kind).sorted { $0.lexicographicallyPrecedes($1) }
      var start = 0
      while start < records.count {
        var writer = ByteWriter(capacity: 4_096)
        var end = start
        var size = 0
        while end < records.count, size < pieceBytes {
          size += records[end].count
          end += 1
        }
        writer.varint(end - start)
        for record in records[start..<end] { writer.bytes(record) }
        sides.append((kind.rawValue, writer.finish()))
        start = end
      }
    }
    return sides
  }

  /// Puts a side into a state whose creators, schema and tables are there already.
  ///
  /// - Throws: What is wrong with the bytes.
  static func decode(_ kind: UInt8, _ bytes: Bytes, into state: inout GraphState)
    throws(FormatError)
  {
    guard let kind = SideKind(rawValue: kind) else {
      throw FormatError(.unknownVersion, "side \(kind) of a baseline is from a newer version")
    }
    var copy = state
    state = GraphState()
    defer { state = copy }
    try bytes.read { (reader: inout ByteReader) throws(FormatError) in
      let count = try reader.count(max: reader.remaining, "records")
      for _ in 0..<count { try SideDecoder.read(kind, &reader, into: &copy) }
      try reader.finish(.badDirectory, "a side")
    }
  }
}

/// Makes records.
private struct SideEncoder {
  let state: GraphState
  let names: BaselineWriting

  init(_ state: GraphState, _ names: BaselineWriting) {
    self.state = state
    self.names = names
  }

  private func record(_ body: (inout ByteWriter) -> Void) -> [UInt8] {
    var writer = ByteWriter(capacity: 64)
    body(&writer)
    return writer.finish().array
  }

  private func object(_ bits: UInt64, _ writer: inout ByteWriter) {
    let handle = Handle(bits: bits)
    let name = names.name(handle)
    writer.varint(UInt64(state.tables[handle.table].entity))
    writer.varint(UInt64(name.creator))
    writer.varint(name.serial)
  }

  private func mark(_ mark: WriteMark, _ writer: inout ByteWriter) {
    writer.uint64(mark.stamp)
    writer.varint(mark.stamp == 0 ? 0 : UInt64(names.place(mark.author)))
  }

  private func dots(_ dots: [AddDot], _ writer: inout ByteWriter) {
    let sorted = dots.sorted {
      (names.place($0.author), $0.sequence) < (names.place($1.author), $1.sequence)
    }
    writer.varint(sorted.count)
    for dot in sorted {
      writer.varint(UInt64(names.place(dot.author)))
      writer.varint(dot.sequence)
      writer.uint64(dot.stamp)
    }
  }

  func records(_ kind: SideKind) -> [[UInt8]] {
    var list: [[UInt8]] = []
    switch kind {
    case .identityKeys:
      state.identityKeys.forEach { bits, key in
        list.append(
          record {
            object(bits, &$0)
            $0.hash128(key.hash)
            $0.varint(key.bytes.count)
            $0.bytes(key.bytes)
          })
      }
    case .edges:
      for (relation, table) in state.edges {
        table.dots.forEach { edge, dots in
          list.append(
            record {
              $0.varint(UInt64(relation.entity))
              $0.varint(UInt64(relation.tag))
              object(edge.source, &$0)
              object(edge.target, &$0)
              self.dots(dots, &$0)
            })
        }
      }
    case .counters:
      state.counters.forEach { cell, counter in
        list.append(
          record {
            object(cell.handle, &$0)
            $0.varint(UInt64(cell.tag))
            mark(counter.reset, &$0)
            $0.zigzag(counter.sum)
            $0.uint8(counter.isCounted ? 1 : 0)
          })
      }
    default: list = moreRecords(kind)
    }
    return list
  }

  private func moreRecords(_ kind: SideKind) -> [[UInt8]] {
    var list: [[UInt8]] = []
    switch kind {
    case .sets:
      state.sets.forEach { key, dots in
        list.append(
          record {
            object(key.handle, &$0)
            $0.varint(UInt64(key.tag))
            key.member.write(into: &$0)
            self.dots(dots, &$0)
          })
      }
    case .maps:
      state.maps.forEach { key, cell in
        list.append(
          record {
            object(key.handle, &$0)
            $0.varint(UInt64(key.tag))
            key.member.write(into: &$0)
            mark(cell.mark, &$0)
            (cell.value ?? .null).write(into: &$0)
          })
      }
    case .aliases:
      state.aliases.forEach { bits, alias in
        list.append(
          record {
            object(bits, &$0)
            object(alias.target, &$0)
            mark(alias.mark, &$0)
          })
      }
    case .births:
      state.births.forEach { bits, birth in
        list.append(
          record {
            object(bits, &$0)
            mark(birth, &$0)
          })
      }
    default: list = rareRecords(kind)
    }
    return list
  }

  private func rareRecords(_ kind: SideKind) -> [[UInt8]] {
    var list: [[UInt8]] = []
    switch kind {
    case .explicitNils:
      state.explicitNils.forEach { cell, _ in
        list.append(
          record {
            object(cell.handle, &$0)
            $0.varint(UInt64(cell.tag))
            $0.uint8(cell.kind)
          })
      }
    case .cuts:
      for (relation, handles) in state.cuts {
        for bits in handles {
          list.append(
            record {
              $0.varint(UInt64(relation.entity))
              $0.varint(UInt64(relation.tag))
              object(bits, &$0)
            })
        }
      }
    case .longCells: list = longCells()
    case .updates:
      state.updates.forEach { bits, update in
        list.append(
          record {
            object(bits, &$0)
            mark(update, &$0)
          })
      }
    case .opaque:
      for operation in state.opaque {
        list.append(
          record {
            $0.varint(UInt64(names.place(operation.author)))
            $0.varint(operation.sequence)
            $0.uint8(operation.opcode)
            $0.varint(operation.bytes.count)
            $0.bytes(operation.bytes)
          })
      }
    default: break
    }
    return list
  }

  private func longCells() -> [[UInt8]] {
    var list: [[UInt8]] = []
    for (index, table) in state.tables.enumerated() {
      for (column, description) in table.columns.enumerated()
      where !description.key.holdsWords {
        for run in table.runs {
          for row in 0..<run.rows {
            let group = run.groups[row >> 12]
            guard let bytes = group.bytes(column, row & 4_095), bytes.count > Limits.cellBytesMax
            else { continue }
            let content = [UInt8](bytes)
            let handle = Handle(
              table: index, creator: run.creator, serial: UInt64(row) + 1)
            list.append(
              record {
                object(handle.bits, &$0)
                $0.varint(UInt64(description.key.tag))
                $0.uint8(description.key.kind)
                $0.varint(content.count)
                $0.bytes(content)
              })
          }
        }
      }
    }
    return list
  }
}

/// Reads records.
private enum SideDecoder {
  private static func object(_ reader: inout ByteReader, _ state: GraphState)
    throws(FormatError) -> Handle
  {
    let entity = try reader.varint32("entity")
    let creator = try reader.count(max: state.creators.count - 1, "creator")
    let serial = try reader.varint()
    guard let table = state.tableIndex(entity), serial >= 1, serial <= Limits.serialMax else {
      throw reader.error(.badDirectory, "a record names an object that is not there")
    }
    return Handle(table: table, creator: UInt16(creator), serial: serial)
  }

  private static func mark(_ reader: inout ByteReader, _ state: GraphState) throws(FormatError)
    -> WriteMark
  {
    let stamp = try reader.uint64()
    let author = try reader.count(max: state.creators.count - 1, "author")
    return WriteMark(stamp: stamp, author: UInt16(author))
  }

  private static func dots(_ reader: inout ByteReader, _ state: GraphState)
    throws(FormatError) -> [AddDot]
  {
    let count = try reader.count(max: reader.remaining, "dots")
    var dots: [AddDot] = []
    for _ in 0..<count {
      let author = try reader.count(max: state.creators.count - 1, "author")
      let sequence = try reader.varint()
      dots.append(
        AddDot(author: UInt16(author), sequence: sequence, stamp: try reader.uint64()))
    }
    return dots
  }

  static func read(
    _ kind: SideKind, _ reader: inout ByteReader, into state: inout GraphState
  ) throws(FormatError) {
    switch kind {
    case .identityKeys:
      let handle = try object(&reader, state)
      let hash = try reader.hash128()
      let bytes = try reader.countedBytes()
      let entity = state.tables[handle.table].entity
      state.identities[entity, default: ShardedMap()].set(hash, handle.serial)
      state.identityKeys.set(handle.bits, IdentityKey(hash: hash, bytes: bytes))
    case .edges:
      let relation = RelationKey(
        entity: try reader.varint32("entity"), tag: try reader.varint32("tag"))
      let edge = EdgeTable.Edge(
        source: try object(&reader, state).bits, target: try object(&reader, state).bits)
      for dot in try dots(&reader, state) {
        state.edges[relation, default: EdgeTable()].add(edge, dot)
      }
    case .counters:
      let handle = try object(&reader, state)
      let cell = CellKey(handle: handle.bits, tag: try reader.varint32("tag"))
      let reset = try mark(&reader, state)
      let sum = try reader.zigzag()
      let isCounted = try reader.uint8() == 1
      state.noteSide(cell)
      state.counters.set(cell, Counter(reset: reset, sum: sum, isCounted: isCounted))
    default: try readMore(kind, &reader, into: &state)
    }
  }

  private static func readMore(
    _ kind: SideKind, _ reader: inout ByteReader, into state: inout GraphState
  ) throws(FormatError) {
    switch kind {
    case .sets, .maps:
      let handle = try object(&reader, state)
      let cell = CellKey(handle: handle.bits, tag: try reader.varint32("tag"))
      let member = try Value(&reader)
      let key = MemberKey(handle: handle.bits, tag: cell.tag, member: member)
      state.noteSide(cell)
      if kind == .sets {
        state.sets.set(key, try dots(&reader, state))
        state.setMembers.update(cell) { $0 = ($0 ?? []) + [member] }
      } else {
        let written = try mark(&reader, state)
        let value = try Value(&reader)
        state.maps.set(key, MapCell(value: value == .null ? nil : value, mark: written))
        state.mapKeys.update(cell) { $0 = ($0 ?? []) + [member] }
      }
    case .aliases:
      let (from, into) = (try object(&reader, state), try object(&reader, state))
      state.aliases.set(
        from.bits, Alias(target: into.bits, mark: try mark(&reader, state)))
    case .births:
      let handle = try object(&reader, state)
      state.births.set(handle.bits, try mark(&reader, state))
    case .explicitNils:
      let handle = try object(&reader, state)
      let tag = try reader.varint32("tag")
      state.explicitNils.set(
        CellKey(handle: handle.bits, tag: tag, kind: try reader.uint8()), true)
    default: try readRare(kind, &reader, into: &state)
    }
  }

  private static func readRare(
    _ kind: SideKind, _ reader: inout ByteReader, into state: inout GraphState
  ) throws(FormatError) {
    switch kind {
    case .cuts:
      let relation = RelationKey(
        entity: try reader.varint32("entity"), tag: try reader.varint32("tag"))
      state.cuts[relation, default: []].insert(try object(&reader, state).bits)
    case .longCells:
      let handle = try object(&reader, state)
      let tag = try reader.varint32("tag")
      let kind = try reader.uint8()
      let bytes = try reader.countedBytes()
      guard let address = state.address(handle),
        let column = state.tables[address.table].columns.firstIndex(where: {
          $0.key.tag == tag && $0.key.kind == kind
        })
      else { throw reader.error(.badDirectory, "a long cell of an object that is not there") }
      state.tables[address.table].setBytes(column, address, bytes, draft: state.draft)
    case .updates:
      let handle = try object(&reader, state)
      state.updates.set(handle.bits, try mark(&reader, state))
    case .opaque:
      let author = try reader.count(max: state.creators.count - 1, "author")
      let sequence = try reader.varint()
      let opcode = try reader.uint8()
      state.opaque.append(
        OpaqueOperation(
          author: UInt16(author), sequence: sequence, opcode: opcode,
          bytes: try reader.countedBytes()))
    default: break
    }
  }
}
