// Writes of registers: attributes, to-one links, one-to-one pairs, places in lists (R10-R19).
// Layer: Graph.

import VarveFormat

/// What a cell is made of.
enum CellContent {
  case word(UInt64)
  case bytes([UInt8])
}

extension GraphState {
  @inline(__always)
  private mutating func claim(_ address: RowAddress, _ column: Int, _ mark: WriteMark) -> Bool {
    marks.claim(address, column, mark, creators)
  }

  /// Writes one register.
  mutating func write(_ address: RowAddress, _ field: FieldValue, _ integration: Integration)
    throws(GraphError)
  {
    var target: UInt32 = 0
    let content: CellContent
    let type: PhysicalType
    switch field.value {
    case .null: return
    case .reference(let object):
      let handle = try handle(object, integration)
      (content, type, target) = (.word(handle.link), .reference, object.entity)
    case .identityReference(let object):
      let handle = try handle(object, integration)
      (content, type, target) = (.word(handle.link), .identityReference, object.entity)
    default:
      guard let cell = field.value.cell else { return }
      (content, type) = (cell.content, cell.type)
    }
    let key = ColumnKey(tag: field.field, type: type)
    guard let column = tables[address.table].intern(key, target: target) else {
      throw GraphError(.outOfRange, "more than \(Table.columnsMax) columns in one entity")
    }
    if case .word(let word) = content, !key.isLink {
      _ = writeNumber(address, column, word, integration.mark)
      return
    }
    guard claim(address, column, integration.mark) else { return }
    if !explicitNils.isEmpty { explicitNils.set(nilKey(address, key), nil) }
    put(address, column, content)
  }

  /// Writes a number to a register that is no link.
  ///
  /// - Returns: Whether the same transaction wrote it before.
  @inline(__always)
  mutating func writeNumber(
    _ address: RowAddress, _ column: Int, _ word: UInt64, _ mark: WriteMark
  ) -> Bool {
    let (isClaimed, known) = marks.exchange(address, column, mark, creators)
    guard isClaimed else { return false }
    if !explicitNils.isEmpty {
      explicitNils.set(nilKey(address, tables[address.table].columns[column].key), nil)
    }
    tables[address.table].setWord(column, address, word, draft: draft)
    return known == mark
  }

  /// Writes nil to a register.
  mutating func unset(_ address: RowAddress, _ key: ColumnKey, _ integration: Integration)
    throws(GraphError)
  {
    guard let column = tables[address.table].intern(key) else {
      throw GraphError(.outOfRange, "more than \(Table.columnsMax) columns in one entity")
    }
    guard marks.claim(address, column, integration.mark, creators, isNil: true) else { return }
    if !key.isLink { explicitNils.set(nilKey(address, key), true) }
    clear(address, column)
  }

  /// The place where a nil that was written is noted.
  func nilKey(_ address: RowAddress, _ key: ColumnKey) -> CellKey {
    CellKey(handle: handle(address).bits, tag: key.tag, kind: key.kind)
  }

  func cellKey(_ address: RowAddress, _ tag: UInt32) -> CellKey {
    CellKey(handle: handle(address).bits, tag: tag)
  }

  private mutating func put(_ address: RowAddress, _ column: Int, _ content: CellContent) {
    switch content {
    case .bytes(let bytes):
      tables[address.table].setBytes(column, address, bytes, draft: draft)
    case .word(let word): putLink(address, column, word)
    }
  }

  /// Takes the value out of a cell, whatever its register says.
  mutating func clear(_ address: RowAddress, _ column: Int) {
    let key = tables[address.table].columns[column].key
    if key.isLink {
      putLink(address, column, nil)
    } else if key.holdsWords {
      tables[address.table].setWord(column, address, nil, draft: draft)
    } else {
      tables[address.table].setBytes(column, address, nil, draft: draft)
    }
  }

  /// Writes a link and keeps its inverse, owners and cycles up to date.
  private mutating func putLink(_ address: RowAddress, _ column: Int, _ link: UInt64?) {
    let table = tables[address.table]
    let key = table.columns[column].key
    let old = table.word(column, run: address.run, row: address.row)
    tables[address.table].setWord(column, address, link, draft: draft)
    let relation = RelationKey(entity: table.entity, tag: key.tag)
    if !adjacencies.isEmpty, adjacencies[relation] != nil, old != link {
      let own = handle(address).link
      if let old { adjacencies[relation]?.remove(own, of: old) }
      if let link { adjacencies[relation]?.insert(own, of: link) }
    }
    let view = schema.resolved
    guard view.isCascading,
      let rule = view.entity(table.entity)?.relationship(key.tag), rule.isCascading
    else { return }
    if rule.isSelfReferential { updateCuts(relation, column, address) }
    noteOwner(address, target: table.columns[column].target)
  }

  // MARK: lists and pairs

  /// A place in an ordered to-many: parent and key are one register (R19).
  mutating func order(
    _ address: RowAddress, _ field: UInt32, _ place: Operation.OrderPlace?,
    _ integration: Integration
  ) throws(GraphError) {
    var parent: Handle?
    if let place { parent = try handle(place.parent, integration) }
    let target = parent.map { tables[$0.table].entity } ?? 0
    let key = ColumnKey(tag: field, type: .reference)
    guard let column = tables[address.table].intern(key, target: target),
      let keyColumn = tables[address.table].intern(.orderKey(field))
    else { throw GraphError(.outOfRange, "more than \(Table.columnsMax) columns in one entity") }
    guard marks.claim(address, column, integration.mark, creators, isNil: place == nil) else {
      return
    }
    tables[address.table].setBytes(keyColumn, address, place?.key, draft: draft)
    putLink(address, column, parent?.link)
  }

  /// One end of a one-to-one pair (R18).
  mutating func pair(
    _ address: RowAddress, _ field: UInt32, _ partner: RowAddress?, _ integration: Integration
  ) throws(GraphError) {
    let target = partner.map { tables[$0.table].entity } ?? 0
    let key = ColumnKey(tag: field, type: .reference)
    guard let column = tables[address.table].intern(key, target: target) else {
      throw GraphError(.outOfRange, "more than \(Table.columnsMax) columns in one entity")
    }
    guard marks.claim(address, column, integration.mark, creators, isNil: partner == nil) else {
      return
    }
    putLink(address, column, partner.map { handle($0).link })
  }

  // MARK: edges

  mutating func link(
    _ object: ObjectReference, _ field: UInt32, _ target: ObjectReference,
    _ integration: Integration
  ) throws(GraphError) {
    let (a, b) = (try address(object, integration), try address(target, integration))
    noteUpdate(a, integration.mark)
    // Dots older than a birth are hidden (Q17).
    for end in [a, b] {
      let birth = births.isEmpty ? nil : births[handle(end).bits]
      if let birth, !creators.isNewer(integration.mark, than: birth), integration.mark != birth {
        return
      }
    }
    let key = RelationKey(entity: object.entity, tag: field)
    let edge = EdgeTable.Edge(source: handle(a).bits, target: handle(b).bits)
    edges[key, default: EdgeTable()].add(
      edge,
      AddDot(
        author: integration.mark.author, sequence: integration.sequence,
        stamp: integration.mark.stamp))
  }

  mutating func unlink(
    _ object: ObjectReference, _ field: UInt32, _ target: ObjectReference, _ dots: [Dot],
    _ integration: Integration
  ) throws(GraphError) {
    let (a, b) = (try address(object, integration), try address(target, integration))
    noteUpdate(a, integration.mark)
    let seen = try seen(dots, integration)
    let key = RelationKey(entity: object.entity, tag: field)
    let edge = EdgeTable.Edge(source: handle(a).bits, target: handle(b).bits)
    edges[key]?.remove(edge) { dot in
      seen.contains { $0.author == dot.author && $0.sequence == dot.sequence }
    }
  }

  /// Dots of an operation with local names of their authors.
  func seen(_ dots: [Dot], _ integration: Integration) throws(GraphError)
    -> [(author: UInt16, sequence: UInt64)]
  {
    var list: [(author: UInt16, sequence: UInt64)] = []
    for dot in dots { list.append((try creator(dot.index, integration), dot.sequence)) }
    return list
  }
}

extension Value {
  /// Type and content of the cell that holds the value; nil for what is no cell by itself.
  var cell: (type: PhysicalType, content: CellContent)? {
    switch self {
    case .null, .reference, .identityReference: nil
    case .bool(let value): (.bool, .word(value ? 1 : 0))
    case .integer(let value): (.integer, .word(UInt64(bitPattern: value)))
    case .unsigned(let value): (.unsigned, .word(value))
    case .double(let bits): (.double, .word(bits))
    case .date(let value): (.date, .word(UInt64(bitPattern: value)))
    case .string(let text): (.string, .bytes([UInt8](text.utf8)))
    case .data(let bytes): (.data, .bytes(bytes))
    case .uuid(let bytes): (.uuid, .bytes(bytes))
    case .decimal: (.decimal, .bytes(payload))
    case .blob: (.blob, .bytes(payload))
    case .array: (.array, .bytes(payload))
    case .composite: (.composite, .bytes(payload))
    }
  }

  /// The value in row form without its type code.
  private var payload: [UInt8] {
    var writer = ByteWriter(capacity: 64)
    write(into: &writer)
    return Array(writer.finish().array.dropFirst())
  }

  /// The value of a cell.
  init?(_ type: PhysicalType, word: UInt64) {
    switch type {
    case .bool: self = .bool(word != 0)
    case .integer: self = .integer(Int64(bitPattern: word))
    case .unsigned: self = .unsigned(word)
    case .double: self = .double(word)
    case .date: self = .date(Int64(bitPattern: word))
    default: return nil
    }
  }

  /// The value of a cell.
  init?(_ type: PhysicalType, bytes: [UInt8]) {
    switch type {
    case .string: self = .string(String(decoding: bytes, as: UTF8.self))
    case .data: self = .data(bytes)
    case .uuid: self = .uuid(bytes)
    default:
      let value = try? Bytes(bytes).read { (reader: inout ByteReader) throws(FormatError) in
        try Value(type, &reader)
      }
      guard let value else { return nil }
      self = value
    }
  }
}
