// Whether a transaction may be applied at all: looked at before anything is changed (R7).
// Layer: Graph.

import VarveFormat

extension GraphState {
  /// Serials may skip this many rows at most, so that a hostile one cannot ask for memory.
  static let serialGapMax: UInt64 = 1 << 20

  /// Checks every name in the operations of a transaction.
  ///
  /// - Throws: `unknownObject`, `unknownReplica`, `unsupported`, `identityClash`, `outOfRange`.
  func checkReferences(_ operations: [Operation], _ integration: Integration) throws(GraphError) {
    var created = CreatedInTransaction()
    for operation in operations {
      switch operation {
      case .create(let object, let key, let fields):
        try checkCreation(object, key, &created, integration)
        try check(fields, created, integration)
      case .set(let object, let fields), .recreate(let object, let fields):
        try require(object, created, integration)
        try check(fields, created, integration)
      case .group(let object, _, let members):
        try require(object, created, integration)
        for member in members { try check(member.value, created, integration) }
      case .unknown(let opcode, let isCritical, _):
        guard !isCritical else {
          throw GraphError(
            .unsupported, "operation \(opcode) is from a newer version and must not be skipped")
        }
      default: try checkOther(operation, created, integration)
      }
    }
  }

  private func checkOther(
    _ operation: Operation, _ created: CreatedInTransaction, _ integration: Integration
  ) throws(GraphError) {
    switch operation {
    case .unset(let object, _), .delete(let object), .undelete(let object),
      .counterReset(let object, _, _), .setAdd(let object, _, _), .mapRemove(let object, _, _),
      .pendingLink(let object, _, _, _), .mapPut(let object, _, _, _):
      try require(object, created, integration)
    case .link(let a, _, let b), .pair(_, let a, _, let b, _), .merge(let a, let b):
      try require(a, created, integration)
      try require(b, created, integration)
    case .unlink(let a, _, let b, let dots):
      try require(a, created, integration)
      try require(b, created, integration)
      for dot in dots { _ = try creator(dot.index, integration) }
    case .setRemove(let object, _, _, let dots):
      try require(object, created, integration)
      for dot in dots { _ = try creator(dot.index, integration) }
    case .order(let object, _, let place):
      try require(object, created, integration)
      if let place { try require(place.parent, created, integration) }
    case .counterAdd(let object, _, _, let reset, let author):
      try require(object, created, integration)
      if reset != .zero { _ = try creator(author, integration) }
    default: break
    }
  }

  private func check(
    _ fields: [FieldValue], _ created: CreatedInTransaction, _ integration: Integration
  ) throws(GraphError) {
    for field in fields { try check(field.value, created, integration) }
  }

  /// A link to an identity may come before its object (Q54), others may not.
  private func check(
    _ value: Value?, _ created: CreatedInTransaction, _ integration: Integration
  ) throws(GraphError) {
    if case .reference(let target) = value, case .created = target.origin {
      try require(target, created, integration)
    }
  }

  private func require(
    _ object: ObjectReference, _ created: CreatedInTransaction, _ integration: Integration
  ) throws(GraphError) {
    if try known(object, integration) != nil || created.contains(object) { return }
    throw GraphError(.unknownObject, "object \(object) was not created before it is named")
  }

  private func checkCreation(
    _ object: ObjectReference, _ key: [UInt8], _ created: inout CreatedInTransaction,
    _ integration: Integration
  ) throws(GraphError) {
    switch object.origin {
    case .created(let index, let serial):
      let local = try creator(index, integration)
      let last = created.last(object.entity, index) ?? lastSerial(object.entity, local)
      guard serial <= last + GraphState.serialGapMax else {
        throw GraphError(.outOfRange, "serial \(serial) where \(last + 1) is due")
      }
    case .identity(let hash):
      guard Checksum.hash128(key) == hash else {
        throw GraphError(.identityClash, "the key of \(object) does not have its hash")
      }
      if let serial = identities[object.entity]?[hash], let table = tableIndex(object.entity) {
        let handle = Handle(table: table, creator: CreatorTable.identityIndex, serial: serial)
        let known = identityKeys[handle.bits]?.bytes ?? []
        guard known.isEmpty || known == key else {
          throw GraphError(.identityClash, "two keys have the hash of \(object)")
        }
      }
    }
    created.insert(object)
  }

  /// The last serial of a creator in an entity.
  package func lastSerial(_ entity: UInt32, _ creator: UInt16) -> UInt64 {
    guard let table = tableIndex(entity), let run = tables[table].run(of: creator) else {
      return 0
    }
    return UInt64(tables[table].runs[run].rows)
  }
}

/// Objects that a transaction creates itself.
struct CreatedInTransaction {
  private var objects: Set<ObjectReference> = []
  private var last: [RelationKey: UInt64] = [:]

  func contains(_ object: ObjectReference) -> Bool {
    !objects.isEmpty && objects.contains(object)
  }

  mutating func insert(_ object: ObjectReference) {
    objects.insert(object)
    if case .created(let index, let serial) = object.origin {
      let key = RelationKey(entity: object.entity, tag: index)
      last[key] = max(last[key] ?? 0, serial)
    }
  }

  /// The last serial that the transaction itself created, by entity and dictionary index.
  func last(_ entity: UInt32, _ index: UInt32) -> UInt64? {
    last[RelationKey(entity: entity, tag: index)]
  }
}
