// The fields inside payloads. See Formats/Transaction.md and Formats/Segment.md section 3.

extension FrameLayout {
  static func payload(_ frame: ScannedFrame, _ start: LayoutReader) -> [LayoutField] {
    var layout = start
    layout.take { (layout, reader) throws(FormatError) in
      switch frame.header.type {
      case .transaction: try transactions(&layout, &reader)
      case .columnBlock: try columnBlock(&layout, &reader)
      case .mark: try layout.hash("chain", &reader)
      case .seal: try seal(&layout, &reader)
      case .schema: try schema(&layout, &reader)
      case .replicas: try replicas(&layout, &reader)
      default: layout.rest("payload", &reader)
      }
    }
    return layout.fields
  }

  // MARK: transactions

  private static func transactions(
    _ layout: inout LayoutReader, _ reader: inout ByteReader
  ) throws(FormatError) {
    try layout.hash("previousChain", &reader)
    let count = try layout.number32("transactions", &reader)
    let parts = try layout.number32("parts", &reader)
    for index in 0..<parts { _ = try layout.number64("partOffset[\(index)]", &reader) }
    for index in 0..<count { try transaction("transaction[\(index)].", &layout, &reader) }
  }

  private static func transaction(
    _ prefix: String, _ layout: inout LayoutReader, _ reader: inout ByteReader
  ) throws(FormatError) {
    let start = reader.position
    _ = try layout.byte(prefix + "version", &reader)
    _ = try layout.byte(prefix + "flags", &reader) { byte in
      let flags = TransactionFlags(rawValue: byte)
      let words = TransactionFlags.names.filter { flags.contains($0.0) }.map(\.1)
      return words.isEmpty ? "none" : words.joined(separator: "+")
    }
    _ = try layout.number16(prefix + "zero", &reader)
    let byteCount = Int(try layout.number32(prefix + "byteCount", &reader))
    try layout.stamp(prefix + "stamp", &reader)
    _ = try layout.number64(prefix + "sequence", &reader)
    let operations = try layout.number32(prefix + "operations", &reader)
    let parts = try layout.number32(prefix + "parts", &reader)
    let era = try layout.varint(prefix + "era", &reader)
    if era != 0 { try layout.skip(prefix + "eraOpened", 8, &reader) }
    _ = try layout.varint(prefix + "schemaVersion", &reader)
    try lists(prefix, &layout, &reader)
    var isParted = false
    for index in 0..<parts {
      try layout.whole(
        prefix + "part[\(index)]", &reader,
        { (reader: inout ByteReader) throws(FormatError) in try PartEntry(&reader) },
        fields: {
          if $0.frameType == .transactionPart { isParted = true }
          return [
            DumpField("type", .word($0.frameType.name)), DumpField("raw", .number($0.rawLength)),
            DumpField("rows", .number($0.rows)), DumpField("hash", .hash($0.hash)),
          ]
        })
    }
    if isParted {
      // The stream began in the parts: its end alone cannot be cut into operations.
      let rest = byteCount - (reader.position - start)
      return try layout.skip(prefix + "operationBytes", rest, &reader)
    }
    for index in 0..<operations {
      _ = try layout.field(
        prefix + "operation[\(index)]", &reader,
        { (reader: inout ByteReader) throws(FormatError) in try Operation(&reader) },
        text: { "\(OperationText.name($0)) " + LayoutReader.text(OperationText.fields($0)) })
    }
  }

  private static func lists(
    _ prefix: String, _ layout: inout LayoutReader, _ reader: inout ByteReader
  ) throws(FormatError) {
    let entries = try layout.varint(prefix + "dictionary", &reader)
    for index in 0..<entries {
      try layout.whole(
        prefix + "dictionary[\(index)]", &reader,
        { (reader: inout ByteReader) throws(FormatError) in try DictionaryEntry(&reader) },
        fields: { $0.fields })
    }
    let dependencies = try layout.varint(prefix + "dependencies", &reader)
    for index in 0..<dependencies {
      try layout.whole(
        prefix + "depends[\(index)]", &reader,
        { (reader: inout ByteReader) throws(FormatError) in try LogPosition(&reader) },
        fields: { OperationText.positionFields($0) })
    }
    try layout.whole(
      prefix + "metadata", &reader,
      { (reader: inout ByteReader) throws(FormatError) in try Metadata(&reader) },
      fields: { $0.records.flatMap { $0 } })
  }

  // MARK: column blocks

  private static func columnBlock(
    _ layout: inout LayoutReader, _ reader: inout ByteReader
  ) throws(FormatError) {
    _ = try layout.number32("entity", &reader)
    _ = try layout.number32("attribute", &reader)
    _ = try layout.byte("type", &reader) { "\($0) \(PhysicalType(rawValue: $0)?.name ?? "?")" }
    _ = try layout.byte("encoding", &reader) {
      "\($0) \(ColumnEncoding(rawValue: $0)?.name ?? "?")"
    }
    _ = try layout.byte("flags", &reader) { $0 == 1 ? "nullable" : $0 == 0 ? "none" : "\($0)" }
    _ = try layout.byte("zero", &reader)
    _ = try layout.number32("rows", &reader)
    _ = try layout.number32("dictionaryEntries", &reader)
    let dictionaryBytes = Int(try layout.number32("dictionaryBytes", &reader))
    let heapBytes = Int(try layout.number32("heapBytes", &reader))
    let dataBytes = Int(try layout.number32("dataBytes", &reader))
    try layout.skip("dictionary", dictionaryBytes, &reader)
    try layout.skip("heap", heapBytes, &reader)
    try layout.skip("heapPadding", (8 - heapBytes % 8) % 8, &reader)
    try layout.skip("data", dataBytes, &reader)
  }

  // MARK: seals and hints

  private static func seal(
    _ layout: inout LayoutReader, _ reader: inout ByteReader
  ) throws(FormatError) {
    _ = try layout.number64("firstSequence", &reader)
    _ = try layout.number64("lastSequence", &reader)
    _ = try layout.number64("transactions", &reader)
    try layout.stamp("minStamp", &reader)
    try layout.stamp("maxStamp", &reader)
    try layout.hash("chain", &reader)
    _ = try layout.number64("rawBytes", &reader)
    for type in 0..<10 {
      let name = type == 0 ? "ignorable" : FrameType(rawValue: UInt8(type)).name
      _ = try layout.number32("frames[\(name)]", &reader)
    }
    let index = try layout.number32("indexEntries", &reader)
    let vector = try layout.number32("vectorEntries", &reader)
    let dictionaryBytes = Int(try layout.number32("dictionaryBytes", &reader))
    let columns = try layout.number32("columnEntries", &reader)
    for place in 0..<index { try pair("index[\(place)]", "offset", &layout, &reader) }
    for place in 0..<vector { try pair("vector[\(place)]", "index", &layout, &reader) }
    let end = reader.position + dictionaryBytes
    var place = 0
    while reader.position < end {
      try layout.whole(
        "dictionary[\(place)]", &reader,
        { (reader: inout ByteReader) throws(FormatError) in try DictionaryEntry(&reader) },
        fields: { $0.fields })
      place += 1
    }
    try layout.skip("dictionaryPadding", (8 - dictionaryBytes % 8) % 8, &reader)
    for place in 0..<columns { try column("column[\(place)]", &layout, &reader) }
  }

  private static func pair(
    _ name: String, _ first: String, _ layout: inout LayoutReader, _ reader: inout ByteReader
  ) throws(FormatError) {
    try layout.whole(
      name, &reader,
      { (reader: inout ByteReader) throws(FormatError) in (try reader.uint64(), try reader.uint64())
      },
      fields: { [DumpField(first, .number($0.0)), DumpField("sequence", .number($0.1))] })
  }

  private static func column(
    _ name: String, _ layout: inout LayoutReader, _ reader: inout ByteReader
  ) throws(FormatError) {
    try layout.whole(
      name, &reader,
      { (reader: inout ByteReader) throws(FormatError) in try Seal.ColumnEntry(&reader) },
      fields: {
        [
          DumpField("offset", .number($0.offset)), DumpField("sequence", .number($0.sequence)),
          DumpField("entity", .number($0.entity)), DumpField("attribute", .number($0.attribute)),
          DumpField("rows", .number($0.rows)),
          DumpField("type", .word(PhysicalType(rawValue: $0.type)?.name ?? "\($0.type)")),
          DumpField(
            "encoding", .word(ColumnEncoding(rawValue: $0.encoding)?.name ?? "\($0.encoding)")),
        ]
      })
  }

  private static func schema(
    _ layout: inout LayoutReader, _ reader: inout ByteReader
  ) throws(FormatError) {
    let count = try layout.varint("declarations", &reader)
    for index in 0..<count {
      try layout.whole(
        "declaration[\(index)]", &reader,
        { (reader: inout ByteReader) throws(FormatError) in
          var body = try reader.sub(try reader.count(max: reader.remaining, "declaration length"))
          return try SchemaOperation(&body)
        },
        fields: { OperationText.schemaFields($0) })
    }
  }

  private static func replicas(
    _ layout: inout LayoutReader, _ reader: inout ByteReader
  ) throws(FormatError) {
    let count = try layout.varint("entries", &reader)
    for index in 0..<count {
      try layout.whole(
        "dictionary[\(index)]", &reader,
        { (reader: inout ByteReader) throws(FormatError) in try DictionaryEntry(&reader) },
        fields: { $0.fields })
    }
  }
}
