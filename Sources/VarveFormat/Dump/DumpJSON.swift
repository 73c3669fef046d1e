// The JSON form of records: an object each. See Formats/Dump.md, "Spelling".

/// Spells records as JSON.
package enum DumpJSON {
  /// Appends a record without a line feed.
  package static func write(_ record: DumpRecord, into writer: inout ByteWriter) {
    writer.characters("{\"kind\":\"")
    writer.characters(record.kind)
    writer.characters("\",\"depth\":")
    writer.decimal(UInt64(record.depth))
    for field in record.fields {
      writer.characters(",\"")
      writer.characters(field.name)
      writer.characters("\":")
      write(field.value, into: &writer)
    }
    writer.character("}")
  }

  /// Appends a value: numbers as numbers, everything else in quotes.
  package static func write(_ value: DumpValue, into writer: inout ByteWriter) {
    switch value {
    case .number, .signed, .string: DumpText.write(value, into: &writer)
    case .value(let value):
      let start = writer.count
      ValueText.write(value, into: &writer)
      if !value.printsQuotes { writer.quote(from: start) }
    case .cell(let block, let row):
      let start = writer.count
      ValueText.write(block, row: row, into: &writer)
      if block.header.type == .array {
        writer.quote(from: start)
      } else if block.header.type != .string || block.isNil(row) {
        writer.quotePlain(from: start)
      }
    default:
      writer.character("\"")
      DumpText.write(value, into: &writer)
      writer.character("\"")
    }
  }
}

extension Value {
  /// Whether the text of the value is a string in quotes, which is JSON already.
  fileprivate var printsQuotes: Bool { if case .string = self { true } else { false } }
}
