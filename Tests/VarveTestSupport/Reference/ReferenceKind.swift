// The operations that random histories consist of, and the schema that they are made for.
// Layer: test support.

import VarveFormat

/// What a step of a history does.
package enum ReferenceKind: CaseIterable, Sendable {
  case create, set, unset, group, move, detach, own, order, leave, pair, unpair, link, unlink
  case add, reset, include, exclude, put, take, delete, undelete, recreate, merge
  case createIdentity, refer, pendingLink, declare, opaque, record

  /// How often it is chosen.
  var weight: Int {
    switch self {
    case .create: 16
    case .set, .move, .delete: 9
    case .createIdentity, .order, .pair, .link, .undelete: 6
    case .unset, .group, .add, .own, .recreate, .unlink, .merge: 4
    case .declare, .opaque, .record: 1
    default: 3
    }
  }

  /// Kinds that need no identity entities, aliases or births: what a generation can drop objects
  /// under.
  package static let plain: [ReferenceKind] = allCases.filter {
    ![.createIdentity, .refer, .pendingLink, .merge, .recreate].contains($0)
  }

  /// Entities: a node of a tree, an item in its lists, a mark that updates revive, and a category
  /// named by a key.
  package static let node: UInt32 = 1
  package static let item: UInt32 = 2
  package static let mark: UInt32 = 3
  package static let category: UInt32 = 4

  static let declarations: [SchemaOperation] = {
    func relation(
      _ entity: UInt32, _ field: UInt32, _ kind: UInt8, _ target: UInt32, inverse: UInt32 = 0,
      rule: UInt8 = 0
    ) -> SchemaOperation {
      .relationship(
        .init(
          entity: entity, attribute: field, label: "r\(field)", kind: kind, target: target,
          inverse: inverse, inverseLabel: "", deleteRule: rule, flags: 1))
    }
    return [
      .entity(entity: node, label: "Node", flags: 0),
      .entity(entity: item, label: "Item", flags: 0),
      .entity(entity: mark, label: "Mark", flags: 2),
      .entity(entity: category, label: "Category", flags: 3),
      .attribute(
        entity: node, attribute: 1, type: .integer, label: "size", flags: 2,
        defaultValue: .integer(42)),
      .attribute(
        entity: node, attribute: 1, type: .string, label: "size", flags: 1, defaultValue: nil),
      .attribute(
        entity: item, attribute: 2, type: .string, label: "name", flags: 3,
        defaultValue: .string("none")),
      relation(node, 10, 1, node, rule: 1), relation(node, 11, 2, node, inverse: 12),
      relation(node, 12, 2, node, inverse: 11), relation(node, 13, 4, mark),
      relation(node, 14, 4, node), relation(node, 16, 1, category),
      relation(item, 20, 3, node, rule: 1), relation(item, 21, 1, node, rule: 1),
      relation(item, 22, 2, node, inverse: 23), relation(node, 23, 2, item, inverse: 22),
      .uniqueness(entity: node, mode: 2, attributes: [2]),
      .group(entity: node, group: 30, label: "place", attributes: [8, 9]),
    ]
  }()
}

/// A transaction that is being written: no register twice.
struct ReferenceDraft {
  var maker: ReferenceMaker
  let place: Int
  private(set) var operations: [Operation] = []
  /// Objects that this transaction creates.
  private var created: [ReferenceID] = []
  private var touched: Set<ReferenceChange> = []
  private var reborn: Set<ReferenceID> = []
  /// Objects that this transaction deletes, which it does not write to after that.
  private var ended: Set<ReferenceID> = []

  init(_ maker: ReferenceMaker, _ place: Int) {
    self.maker = maker
    self.place = place
  }

  private var state: ReferenceState { maker.writers[place].graph.state }

  /// Adds one operation, or none when nothing fits after some attempts.
  mutating func add() {
    for _ in 0..<4 where attempt() { return }
  }

  private mutating func attempt() -> Bool {
    var number = maker.random.below(maker.options.kinds.reduce(0) { $0 + $1.weight })
    for kind in maker.options.kinds {
      number -= kind.weight
      if number >= 0 { continue }
      guard let operation = make(kind), claim(operation) else { return false }
      operations.append(operation)
      return true
    }
    return false
  }

  /// Whether no register of the operation was written before (Q16), which is noted.
  private mutating func claim(_ operation: Operation) -> Bool {
    let writer = maker.writers[place]
    var transaction = ReferenceTransaction(
      line: writer.line, sequence: 1, chain: .zero, stamp: .zero, dependencies: [:],
      dictionary: writer.dictionary, operations: [operation])
    transaction.inherited = writer.inherited
    var keys: Set<ReferenceChange> = []
    var objects: Set<ReferenceID> = []
    for (_, change) in transaction.changes {
      switch change {
      case .create(let id), .life(let id, _):
        keys.insert(.create(id))
        objects.insert(id)
      case .birth(let id): keys.insert(.birth(id))
      case .write(let register, _):
        keys.insert(.write(register, .none))
        objects.insert(register.object)
      case .add(let element), .remove(let element, _):
        keys.insert(.add(element))
        objects.insert(element.object)
        if element.isEdge, let target = element.value.target { objects.insert(target) }
      case .increment(let counter, _, _), .reset(let counter, _):
        keys.insert(.reset(counter, 0))
        objects.insert(counter.object)
      case .schema(let declaration): keys.insert(.schema(declaration))
      case .opaque: break
      }
    }
    let births = keys.compactMap { if case .birth(let id) = $0 { id } else { nil } }
    let isFree =
      keys.isDisjoint(with: touched) && objects.isDisjoint(with: reborn)
      && objects.isDisjoint(with: ended)
    // A birth beside other writes to the object would leave their order to chance.
    let others = touched.flatMap { ReferenceDraft.objects($0) }
    guard isFree, !births.contains(where: { others.contains($0) }) else { return false }
    touched.formUnion(keys)
    reborn.formUnion(births)
    if case .delete(let object) = operation { ended.insert(transaction.id(object)) }
    return true
  }

  private static func objects(_ change: ReferenceChange) -> [ReferenceID] {
    switch change {
    case .create(let id), .birth(let id), .life(let id, _): [id]
    case .write(let register, _): [register.object]
    case .add(let element), .remove(let element, _):
      [element.object] + [element.value.target].compactMap { $0 }
    case .increment(let counter, _, _), .reset(let counter, _): [counter.object]
    default: []
    }
  }

  // MARK: choices

  /// An object of an entity that the author knows.
  private mutating func known(_ entity: UInt32?, where isFit: (ReferenceID) -> Bool = { _ in true })
    -> ReferenceID?
  {
    let lives = state.lives
    let list = (maker.objects.filter { lives[$0] != nil } + created)
      .filter { (entity == nil || $0.entity == entity) && isFit($0) }
    return list.isEmpty ? nil : maker.random.pick(list)
  }

  private mutating func reference(_ id: ReferenceID) -> ObjectReference {
    maker.writers[place].reference(id)
  }

  private mutating func small() -> Value { .integer(Int64(maker.random.below(6))) }

  private static let words = ["a", "b", "c"].map { Value.string($0) }

  private mutating func word() -> Value { maker.random.pick(ReferenceDraft.words) }

  private mutating func field(_ entity: UInt32) -> FieldValue {
    switch maker.random.below(4) {
    case 0: FieldValue(1, word())
    case 1, 2: FieldValue(2, word())
    default: FieldValue(1, small())
    }
  }

  // MARK: operations

  private mutating func make(_ kind: ReferenceKind) -> Operation? {
    switch kind {
    case .create, .createIdentity: return creation(kind)
    case .delete, .undelete, .recreate, .merge: return life(kind)
    case .set, .unset, .group, .refer, .pendingLink: return registers(kind)
    case .move, .detach, .own, .order, .leave, .pair, .unpair, .link, .unlink: return links(kind)
    case .add, .reset, .include, .exclude, .put, .take: return collections(kind)
    case .declare:
      return .schema(
        .entity(entity: 1, label: maker.random.pick(["Node", "Knot", "Joint"]), flags: 0))
    case .opaque:
      return .unknown(opcode: 0x3E, isCritical: false, maker.random.bytes(max: 3))
    case .record: return .tag(name: "mark", isSet: maker.random.chance(50), vector: [])
    }
  }

  private mutating func creation(_ kind: ReferenceKind) -> Operation {
    let id: ReferenceID
    var key: [UInt8] = []
    if kind == .createIdentity {
      key = Array("k\(maker.random.below(4))".utf8)
      id = ReferenceID(entity: ReferenceKind.category, identity: Checksum.hash128(key))
    } else {
      id = maker.writers[place].nextID(UInt32(maker.random.within(1...3)))
    }
    if !maker.objects.contains(id) { maker.objects.append(id) }
    created.append(id)
    let fields = maker.random.chance(70) ? [field(id.entity)] : []
    return .create(reference(id), key: key, fields)
  }

  private mutating func life(_ kind: ReferenceKind) -> Operation? {
    let lives = state.lives
    switch kind {
    case .delete: return known(nil).map { .delete(reference($0)) }
    case .undelete:
      return known(nil) { lives[$0]?.isAlive == false }.map { .undelete(reference($0)) }
    case .recreate:
      guard let id = known(nil, where: { lives[$0]?.isAlive == false }) else { return nil }
      return .recreate(reference(id), maker.random.chance(50) ? [field(id.entity)] : [])
    default:
      guard let from = known(nil), let into = known(from.entity), from != into else { return nil }
      return .merge(from: reference(from), into: reference(into))
    }
  }

  private mutating func registers(_ kind: ReferenceKind) -> Operation? {
    switch kind {
    case .set:
      guard let id = known(nil) else { return nil }
      return .set(reference(id), [field(id.entity)])
    case .unset:
      guard let id = known(nil) else { return nil }
      let type = maker.random.pick([PhysicalType.integer, .string])
      return .unset(reference(id), [FieldType(1, type)])
    case .group:
      guard let id = known(ReferenceKind.node) else { return nil }
      let value = Value.double(Double(maker.random.below(5)))
      let second =
        maker.random.chance(30) ? GroupMember(9, nilOf: .double) : GroupMember(9, value)
      return .group(reference(id), group: 30, [GroupMember(8, value), second])
    case .refer:
      guard let id = known(ReferenceKind.node), let other = known(ReferenceKind.category) else {
        return nil
      }
      return .set(reference(id), [FieldValue(16, .identityReference(reference(other)))])
    default:
      guard let id = known(ReferenceKind.node) else { return nil }
      // The object may not exist yet (Q54).
      let key = Array("k\(maker.random.below(6))".utf8)
      return .pendingLink(
        reference(id), field: 16, target: ReferenceKind.category, key: key)
    }
  }

  private mutating func links(_ kind: ReferenceKind) -> Operation? {
    let isItem = kind == .own || kind == .order || kind == .leave
    guard let id = known(isItem ? ReferenceKind.item : ReferenceKind.node),
      let other = known(ReferenceKind.node)
    else { return nil }
    switch kind {
    case .move: return .set(reference(id), [FieldValue(10, .reference(reference(other)))])
    case .detach: return .unset(reference(id), [FieldType(10, .reference)])
    case .own: return .set(reference(id), [FieldValue(21, .reference(reference(other)))])
    case .leave: return .order(reference(id), field: 20, place: nil)
    case .order:
      let key = [UInt8(maker.random.below(4))] + maker.random.bytes(max: 1)
      return .order(reference(id), field: 20, place: .init(parent: reference(other), key: key))
    case .pair, .unpair: return pair(kind, id, other)
    case .link:
      let isMark = maker.random.chance(60)
      guard let target = isMark ? known(ReferenceKind.mark) : other else { return nil }
      return .link(reference(id), field: isMark ? 13 : 14, target: reference(target))
    default:
      return unlinking()
    }
  }

  /// Removes all dots of an edge that the author sees.
  private mutating func unlinking() -> Operation? {
    let edges = state.elements.filter { $0.key.isEdge }.compactMap { element, dots in
      element.value.target.map { (element.object, element.field, $0, dots.keys.sorted()) }
    }.sorted { ($0.0, $0.1, $0.2) < ($1.0, $1.1, $1.2) }
    guard !edges.isEmpty else { return nil }
    let (object, field, target, dots) = maker.random.pick(edges)
    let list = dots.map { maker.writers[place].dot($0) }
    return .unlink(reference(object), field: field, target: reference(target), dots: list)
  }

  private mutating func pair(_ kind: ReferenceKind, _ id: ReferenceID, _ other: ReferenceID)
    -> Operation?
  {
    if maker.random.chance(30), let item = known(ReferenceKind.item) {
      return .pair(
        isPaired: kind == .pair, a: reference(item), fieldA: 22, b: reference(other), fieldB: 23)
    }
    let mark = FieldType(11, .reference)
    let held = state.registers[ReferenceRegister(id, .column(mark))]?.value.target
    let partner = kind == .unpair ? held ?? other : other
    guard partner.entity == ReferenceKind.node else { return nil }
    return .pair(
      isPaired: kind == .pair, a: reference(id), fieldA: 11, b: reference(partner), fieldB: 12)
  }

  /// Removes all dots of an element that the author sees.
  private mutating func excluding() -> Operation? {
    let members = state.elements.filter { !$0.key.isEdge }
      .map { ($0.key.object, $0.key.value, $0.value.keys.sorted()) }
      .sorted { ($0.0, $0.1.description) < ($1.0, $1.1.description) }
    guard !members.isEmpty else { return nil }
    let (object, stored, dots) = maker.random.pick(members)
    let value = ReferenceDraft.words.first { word in
      var writer = ByteWriter()
      word.write(into: &writer)
      return stored == .plain(writer.finish().array)
    }
    guard let value else { return nil }
    let list = dots.map { maker.writers[place].dot($0) }
    return .setRemove(reference(object), field: 5, value, dots: list)
  }

  private mutating func collections(_ kind: ReferenceKind) -> Operation? {
    guard let id = known(nil) else { return nil }
    let object = reference(id)
    switch kind {
    case .add:
      let reset = maker.writers[place].graph.reset(ReferenceCounter(id, 4))
      let author = reset.map { maker.writers[place].index($0.author) } ?? 0
      return .counterAdd(
        object, field: 4, amount: Int64(maker.random.within(-3...9)),
        resetStamp: reset?.stamp ?? .zero, resetAuthor: author)
    case .reset: return .counterReset(object, field: 4, value: Int64(maker.random.below(100)))
    case .include: return .setAdd(object, field: 5, word())
    case .exclude: return excluding()
    case .put: return .mapPut(object, field: 6, key: word(), small())
    default: return .mapRemove(object, field: 6, key: word())
    }
  }
}
