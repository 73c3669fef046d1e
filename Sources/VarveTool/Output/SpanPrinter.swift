// Prints fields beside their bytes: offset, hexadecimal bytes, meaning.

import VarveFormat

/// Prints annotated bytes as text, JSON lines or one JSON document.
struct SpanPrinter {
  private let output: OutputWriter
  private let width: Int
  private let path: String
  private var document: DocumentWriter?
  private var count = 0

  init(
    _ format: GlobalOptions.Format, path: String, width: Int, to output: OutputWriter
  ) throws(OutputError) {
    self.path = path
    self.width = width
    self.output = output
    guard format != .human else { return }
    let isLines = format == .jsonLines
    document = try DocumentWriter(
      output, schema: isLines ? "varve.field/1" : "varve.frame/1", list: "fields",
      isLines: isLines)
  }

  mutating func print(_ spans: [ByteSpan]) throws(OutputError) {
    guard document != nil else {
      for line in SegmentAnnotation.text(spans, lineBytes: width) { try output.line(line) }
      return
    }
    for span in spans {
      count += 1
      try document?.add([
        ("field", .string(span.name.isEmpty ? "value" : span.name)),
        ("offset", .unsigned(span.offset)), ("length", .integer(Int64(span.bytes.count))),
        ("decompressed", .bool(span.isDecompressed)), ("value", .string(span.value)),
      ])
    }
  }

  /// Ends the document.
  mutating func finish() throws(OutputError) {
    try document?.finish([("count", .integer(Int64(count))), ("file", .string(path))])
  }
}
