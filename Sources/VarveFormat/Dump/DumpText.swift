// The text form of records: a line each. See Formats/Dump.md, "Spelling".

/// Spells records as text.
package enum DumpText {
  /// Appends a record without a line feed.
  package static func write(_ record: DumpRecord, into writer: inout ByteWriter) {
    for _ in 0..<record.depth { writer.characters("  ") }
    writer.characters(record.kind)
    for field in record.fields {
      writer.character(" ")
      writer.characters(field.name)
      writer.character("=")
      write(field.value, into: &writer)
    }
  }

  /// Appends a value.
  package static func write(_ value: DumpValue, into writer: inout ByteWriter) {
    switch value {
    case .number(let number): writer.decimal(number)
    case .signed(let number): writer.decimal(number)
    case .hexadecimal(let number): writer.hexadecimal(number)
    case .hash(let hash): writer.hexadecimal(hash)
    case .bytes(let bytes): writer.hexadecimal(bytes)
    case .word(let word): writer.characters(word)
    case .string(let string): writer.quoted(string)
    case .object(let object): ValueText.write(object, into: &writer)
    case .value(let value): ValueText.write(value, into: &writer)
    case .cell(let block, let row): ValueText.write(block, row: row, into: &writer)
    }
  }
}
