// The operations of a transaction, wherever their bytes lie.

/// Walks operation streams: TXPART payloads first, then the inline bytes.
package enum OperationStream {
  /// Decodes every operation in order.
  ///
  /// - Throws: `badPart` when a part's raw bytes do not have the listed hash, and what decoding
  ///   finds.
  package static func forEach(
    _ transaction: ScannedTransaction, parts: [ScannedFrame],
    _ body: (Operation) throws(FormatError) -> Void
  ) throws(FormatError) {
    let (header, inline) = try transaction.decoded()
    let stream =
      header.flags.contains(.parted) ? try assembled(header, inline, parts) : inline
    try stream.read { (reader: inout ByteReader) throws(FormatError) in
      for _ in 0..<header.operations { try body(try Operation(&reader)) }
      try reader.finish(.badTransaction, "the operations of transaction \(header.sequence)")
    }
  }

  /// The schema declarations, found without decoding anything else.
  package static func schema(_ transaction: ScannedTransaction, parts: [ScannedFrame])
    throws(FormatError) -> [SchemaOperation]
  {
    let (header, inline) = try transaction.decoded()
    let stream =
      header.flags.contains(.parted) ? try assembled(header, inline, parts) : inline
    return try stream.read { (reader: inout ByteReader) throws(FormatError) in
      var list: [SchemaOperation] = []
      for _ in 0..<header.operations {
        let opcode = try reader.uint8()
        var body = try reader.sub(try reader.count(max: reader.remaining, "operation length"))
        if opcode == Opcode.schema.rawValue { list.append(try SchemaOperation(&body)) }
      }
      return list
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
