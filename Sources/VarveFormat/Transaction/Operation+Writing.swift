// Operations to bytes.

extension Operation {
  /// Appends opcode, length and body.
  ///
  /// `scratch` is reused between operations.
  package func write(into writer: inout ByteWriter, scratch: inout ByteWriter) {
    scratch.removeAll()
    writeBody(into: &scratch)
    writer.uint8(opcode)
    writer.varint(scratch.count)
    scratch.withUnsafeBytes { writer.bytes($0) }
  }

  private func writeBody(into writer: inout ByteWriter) {
    switch self {
    case .create(let object, let key, let fields):
      object.write(into: &writer)
      writer.countedBytes(key)
      writer.fields(fields)
    case .set(let object, let fields), .recreate(let object, let fields):
      object.write(into: &writer)
      writer.fields(fields)
    case .unset(let object, let fields):
      object.write(into: &writer)
      writer.varint(fields.count)
      for column in fields {
        writer.varint(UInt64(column.field))
        writer.uint8(column.type.rawValue)
      }
    case .group(let object, let group, let members):
      object.write(into: &writer)
      writer.varint(UInt64(group))
      writer.members(members)
    case .delete(let object), .undelete(let object): object.write(into: &writer)
    case .merge(let from, let into):
      from.write(into: &writer)
      into.write(into: &writer)
    case .link, .unlink, .pair, .order, .pendingLink: writeLink(into: &writer)
    case .counterAdd, .counterReset, .setAdd, .setRemove, .mapPut, .mapRemove:
      writeCollection(into: &writer)
    case .columns(let operation): operation.write(into: &writer)
    case .schema(let operation): operation.write(into: &writer)
    case .unknown(_, _, let body): writer.bytes(body)
    default: writeRecord(into: &writer)
    }
  }

  private func writeLink(into writer: inout ByteWriter) {
    switch self {
    case .link(let object, let field, let target):
      writer.register(object, field)
      target.write(into: &writer)
    case .unlink(let object, let field, let target, let dots):
      writer.register(object, field)
      target.write(into: &writer)
      writer.dots(dots)
    case .pair(let isPaired, let a, let fieldA, let b, let fieldB):
      writer.uint8(isPaired ? 1 : 0)
      writer.register(a, fieldA)
      writer.register(b, fieldB)
    case .order(let object, let field, let place):
      writer.register(object, field)
      writer.uint8(place == nil ? 0 : 1)
      if let place {
        place.parent.write(into: &writer)
        writer.countedBytes(place.key)
      }
    case .pendingLink(let object, let field, let target, let key):
      writer.register(object, field)
      writer.varint(UInt64(target))
      writer.countedBytes(key)
    default: preconditionFailure("not a link operation")
    }
  }

  private func writeCollection(into writer: inout ByteWriter) {
    switch self {
    case .counterAdd(let object, let field, let amount, let stamp, let author):
      writer.register(object, field)
      writer.zigzag(amount)
      writer.uint64(stamp.rawValue)
      writer.varint(UInt64(author))
    case .counterReset(let object, let field, let value):
      writer.register(object, field)
      writer.zigzag(value)
    case .setAdd(let object, let field, let value):
      writer.register(object, field)
      value.write(into: &writer)
    case .setRemove(let object, let field, let value, let dots):
      writer.register(object, field)
      value.write(into: &writer)
      writer.dots(dots)
    case .mapPut(let object, let field, let key, let value):
      writer.register(object, field)
      key.write(into: &writer)
      value.write(into: &writer)
    case .mapRemove(let object, let field, let key):
      writer.register(object, field)
      key.write(into: &writer)
    default: preconditionFailure("not an operation of a counter, set or map")
    }
  }

  private func writeRecord(into writer: inout ByteWriter) {
    switch self {
    case .localMarker(let sequence, let chain):
      writer.varint(sequence)
      writer.hash128(chain)
    case .blob(let hash, let count):
      precondition(hash.count == 32, "a SHA-256 has 32 bytes")
      writer.bytes(hash)
      writer.varint(count)
    case .era(let number, let kind, let baseline, let vector):
      writer.varint(number)
      writer.uint8(kind)
      writer.hash128(baseline)
      writer.vector(vector)
    case .acceptGap(let index, let first, let last, let chain):
      writer.varint(UInt64(index))
      writer.varint(first)
      writer.varint(last)
      writer.hash128(chain)
    case .acceptStore(let store): writer.bytes(store.array)
    case .adoption(let adoption): adoption.write(into: &writer)
    case .retireReplica(let position): position.write(into: &writer)
    case .tag(let name, let isSet, let vector):
      writer.text(name)
      writer.uint8(isSet ? 1 : 0)
      writer.vector(vector)
    case .acknowledgeConflict(let object, let field, let winner, let loser):
      writer.register(object, field)
      winner.write(into: &writer)
      loser.write(into: &writer)
    case .migration(let identifier, let ordinal, let isFinished):
      writer.text(identifier)
      writer.varint(ordinal)
      writer.uint8(isFinished ? 1 : 0)
    default: preconditionFailure("not a record operation")
    }
  }
}

extension Operation.Adoption {
  fileprivate func write(into writer: inout ByteWriter) {
    writer.varint(UInt64(index))
    writer.varint(sequence)
    writer.hash128(previousChain)
    writer.varint(dictionary.count)
    for entry in dictionary { entry.write(into: &writer) }
    writer.countedBytes(transaction)
    writer.varint(parts.count)
    for part in parts {
      writer.uint8(part.frameType)
      writer.countedBytes(part.payload)
    }
  }
}

extension ByteWriter {
  fileprivate mutating func register(_ object: ObjectReference, _ field: UInt32) {
    object.write(into: &self)
    varint(UInt64(field))
  }

  fileprivate mutating func fields(_ fields: [FieldValue]) {
    varint(fields.count)
    for field in fields {
      varint(UInt64(field.field))
      field.value.write(into: &self)
    }
  }

  fileprivate mutating func members(_ members: [GroupMember]) {
    varint(members.count)
    for member in members {
      varint(UInt64(member.column.field))
      (member.value ?? .null).write(into: &self)
      if member.value == nil { uint8(member.column.type.rawValue) }
    }
  }

  fileprivate mutating func dots(_ dots: [Dot]) {
    varint(dots.count)
    for dot in dots { dot.write(into: &self) }
  }

  mutating func vector(_ vector: [LogPosition]) {
    varint(vector.count)
    for position in vector { position.write(into: &self) }
  }
}
