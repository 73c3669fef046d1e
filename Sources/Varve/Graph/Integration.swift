// Applies transactions to a state: every merge rule has its one place here. Layer: Graph.

import VarveFormat

extension Operation {
  /// The opcode of an operation that changes nothing in the graph; nil for those that do.
  var unappliedOpcode: UInt8? {
    switch self {
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
    case .unknown(let opcode, _, _): opcode
    default: nil
    }
  }
}

/// What the operations of a transaction have in common.
struct Integration {
  /// Stamp and author of every write.
  var mark: WriteMark
  var sequence: UInt64
  /// Creators as the transaction's log names them.
  var creators: CreatorMap
}

extension GraphState {
  /// Integrates a transaction of a log whose predecessors and dependencies are integrated (R8).
  ///
  /// `dictionary` names creators by the index that the operations use; its first is the author.
  /// One that is integrated already changes nothing (R9).
  ///
  /// - Throws: As `apply`; `outOfRange` when the predecessor is missing.
  package mutating func integrate(
    _ operations: [Operation], sequence: UInt64, chain: Hash128, stamp: Stamp,
    dictionary: [Creator]
  ) throws(GraphError) {
    var locals: [UInt16] = []
    for creator in dictionary { locals.append(try creators.intern(creator)) }
    try integrate(
      [.operations(operations)], CreatorHead(sequence: sequence, chain: chain, stamp: stamp),
      CreatorMap(locals: locals))
  }

  /// Integrates the steps of a transaction, after which `head` is the end of its author's log.
  ///
  /// - Throws: As above.
  mutating func integrate(
    _ steps: [DecodedTransaction.Step], _ head: CreatorHead, _ creators: CreatorMap
  ) throws(GraphError) {
    guard let author = creators.local(0) else {
      throw GraphError(.unknownReplica, "a transaction without an author")
    }
    let last = heads[author]?.sequence ?? 0
    if head.sequence <= last { return }
    guard head.sequence == last + 1 else {
      throw GraphError(.outOfRange, "sequence \(head.sequence) where \(last + 1) is due")
    }
    try apply(
      steps,
      Integration(
        mark: WriteMark(stamp: head.stamp.rawValue, author: author), sequence: head.sequence,
        creators: creators))
    heads[author] = head
  }

  /// Applies the operations of a transaction, all or none.
  ///
  /// - Throws: `unknownObject` when one names an object that is not in the transaction's past (R7),
  ///   `unknownReplica`, `unsupported` for critical operations of newer versions. Nothing was
  ///   applied then.
  mutating func apply(_ operations: [Operation], _ integration: Integration) throws(GraphError) {
    try checkReferences(operations, integration)
    for operation in operations { try apply(operation, integration) }
    finishTransaction(integration)
  }

  /// What is left to do when all operations of a transaction were applied.
  mutating func finishTransaction(_ integration: Integration) {
    maxStamp = max(maxStamp, Stamp(rawValue: integration.mark.stamp))
    if let before = schemaBefore {
      schemaBefore = nil
      rulesDidChange(from: before)
    }
    if isVisibilityStale { rebuildVisibility() }
    if !visibilityChanges.isEmpty { updateVisibility() }
  }

  private mutating func apply(_ operation: Operation, _ integration: Integration)
    throws(GraphError)
  {
    switch operation {
    case .create(let object, let key, let fields):
      let address = try create(object, key: key, integration)
      for field in fields { try write(address, field, integration) }
    case .set(let object, let fields):
      let address = try written(object, integration)
      for field in fields { try write(address, field, integration) }
    case .group(let object, _, let members):
      // A group write names all members, so that one stamp orders them together (R11).
      let address = try written(object, integration)
      for member in members {
        if let value = member.value {
          try write(address, FieldValue(member.column.field, value), integration)
        } else {
          let key = ColumnKey(tag: member.column.field, type: member.column.type)
          try unset(address, key, integration)
        }
      }
    case .unset(let object, let fields):
      let address = try written(object, integration)
      for field in fields {
        try unset(address, ColumnKey(tag: field.field, type: field.type), integration)
      }
    case .delete(let object):
      setLife(try address(object, integration), Life.dead, integration.mark)
    case .undelete(let object):
      setLife(try address(object, integration), Life.alive, integration.mark)
    case .recreate(let object, let fields):
      let address = try address(object, integration)
      guard recreate(address, integration.mark) else { return }
      for field in fields { try write(address, field, integration) }
    default: try applyLink(operation, integration)
    }
  }

  private mutating func applyLink(_ operation: Operation, _ integration: Integration)
    throws(GraphError)
  {
    switch operation {
    case .link(let object, let field, let target):
      try link(object, field, target, integration)
    case .unlink(let object, let field, let target, let dots):
      try unlink(object, field, target, dots, integration)
    case .pair(let isPaired, let a, let fieldA, let b, let fieldB):
      let (left, right) = (try written(a, integration), try written(b, integration))
      try pair(left, fieldA, isPaired ? right : nil, integration)
      try pair(right, fieldB, isPaired ? left : nil, integration)
    case .order(let object, let field, let place):
      try order(try written(object, integration), field, place, integration)
    case .pendingLink(let object, let field, let entity, let key):
      // The register names the identity; its object may come later (Q54).
      let target = ObjectReference(entity: entity, identity: Checksum.hash128(key))
      let address = try written(object, integration)
      try write(address, FieldValue(field, .identityReference(target)), integration)
    case .merge(let from, let into):
      merge(try handle(from, integration), try handle(into, integration), integration.mark)
    default: try applySide(operation, integration)
    }
  }

  private mutating func applySide(_ operation: Operation, _ integration: Integration)
    throws(GraphError)
  {
    switch operation {
    case .counterAdd(let object, let field, let amount, let resetStamp, let resetAuthor):
      let address = try updated(object, integration)
      var reset = WriteMark.zero
      if resetStamp != .zero {
        reset = WriteMark(
          stamp: resetStamp.rawValue, author: try creator(resetAuthor, integration))
      }
      addToCounter(address, field, amount, reset: reset)
    case .counterReset(let object, let field, let value):
      resetCounter(try updated(object, integration), field, value, integration.mark)
    case .setAdd(let object, let field, let value):
      addToSet(
        try updated(object, integration), field, try localised(value, integration), integration)
    case .setRemove(let object, let field, let value, let dots):
      try removeFromSet(
        try updated(object, integration), field, try localised(value, integration), dots,
        integration)
    case .mapPut(let object, let field, let key, let value):
      putIntoMap(
        try updated(object, integration), field, try localised(key, integration),
        try localised(value, integration), integration.mark)
    case .mapRemove(let object, let field, let key):
      putIntoMap(
        try updated(object, integration), field, try localised(key, integration), nil,
        integration.mark)
    case .schema(let declaration):
      guard let author = creators[integration.mark.author] else { return }
      if schemaBefore == nil { schemaBefore = schema.resolved }
      schema.apply(
        declaration, stamp: Stamp(rawValue: integration.mark.stamp), author: author.replica)
    case .unknown(let opcode, let isCritical, let bytes):
      guard !isCritical else {
        throw GraphError(
          .unsupported, "operation \(opcode) is from a newer version and must not be skipped")
      }
      opaque.append(
        OpaqueOperation(
          author: integration.mark.author, sequence: integration.sequence, opcode: opcode,
          bytes: bytes))
    default: break
    }
  }

  // MARK: names

  /// The local index of a creator that the log names by its dictionary.
  func creator(_ index: UInt32, _ integration: Integration) throws(GraphError) -> UInt16 {
    guard let local = integration.creators.local(UInt64(index)) else {
      throw GraphError(.unknownReplica, "replica index \(index) was never declared")
    }
    return local
  }

  /// The object that a reference names, interned when it is an identity.
  mutating func handle(_ reference: ObjectReference, _ integration: Integration)
    throws(GraphError) -> Handle
  {
    let table = try internTable(reference.entity)
    switch reference.origin {
    case .created(let index, let serial):
      return Handle(table: table, creator: try creator(index, integration), serial: serial)
    case .identity(let hash): return try internIdentity(table, hash)
    }
  }

  /// Where an object lies that was created.
  func address(_ reference: ObjectReference, _ integration: Integration) throws(GraphError)
    -> RowAddress
  {
    if let address = try known(reference, integration) { return address }
    throw GraphError(.unknownObject, "object \(reference) was not created before it is named")
  }

  /// Where an object lies, nil when it was never created.
  func known(_ reference: ObjectReference, _ integration: Integration) throws(GraphError)
    -> RowAddress?
  {
    var place: (creator: UInt16, serial: UInt64)?
    switch reference.origin {
    case .created(let index, let serial): place = (try creator(index, integration), serial)
    case .identity(let hash):
      place = identities[reference.entity]?[hash].map { (CreatorTable.identityIndex, $0) }
    }
    guard let place, let table = tableIndex(reference.entity),
      let run = tables[table].locate(creator: place.creator, serial: place.serial)
    else { return nil }
    let row = Int(place.serial) - 1
    guard tables[table].life(run: run, row: row) != nil else { return nil }
    return RowAddress(table: table, run: run, row: row)
  }

  /// The object of a write, which also revives it when its entity says so (R22, Q17).
  private mutating func written(_ reference: ObjectReference, _ integration: Integration)
    throws(GraphError) -> RowAddress
  {
    let address = try address(reference, integration)
    revive(address, integration.mark)
    return address
  }

  /// The object of a write that leaves no mark in a column.
  private mutating func updated(_ reference: ObjectReference, _ integration: Integration)
    throws(GraphError) -> RowAddress
  {
    let address = try address(reference, integration)
    noteUpdate(address, integration.mark)
    return address
  }

  /// The local serial of an identity, a new one when it is met for the first time.
  private mutating func internIdentity(_ table: Int, _ hash: Hash128) throws(GraphError) -> Handle {
    let entity = tables[table].entity
    if let serial = identities[entity]?[hash] {
      return Handle(table: table, creator: 0, serial: serial)
    }
    let run = tables[table].internRun(CreatorTable.identityIndex)
    let serial = UInt64(tables[table].runs[run].rows) + 1
    guard serial <= Limits.serialMax else { throw GraphError(.outOfRange, "too many objects") }
    tables[table].grow(run: run, toSerial: serial, draft: draft)
    identities[entity, default: ShardedMap()].set(hash, serial)
    let handle = Handle(table: table, creator: 0, serial: serial)
    identityKeys.set(handle.bits, IdentityKey(hash: hash, bytes: []))
    return handle
  }

  // MARK: life

  /// Makes a row an object, or meets it again.
  private mutating func create(
    _ object: ObjectReference, key: [UInt8], _ integration: Integration
  ) throws(GraphError) -> RowAddress {
    let handle = try handle(object, integration)
    let run = tables[handle.table].internRun(handle.creator)
    let address = RowAddress(table: handle.table, run: run, row: Int(handle.serial) - 1)
    if address.row >= tables[address.table].runs[run].rows {
      tables[address.table].grow(run: run, toSerial: handle.serial, draft: draft)
    }
    if handle.creator == CreatorTable.identityIndex, !key.isEmpty {
      identityKeys.update(handle.bits) { $0?.bytes = key }
    }
    if tables[address.table].life(run: run, row: address.row) == nil {
      marks.setBirth(address, integration.mark)
      tables[address.table].setWord(Table.lifeColumn, address, Life.alive, draft: draft)
      tables[address.table].createdCount += 1
    } else {
      createAgain(address, integration.mark)
      setLife(address, Life.alive, integration.mark)
    }
    return address
  }

  /// The same thing created twice (R27): the earlier creation is the row's mark, unless the object
  /// was born again since.
  private mutating func createAgain(_ address: RowAddress, _ mark: WriteMark) {
    let birth = marks.row(address)
    guard creators.isNewer(birth, than: mark), births[handle(address).bits] == nil else { return }
    let group = tables[address.table].runs[address.run].groups[address.group]
    let keys = tables[address.table].columns
    marks.change(address) { marks in
      for column in keys.indices
      where group.hasValue(column, address.place) && !marks.isWritten(column, address.place)
        && !keys[column].key.isOrderKey
      {
        marks.setRegister(column, address.place, birth)
      }
      marks.setRow(address.place, mark)
    }
  }

  /// Writes the register of an object's life (R21).
  mutating func setLife(_ address: RowAddress, _ life: UInt64, _ mark: WriteMark) {
    guard marks.claim(address, Table.lifeColumn, mark, creators) else { return }
    let before = tables[address.table].life(run: address.run, row: address.row)
    let wasDead = before == Life.dead
    guard wasDead != (life == Life.dead) else { return }
    defer { if life == Life.dead { reviveIfUpdated(address, mark) } }
    if before == Life.hidden { tables[address.table].hiddenCount -= 1 }
    tables[address.table].deadCount += wasDead ? -1 : 1
    tables[address.table].setWord(Table.lifeColumn, address, life, draft: draft)
    noteLife(address)
    if schema.resolved.isCascading { updateCuts(address) }
  }

  /// A new birth (Q17): registers, dots and entries older than it are gone; false when the object
  /// was born again later.
  private mutating func recreate(_ address: RowAddress, _ mark: WriteMark) -> Bool {
    guard creators.isNewer(mark, than: marks.row(address)) else { return false }
    let creators = creators
    let place = address.place
    for column in tables[address.table].columns.indices.dropFirst() {
      // An order key belongs to the register of its link.
      let key = tables[address.table].columns[column].key
      let register = key.isOrderKey ? tables[address.table].linkColumn(key.tag) ?? column : column
      guard creators.isNewer(mark, than: marks.register(address, register)) else { continue }
      clear(address, column)
      if !explicitNils.isEmpty {
        explicitNils.set(nilKey(address, key), nil)
      }
    }
    let life = marks.register(address, Table.lifeColumn)
    marks.change(address) { marks in
      marks.forget(row: place) { creators.isNewer(mark, than: marks.register($0, place)) }
      marks.setRow(place, mark)
    }
    births.set(handle(address).bits, mark)
    forgetSides(address, before: mark)
    // The same transaction may have said something of the life before.
    if !creators.isNewer(life, than: mark) { setLife(address, Life.alive, mark) }
    return true
  }
}
