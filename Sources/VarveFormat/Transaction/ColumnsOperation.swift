// The operation that writes many objects at once. See Formats/Transaction.md section 4.

/// A group of rows of one entity, whose cells lie in column parts.
package struct ColumnsOperation: Hashable, Sendable {
  package enum Form: UInt8, Sendable {
    case create = 1
    case set, delete, link

    package var name: String { String(describing: self) }
  }

  /// Which objects the rows are.
  package enum Identifiers: Hashable, Sendable {
    /// Serials that go up by one, of the replica at a dictionary index.
    case run(index: UInt32, firstSerial: UInt64)
    /// A column of references.
    case references
    /// A column of identity references.
    case identities
  }

  package struct Column: Hashable, Sendable {
    package var attribute: UInt32
    package var type: PhysicalType
    /// Whether a nil cell writes nil; else it writes nothing.
    package var hasExplicitNil: Bool
    /// The entity that references point to; 0 for other types.
    package var target: UInt32

    package init(
      attribute: UInt32, type: PhysicalType, hasExplicitNil: Bool = false, target: UInt32 = 0
    ) {
      self.attribute = attribute
      self.type = type
      self.hasExplicitNil = hasExplicitNil
      self.target = target
    }
  }

  package var form: Form
  package var entity: UInt32
  package var rows: Int
  package var blockRows: Int
  package var identifiers: Identifiers
  package var firstPart: Int
  package var columns: [Column]

  package init(
    form: Form, entity: UInt32, rows: Int, blockRows: Int = Limits.blockRowsMax,
    identifiers: Identifiers, firstPart: Int, columns: [Column]
  ) {
    self.form = form
    self.entity = entity
    self.rows = rows
    self.blockRows = blockRows
    self.identifiers = identifiers
    self.firstPart = firstPart
    self.columns = columns
  }

  /// The columns as they lie in parts: ids and keys first.
  package var partColumns: [Column] {
    switch identifiers {
    case .run: columns
    case .references: [Column(attribute: 0, type: .reference, target: entity)] + columns
    case .identities:
      [Column(attribute: 0, type: .identityReference, target: entity)]
        + (form == .create ? [Column(attribute: 0, type: .data)] : []) + columns
    }
  }

  package var blocks: Int { (rows + blockRows - 1) / blockRows }
  /// Rows of a block.
  package func rows(ofBlock block: Int) -> Int { min(blockRows, rows - block * blockRows) }
  /// Parts that the group uses.
  package var partCount: Int { blocks * partColumns.count }
}

extension ColumnsOperation {
  package init(_ reader: inout ByteReader) throws(FormatError) {
    let formCode = try reader.uint8()
    guard let form = Form(rawValue: formCode) else {
      throw reader.error(.badOperation, "columns form \(formCode) is not known")
    }
    self.form = form
    entity = try reader.varint32("entity")
    rows = try reader.count(max: Limits.columnsRowsMax, "rows")
    blockRows = try reader.count(max: Limits.blockRowsMax, "block rows")
    guard rows >= 1, blockRows >= 64 else {
      throw reader.error(.badOperation, "\(rows) rows in blocks of \(blockRows)")
    }
    let kind = try reader.uint8()
    switch kind {
    case 0:
      let index = UInt32(try reader.count(max: Limits.dictionaryMax - 1, "dictionary index"))
      let first = try reader.varint()
      guard first >= 1, first <= Limits.serialMax - UInt64(rows - 1) else {
        throw reader.error(.badOperation, "a run of serials from \(first) is out of range")
      }
      identifiers = .run(index: index, firstSerial: first)
    case 1: identifiers = .references
    case 2: identifiers = .identities
    default: throw reader.error(.badOperation, "id kind \(kind) is not known")
    }
    firstPart = try reader.count(max: Limits.partsMax, "first part")
    let count = try reader.elementCount(max: Limits.columnsMax, smallest: 4, "columns")
    columns = []
    for _ in 0..<count { columns.append(try Column(&reader)) }
    guard partCount <= Limits.partsMax else {
      throw reader.error(.badOperation, "\(partCount) parts in one operation")
    }
    try checkForm(reader)
  }

  /// A deletion has ids only, a link one column of references.
  private func checkForm(_ reader: ByteReader) throws(FormatError) {
    let isReference = columns.first.map { [.reference, .identityReference].contains($0.type) }
    switch form {
    case .create, .set: return
    case .delete where columns.isEmpty: return
    case .link where columns.count == 1 && isReference == true: return
    case .delete, .link:
      throw reader.error(.badOperation, "\(columns.count) columns in the form \(form.name)")
    }
  }

  func write(into writer: inout ByteWriter) {
    writer.uint8(form.rawValue)
    writer.varint(UInt64(entity))
    writer.varint(rows)
    writer.varint(blockRows)
    switch identifiers {
    case .run(let index, let first):
      writer.uint8(0)
      writer.varint(UInt64(index))
      writer.varint(first)
    case .references: writer.uint8(1)
    case .identities: writer.uint8(2)
    }
    writer.varint(firstPart)
    writer.varint(columns.count)
    for column in columns { column.write(into: &writer) }
  }
}

extension ColumnsOperation.Column {
  init(_ reader: inout ByteReader) throws(FormatError) {
    attribute = try reader.varint32("attribute")
    let code = try reader.uint8()
    guard let type = PhysicalType(rawValue: code) else {
      throw reader.error(.badOperation, "physical type \(code) is not known")
    }
    self.type = type
    hasExplicitNil = try reader.flags(below: 2) == 1
    target = try reader.varint32("target entity")
    guard target == 0 || type == .reference || type == .identityReference else {
      throw reader.error(.badOperation, "a column of \(type.name) has a target entity")
    }
  }

  func write(into writer: inout ByteWriter) {
    writer.varint(UInt64(attribute))
    writer.uint8(type.rawValue)
    writer.uint8(hasExplicitNil ? 1 : 0)
    writer.varint(UInt64(target))
  }
}
