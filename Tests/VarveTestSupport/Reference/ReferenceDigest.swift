// Digests by the definition of Formats/Digest.md, one message after the other.
// Layer: test support.

import VarveFormat

/// Both digests of a state under a schema.
package struct ReferenceDigest: Sendable, Equatable {
  package private(set) var entities: [UInt32: DigestPair] = [:]
  package private(set) var total = DigestPair()

  package init(_ state: ReferenceState, _ schema: ReferenceSchema) {
    addState(state, schema)
    addContent(ReferenceView(state, schema))
  }

  private enum Kind {
    static let dead: UInt8 = 0x80
    static let birth: UInt8 = 0x81
    static let edge: UInt8 = 0x82
    static let counter: UInt8 = 0x83
    static let member: UInt8 = 0x84
    static let entry: UInt8 = 0x85
    static let alias: UInt8 = 0x86
    static let place: UInt8 = 0x88
  }

  // MARK: messages

  private static func message(
    _ id: ReferenceID, _ attribute: UInt32, _ body: (inout ByteWriter) -> Void = { _ in }
  ) -> [UInt8] {
    var writer = ByteWriter()
    writer.uint32(id.entity)
    writer.uint32(attribute)
    writer.bytes(id.place.creator)
    writer.uint64(id.place.serial)
    body(&writer)
    return writer.finish().array
  }

  private static func object(_ id: ReferenceID, _ writer: inout ByteWriter) {
    writer.uint32(id.entity)
    writer.bytes(id.place.creator)
    writer.uint64(id.place.serial)
  }

  private static func value(
    _ value: ReferenceValue, nilOf type: PhysicalType?, _ writer: inout ByteWriter
  ) {
    switch value {
    case .none:
      writer.uint8(0)
      if let type { writer.uint8(type.rawValue) }
    case .plain(let bytes): writer.bytes(bytes)
    case .object(let type, let id):
      writer.uint8(type.rawValue)
      object(id, &writer)
    case .place(let id, let key):
      writer.uint8(Kind.place)
      object(id, &writer)
      writer.countedBytes(key)
    }
  }

  private static func bytes(_ value: ReferenceValue) -> [UInt8] {
    var writer = ByteWriter()
    self.value(value, nilOf: nil, &writer)
    return writer.finish().array
  }

  private mutating func content(_ id: ReferenceID, _ message: [UInt8]) {
    let hash = Checksum.hash128(message)
    entities[id.entity, default: DigestPair()].content &+= hash
    total.content &+= hash
  }

  private mutating func state(
    _ id: ReferenceID, _ message: [UInt8], _ stamp: Stamp, _ author: [UInt8], _ more: UInt64? = nil
  ) {
    var writer = ByteWriter()
    writer.bytes(message)
    writer.uint64(stamp.rawValue)
    writer.bytes(author)
    if let more { writer.uint64(more) }
    let hash = Checksum.hash128(writer.finish())
    entities[id.entity, default: DigestPair()].state &+= hash
    total.state &+= hash
  }

  private mutating func state(_ id: ReferenceID, _ message: [UInt8], _ mark: ReferenceMark) {
    state(id, message, mark.stamp, mark.author.identity)
  }

  // MARK: state

  private mutating func addState(_ state: ReferenceState, _ schema: ReferenceSchema) {
    for (id, life) in state.objects(schema) {
      let message = ReferenceDigest.message(id, 0) { if !life.isAlive { $0.uint8(Kind.dead) } }
      self.state(id, message, life.mark)
    }
    for (id, mark) in state.births {
      self.state(id, ReferenceDigest.message(id, 0) { $0.uint8(Kind.birth) }, mark)
    }
    for (register, write) in state.registers { addRegister(register, write) }
    for (element, dots) in state.elements {
      let message = ReferenceDigest.message(element)
      for (dot, mark) in dots {
        self.state(element.object, message, mark.stamp, dot.line.identity, dot.sequence)
      }
    }
    for (counter, count) in state.counters {
      let message = ReferenceDigest.message(counter.object, counter.field) {
        $0.uint8(Kind.counter)
        $0.int64(count.total)
      }
      let none = [UInt8](repeating: 0, count: 16)
      self.state(
        counter.object, message, count.reset?.stamp ?? .zero, count.reset?.author.identity ?? none)
    }
  }

  private mutating func addRegister(
    _ register: ReferenceRegister, _ write: ReferenceState.Write
  ) {
    let id = register.object
    let message =
      switch register.field {
      case .column(let column):
        ReferenceDigest.message(id, column.field) {
          ReferenceDigest.value(write.value, nilOf: column.type, &$0)
        }
      case .place(let field):
        ReferenceDigest.message(id, field) {
          if write.value == .none { $0.uint8(Kind.place) }
          if write.value != .none { ReferenceDigest.value(write.value, nilOf: nil, &$0) }
        }
      case .entry(let field, let key): ReferenceDigest.message(id, field, key, write.value)
      case .alias:
        ReferenceDigest.message(id, 0) {
          $0.uint8(Kind.alias)
          if let target = write.value.target { ReferenceDigest.object(target, &$0) }
        }
      }
    state(id, message, write.mark)
  }

  private static func message(
    _ id: ReferenceID, _ field: UInt32, _ key: ReferenceValue, _ value: ReferenceValue
  ) -> [UInt8] {
    message(id, field) {
      $0.uint8(Kind.entry)
      $0.bytes(bytes(key))
      self.value(value, nilOf: nil, &$0)
    }
  }

  private static func message(_ element: ReferenceElement) -> [UInt8] {
    message(element.object, element.field) {
      $0.uint8(element.isEdge ? Kind.edge : Kind.member)
      if element.isEdge, let target = element.value.target {
        object(target, &$0)
      } else {
        value(element.value, nilOf: nil, &$0)
      }
    }
  }

  // MARK: content

  private mutating func addContent(_ view: ReferenceView) {
    for id in view.objects { content(id, ReferenceDigest.message(id, 0)) }
    for (id, columns) in view.written {
      for (column, value) in columns {
        content(
          id,
          ReferenceDigest.message(id, column.field) {
            ReferenceDigest.value(value, nilOf: nil, &$0)
          })
      }
    }
    for (slot, value) in view.places {
      content(
        slot.object,
        ReferenceDigest.message(slot.object, slot.field) {
          ReferenceDigest.value(value, nilOf: nil, &$0)
        })
    }
    for (slot, targets) in view.edges {
      for target in targets {
        let edge = ReferenceElement(
          object: slot.object, field: slot.field, isEdge: true, value: .object(.reference, target))
        content(slot.object, ReferenceDigest.message(edge))
      }
    }
    for (slot, values) in view.sets {
      for value in values {
        let member = ReferenceElement(
          object: slot.object, field: slot.field, isEdge: false, value: value)
        content(slot.object, ReferenceDigest.message(member))
      }
    }
    for (entry, value) in view.maps {
      let slot = entry.slot
      content(slot.object, ReferenceDigest.message(slot.object, slot.field, entry.key, value))
    }
    for (slot, value) in view.counters {
      content(
        slot.object,
        ReferenceDigest.message(slot.object, slot.field) {
          $0.uint8(Kind.counter)
          $0.int64(value)
        })
    }
  }
}
