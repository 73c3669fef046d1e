// Dumps of bytes as lines, and small segments to dump. Shared by the tests of the dump.

import VarveFormat

/// Lines that a dump prints.
enum DumpLines {
  static func text(_ bytes: Bytes, values: Bool = false) throws -> [String] {
    var options = DumpOptions()
    options.values = values
    return try text(bytes, options).lines
  }

  static func text(
    _ bytes: Bytes, _ options: DumpOptions
  ) throws -> (lines: [String], summary: DumpSummary) {
    let collected = Collected()
    let summary = try FileDump.run(MemorySource(bytes), options: options) {
      collected.lines.append(line($0, DumpText.write))
    }
    return (collected.lines, summary)
  }

  static func json(_ bytes: Bytes, values: Bool = false) throws -> [String] {
    var options = DumpOptions()
    options.values = values
    let collected = Collected()
    _ = try FileDump.run(MemorySource(bytes), options: options) {
      collected.lines.append(line($0, DumpJSON.write))
    }
    return collected.lines
  }

  static func line(
    _ record: DumpRecord, _ write: (DumpRecord, inout ByteWriter) -> Void
  ) -> String {
    var writer = ByteWriter()
    write(record, &writer)
    return writer.text
  }

  static func text(_ value: DumpValue) -> String {
    var writer = ByteWriter()
    DumpText.write(value, into: &writer)
    return writer.text
  }

  static func json(_ value: DumpValue) -> String {
    var writer = ByteWriter()
    DumpJSON.write(value, into: &writer)
    return writer.text
  }

  private final class Collected {
    var lines: [String] = []
  }
}

/// Small segments.
enum DumpSample {
  static let header = FileHeader(
    store: StoreID([UInt8](repeating: 1, count: 16)),
    replica: ReplicaID([UInt8](repeating: 2, count: 16)), ordinal: 1, firstSequence: 1,
    salt: 0x0123_4567_89AB_CDEF, previousChain: .zero, created: stamp, previousBytes: 0)

  static let stamp = Stamp(milliseconds: 1_700_000_000_123, counter: 5)

  /// A segment with one transaction of these operations.
  static func segment(_ operations: [Operation]) throws -> Bytes {
    var encoder = SegmentEncoder(header)
    var builder = TransactionBuilder()
    for operation in operations { builder.add(operation) }
    encoder.append(try builder.finish(), stamp: stamp, isFullVector: true)
    encoder.endGroup()
    return Bytes(header.encoded.array + encoder.output.bytes)
  }

  /// A segment with one columns operation over these columns.
  static func segment(_ columns: [ColumnInput], rows: Int) throws -> Bytes {
    var encoder = SegmentEncoder(header)
    var builder = TransactionBuilder()
    try builder.addColumns(
      form: .create, entity: 7, rows: rows, identifiers: .run(index: 0, firstSerial: 1),
      columns: columns)
    encoder.append(try builder.finish(), stamp: stamp, isFullVector: true)
    encoder.endGroup()
    return Bytes(header.encoded.array + encoder.output.bytes)
  }

  /// Two groups, each promised by what follows it, and an end of some form.
  static func tiny(mark: Bool = false, seal: Bool = false) throws -> Bytes {
    var encoder = SegmentEncoder(header)
    for serial in [UInt64(5), 6] {
      var builder = TransactionBuilder()
      builder.add(.delete(ObjectReference(entity: 7, serial: serial)))
      encoder.append(try builder.finish(), stamp: stamp, isFullVector: serial == 5)
      encoder.endGroup()
      encoder.didSync(upTo: encoder.offset)
    }
    if mark { encoder.mark() }
    if seal { encoder.seal() }
    return Bytes(header.encoded.array + encoder.output.bytes)
  }
}
