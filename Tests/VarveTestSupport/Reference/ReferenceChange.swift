// What an operation says, in few kinds of changes with resolved names. Layer: test support.
//
// Both reference models start from these, and merge them in ways of their own.

import VarveFormat

/// What a register holds.
package enum ReferenceValue: Hashable, Sendable, CustomStringConvertible {
  case none
  /// Type and payload in row form.
  case plain([UInt8])
  case object(PhysicalType, ReferenceID)
  /// Parent and order key.
  case place(ReferenceID, [UInt8])

  package var target: ReferenceID? {
    switch self {
    case .object(_, let id), .place(let id, _): id
    default: nil
    }
  }

  package var description: String {
    switch self {
    case .none: "nil"
    case .plain(let bytes): hexadecimal(bytes)
    case .object(_, let id): "->\(id)"
    case .place(let id, let key): "->\(id)[\(hexadecimal(key))]"
    }
  }
}

/// A register of an object.
package enum ReferenceField: Hashable, Sendable {
  case column(FieldType)
  case place(UInt32)
  case entry(UInt32, key: ReferenceValue)
  case alias
}

/// An object and one of its registers.
package struct ReferenceRegister: Hashable, Sendable {
  package var object: ReferenceID
  package var field: ReferenceField

  package init(_ object: ReferenceID, _ field: ReferenceField) {
    self.object = object
    self.field = field
  }
}

/// An element that is there while it has a dot: an edge, or a member of a set.
package struct ReferenceElement: Hashable, Sendable {
  package var object: ReferenceID
  package var field: UInt32
  package var isEdge: Bool
  package var value: ReferenceValue
}

/// A counter of an object.
package struct ReferenceCounter: Hashable, Sendable {
  package var object: ReferenceID
  package var field: UInt32

  package init(_ object: ReferenceID, _ field: UInt32) {
    self.object = object
    self.field = field
  }
}

/// The reset that an increment saw.
package struct ReferenceReset: Hashable, Comparable, Sendable {
  package var stamp: Stamp
  package var author: ReferenceLine

  package init(_ stamp: Stamp, _ author: ReferenceLine) {
    self.stamp = stamp
    self.author = author
  }

  package init(_ mark: ReferenceMark) { self.init(mark.stamp, mark.author) }

  package static func < (a: ReferenceReset, b: ReferenceReset) -> Bool {
    a.stamp != b.stamp ? a.stamp < b.stamp : a.author < b.author
  }
}

/// One elementary change.
package enum ReferenceChange: Hashable, Sendable {
  case create(ReferenceID)
  case life(ReferenceID, isAlive: Bool)
  /// Forgets what is older; the object's life is a change of its own.
  case birth(ReferenceID)
  case write(ReferenceRegister, ReferenceValue)
  case add(ReferenceElement)
  case remove(ReferenceElement, [ReferenceDot])
  case increment(ReferenceCounter, Int64, saw: ReferenceReset?)
  case reset(ReferenceCounter, Int64)
  case schema(SchemaOperation)
  case opaque(Operation)

  /// The object that the change writes to, for entities that an update revives.
  package var updated: ReferenceID? {
    switch self {
    case .write(let register, _): register.field == .alias ? nil : register.object
    case .add(let element), .remove(let element, _): element.object
    case .increment(let counter, _, _), .reset(let counter, _): counter.object
    default: nil
    }
  }
}

extension ReferenceTransaction {
  package func mark(_ operation: Int) -> ReferenceMark { ReferenceMark(stamp, dot, operation) }

  /// The changes with the places of their operations.
  package var changes: [(mark: ReferenceMark, change: ReferenceChange)] {
    operations.enumerated().flatMap { index, operation in
      changes(operation).map { (mark(index), $0) }
    }
  }

  package func value(_ value: Value) -> ReferenceValue {
    switch value {
    case .null: return .none
    case .reference(let object): return .object(.reference, id(object))
    case .identityReference(let object): return .object(.identityReference, id(object))
    default:
      var writer = ByteWriter()
      value.write(into: &writer)
      return .plain(writer.finish().array)
    }
  }

  private func write(_ object: ReferenceID, _ fields: [FieldValue]) -> [ReferenceChange] {
    fields.map { field in
      guard let type = PhysicalType(rawValue: field.value.typeCode) else {
        preconditionFailure("a nil without a type")
      }
      return .write(
        ReferenceRegister(object, .column(FieldType(field.field, type))), value(field.value))
    }
  }

  package func changes(_ operation: Operation) -> [ReferenceChange] {
    switch operation {
    case .create(let object, _, let fields):
      return [.create(id(object))] + write(id(object), fields)
    case .recreate(let object, let fields):
      return [.birth(id(object)), .life(id(object), isAlive: true)] + write(id(object), fields)
    case .delete(let object): return [.life(id(object), isAlive: false)]
    case .undelete(let object): return [.life(id(object), isAlive: true)]
    case .set(let object, let fields): return write(id(object), fields)
    case .unset(let object, let columns):
      return columns.map { .write(ReferenceRegister(id(object), .column($0)), .none) }
    case .group(let object, _, let members):
      // Each write names all members, so that one mark orders them together (R11).
      return members.map { member in
        .write(
          ReferenceRegister(id(object), .column(member.column)), value(member.value ?? .null))
      }
    case .merge(let from, let into):
      return [.write(ReferenceRegister(id(from), .alias), .object(.reference, id(into)))]
    case .link, .unlink, .pair, .order, .pendingLink: return linkChanges(operation)
    case .counterAdd, .counterReset, .setAdd, .setRemove, .mapPut, .mapRemove:
      return collectionChanges(operation)
    case .schema(let declaration): return [.schema(declaration)]
    case .unknown: return [.opaque(operation)]
    // Acts on logs and stores, and marks for people: the graph does not change. Columns need
    // their parts; a test turns them into rows first.
    default: return []
    }
  }

  private func edge(_ a: ObjectReference, _ field: UInt32, _ b: ObjectReference)
    -> ReferenceElement
  {
    ReferenceElement(
      object: id(a), field: field, isEdge: true, value: .object(.reference, id(b)))
  }

  private func linkChanges(_ operation: Operation) -> [ReferenceChange] {
    switch operation {
    case .link(let object, let field, let target): return [.add(edge(object, field, target))]
    case .unlink(let object, let field, let target, let dots):
      return [.remove(edge(object, field, target), dots.map(dot(_:)))]
    case .pair(let isPaired, let a, let fieldA, let b, let fieldB):
      return [(a, fieldA, b), (b, fieldB, a)].map { own, field, other in
        .write(
          ReferenceRegister(id(own), .column(FieldType(field, .reference))),
          isPaired ? .object(.reference, id(other)) : .none)
      }
    case .order(let object, let field, let place):
      let value = place.map { ReferenceValue.place(id($0.parent), $0.key) } ?? .none
      return [.write(ReferenceRegister(id(object), .place(field)), value)]
    case .pendingLink(let object, let field, let target, let key):
      let other = ReferenceID(entity: target, identity: Checksum.hash128(key))
      return [
        .write(
          ReferenceRegister(id(object), .column(FieldType(field, .identityReference))),
          .object(.identityReference, other))
      ]
    default: preconditionFailure("not a link operation")
    }
  }

  private func member(_ object: ObjectReference, _ field: UInt32, _ value: Value)
    -> ReferenceElement
  {
    ReferenceElement(object: id(object), field: field, isEdge: false, value: self.value(value))
  }

  private func collectionChanges(_ operation: Operation) -> [ReferenceChange] {
    switch operation {
    case .counterAdd(let object, let field, let amount, let stamp, let author):
      let saw = stamp == .zero ? nil : ReferenceReset(stamp, line(author))
      return [.increment(ReferenceCounter(id(object), field), amount, saw: saw)]
    case .counterReset(let object, let field, let value):
      return [.reset(ReferenceCounter(id(object), field), value)]
    case .setAdd(let object, let field, let value): return [.add(member(object, field, value))]
    case .setRemove(let object, let field, let value, let dots):
      return [.remove(member(object, field, value), dots.map(dot(_:)))]
    case .mapPut(let object, let field, let key, let value):
      return [
        .write(
          ReferenceRegister(id(object), .entry(field, key: self.value(key))), self.value(value))
      ]
    case .mapRemove(let object, let field, let key):
      return [.write(ReferenceRegister(id(object), .entry(field, key: value(key))), .none)]
    default: preconditionFailure("not an operation of a counter, set or map")
    }
  }

  /// Objects and dots that the transaction names before it makes them (R7).
  ///
  /// Objects of identity entities are exempt (Q54).
  package var mentioned: (objects: Set<ReferenceID>, dots: Set<ReferenceDot>) {
    var own: Set<ReferenceID> = []
    var objects: Set<ReferenceID> = []
    var dots: Set<ReferenceDot> = []
    for (_, change) in changes {
      var named: [ReferenceID?] = [change.updated]
      switch change {
      case .create(let id):
        if case .created(let line, _) = id.origin, line != self.line { named.append(id) }
        own.insert(id)
      case .life(let id, _), .birth(let id): named.append(id)
      case .write(let register, let value):
        named += [register.object, value.target]
        if case .entry(_, let key) = register.field { named.append(key.target) }
      case .add(let element): named.append(element.value.target)
      case .remove(let element, let list):
        named.append(element.value.target)
        dots.formUnion(list)
      default: break
      }
      objects.formUnion(named.compactMap { $0 }.filter { !$0.isIdentity && !own.contains($0) })
    }
    return (objects, dots)
  }
}
