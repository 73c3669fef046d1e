// The payload of a SCHEMA frame: declarations of earlier transactions, repeated. See
// Formats/Segment.md section 2.

/// Schema declarations that stand in front of a segment's transactions.
package enum SchemaHint {
  /// The declarations of a SCHEMA frame.
  package static func decode(_ frame: ScannedFrame) throws(FormatError) -> [SchemaOperation] {
    try frame.content { (reader: inout ByteReader) throws(FormatError) in try decode(&reader) }
  }

  package static func decode(_ payload: Bytes) throws(FormatError) -> [SchemaOperation] {
    try payload.read { (reader: inout ByteReader) throws(FormatError) in try decode(&reader) }
  }

  private static func decode(_ reader: inout ByteReader) throws(FormatError) -> [SchemaOperation] {
    let count = try reader.count(max: Limits.operationsMax, "schema operations")
    var list: [SchemaOperation] = []
    for _ in 0..<count {
      var body = try reader.sub(try reader.count(max: reader.remaining, "schema operation"))
      list.append(try SchemaOperation(&body))
      try body.finish(.badOperation, "a schema operation")
    }
    try reader.finish(.badOperation, "a SCHEMA frame")
    return list
  }

  package static func encode(_ schema: [SchemaOperation]) -> Bytes {
    var writer = ByteWriter(capacity: 1_024)
    writer.varint(schema.count)
    for operation in schema {
      var body = ByteWriter()
      operation.write(into: &body)
      writer.varint(body.count)
      body.withUnsafeBytes { writer.bytes($0) }
    }
    return writer.finish()
  }
  /// The payloads of as many frames as the declarations take.
  ///
  /// A declaration that fits no frame, because of its default value, is left out: hints only
  /// repeat.
  package static func payloads(_ schema: [SchemaOperation]) -> [Bytes] {
    let whole = encode(schema)
    if whole.count <= Limits.frameRawBytesMax { return [whole] }
    var payloads: [Bytes] = []
    var piece: [SchemaOperation] = []
    var bytes = 0
    for operation in schema {
      // Three bytes of a count, five of a length.
      let length = encode([operation]).count + 8
      guard length <= Limits.frameRawBytesMax else { continue }
      if bytes + length > Limits.frameRawBytesMax {
        payloads.append(encode(piece))
        (piece, bytes) = ([], 0)
      }
      piece.append(operation)
      bytes += length
    }
    return piece.isEmpty ? payloads : payloads + [encode(piece)]
  }
}
