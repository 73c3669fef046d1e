// Prints the records of dumps as text, JSON lines or one JSON document.

import VarveFormat

/// Spells records into a buffer and hands it on in large pieces.
final class RecordPrinter {
  private let format: GlobalOptions.Format
  private let output: OutputWriter
  private var buffer = ByteWriter(capacity: OutputWriter.bufferBytes * 2)
  private var count = 0

  init(_ format: GlobalOptions.Format, to output: OutputWriter) {
    self.format = format
    self.output = output
  }

  func print(_ record: DumpRecord) throws(OutputError) {
    switch format {
    case .human: DumpText.write(record, into: &buffer)
    case .jsonLines: DumpJSON.write(record, into: &buffer)
    case .json:
      buffer.characters(count == 0 ? RecordPrinter.start : ",\n")
      DumpJSON.write(record, into: &buffer)
    }
    if format != .json { buffer.character("\n") }
    count += 1
    if buffer.count >= OutputWriter.bufferBytes { try drain() }
  }

  private static let start = "{\"schema\":\"varve.dump/1\",\"records\":["

  /// Ends the document of JSON and hands everything on.
  func finish() throws(OutputError) {
    if format == .json {
      if count == 0 { buffer.characters(RecordPrinter.start) }
      buffer.characters("],\"count\":\(count)}\n")
    }
    try drain()
  }

  private func drain() throws(OutputError) {
    // The bytes leave the buffer even when they cannot be written: nobody asks for them again.
    defer { buffer.removeAll() }
    try buffer.withUnsafeBytes { bytes throws(OutputError) in try output.write(bytes) }
  }
}
