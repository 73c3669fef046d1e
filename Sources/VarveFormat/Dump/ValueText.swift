// How values, objects and cells print. See Formats/Dump.md.

/// Spells values.
package enum ValueText {
  /// Appends a value; strings in quotes.
  package static func write(_ value: Value, into writer: inout ByteWriter) {
    switch value {
    case .null: writer.characters("nil")
    case .bool(let value): writer.characters(value ? "true" : "false")
    case .integer(let value): writer.decimal(value)
    case .unsigned(let value): writer.decimal(value)
    case .double(let bits): double(bits, into: &writer)
    case .decimal(let value): decimal(value, into: &writer)
    case .string(let value): writer.quoted(value)
    case .data(let value):
      writer.characters("data:")
      writer.hexadecimal(value)
    case .date(let value):
      writer.characters("date:")
      writer.decimal(value)
    case .uuid(let value):
      writer.characters("uuid:")
      writer.hexadecimal(value)
    case .reference(let object), .identityReference(let object):
      writer.characters("ref:")
      write(object, into: &writer)
    case .blob(let hash, let count):
      writer.characters("blob:")
      writer.hexadecimal(hash)
      writer.character("/")
      writer.decimal(count)
    case .array(let type, let elements):
      writer.characters("array:")
      writer.characters(type.name)
      writer.character("[")
      for (index, element) in elements.enumerated() {
        if index > 0 { writer.character(",") }
        write(element, into: &writer)
      }
      writer.character("]")
    case .composite(let encoding, let value):
      writer.characters("composite:")
      writer.decimal(UInt64(encoding))
      writer.character(":")
      writer.hexadecimal(value)
    }
  }

  /// Appends an object: `entity/index/serial` or `entity/#hash`.
  package static func write(_ object: ObjectReference, into writer: inout ByteWriter) {
    writer.decimal(UInt64(object.entity))
    writer.character("/")
    switch object.origin {
    case .created(let index, let serial):
      writer.decimal(UInt64(index))
      writer.character("/")
      writer.decimal(serial)
    case .identity(let hash):
      writer.character("#")
      writer.hexadecimal(hash)
    }
  }

  /// Appends the value of a cell.
  ///
  /// A reference has target entity 0: its entity is known to the operation only.
  package static func write(_ block: ColumnBlock, row: Int, into writer: inout ByteWriter) {
    let type = block.header.type
    if type.isWord || type == .bool {
      if let word = block.word(row) {
        write(word, type, into: &writer)
      } else {
        writer.characters("nil")
      }
    } else if type == .string, let bytes = block.cellBytes(row) {
      writer.quoted(bytes)
    } else {
      // Cells were checked; one that is no value would print as nil.
      write((try? block.value(row, target: 0)) ?? .null, into: &writer)
    }
  }

  private static func write(_ word: UInt64, _ type: PhysicalType, into writer: inout ByteWriter) {
    switch type {
    case .bool: writer.characters(word != 0 ? "true" : "false")
    case .integer: writer.decimal(Int64(bitPattern: word))
    case .unsigned: writer.decimal(word)
    case .double: double(word, into: &writer)
    case .date:
      writer.characters("date:")
      writer.decimal(Int64(bitPattern: word))
    default:
      writer.characters("ref:0/")
      writer.decimal(word >> 48)
      writer.character("/")
      writer.decimal(word & 0xFFFF_FFFF_FFFF)
    }
  }

  private static func double(_ bits: UInt64, into writer: inout ByteWriter) {
    DoubleText.write(bits, into: &writer)
    writer.character(":")
    writer.hexadecimal(bits)
  }

  private static func decimal(_ value: DecimalValue, into writer: inout ByteWriter) {
    writer.characters("decimal:")
    if value.isNegative { writer.character("-") }
    writer.characters(String(value.magnitude))
    writer.character("e")
    writer.decimal(value.exponent)
  }

  /// The text of a value as a string.
  package static func text(_ value: Value) -> String {
    var writer = ByteWriter()
    write(value, into: &writer)
    return writer.text
  }
}
