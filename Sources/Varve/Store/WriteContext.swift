// What a write sees and changes: a draft of the graph. Layer: Store.

import VarveFormat

/// A unit of work: changes are seen by later reads of the same body, and by nobody else before the
/// transaction is durable.
///
/// Valid inside the body of `Store.write` only.
public final class WriteContext {
  /// The draft; empty outside the body.
  var state: GraphState
  let integration: Integration
  /// Dictionary indices of the log by creator.
  private let dictionary: [UInt16: UInt32]
  private let declared: Schema?
  private let random: any Entropy
  private(set) var operations: [Operation?] = []
  /// Where the creation of an object stands that this transaction creates.
  private var creations: [UInt64: Int] = [:]
  /// Where registers were written, filled when one is written again.
  private var writes: [RegisterName: Int]?
  /// Objects whose key this transaction may have changed, by handle.
  private(set) var keyChanges: Set<UInt64> = []
  var metadata = Metadata()
  private var view: ResolvedSchema
  private(set) var isFinished = false

  private struct RegisterName: Hashable {
    var object: ObjectReference
    var field: UInt32
  }

  init(
    _ state: consuming GraphState, _ integration: Integration, dictionary: [UInt16: UInt32],
    declared: Schema?, random: any Entropy
  ) {
    view = state.schema.resolved
    self.state = state
    self.integration = integration
    self.dictionary = dictionary
    self.declared = declared
    self.random = random
  }

  /// Says who writes, for the transaction's metadata.
  public var author: String? {
    get { metadata.author }
    set { metadata.author = newValue }
  }

  /// Says what the transaction does, for people who read the log.
  public var label: String? {
    get { metadata.label }
    set { metadata.label = newValue }
  }

  /// The draft, handed back when the body is done.
  func finish() -> GraphState {
    isFinished = true
    let result = state
    state = GraphState()
    return result
  }

  // MARK: names

  func rule(_ entity: String) throws(StoreError) -> EntityRule {
    guard let rule = view.entity(named: entity) else {
      throw StoreError(.unknownName, "no entity is called \"\(entity)\"")
    }
    return rule
  }

  func rule(of handle: Handle) throws(StoreError) -> EntityRule {
    guard let rule = view.entity(state.tables[handle.table].entity) else {
      throw StoreError(.unknownName, "the entity of the object was never declared")
    }
    return rule
  }

  private func attribute(_ name: String, of rule: EntityRule) throws(StoreError) -> AttributeRule {
    guard let attribute = rule.attribute(named: name) else {
      throw StoreError(.unknownName, "\(rule.label) has no attribute \"\(name)\"")
    }
    return attribute
  }

  private func relationship(_ name: String, of rule: EntityRule) throws(StoreError)
    -> RelationshipRule
  {
    guard let relationship = rule.relationship(named: name) else {
      throw StoreError(.unknownName, "\(rule.label) has no stored relationship \"\(name)\"")
    }
    return relationship
  }

  /// The handle of an object that can be changed.
  func handle(_ id: ObjectID, alive: Bool = true) throws(StoreError) -> Handle {
    guard !isFinished else {
      throw StoreError(.closed, "the write is over: its context cannot be used any more")
    }
    guard let handle = state.handle(id.name), let address = state.address(handle),
      let life = state.tables[address.table].life(run: address.run, row: address.row),
      !alive || life != Life.dead
    else { throw StoreError(.unknownObject, "there is no object \(id)") }
    return handle
  }

  /// An object as the log names it.
  func reference(_ handle: Handle) -> ObjectReference {
    let entity = state.tables[handle.table].entity
    if handle.creator == CreatorTable.identityIndex {
      return ObjectReference(
        entity: entity, identity: state.identityKeys[handle.bits]?.hash ?? .zero)
    }
    return ObjectReference(
      entity: entity, index: dictionary[handle.creator] ?? 0, serial: handle.serial)
  }

  private func link(_ handle: Handle) -> Value {
    handle.creator == CreatorTable.identityIndex
      ? .identityReference(reference(handle)) : .reference(reference(handle))
  }

  // MARK: objects

  /// Creates an object and returns its id.
  ///
  /// ```swift
  /// let milk = try context.insert("Item", ["title": "Buy milk", "priority": 2])
  /// ```
  ///
  /// - Throws: `unknownName`, `invalidValue`. An entity whose objects are named by a key needs
  ///   all attributes of the key.
  @discardableResult
  public func insert(_ entity: String, _ values: [String: AttributeValue] = [:])
    throws(StoreError) -> ObjectID
  {
    let rule = try rule(entity)
    var fields: [FieldValue] = []
    // In the order of tags, so that the same program writes the same bytes.
    for (name, value) in values {
      let attribute = try attribute(name, of: rule)
      fields.append(FieldValue(attribute.tag, try checked(value.value, attribute)))
    }
    fields.sort { $0.field < $1.field }
    let reference: ObjectReference
    var key: [UInt8] = []
    if rule.isIdentity {
      key = try IdentityKeys.bytes(rule, fields)
      reference = ObjectReference(entity: rule.tag, identity: Checksum.hash128(key))
    } else {
      let serial = state.lastSerial(rule.tag, integration.mark.author) + 1
      guard serial <= Limits.serialMax else {
        throw StoreError(.tooLarge, "\(entity) has no serial left for a new object")
      }
      reference = ObjectReference(entity: rule.tag, index: 0, serial: serial)
    }
    try apply(.create(reference, key: key, fields))
    let handle = try handleOf(reference)
    creations[handle.bits] = operations.count - 1
    noteKey(handle, rule)
    return ObjectID(state.name(handle) ?? ObjectName(entity: rule.tag, .identity(.zero)))
  }

  private func handleOf(_ reference: ObjectReference) throws(StoreError) -> Handle {
    do throws(GraphError) {
      return state.handle(try state.address(reference, integration))
    } catch { throw StoreError(error) }
  }

  /// Deletes an object; what its delete rules say about others follows from that at once.
  ///
  /// - Throws: `unknownObject`, `deleteDenied` when a relationship with the rule `deny` points to
  /// it.
  public func delete(_ id: ObjectID) throws(StoreError) {
    let handle = try handle(id)
    try checkDenials(handle)
    try apply(.delete(reference(handle)))
  }

  /// Brings a deleted object back with everything it had.
  ///
  /// - Throws: `unknownObject`.
  public func undelete(_ id: ObjectID) throws(StoreError) {
    let handle = try handle(id, alive: false)
    try apply(.undelete(reference(handle)))
    noteKey(handle, try rule(of: handle))
  }

  /// Gives a deleted object a new life without what it had.
  ///
  /// - Throws: `unknownObject`, `unknownName`, `invalidValue`.
  public func recreate(_ id: ObjectID, _ values: [String: AttributeValue] = [:])
    throws(StoreError)
  {
    let handle = try handle(id, alive: false)
    let rule = try rule(of: handle)
    var fields: [FieldValue] = []
    for (name, value) in values {
      let attribute = try attribute(name, of: rule)
      fields.append(FieldValue(attribute.tag, try checked(value.value, attribute)))
    }
    fields.sort { $0.field < $1.field }
    try apply(.recreate(reference(handle), fields))
    noteKey(handle, rule)
  }

  /// Remembers an object whose key has to be looked at when the body is done.
  private func noteKey(_ handle: Handle, _ rule: EntityRule) {
    if rule.uniqueness != nil, !rule.isIdentity { keyChanges.insert(handle.bits) }
  }

  private func checkDenials(_ handle: Handle) throws(StoreError) {
    let entity = state.tables[handle.table].entity
    for relation in view.inverses(of: entity) where relation.deleteRule == .deny {
      state.buildAdjacency(RelationKey(entity: relation.entity, tag: relation.tag))
      let reader = MemberReader(GraphSnapshot(state), relation)
      let count = reader.count(handle)
      guard count == 0 else {
        throw StoreError(
          .deleteDenied,
          "\(count) objects of \(view.name(relation.entity)) point to it by "
            + "\"\(relation.label)\", whose delete rule is deny")
      }
    }
  }

  // MARK: attributes

  /// Writes an attribute; nil takes its value away.
  ///
  /// - Throws: `unknownObject`, `unknownName`, `invalidValue`.
  public func set(_ id: ObjectID, _ name: String, _ value: AttributeValue?) throws(StoreError) {
    let handle = try handle(id)
    let rule = try rule(of: handle)
    let attribute = try attribute(name, of: rule)
    guard attribute.isScalar else {
      throw StoreError(.invalidValue, "\(rule.label).\(name) is not a single value")
    }
    if rule.isIdentity, rule.uniqueness?.attributes.contains(attribute.tag) == true {
      throw StoreError(
        .invalidValue, "\(rule.label).\(name) names the object and cannot change (R29)")
    }
    if rule.uniqueness?.attributes.contains(attribute.tag) == true { noteKey(handle, rule) }
    if let group = rule.group(ofAttribute: attribute.tag) {
      return try write(handle, rule, group, attribute, value?.value)
    }
    guard let value else {
      guard attribute.isOptional else {
        throw StoreError(.invalidValue, "\(rule.label).\(name) needs a value")
      }
      return try write(handle, attribute.tag, attribute.type, nil)
    }
    try write(handle, attribute.tag, attribute.type, try checked(value.value, attribute))
  }

  private func checked(_ value: Value, _ attribute: AttributeRule) throws(StoreError) -> Value {
    if let violation = declared?.validate(
      value, entity: attribute.entity, attribute: attribute.tag)
    {
      throw StoreError(.invalidValue, violation.message)
    }
    guard value.typeCode == attribute.type.rawValue else {
      throw StoreError(
        .invalidValue, "\"\(attribute.label)\" is of type \(attribute.type.name)")
    }
    return value
  }

  /// All members of an atomic group are written together (R11).
  private func write(
    _ handle: Handle, _ rule: EntityRule, _ group: GroupRule, _ changed: AttributeRule,
    _ value: Value?
  ) throws(StoreError) {
    let snapshot = GraphSnapshot(state)
    var members: [GroupMember] = []
    for tag in group.attributes {
      guard let attribute = rule.attribute(tag) else { continue }
      let now =
        tag == changed.tag
        ? value : snapshot.value(handle, ColumnKey(tag: tag, type: attribute.type))
      members.append(
        now.map { GroupMember(tag, $0) } ?? GroupMember(tag, nilOf: attribute.type))
    }
    try apply(.group(reference(handle), group: group.tag, members))
  }

  /// Writes a register; one that this transaction wrote already is written once only.
  private func write(
    _ handle: Handle, _ tag: UInt32, _ type: PhysicalType, _ value: Value?
  ) throws(StoreError) {
    let object = reference(handle)
    let operation: Operation =
      value.map { .set(object, [FieldValue(tag, $0)]) } ?? .unset(object, [FieldType(tag, type)])
    let name = RegisterName(object: object, field: tag)
    if isWritten(handle, tag, type) {
      if writes == nil { indexWrites() }
      if let earlier = writes?.removeValue(forKey: name) { operations[earlier] = nil }
    }
    // A link may lead to what is created behind this object, so it is an operation of its own.
    if let creation = creations[handle.bits], !ColumnKey(tag: tag, type: type).isLink,
      case .create(_, let key, var fields) = operations[creation]
    {
      // The register belongs to the creation, which says what it was born with.
      fields.removeAll { $0.field == tag }
      if let value { fields.append(FieldValue(tag, value)) }
      operations[creation] = .create(object, key: key, fields)
      if value != nil { return try applyOnly(operation) }
    }
    try apply(operation)
    writes?[name] = operations.count - 1
  }

  private func isWritten(_ handle: Handle, _ tag: UInt32, _ type: PhysicalType) -> Bool {
    guard let address = state.address(handle),
      let column = state.tables[address.table].position(ColumnKey(tag: tag, type: type))
    else { return false }
    return state.marks.register(address, column) == integration.mark
  }

  private func indexWrites() {
    var index: [RegisterName: Int] = [:]
    for (place, operation) in operations.enumerated() {
      switch operation {
      case .set(let object, let fields) where fields.count == 1:
        index[RegisterName(object: object, field: fields[0].field)] = place
      case .unset(let object, let fields) where fields.count == 1:
        index[RegisterName(object: object, field: fields[0].field)] = place
      default: break
      }
    }
    writes = index
  }

  // MARK: links

  /// Makes a to-one relationship point to an object, or to nothing.
  ///
  /// - Throws: `unknownObject`, `unknownName`, `invalidValue`.
  public func link(_ id: ObjectID, _ name: String, to target: ObjectID?) throws(StoreError) {
    let handle = try handle(id)
    let relation = try relationship(name, of: try rule(of: handle))
    let other = try target.map { (id) throws(StoreError) in try self.handle(id) }
    if let other { try checkTarget(other, relation) }
    switch relation.kind {
    case .toOne:
      let value = other.map { link($0) }
      let type: PhysicalType =
        view.entity(relation.target)?.isIdentity == true ? .identityReference : .reference
      try write(handle, relation.tag, type, value)
    case .oneToOne: try pair(handle, relation, other)
    case .orderedToMany: try move(id, name, to: target, .last)
    case .manyToMany:
      throw StoreError(.invalidValue, "\"\(name)\" is to many: use add and remove")
    }
  }

  private func checkTarget(_ target: Handle, _ relation: RelationshipRule) throws(StoreError) {
    guard state.tables[target.table].entity == relation.target else {
      throw StoreError(
        .invalidValue,
        "\"\(relation.label)\" points to \(view.name(relation.target)), not to "
          + view.name(state.tables[target.table].entity))
    }
  }

  private func pair(_ handle: Handle, _ relation: RelationshipRule, _ other: Handle?)
    throws(StoreError)
  {
    if let other {
      return try apply(
        .pair(
          isPaired: true, a: reference(handle), fieldA: relation.tag, b: reference(other),
          fieldB: relation.inverse))
    }
    guard let partner = LinkReader(GraphSnapshot(state), relation).target(of: handle) else {
      return
    }
    try apply(
      .pair(
        isPaired: false, a: reference(handle), fieldA: relation.tag, b: reference(partner),
        fieldB: relation.inverse))
  }

  /// Adds an edge of a many-to-many relationship.
  ///
  /// - Throws: `unknownObject`, `unknownName`, `invalidValue`.
  public func add(_ id: ObjectID, _ name: String, _ target: ObjectID) throws(StoreError) {
    let (handle, other) = (try handle(id), try handle(target))
    let relation = try relationship(name, of: try rule(of: handle))
    guard relation.kind == .manyToMany else {
      throw StoreError(.invalidValue, "\"\(name)\" is not a many-to-many relationship")
    }
    try checkTarget(other, relation)
    try apply(.link(reference(handle), field: relation.tag, target: reference(other)))
  }

  /// Removes an edge of a many-to-many relationship; nothing happens when there is none.
  ///
  /// - Throws: `unknownObject`, `unknownName`.
  public func remove(_ id: ObjectID, _ name: String, _ target: ObjectID) throws(StoreError) {
    let (handle, other) = (try handle(id), try handle(target, alive: false))
    let relation = try relationship(name, of: try rule(of: handle))
    let key = RelationKey(entity: relation.entity, tag: relation.tag)
    let dots = state.edges[key]?.dots[EdgeTable.Edge(source: handle.bits, target: other.bits)] ?? []
    guard !dots.isEmpty else { return }
    try apply(
      .unlink(
        reference(handle), field: relation.tag, target: reference(other), dots: named(dots)))
  }

  private func named(_ dots: [AddDot]) -> [Dot] {
    dots.map { Dot(index: dictionary[$0.author] ?? 0, sequence: $0.sequence) }
  }

  /// A place in an ordered to-many relationship.
  public enum Position: Sendable {
    case first, last
    case before(ObjectID)
    case after(ObjectID)
  }

  /// Puts an object into an ordered to-many relationship of `parent`, or takes it out with nil.
  ///
  /// - Throws: `unknownObject`, `unknownName`, `invalidValue`.
  public func move(
    _ id: ObjectID, _ name: String, to parent: ObjectID?, _ position: Position = .last
  ) throws(StoreError) {
    let handle = try handle(id)
    let relation = try relationship(name, of: try rule(of: handle))
    guard relation.kind == .orderedToMany else {
      throw StoreError(.invalidValue, "\"\(name)\" is not an ordered relationship")
    }
    guard let parent else {
      return try apply(.order(reference(handle), field: relation.tag, place: nil))
    }
    let owner = try self.handle(parent)
    try checkTarget(owner, relation)
    state.buildAdjacency(RelationKey(entity: relation.entity, tag: relation.tag))
    let members = MemberReader(GraphSnapshot(state), relation).members(owner)
      .filter { $0 != handle }
    var place: Int
    switch position {
    case .first: place = 0
    case .last: place = members.count
    case .before(let other): place = try index(other, in: members)
    case .after(let other): place = try index(other, in: members) + 1
    }
    place = min(place, members.count)
    let key = OrderKey.between(
      place > 0 ? orderKey(members[place - 1], relation) : nil,
      place < members.count ? orderKey(members[place], relation) : nil, random: random.bytes(4))
    try apply(
      .order(
        reference(handle), field: relation.tag,
        place: Operation.OrderPlace(parent: reference(owner), key: key)))
  }

  private func index(_ id: ObjectID, in members: [Handle]) throws(StoreError) -> Int {
    let handle = try handle(id)
    guard let index = members.firstIndex(of: handle) else {
      throw StoreError(.unknownObject, "\(id) is not in the list")
    }
    return index
  }

  private func orderKey(_ handle: Handle, _ relation: RelationshipRule) -> [UInt8]? {
    guard let address = state.address(handle),
      let column = state.tables[address.table].position(.orderKey(relation.tag))
    else { return nil }
    return state.tables[address.table].runs[address.run].groups[address.group]
      .bytes(column, address.place).map { [UInt8]($0) }
  }

  // MARK: counters, sets, maps

  /// Adds to a counter.
  ///
  /// - Throws: `unknownObject`, `unknownName`, `invalidValue`.
  public func increment(_ id: ObjectID, _ name: String, by amount: Int64 = 1) throws(StoreError) {
    let (handle, tag) = try special(id, name, \.isCounter, "a counter")
    let counter = state.counters[CellKey(handle: handle.bits, tag: tag)]
    let reset = counter?.reset ?? state.births[handle.bits] ?? .zero
    try apply(
      .counterAdd(
        reference(handle), field: tag, amount: amount, resetStamp: Stamp(rawValue: reset.stamp),
        resetAuthor: dictionary[reset.author] ?? 0))
  }

  /// Sets a counter; increments that did not see this no longer count.
  ///
  /// - Throws: `unknownObject`, `unknownName`, `invalidValue`.
  public func reset(_ id: ObjectID, _ name: String, to value: Int64 = 0) throws(StoreError) {
    let (handle, tag) = try special(id, name, \.isCounter, "a counter")
    try apply(.counterReset(reference(handle), field: tag, value: value))
  }

  /// Adds a member to a set.
  ///
  /// - Throws: `unknownObject`, `unknownName`, `invalidValue`.
  public func insert(_ id: ObjectID, _ name: String, _ member: AttributeValue) throws(StoreError) {
    let (handle, tag) = try special(id, name, \.isSet, "a set")
    try apply(.setAdd(reference(handle), field: tag, member.value))
  }

  /// Removes a member from a set; nothing happens when it is not there.
  ///
  /// - Throws: `unknownObject`, `unknownName`, `invalidValue`.
  public func remove(_ id: ObjectID, _ name: String, _ member: AttributeValue) throws(StoreError) {
    let (handle, tag) = try special(id, name, \.isSet, "a set")
    let key = MemberKey(handle: handle.bits, tag: tag, member: member.value)
    guard let dots = state.sets[key] else { return }
    try apply(
      .setRemove(reference(handle), field: tag, member.value, dots: named(dots)))
  }

  /// Sets an entry of a map, or removes it with nil.
  ///
  /// - Throws: `unknownObject`, `unknownName`, `invalidValue`.
  public func put(
    _ id: ObjectID, _ name: String, key: AttributeValue, _ value: AttributeValue?
  ) throws(StoreError) {
    let (handle, tag) = try special(id, name, \.isMap, "a map")
    let object = reference(handle)
    try apply(
      value.map { .mapPut(object, field: tag, key: key.value, $0.value) }
        ?? .mapRemove(object, field: tag, key: key.value))
  }

  private func special(
    _ id: ObjectID, _ name: String, _ kind: (AttributeRule) -> Bool, _ what: String
  ) throws(StoreError) -> (Handle, UInt32) {
    let handle = try handle(id)
    let attribute = try attribute(name, of: try rule(of: handle))
    guard kind(attribute) else {
      throw StoreError(.invalidValue, "\"\(name)\" is not \(what)")
    }
    return (handle, attribute.tag)
  }

  /// Makes one object read as another one from now on.
  ///
  /// - Throws: `unknownObject`, `invalidValue` when they are of different entities.
  public func merge(_ id: ObjectID, into other: ObjectID) throws(StoreError) {
    let (from, into) = (try handle(id), try handle(other))
    guard from.table == into.table else {
      throw StoreError(.invalidValue, "objects of different entities cannot be merged")
    }
    try apply(.merge(from: reference(from), into: reference(into)))
  }

  // MARK: operations

  /// Declares what a schema has and the log does not.
  func declare(_ changes: [SchemaOperation]) throws(StoreError) {
    for change in changes { try apply(.schema(change)) }
    view = state.schema.resolved
  }

  /// Applies an operation to the draft and keeps it for the log.
  package func apply(_ operation: Operation) throws(StoreError) {
    try applyOnly(operation)
    operations.append(operation)
  }

  private func applyOnly(_ operation: Operation) throws(StoreError) {
    guard !isFinished else {
      throw StoreError(.closed, "the write is over: its context cannot be used any more")
    }
    do throws(GraphError) { try state.apply([operation], integration) } catch {
      throw StoreError(error)
    }
  }
}
