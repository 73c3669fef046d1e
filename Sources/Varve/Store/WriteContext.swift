// What a write sees and changes: a draft of the graph. Layer: Store.

import VarveFormat

/// A unit of work: changes are seen by later reads of the same body, and by nobody else before the
/// transaction is durable.
///
/// Valid inside the body of `Store.write` only.
public final class WriteContext {
  /// The draft with all changes; empty outside the body.
  var state: GraphState {
    _read {
      applyNumbers()
      yield draft
    }
    _modify {
      applyNumbers()
      yield &draft
    }
  }
  /// The draft without `numbers`, which change neither names nor lives.
  @exclusivity(unchecked) var draft: GraphState
  /// Writes of numbers that nobody has asked for yet.
  @exclusivity(unchecked) var numbers = NumberWrites()
  let integration: Integration
  /// Dictionary indices of the log by creator.
  let dictionary: [UInt16: UInt32]
  let declared: Schema?
  private let random: any Entropy
  @exclusivity(unchecked) var changes = ChangeList()
  /// Where the creation of an object stands that this transaction creates.
  @exclusivity(unchecked) var creations: [UInt64: Int] = [:]
  /// Attributes that numbers are written to, by table.
  @exclusivity(unchecked) var numberFields: ContiguousArray<NumberFields?> = []
  /// The attribute that a number was written to last.
  @exclusivity(unchecked) var lastNumber = LastNumber()
  /// Objects whose key this transaction may have changed, by handle.
  private(set) var keyChanges: Set<UInt64> = []
  var metadata = Metadata()
  private(set) var view: ResolvedSchema
  private(set) var isFinished = false

  init(
    _ state: consuming GraphState, _ integration: Integration, dictionary: [UInt16: UInt32],
    declared: Schema?, random: any Entropy
  ) {
    view = state.schema.resolved
    draft = state
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
    applyNumbers()
    isFinished = true
    let result = draft
    draft = GraphState()
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

  func attribute(_ name: String, of rule: EntityRule) throws(StoreError) -> AttributeRule {
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
    guard let (handle, _) = draft.created(id.name, alive: alive) else {
      throw StoreError(.unknownObject, "there is no object \(id)")
    }
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
    let creation = try apply(.create(reference, key: key, fields))
    let handle = try handleOf(reference)
    creations[handle.bits] = creation
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
  func noteKey(_ handle: Handle, _ rule: EntityRule) {
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
      try apply(
        .pair(
          isPaired: true, a: reference(handle), fieldA: relation.tag, b: reference(other),
          fieldB: relation.inverse))
      return
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
      try apply(.order(reference(handle), field: relation.tag, place: nil))
      return
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
    numberFields = []
    lastNumber = LastNumber()
  }

  /// Applies an operation to the draft and keeps it for the log.
  ///
  /// - Returns: Its place among the operations.
  @discardableResult
  package func apply(_ operation: Operation) throws(StoreError) -> Int {
    try applyOnly(operation)
    return changes.append(operation)
  }

  func applyOnly(_ operation: Operation) throws(StoreError) {
    guard !isFinished else {
      throw StoreError(.closed, "the write is over: its context cannot be used any more")
    }
    do throws(GraphError) { try state.apply([operation], integration) } catch {
      throw StoreError(error)
    }
  }
}
