// The fields of payloads for `SegmentAnnotation`.

/// Walks over the payloads of frames.
enum PayloadFields {
  // MARK: transactions

  static func transactions(_ walk: inout FieldWalk) throws(FormatError) {
    try walk.hash("previous chain")
    let count = try walk.uint32("transactions")
    let parts = try walk.uint32("parts")
    for part in 0..<parts { try walk.uint64("offset of part \(part)") }
    for _ in 0..<count { try transaction(&walk) }
  }

  private static func transaction(_ walk: inout FieldWalk) throws(FormatError) {
    try walk.uint8("transaction version")
    try walk.field("flags", { "\($0): \(words(TransactionFlags(rawValue: $0)))" }) {
      (r: inout ByteReader) throws(FormatError) in try r.uint8()
    }
    try walk.uint16("zero")
    let byteCount = try walk.uint32("byte count")
    guard byteCount >= 8 else { throw FormatError(.badLength, "a transaction of \(byteCount)") }
    try walk.sub(Int(byteCount) - 8) { (walk: inout FieldWalk) throws(FormatError) in
      try walk.hexadecimal64("stamp")
      try walk.uint64("sequence")
      let operations = try walk.uint32("operations")
      let parts = try walk.uint32("parts")
      if try walk.varint("era") > 0 { try walk.bytes(8, "transaction that opened the era") }
      try walk.varint("schema version")
      try dictionary(&walk)
      try vector(&walk)
      try metadata(&walk)
      for part in 0..<parts {
        try walk.uint8("part \(part), frame type")
        try walk.varint("raw length")
        try walk.varint("rows")
        try walk.hash("hash")
      }
      // A parted transaction has its operations in its parts.
      var count: UInt32 = 0
      while count < operations, walk.remaining > 0 {
        try operation(&walk)
        count += 1
      }
    }
  }

  private static func words(_ flags: TransactionFlags) -> String {
    let words = TransactionFlags.names.filter { flags.contains($0.0) }.map(\.1)
    return words.isEmpty ? "none" : words.joined(separator: "+")
  }

  static func dictionary(_ walk: inout FieldWalk) throws(FormatError) {
    let count = try walk.varint("dictionary entries")
    for _ in 0..<count {
      try walk.varint("index")
      if try walk.uint8("kind") == 0 {
        try walk.identifier(ReplicaID.self, "replica")
      } else {
        try walk.varint("branch of index")
        try walk.varint("fork sequence")
        try walk.bytes(8, "chain at the fork")
      }
    }
  }

  private static func vector(_ walk: inout FieldWalk) throws(FormatError) {
    let count = try walk.varint("dependencies")
    for _ in 0..<count {
      try walk.varint("index")
      try walk.varint("sequence")
      try walk.bytes(8, "chain there")
    }
  }

  private static func metadata(_ walk: inout FieldWalk) throws(FormatError) {
    let count = try walk.varint("metadata bytes")
    try walk.sub(try length(count, walk)) { (walk: inout FieldWalk) throws(FormatError) in
      while walk.remaining > 0 {
        let key = try walk.varint("key")
        let names = ["", "author", "label", "origin", "checkpoint"]
        try walk.countedBytes(key < 5 ? names[Int(key)] : "value of an unknown key")
      }
    }
  }

  private static func length(_ count: UInt64, _ walk: FieldWalk) throws(FormatError) -> Int {
    guard count <= UInt64(walk.remaining) else {
      throw FormatError(.badLength, "\(count) bytes of \(walk.remaining)")
    }
    return Int(count)
  }

  // MARK: operations

  private static func operation(_ walk: inout FieldWalk) throws(FormatError) {
    let code = try walk.field("operation", { "\(hexadecimal(UInt64($0), width: 2)): \(name($0))" })
    {
      (r: inout ByteReader) throws(FormatError) in try r.uint8()
    }
    let count = try walk.varint("body bytes")
    try walk.sub(try length(count, walk)) { (walk: inout FieldWalk) throws(FormatError) in
      switch Opcode(rawValue: code) {
      case .create:
        try object(&walk)
        try walk.countedBytes("key")
        try fields(&walk)
      case .set, .recreate:
        try object(&walk)
        try fields(&walk)
      case .delete, .undelete: try object(&walk)
      default: try walk.rest("body")
      }
    }
  }

  private static func name(_ code: UInt8) -> String {
    Opcode(rawValue: code & ~Opcode.criticalBit).map { String(describing: $0) } ?? "unknown"
  }

  private static func object(_ walk: inout FieldWalk) throws(FormatError) {
    try walk.varint("entity")
    if try walk.varint("space") == 0 {
      try walk.hash("key hash")
    } else {
      try walk.varint("serial")
    }
  }

  private static func fields(_ walk: inout FieldWalk) throws(FormatError) {
    let count = try walk.varint("fields")
    for _ in 0..<count {
      try walk.varint("field")
      let type = try walk.field("type", { "\($0): \(PhysicalType(rawValue: $0)?.name ?? "nil")" }) {
        (r: inout ByteReader) throws(FormatError) in try r.uint8()
      }
      guard type > 0 else { continue }
      guard let type = PhysicalType(rawValue: type) else {
        throw FormatError(.badValue, "value type \(type)")
      }
      try walk.field("", spelled) { (r: inout ByteReader) throws(FormatError) in try Value(type, &r)
      }
    }
  }

  /// Short values are spelled, long ones are left to the bytes beside.
  private static func spelled(_ value: Value) -> String {
    switch value {
    case .bool(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .unsigned(let value): "\(value)"
    case .date(let value): "\(value) ns since 1970"
    case .string(let value): "\"\(value)\" and its byte count in front"
    case .reference(let object), .identityReference(let object): "\(object)"
    default: "payload"
    }
  }

  static func schema(_ walk: inout FieldWalk) throws(FormatError) {
    let count = try walk.varint("schema operations")
    for _ in 0..<count { try schemaOperation(&walk, "body bytes") }
  }

  /// A byte count and the body of a declaration.
  static func schemaOperation(_ walk: inout FieldWalk, _ name: String) throws(FormatError) {
    let bytes = try walk.varint(name)
    try walk.field("", summary) {
      (r: inout ByteReader) throws(FormatError) in
      var body = try r.sub(try PayloadFields.length(bytes, r))
      return try SchemaOperation(&body)
    }
  }

  private static func length(_ count: UInt64, _ reader: ByteReader) throws(FormatError) -> Int {
    guard count <= UInt64(reader.remaining) else { throw reader.truncated(reader.remaining) }
    return Int(count)
  }

  private static func summary(_ operation: SchemaOperation) -> String {
    switch operation {
    case .entity(let entity, let label, _): "entity \(entity) \"\(label)\""
    case .attribute(let entity, let attribute, let type, let label, _, _):
      "attribute \(entity).\(attribute) \(type.name) \"\(label)\""
    case .relationship(let link): "relationship \(link.entity).\(link.attribute) \"\(link.label)\""
    case .uniqueness(let entity, _, _): "uniqueness of entity \(entity)"
    case .group(let entity, let group, let label, _): "group \(entity).\(group) \"\(label)\""
    case .index(let entity, let label, _, _): "index of entity \(entity) \"\(label)\""
    case .retire(let entity, let attribute): "retire \(entity).\(attribute)"
    case .version(let version, let label): "version \(version) \"\(label)\""
    }
  }

  // MARK: columns and seal

  static func columnBlock(_ walk: inout FieldWalk) throws(FormatError) {
    try walk.uint32("entity")
    try walk.uint32("attribute")
    try walk.field("type", { "\($0): \(PhysicalType(rawValue: $0)?.name ?? "unknown")" }) {
      (r: inout ByteReader) throws(FormatError) in try r.uint8()
    }
    try walk.field("encoding", { "\($0): \(ColumnEncoding(rawValue: $0)?.name ?? "unknown")" }) {
      (r: inout ByteReader) throws(FormatError) in try r.uint8()
    }
    try walk.uint8("nullable")
    try walk.uint8("zero")
    try walk.uint32("rows")
    try walk.uint32("dictionary entries")
    let dictionary = try walk.uint32("dictionary bytes")
    let heap = try walk.uint32("heap bytes")
    try walk.uint32("data bytes")
    try walk.bytes(Int(dictionary), "dictionary")
    try walk.bytes(Int(heap), "heap")
    try walk.bytes(Int((8 - heap % 8) % 8), "padding")
    try walk.rest("data")
  }

  static func seal(_ walk: inout FieldWalk) throws(FormatError) {
    try walk.uint64("first sequence")
    try walk.uint64("last sequence")
    try walk.uint64("transactions")
    try walk.hexadecimal64("smallest stamp")
    try walk.hexadecimal64("largest stamp")
    try walk.hash("chain")
    try walk.uint64("raw bytes of all frames")
    for type in 0..<10 {
      let name = type == 0 ? "ignorable" : FrameType(rawValue: UInt8(type)).name
      try walk.uint32("\(name) frames")
    }
    let index = try walk.uint32("index entries")
    let vector = try walk.uint32("version vector entries")
    let dictionary = try walk.uint32("dictionary bytes")
    let columns = try walk.uint32("column directory entries")
    for _ in 0..<index {
      try walk.uint64("index: offset")
      try walk.uint64("sequence")
    }
    for _ in 0..<vector {
      try walk.uint32("vector: dictionary index")
      try walk.uint32("zero")
      try walk.uint64("sequence")
    }
    try walk.bytes(Int(dictionary), "dictionary entries")
    try walk.bytes(Int((8 - dictionary % 8) % 8), "padding")
    for _ in 0..<columns { try walk.bytes(32, "column directory entry") }
  }
}
