// The operations of a transaction, wherever their bytes lie.

/// Walks operation streams: TXPART payloads first, then the inline bytes.
package enum OperationStream {
  /// Hands every operation to `body` as its stored opcode and a cursor over its bytes, undecoded.
  ///
  /// - Throws: `badPart` when a part's raw bytes do not have the listed hash, what framing finds,
  ///   and what `body` throws; offsets of `body`'s errors are taken for places in the content.
  package static func visit(
    _ transaction: ScannedTransaction, parts: [ScannedFrame],
    _ body: (UInt8, inout ByteReader) throws(FormatError) -> Void
  ) throws(FormatError) {
    try withStream(transaction, parts) { (reader, count) throws(FormatError) in
      do throws(FormatError) {
        for _ in 0..<count {
          let opcode = try reader.uint8()
          var bytes = try reader.sub(try reader.count(max: reader.remaining, "operation length"))
          try body(opcode, &bytes)
        }
      } catch { throw error.inContent() }
    }
  }

  /// Decodes every operation in order.
  ///
  /// - Throws: As `visit`, and what decoding finds.
  package static func forEach(
    _ transaction: ScannedTransaction, parts: [ScannedFrame],
    _ body: (Operation) throws(FormatError) -> Void
  ) throws(FormatError) {
    try withStream(transaction, parts) { (reader, count) throws(FormatError) in
      for _ in 0..<count {
        let operation: Operation
        do throws(FormatError) { operation = try Operation(&reader) } catch {
          throw error.inContent()
        }
        try body(operation)
      }
    }
  }

  /// The schema declarations, found without decoding anything else.
  package static func schema(_ transaction: ScannedTransaction, parts: [ScannedFrame])
    throws(FormatError) -> [SchemaOperation]
  {
    var list: [SchemaOperation] = []
    try visit(transaction, parts: parts) { (opcode, bytes) throws(FormatError) in
      if opcode == Opcode.schema.rawValue { list.append(try SchemaOperation(&bytes)) }
    }
    return list
  }

  /// Runs `body` with a cursor over the whole stream and the number of operations in it.
  private static func withStream(
    _ transaction: ScannedTransaction, _ parts: [ScannedFrame],
    _ body: (inout ByteReader, Int) throws(FormatError) -> Void
  ) throws(FormatError) {
    let (header, inline): (TransactionHeader, Bytes)
    do throws(FormatError) { (header, inline) = try transaction.decoded() } catch {
      throw error.inContent()
    }
    let stream = header.flags.contains(.parted) ? try assembled(header, inline, parts) : inline
    try stream.read { (reader: inout ByteReader) throws(FormatError) in
      try body(&reader, header.operations)
      do throws(FormatError) {
        try reader.finish(.badTransaction, "the operations of transaction \(header.sequence)")
      } catch { throw error.inContent() }
    }
  }

  private static func assembled(
    _ header: TransactionHeader, _ inline: Bytes, _ parts: [ScannedFrame]
  ) throws(FormatError) -> Bytes {
    var writer = ByteWriter(capacity: 1 << 20)
    for (entry, part) in zip(header.parts, parts) where entry.frameType == .transactionPart {
      let raw = try part.payload()
      guard Checksum.hash128(raw) == entry.hash else {
        throw FormatError(
          .badPart, "the hash of an operation part does not match", offset: part.offset)
      }
      writer.bytes(raw)
    }
    writer.bytes(inline)
    return writer.finish()
  }
}
