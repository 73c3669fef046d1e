// Random operations, every case of the catalogue. Layer: test support.

import VarveFormat

extension FormatRandom {
  /// Opcodes of the catalogue, and one that no version knows.
  package static let opcodes = Opcode.allCases.map(\.rawValue) + [0x3F]

  package mutating func operation() -> Operation { operation(pick(FormatRandom.opcodes)) }

  /// An operation with this opcode.
  package mutating func operation(_ opcode: UInt8) -> Operation {
    guard let opcode = Opcode(rawValue: opcode) else {
      return .unknown(opcode: opcode, isCritical: chance(50), bytes(max: 20))
    }
    switch opcode {
    case .create, .set, .unset, .group, .delete, .undelete, .recreate, .merge:
      return objectOperation(opcode)
    case .link, .unlink, .pair, .order, .pendingLink: return linkOperation(opcode)
    case .counterAdd, .counterReset, .setAdd, .setRemove, .mapPut, .mapRemove:
      return collectionOperation(opcode)
    case .columns: return .columns(columnsOperation())
    case .schema: return .schema(schemaOperation())
    default: return recordOperation(opcode)
    }
  }

  private mutating func objectOperation(_ opcode: Opcode) -> Operation {
    switch opcode {
    case .create:
      guard chance(30) else {
        return .create(
          ObjectReference(entity: tag(), index: index(), serial: serial()), key: [], fields())
      }
      let key = bytes(max: 12)
      return .create(
        ObjectReference(entity: tag(), identity: Checksum.hash128(key)), key: key, fields())
    case .set: return .set(object(), fields())
    case .unset: return .unset(object(), list(max: 4) { FieldType($0.tag(), $0.type()) })
    case .group: return .group(object(), group: tag(), list(max: 4) { $0.member() })
    case .delete: return .delete(object())
    case .undelete: return .undelete(object())
    case .recreate: return .recreate(object(), fields())
    default: return .merge(from: object(), into: object())
    }
  }

  private mutating func linkOperation(_ opcode: Opcode) -> Operation {
    switch opcode {
    case .link: .link(object(), field: tag(), target: object())
    case .unlink:
      .unlink(object(), field: tag(), target: object(), dots: list(max: 4) { $0.dot() })
    case .pair:
      .pair(isPaired: chance(50), a: object(), fieldA: tag(), b: object(), fieldB: tag())
    case .order:
      .order(
        object(), field: tag(),
        place: chance(30) ? nil : Operation.OrderPlace(parent: object(), key: bytes(max: 9)))
    default: .pendingLink(object(), field: tag(), target: tag(), key: bytes(max: 12))
    }
  }

  private mutating func collectionOperation(_ opcode: Opcode) -> Operation {
    switch opcode {
    case .counterAdd:
      .counterAdd(
        object(), field: tag(), amount: signed(), resetStamp: stamp(), resetAuthor: index())
    case .counterReset: .counterReset(object(), field: tag(), value: signed())
    case .setAdd: .setAdd(object(), field: tag(), present())
    case .setRemove:
      .setRemove(object(), field: tag(), present(), dots: list(max: 4) { $0.dot() })
    case .mapPut: .mapPut(object(), field: tag(), key: present(), present())
    default: .mapRemove(object(), field: tag(), key: present())
    }
  }

  private mutating func recordOperation(_ opcode: Opcode) -> Operation {
    switch opcode {
    case .localMarker: .localMarker(sequence: number(), chain: hash())
    case .blob: .blob(sha256: bytes(32), byteCount: number())
    case .era:
      .era(
        number: number(), kind: UInt8(within(1...2)), baseline: chance(50) ? .zero : hash(),
        vector: list(max: 4) { $0.position() })
    case .acceptGap: .acceptGap(index: index(), first: number(), last: number(), chain: hash())
    case .acceptStore: .acceptStore(store())
    case .adoption: .adoption(adoption())
    case .retireReplica: .retireReplica(position())
    case .tag: .tag(name: text(), isSet: chance(50), vector: list(max: 4) { $0.position() })
    case .acknowledgeConflict:
      .acknowledgeConflict(object(), field: tag(), winner: dot(), loser: dot())
    default: .migration(identifier: text(), ordinal: number(), isFinished: chance(50))
    }
  }

  private mutating func adoption() -> Operation.Adoption {
    Operation.Adoption(
      index: index(), sequence: number(), previousChain: hash(),
      dictionary: list(max: 3) { $0.dictionaryEntry() }, transaction: bytes(max: 60),
      parts: list(max: 2) {
        Operation.Adoption.Part(frameType: $0.chance(50) ? 4 : 8, payload: $0.bytes(max: 30))
      })
  }

  /// A columns operation that names no real parts.
  package mutating func columnsOperation() -> ColumnsOperation {
    let identifiers: ColumnsOperation.Identifiers
    let rows = within(1...5_000)
    switch below(3) {
    case 0:
      let first = min(serial(), Limits.serialMax - UInt64(rows) + 1)
      identifiers = .run(index: index(), firstSerial: first)
    case 1: identifiers = .references
    default: identifiers = .identities
    }
    let form = pick([ColumnsOperation.Form.create, .set, .delete, .link])
    var columns: [ColumnsOperation.Column] = []
    switch form {
    case .delete: break
    case .link: columns = [.init(attribute: tag(), type: .reference, target: tag())]
    default: columns = list(max: 4) { $0.column() }
    }
    return ColumnsOperation(
      form: form, entity: tag(), rows: rows, blockRows: pick([64, 4_096, 65_536, 100]),
      identifiers: identifiers, firstPart: below(100), columns: columns)
  }

  private mutating func column() -> ColumnsOperation.Column {
    let type = pick(PhysicalType.allCases)
    let hasTarget = type == .reference || type == .identityReference
    return ColumnsOperation.Column(
      attribute: tag(), type: type, hasExplicitNil: chance(50), target: hasTarget ? tag() : 0)
  }
}
