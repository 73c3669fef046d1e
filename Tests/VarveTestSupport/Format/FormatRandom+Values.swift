// Random values in row form, every type. Layer: test support.

import VarveFormat

extension FormatRandom {
  package mutating func object() -> ObjectReference {
    chance(25)
      ? ObjectReference(entity: tag(), identity: hash())
      : ObjectReference(entity: tag(), index: index(), serial: serial())
  }

  /// A value of any type, nil among them.
  package mutating func value() -> Value {
    chance(8) ? .null : present()
  }

  /// A value of any type.
  package mutating func present() -> Value { value(type()) }

  package mutating func type() -> PhysicalType { pick(PhysicalType.allCases) }

  package mutating func value(_ type: PhysicalType) -> Value {
    switch type {
    case .bool: .bool(chance(50))
    case .integer: .integer(signed())
    case .unsigned: .unsigned(number())
    case .double: .double(Double(bitPattern: doubleBits()))
    case .decimal: .decimal(decimal())
    case .string: .string(text())
    case .data: .data(bytes(max: 40))
    case .date: .date(signed())
    case .uuid: .uuid(bytes(16))
    case .reference: .reference(object())
    case .blob: .blob(sha256: bytes(32), byteCount: number())
    case .array: array()
    case .composite: .composite(encoding: UInt8(within(1...2)), bytes(max: 30))
    case .identityReference:
      .identityReference(ObjectReference(entity: tag(), identity: hash()))
    }
  }

  /// Bits of a double: special ones, and any.
  package mutating func doubleBits() -> UInt64 {
    switch below(4) {
    case 0:
      pick([
        0, 1 << 63, Double.infinity.bitPattern, (-Double.infinity).bitPattern,
        Double.leastNonzeroMagnitude.bitPattern, Double.greatestFiniteMagnitude.bitPattern,
        Value.canonicalNaN,
      ])
    case 1: Double(below(1_000)).bitPattern
    default: word()
    }
  }

  package mutating func decimal() -> DecimalValue {
    let magnitude = UInt128(number()) << 64 | UInt128(number())
    let shift = UInt128(below(128))
    return DecimalValue(
      isNegative: chance(50), exponent: Int64(within(-400...400)), magnitude: magnitude >> shift)
  }

  private mutating func array() -> Value {
    let type = pick(PhysicalType.allCases.filter { $0.rawValue <= 9 })
    return .array(type, list(max: 5) { $0.value(type) })
  }

  package mutating func fields() -> [FieldValue] {
    list(max: 4) { FieldValue($0.tag(), $0.present()) }
  }

  package mutating func member() -> GroupMember {
    chance(30) ? GroupMember(tag(), nilOf: type()) : GroupMember(tag(), present())
  }

  package mutating func dot() -> Dot { Dot(index: index(), sequence: number()) }

  package mutating func position() -> LogPosition {
    LogPosition(index: index(), sequence: number(), chainPrefix: bytes(8))
  }

  package mutating func dictionaryEntry() -> DictionaryEntry {
    let index = UInt32(within(1...(Limits.dictionaryMax - 1)))
    return DictionaryEntry(
      index: index,
      chance(60)
        ? .replica(replica())
        : .branch(parent: self.index(), forkSequence: number(), chainPrefix: bytes(8)))
  }

  package mutating func metadata() -> Metadata {
    var metadata = Metadata(
      author: chance(50) ? text() : nil, label: chance(50) ? text() : nil,
      origin: chance(50) ? pick(Origin.allCases) : nil)
    if chance(30) { metadata.checkpoint = text() }
    if metadata.origin == nil, chance(20) {
      metadata.unknown.append(Metadata.Entry(key: 3, bytes: [UInt8(within(6...255))]))
    }
    if chance(40) {
      metadata.unknown.append(Metadata.Entry(key: UInt64(within(5...9)), bytes: bytes(max: 9)))
      metadata.unknown.append(
        Metadata.Entry(key: max(number(), 10), bytes: bytes(max: 200)))
    }
    return metadata
  }

  package mutating func era() -> Era {
    chance(70) ? Era() : Era(number: max(number(), 1), opened: bytes(8))
  }
}
