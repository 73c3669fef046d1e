// What a schema operation declares. See Formats/Transaction.md section 5.

/// One declaration of the schema that travels in the log (Q7).
package enum SchemaOperation: Hashable, Sendable {
  case entity(entity: UInt32, label: String, flags: UInt8)
  case attribute(
    entity: UInt32, attribute: UInt32, type: PhysicalType, label: String, flags: UInt8,
    defaultValue: Value?)
  case relationship(Relationship)
  case uniqueness(entity: UInt32, mode: UInt8, attributes: [UInt32])
  case group(entity: UInt32, group: UInt32, label: String, attributes: [UInt32])
  case index(entity: UInt32, label: String, kind: UInt8, attributes: [UInt32])
  case retire(entity: UInt32, attribute: UInt32)
  case version(UInt64, label: String)

  /// A link between two entities.
  package struct Relationship: Hashable, Sendable {
    package var entity: UInt32
    package var attribute: UInt32
    package var label: String
    package var kind: UInt8
    package var target: UInt32
    package var inverse: UInt32
    package var inverseLabel: String
    package var deleteRule: UInt8
    package var flags: UInt8

    package init(
      entity: UInt32, attribute: UInt32, label: String, kind: UInt8, target: UInt32,
      inverse: UInt32, inverseLabel: String, deleteRule: UInt8, flags: UInt8
    ) {
      self.entity = entity
      self.attribute = attribute
      self.label = label
      self.kind = kind
      self.target = target
      self.inverse = inverse
      self.inverseLabel = inverseLabel
      self.deleteRule = deleteRule
      self.flags = flags
    }
  }

  /// Flags of an entity.
  package enum EntityFlag {
    package static let identity: UInt8 = 1
    package static let updatesRevive: UInt8 = 2
  }

  /// Flags of an attribute.
  package enum AttributeFlag {
    package static let optional: UInt8 = 1
    package static let hasDefault: UInt8 = 2
    package static let counter: UInt8 = 4
    package static let set: UInt8 = 8
    package static let map: UInt8 = 16
    package static let ordered: UInt8 = 32
    package static let localOnly: UInt8 = 64
  }

  /// Flags of a relationship.
  package enum RelationshipFlag {
    package static let optional: UInt8 = 1
    package static let owner: UInt8 = 2
  }
}

extension SchemaOperation {
  package init(_ reader: inout ByteReader) throws(FormatError) {
    let kind = try reader.uint8()
    switch kind {
    case 1:
      let entity = try reader.varint32("entity")
      let label = try reader.label()
      self = .entity(entity: entity, label: label, flags: try reader.flags(below: 4))
    case 2: self = try SchemaOperation.attribute(&reader)
    case 3: self = .relationship(try Relationship(&reader))
    case 4:
      let entity = try reader.varint32("entity")
      let mode = try reader.flags(below: 4)
      self = .uniqueness(entity: entity, mode: mode, attributes: try reader.tags())
    case 5:
      let entity = try reader.varint32("entity")
      let group = try reader.varint32("group")
      let label = try reader.label()
      self = .group(entity: entity, group: group, label: label, attributes: try reader.tags())
    case 6:
      let entity = try reader.varint32("entity")
      let label = try reader.label()
      let indexKind = try reader.flags(below: 3)
      self = .index(
        entity: entity, label: label, kind: indexKind, attributes: try reader.tags())
    case 7:
      let entity = try reader.varint32("entity")
      self = .retire(entity: entity, attribute: try reader.varint32("attribute"))
    case 8:
      let version = try reader.varint()
      self = .version(version, label: try reader.label())
    default: throw reader.error(.badOperation, "schema kind \(kind) is not known")
    }
  }

  private static func attribute(_ reader: inout ByteReader) throws(FormatError) -> SchemaOperation {
    let entity = try reader.varint32("entity")
    let attribute = try reader.varint32("attribute")
    let code = try reader.uint8()
    guard let type = PhysicalType(rawValue: code) else {
      throw reader.error(.badOperation, "physical type \(code) is not known")
    }
    let label = try reader.label()
    let flags = try reader.flags(below: 128)
    let defaultValue = flags & AttributeFlag.hasDefault != 0 ? try Value(&reader) : nil
    return .attribute(
      entity: entity, attribute: attribute, type: type, label: label, flags: flags,
      defaultValue: defaultValue)
  }

  package func write(into writer: inout ByteWriter) {
    switch self {
    case .entity(let entity, let label, let flags):
      writer.uint8(1)
      writer.varint(UInt64(entity))
      writer.text(label)
      writer.uint8(flags)
    case .attribute(let entity, let attribute, let type, let label, let flags, let value):
      precondition(
        (flags & AttributeFlag.hasDefault != 0) == (value != nil), "flag and default agree")
      writer.uint8(2)
      writer.varint(UInt64(entity))
      writer.varint(UInt64(attribute))
      writer.uint8(type.rawValue)
      writer.text(label)
      writer.uint8(flags)
      value?.write(into: &writer)
    case .relationship(let relationship): relationship.write(into: &writer)
    case .uniqueness(let entity, let mode, let attributes):
      writer.uint8(4)
      writer.varint(UInt64(entity))
      writer.uint8(mode)
      writer.tags(attributes)
    case .group(let entity, let group, let label, let attributes):
      writer.uint8(5)
      writer.varint(UInt64(entity))
      writer.varint(UInt64(group))
      writer.text(label)
      writer.tags(attributes)
    case .index(let entity, let label, let kind, let attributes):
      writer.uint8(6)
      writer.varint(UInt64(entity))
      writer.text(label)
      writer.uint8(kind)
      writer.tags(attributes)
    case .retire(let entity, let attribute):
      writer.uint8(7)
      writer.varint(UInt64(entity))
      writer.varint(UInt64(attribute))
    case .version(let version, let label):
      writer.uint8(8)
      writer.varint(version)
      writer.text(label)
    }
  }
}

extension SchemaOperation.Relationship {
  init(_ reader: inout ByteReader) throws(FormatError) {
    entity = try reader.varint32("entity")
    attribute = try reader.varint32("attribute")
    label = try reader.label()
    kind = try reader.uint8()
    guard kind >= 1, kind <= 4 else {
      throw reader.error(.badOperation, "relationship kind \(kind) is not known")
    }
    target = try reader.varint32("target entity")
    inverse = try reader.varint32("inverse attribute")
    inverseLabel = try reader.label()
    deleteRule = try reader.flags(below: 4)
    flags = try reader.flags(below: 4)
  }

  func write(into writer: inout ByteWriter) {
    writer.uint8(3)
    writer.varint(UInt64(entity))
    writer.varint(UInt64(attribute))
    writer.text(label)
    writer.uint8(kind)
    writer.varint(UInt64(target))
    writer.varint(UInt64(inverse))
    writer.text(inverseLabel)
    writer.uint8(deleteRule)
    writer.uint8(flags)
  }
}

extension ByteReader {
  fileprivate mutating func label() throws(FormatError) -> String {
    try text(max: Limits.labelBytesMax)
  }

  /// A byte below `limit`.
  mutating func flags(below limit: UInt8) throws(FormatError) -> UInt8 {
    let byte = try uint8()
    guard byte < limit else { throw error(.badOperation, "a flag byte of \(byte)") }
    return byte
  }

  /// A counted list of tags.
  mutating func tags() throws(FormatError) -> [UInt32] {
    let count = try elementCount(max: Limits.columnsMax, "tags")
    var tags: [UInt32] = []
    for _ in 0..<count { tags.append(try varint32("tag")) }
    return tags
  }
}

extension ByteWriter {
  mutating func tags(_ tags: [UInt32]) {
    varint(tags.count)
    for tag in tags { varint(UInt64(tag)) }
  }
}
