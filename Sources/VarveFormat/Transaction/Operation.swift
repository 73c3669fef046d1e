// The operations of a transaction as values. The catalogue is in Formats/Transaction.md section 3.

/// A register write inside an operation.
package struct FieldValue: Hashable, Sendable {
  package var field: UInt32
  package var value: Value

  package init(_ field: UInt32, _ value: Value) {
    self.field = field
    self.value = value
  }
}

/// A column of an entity: two columns may share a tag when their types differ (Q7).
package struct FieldType: Hashable, Sendable, CustomStringConvertible {
  package var field: UInt32
  package var type: PhysicalType

  package init(_ field: UInt32, _ type: PhysicalType) {
    self.field = field
    self.type = type
  }

  package var description: String { "\(field):\(type.name)" }
}

/// One field of an atomic group: a value, or nil of a type.
package struct GroupMember: Hashable, Sendable {
  package var column: FieldType
  /// Nil, or a value of the column's type.
  package var value: Value?

  package init(_ field: UInt32, _ value: Value) {
    guard let type = PhysicalType(rawValue: value.typeCode) else {
      preconditionFailure("the nil of a group names its type")
    }
    column = FieldType(field, type)
    self.value = value
  }

  /// A member that becomes nil.
  package init(_ field: UInt32, nilOf type: PhysicalType) {
    column = FieldType(field, type)
    value = nil
  }
}

/// One change.
package enum Operation: Hashable, Sendable {
  case create(ObjectReference, key: [UInt8], [FieldValue])
  case set(ObjectReference, [FieldValue])
  /// The registers become nil; no other operation writes nil into a register of its own.
  case unset(ObjectReference, [FieldType])
  case link(ObjectReference, field: UInt32, target: ObjectReference)
  case unlink(ObjectReference, field: UInt32, target: ObjectReference, dots: [Dot])
  case pair(isPaired: Bool, a: ObjectReference, fieldA: UInt32, b: ObjectReference, fieldB: UInt32)
  /// `place` is nil when the object leaves its list.
  case order(ObjectReference, field: UInt32, place: OrderPlace?)
  case counterAdd(
    ObjectReference, field: UInt32, amount: Int64, resetStamp: Stamp, resetAuthor: UInt32)
  case counterReset(ObjectReference, field: UInt32, value: Int64)
  case setAdd(ObjectReference, field: UInt32, Value)
  case setRemove(ObjectReference, field: UInt32, Value, dots: [Dot])
  case mapPut(ObjectReference, field: UInt32, key: Value, Value)
  case mapRemove(ObjectReference, field: UInt32, key: Value)
  case group(ObjectReference, group: UInt32, [GroupMember])
  case delete(ObjectReference)
  case undelete(ObjectReference)
  case recreate(ObjectReference, [FieldValue])
  case merge(from: ObjectReference, into: ObjectReference)
  case schema(SchemaOperation)
  case localMarker(sequence: UInt64, chain: Hash128)
  case blob(sha256: [UInt8], byteCount: UInt64)
  case era(number: UInt64, kind: UInt8, baseline: Hash128, vector: [LogPosition])
  case acceptGap(index: UInt32, first: UInt64, last: UInt64, chain: Hash128)
  case acceptStore(StoreID)
  case adoption(Adoption)
  case retireReplica(LogPosition)
  case tag(name: String, isSet: Bool, vector: [LogPosition])
  case acknowledgeConflict(ObjectReference, field: UInt32, winner: Dot, loser: Dot)
  case migration(identifier: String, ordinal: UInt64, isFinished: Bool)
  case pendingLink(ObjectReference, field: UInt32, target: UInt32, key: [UInt8])
  case columns(ColumnsOperation)
  /// From a newer version; kept byte for byte.
  case unknown(opcode: UInt8, isCritical: Bool, [UInt8])

  /// A place in an ordered to-many: parent and order key are one register.
  package struct OrderPlace: Hashable, Sendable {
    package var parent: ObjectReference
    package var key: [UInt8]

    package init(parent: ObjectReference, key: [UInt8]) {
      self.parent = parent
      self.key = key
    }
  }

  /// Another replica's transaction, verbatim (R34).
  package struct Adoption: Hashable, Sendable {
    package var index: UInt32
    package var sequence: UInt64
    package var previousChain: Hash128
    package var dictionary: [DictionaryEntry]
    package var transaction: [UInt8]
    package var parts: [Part]

    package struct Part: Hashable, Sendable {
      package var frameType: UInt8
      package var payload: [UInt8]

      package init(frameType: UInt8, payload: [UInt8]) {
        self.frameType = frameType
        self.payload = payload
      }
    }

    package init(
      index: UInt32, sequence: UInt64, previousChain: Hash128, dictionary: [DictionaryEntry],
      transaction: [UInt8], parts: [Part]
    ) {
      self.index = index
      self.sequence = sequence
      self.previousChain = previousChain
      self.dictionary = dictionary
      self.transaction = transaction
      self.parts = parts
    }
  }

  /// The number on disk.
  package var opcode: UInt8 {
    switch self {
    case .create: Opcode.create.rawValue
    case .set: Opcode.set.rawValue
    case .unset: Opcode.unset.rawValue
    case .link: Opcode.link.rawValue
    case .unlink: Opcode.unlink.rawValue
    case .pair: Opcode.pair.rawValue
    case .order: Opcode.order.rawValue
    case .counterAdd: Opcode.counterAdd.rawValue
    case .counterReset: Opcode.counterReset.rawValue
    case .setAdd: Opcode.setAdd.rawValue
    case .setRemove: Opcode.setRemove.rawValue
    case .mapPut: Opcode.mapPut.rawValue
    case .mapRemove: Opcode.mapRemove.rawValue
    case .group: Opcode.group.rawValue
    case .delete: Opcode.delete.rawValue
    case .undelete: Opcode.undelete.rawValue
    case .recreate: Opcode.recreate.rawValue
    case .merge: Opcode.merge.rawValue
    case .schema: Opcode.schema.rawValue
    case .localMarker: Opcode.localMarker.rawValue
    case .blob: Opcode.blob.rawValue
    case .era: Opcode.era.rawValue
    case .acceptGap: Opcode.acceptGap.rawValue
    case .acceptStore: Opcode.acceptStore.rawValue
    case .adoption: Opcode.adoption.rawValue
    case .retireReplica: Opcode.retireReplica.rawValue
    case .tag: Opcode.tag.rawValue
    case .acknowledgeConflict: Opcode.acknowledgeConflict.rawValue
    case .migration: Opcode.migration.rawValue
    case .pendingLink: Opcode.pendingLink.rawValue
    case .columns: Opcode.columns.rawValue
    case .unknown(let opcode, let isCritical, _):
      opcode | (isCritical ? Opcode.criticalBit : 0)
    }
  }
}
