// Bytes to operations. Everything is bounded by the body's length, and the body must be used up.

extension Operation {
  /// Reads opcode, length and body.
  package init(_ reader: inout ByteReader) throws(FormatError) {
    let code = try reader.uint8()
    let length = try reader.count(max: reader.remaining, "operation length")
    var body = try reader.sub(length)
    guard let opcode = Opcode(rawValue: code & ~Opcode.criticalBit) else {
      self = .unknown(
        opcode: code & ~Opcode.criticalBit, isCritical: code & Opcode.criticalBit != 0,
        try body.bytes(length))
      return
    }
    guard code & Opcode.criticalBit == 0 else {
      throw reader.error(.badOperation, "the critical bit on a known operation")
    }
    switch opcode {
    case .create, .set, .unset, .group, .delete, .undelete, .recreate, .merge:
      self = try Operation.object(opcode, &body)
    case .link, .unlink, .pair, .order, .pendingLink: self = try Operation.linking(opcode, &body)
    case .counterAdd, .counterReset, .setAdd, .setRemove, .mapPut, .mapRemove:
      self = try Operation.collection(opcode, &body)
    case .columns: self = .columns(try ColumnsOperation(&body))
    case .schema: self = .schema(try SchemaOperation(&body))
    default: self = try Operation.record(opcode, &body)
    }
    try body.finish(.badOperation, "operation \(opcode)")
    reader.adoptElements(of: body)
  }

  private static func object(_ opcode: Opcode, _ reader: inout ByteReader) throws(FormatError)
    -> Operation
  {
    let object = try ObjectReference(&reader)
    switch opcode {
    case .create:
      let key = try reader.countedBytes()
      if case .created = object.origin, !key.isEmpty {
        throw reader.error(.badOperation, "a key on an object that has no identity")
      }
      if case .identity(let hash) = object.origin, Checksum.hash128(key) != hash {
        throw reader.error(.badOperation, "an identity that is not the hash of its key")
      }
      return .create(object, key: key, try reader.fields())
    case .set: return .set(object, try reader.fields())
    case .unset: return .unset(object, try reader.fieldTypes())
    case .group:
      let group = try reader.varint32("group")
      return .group(object, group: group, try reader.members())
    case .delete: return .delete(object)
    case .undelete: return .undelete(object)
    case .recreate: return .recreate(object, try reader.fields())
    default: return .merge(from: object, into: try ObjectReference(&reader))
    }
  }

  private static func linking(_ opcode: Opcode, _ reader: inout ByteReader) throws(FormatError)
    -> Operation
  {
    let isPaired = opcode == .pair ? try reader.bool() : false
    let object = try ObjectReference(&reader)
    let field = try reader.varint32("field")
    switch opcode {
    case .link: return .link(object, field: field, target: try ObjectReference(&reader))
    case .unlink:
      let target = try ObjectReference(&reader)
      return .unlink(object, field: field, target: target, dots: try reader.dots())
    case .pair:
      let b = try ObjectReference(&reader)
      return .pair(
        isPaired: isPaired, a: object, fieldA: field, b: b, fieldB: try reader.varint32("field"))
    case .order:
      guard try reader.bool() else { return .order(object, field: field, place: nil) }
      let parent = try ObjectReference(&reader)
      return .order(
        object, field: field, place: OrderPlace(parent: parent, key: try reader.countedBytes()))
    default:
      let target = try reader.varint32("target entity")
      return .pendingLink(object, field: field, target: target, key: try reader.countedBytes())
    }
  }

  private static func collection(_ opcode: Opcode, _ reader: inout ByteReader) throws(FormatError)
    -> Operation
  {
    let object = try ObjectReference(&reader)
    let field = try reader.varint32("field")
    switch opcode {
    case .counterAdd:
      let amount = try reader.zigzag()
      let stamp = Stamp(rawValue: try reader.uint64())
      let author = UInt32(try reader.count(max: Limits.dictionaryMax - 1, "dictionary index"))
      return .counterAdd(
        object, field: field, amount: amount, resetStamp: stamp, resetAuthor: author)
    case .counterReset: return .counterReset(object, field: field, value: try reader.zigzag())
    case .setAdd: return .setAdd(object, field: field, try reader.present())
    case .setRemove:
      let value = try reader.present()
      return .setRemove(object, field: field, value, dots: try reader.dots())
    case .mapPut:
      let key = try reader.present()
      return .mapPut(object, field: field, key: key, try reader.present())
    default: return .mapRemove(object, field: field, key: try reader.present())
    }
  }

  private static func record(_ opcode: Opcode, _ reader: inout ByteReader) throws(FormatError)
    -> Operation
  {
    switch opcode {
    case .localMarker:
      let sequence = try reader.varint()
      return .localMarker(sequence: sequence, chain: try reader.hash128())
    case .blob:
      let hash = try reader.bytes(32)
      return .blob(sha256: hash, byteCount: try reader.varint())
    case .era:
      let number = try reader.varint()
      let kind = try reader.flags(below: 3)
      guard kind >= 1 else { throw reader.error(.badOperation, "era kind 0 is not known") }
      let baseline = try reader.hash128()
      return .era(
        number: number, kind: kind, baseline: baseline, vector: try reader.vector())
    case .acceptGap:
      let index = UInt32(try reader.count(max: Limits.dictionaryMax - 1, "dictionary index"))
      let first = try reader.varint()
      let last = try reader.varint()
      return .acceptGap(index: index, first: first, last: last, chain: try reader.hash128())
    case .acceptStore: return .acceptStore(try reader.identifier(StoreID.self))
    case .adoption: return .adoption(try Adoption(&reader))
    case .retireReplica: return .retireReplica(try LogPosition(&reader))
    case .tag:
      let name = try reader.text(max: Limits.labelBytesMax)
      let isSet = try reader.bool()
      return .tag(name: name, isSet: isSet, vector: try reader.vector())
    case .acknowledgeConflict:
      let object = try ObjectReference(&reader)
      let field = try reader.varint32("field")
      let winner = try Dot(&reader)
      return .acknowledgeConflict(object, field: field, winner: winner, loser: try Dot(&reader))
    default:
      let identifier = try reader.text(max: Limits.labelBytesMax)
      let ordinal = try reader.varint()
      return .migration(
        identifier: identifier, ordinal: ordinal, isFinished: try reader.bool())
    }
  }
}

extension Operation.Adoption {
  fileprivate init(_ reader: inout ByteReader) throws(FormatError) {
    index = UInt32(try reader.count(max: Limits.dictionaryMax - 1, "dictionary index"))
    sequence = try reader.varint()
    previousChain = try reader.hash128()
    dictionary = try reader.dictionary()
    transaction = try reader.countedBytes()
    let count = try reader.elementCount(max: Limits.partsMax, smallest: 2, "parts")
    parts = []
    for _ in 0..<count {
      let type = try reader.uint8()
      guard type == FrameType.transactionPart.rawValue || type == FrameType.columnBlock.rawValue
      else { throw reader.error(.badOperation, "an adopted part of frame type \(type)") }
      let payload = try reader.countedBytes(max: Limits.frameRawBytesMax)
      parts.append(Part(frameType: type, payload: payload))
    }
  }
}

extension ByteReader {
  fileprivate mutating func bool() throws(FormatError) -> Bool { try flags(below: 2) == 1 }

  fileprivate mutating func fields() throws(FormatError) -> [FieldValue] {
    // A field takes two bytes at least, which bounds the count by what is left.
    let count = try elementCount(smallest: 2, "fields")
    var fields: [FieldValue] = []
    fields.reserveCapacity(min(count, Limits.reservedMax))
    for _ in 0..<count {
      let field = try varint32("field")
      fields.append(FieldValue(field, try present()))
    }
    return fields
  }

  /// A value that is not nil: a nil without a type says nothing of the columns of its tag.
  fileprivate mutating func present() throws(FormatError) -> Value {
    let value = try Value(&self)
    guard value != .null else { throw error(.badValue, "a nil where a value must stand") }
    return value
  }

  fileprivate mutating func type() throws(FormatError) -> PhysicalType {
    let code = try uint8()
    guard let type = PhysicalType(rawValue: code) else {
      throw error(.badOperation, "physical type \(code) is not known")
    }
    return type
  }

  fileprivate mutating func fieldTypes() throws(FormatError) -> [FieldType] {
    let count = try elementCount(max: Limits.columnsMax, smallest: 2, "fields")
    var fields: [FieldType] = []
    for _ in 0..<count {
      let field = try varint32("field")
      fields.append(FieldType(field, try type()))
    }
    return fields
  }

  fileprivate mutating func members() throws(FormatError) -> [GroupMember] {
    let count = try elementCount(max: Limits.columnsMax, smallest: 3, "fields of a group")
    var members: [GroupMember] = []
    for _ in 0..<count {
      let field = try varint32("field")
      switch try Value(&self) {
      case .null: members.append(GroupMember(field, nilOf: try type()))
      case let value: members.append(GroupMember(field, value))
      }
    }
    return members
  }

  fileprivate mutating func dots() throws(FormatError) -> [Dot] {
    let count = try elementCount(smallest: 2, "dots")
    var dots: [Dot] = []
    for _ in 0..<count { dots.append(try Dot(&self)) }
    return dots
  }

  mutating func vector() throws(FormatError) -> [LogPosition] {
    let count = try elementCount(
      max: Limits.dependenciesMax, smallest: 10, "vector entries")
    var vector: [LogPosition] = []
    for _ in 0..<count { vector.append(try LogPosition(&self)) }
    return vector
  }
}
