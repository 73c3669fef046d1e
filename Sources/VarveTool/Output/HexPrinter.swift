// Prints fields beside their bytes: offset, hexadecimal bytes, name and value.

import VarveFormat

/// Prints annotated hex dumps as text, JSON lines or one JSON array.
struct HexPrinter: ~Copyable {
  /// Longer fields show their first and last lines only.
  private static let linesMax = 64

  private let format: GlobalOptions.Format
  private let output: OutputWriter
  private let width: Int
  private var section = ""
  private var isFirst = true
  private var buffer = ByteWriter(capacity: 4_096)

  init(_ format: GlobalOptions.Format, width: Int, to output: OutputWriter) {
    self.format = format
    self.width = width
    self.output = output
  }

  mutating func print(_ fields: [LayoutField]) throws(OutputError) {
    for field in fields {
      if format == .human { text(field) } else { json(field) }
      isFirst = false
      try drain()
    }
  }

  mutating func finish() throws(OutputError) {
    if format == .json { buffer.characters(isFirst ? "[]\n" : "]\n") }
    try drain()
  }

  // MARK: text

  private mutating func text(_ field: LayoutField) {
    if field.section != section {
      section = field.section
      if !isFirst { buffer.character("\n") }
      buffer.characters("\(section)\n")
    }
    let lines = (field.bytes.count + width - 1) / width
    for line in 0..<lines {
      if lines > HexPrinter.linesMax, line >= HexPrinter.linesMax / 2,
        line < lines - HexPrinter.linesMax / 2
      {
        if line == HexPrinter.linesMax / 2 {
          buffer.characters("          ... \(lines - HexPrinter.linesMax) more lines\n")
        }
        continue
      }
      row(field, line)
    }
  }

  private mutating func row(_ field: LayoutField, _ line: Int) {
    let start = line * width
    let bytes = field.bytes.slice(start, min(width, field.bytes.count - start)).array
    buffer.character(field.isDecompressed ? "+" : " ")
    buffer.characters(hexadecimal(field.offset + UInt64(start), width: 8))
    buffer.character(" ")
    for byte in bytes {
      buffer.character(" ")
      buffer.hexadecimal([byte])
    }
    if line == 0 {
      for _ in bytes.count..<width { buffer.characters("   ") }
      buffer.characters("  \(field.name)")
      if !field.value.isEmpty { buffer.characters(" \(field.value)") }
    }
    buffer.character("\n")
  }

  // MARK: JSON

  private mutating func json(_ field: LayoutField) {
    if format == .json { buffer.characters(isFirst ? "[" : ",\n") }
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("section", .string(field.section))
    writer.member("field", .string(field.name))
    writer.member("offset", .unsigned(field.offset))
    writer.member("length", .integer(Int64(field.bytes.count)))
    writer.member("decompressed", .bool(field.isDecompressed))
    writer.member("value", .string(field.value))
    writer.endObject()
    buffer.bytes(writer.bytes)
    if format == .jsonLines { buffer.character("\n") }
  }

  private mutating func drain() throws(OutputError) {
    defer { buffer.removeAll() }
    try buffer.withUnsafeBytes { bytes throws(OutputError) in try output.write(bytes) }
  }
}
