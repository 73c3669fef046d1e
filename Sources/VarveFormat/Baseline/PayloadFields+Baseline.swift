// The fields of a baseline's payloads for `SegmentAnnotation`. See Formats/Baseline.md sections 2
// and 3.

extension PayloadFields {
  static func baselineSeal(_ walk: inout FieldWalk) throws(FormatError) {
    try walk.hash("content hash")
    try walk.uint64("raw bytes of all frames")
    try walk.uint32("block frames")
    try walk.uint32("side frames")
    let count = try walk.uint32("directory frames")
    try walk.uint32("zero")
    for _ in 0..<count { try walk.uint64("offset of a directory frame") }
  }

  /// The records of the first DIRECTORY frame; later ones start in the middle of the list.
  static func directory(_ walk: inout FieldWalk) throws(FormatError) {
    guard try walk.varint("frame of the directory") == 0 else {
      return try walk.rest("records, continued")
    }
    if try walk.varint("HEAD: era") > 0 { try walk.bytes(8, "transaction that opened the era") }
    try walk.varint("generation")
    try walk.hash("content hash of the parent")
    try walk.hexadecimal64("largest stamp")
    let creators = try walk.varint("creators")
    let declarations = try walk.varint("declarations")
    let tables = try walk.varint("tables")
    let sides = try walk.varint("sides")
    // Records that lie in later frames end the listing of this one.
    try records(creators, &walk, creator)
    try records(declarations, &walk, declaration)
    try records(tables, &walk, table)
    try records(sides, &walk) { (walk: inout FieldWalk) throws(FormatError) in
      try walk.uint8("SIDE: kind")
      try block(&walk)
    }
  }

  private static func records(
    _ count: UInt64, _ walk: inout FieldWalk,
    _ body: (inout FieldWalk) throws(FormatError) -> Void
  ) throws(FormatError) {
    var left = count
    while left > 0, walk.remaining > 0 {
      try body(&walk)
      left -= 1
    }
  }

  private static func creator(_ walk: inout FieldWalk) throws(FormatError) {
    if try walk.uint8("CREATOR: kind") == 0 {
      try walk.identifier(ReplicaID.self, "replica")
    } else {
      try walk.identifier(ReplicaID.self, "branch of replica")
      try walk.varint("fork sequence")
      try walk.bytes(8, "chain at the fork")
    }
    try walk.varint("head: sequence")
    try walk.hash("chain there")
    try walk.hexadecimal64("stamp there")
  }

  private static func declaration(_ walk: inout FieldWalk) throws(FormatError) {
    try schemaOperation(&walk, "DECLARATION: body bytes")
    for name in ["latest", "earliest"] {
      try walk.hexadecimal64("\(name) claim: stamp")
      try walk.identifier(ReplicaID.self, "replica")
      try walk.varint("ordinal")
    }
  }

  private static func table(_ walk: inout FieldWalk) throws(FormatError) {
    try walk.varint("TABLE: entity")
    let columns = try walk.varint("columns")
    for _ in 0..<columns {
      try walk.varint("column: tag")
      try walk.uint8("kind")
      try walk.varint("target entity")
    }
    try walk.varint("objects created")
    try walk.varint("dead")
    try walk.varint("hidden")
    try records(try walk.varint("runs"), &walk) { (walk: inout FieldWalk) throws(FormatError) in
      try run(&walk, columns: Int(clamping: columns))
    }
  }

  private static func run(_ walk: inout FieldWalk, columns: Int) throws(FormatError) {
    try walk.varint("RUN: creator")
    let rows = try walk.varint("rows")
    var codes: [UInt8] = []
    for _ in 0..<columns { codes.append(try walk.uint8("block size of a column, code")) }
    for code in codes {
      guard code < 3 else { throw FormatError(.badDirectory, "a block size of code \(code)") }
      let size = BaselineRun.blockRowsChoices[Int(code)]
      try records(UInt64(BaselineRun.blockCount(rows: rows, size: size)), &walk) {
        (walk: inout FieldWalk) throws(FormatError) in
        if try walk.uint8("SLOT") > 0 { try block(&walk) }
      }
    }
    let count = UInt64(BaselineRun.blockCount(rows: rows, size: Limits.blockRowsMax))
    for name in ["STAMP", "AUTHOR"] {
      try records(count, &walk) { (walk: inout FieldWalk) throws(FormatError) in
        try block(&walk, name)
      }
    }
    try records(count, &walk) { (walk: inout FieldWalk) throws(FormatError) in
      let groups = try walk.varint("OVERRIDES: groups")
      try records(groups, &walk) { (walk: inout FieldWalk) throws(FormatError) in
        for name in ["row", "column", "stamp", "author"] where walk.remaining > 0 {
          try block(&walk, name)
        }
      }
    }
  }

  private static func block(_ walk: inout FieldWalk, _ name: String = "") throws(FormatError) {
    try walk.varint(name.isEmpty ? "gap" : "\(name): gap")
    try walk.varint("stored length")
    try walk.varint("raw length")
    try walk.varint("rows")
    try walk.hash("hash")
  }
}
