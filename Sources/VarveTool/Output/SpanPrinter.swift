// Prints fields beside their bytes: offset, hexadecimal bytes, meaning.

import VarveFormat

/// Prints annotated bytes as text, JSON lines or one JSON array.
struct SpanPrinter {
  private let format: GlobalOptions.Format
  private let output: OutputWriter
  private let width: Int
  private var isFirst = true

  init(_ format: GlobalOptions.Format, width: Int, to output: OutputWriter) {
    self.format = format
    self.width = width
    self.output = output
  }

  mutating func print(_ spans: [ByteSpan]) throws(OutputError) {
    guard format != .human else {
      for line in SegmentAnnotation.text(spans, lineBytes: width) { try output.line(line) }
      return
    }
    for span in spans {
      if format == .json { try output.write(isFirst ? "[" : ",\n") }
      isFirst = false
      let isLine = format == .jsonLines
      let schema: [(String, JSONValue)] = isLine ? [("schema", "varve.field/1")] : []
      let json = JSONValue.object(
        schema + [
          ("field", .string(span.name.isEmpty ? "value" : span.name)),
          ("offset", .unsigned(span.offset)), ("length", .integer(Int64(span.bytes.count))),
          ("decompressed", .bool(span.isDecompressed)), ("value", .string(span.value)),
        ])
      try output.write(json.text)
      if isLine { try output.write("\n") }
    }
  }

  /// Ends the array of JSON.
  func finish() throws(OutputError) {
    if format == .json { try output.write(isFirst ? "[]\n" : "]\n") }
  }
}
