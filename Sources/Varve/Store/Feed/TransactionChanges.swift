// Which objects a transaction touches: runs of a bulk write stay runs. Layer: Store.

import VarveFormat

/// The changes of a transaction by object.
///
/// A sequence, not an array: a bulk write of a million rows takes no more memory than one of ten.
public struct TransactionChanges: Sendable, Sequence {
  /// Objects in the order of their first mention.
  private var objects: [ObjectChange] = []
  private var places: [ObjectName: Int] = [:]
  private var runs: [Run] = []

  /// Objects that a columns operation created with consecutive serials.
  private struct Run: Sendable {
    var entity: UInt32
    var creator: Creator
    var serials: Range<UInt64>
    var tags: [UInt32]
  }

  init() {}

  /// The number of objects.
  public var count: Int { runs.reduce(objects.count) { $0 + $1.serials.count } }

  /// `count`, which costs as little.
  public var underestimatedCount: Int { count }

  /// Walks the objects: those of bulk writes first.
  public func makeIterator() -> Iterator { Iterator(self) }

  /// Walks changes.
  public struct Iterator: IteratorProtocol {
    private let changes: TransactionChanges
    private var run = 0
    private var row: UInt64 = 0
    private var place = 0

    fileprivate init(_ changes: TransactionChanges) { self.changes = changes }

    /// The next change, nil at the end.
    public mutating func next() -> ObjectChange? {
      while run < changes.runs.count {
        let current = changes.runs[run]
        if row < current.serials.count {
          defer { row += 1 }
          return ObjectChange(
            object: ObjectID(
              ObjectName(
                entity: current.entity,
                .created(current.creator, serial: current.serials.lowerBound + row))),
            kind: .inserted, tags: current.tags)
        }
        run += 1
        row = 0
      }
      guard place < changes.objects.count else { return nil }
      defer { place += 1 }
      return changes.objects[place]
    }
  }

  // MARK: gathering

  mutating func addRun(entity: UInt32, creator: Creator, serials: Range<UInt64>, tags: [UInt32]) {
    runs.append(Run(entity: entity, creator: creator, serials: serials, tags: tags))
  }

  /// Notes a change; a change of an object that is noted already joins it.
  mutating func add(_ name: ObjectName, _ kind: ObjectChange.Kind, _ tags: [UInt32]) {
    guard let place = places[name] else {
      places[name] = objects.count
      objects.append(
        ObjectChange(object: ObjectID(name), kind: kind, tags: TransactionChanges.sorted(tags)))
      return
    }
    // The last word on its life counts; writes to a new object leave it a new one.
    if kind != .updated { objects[place].kind = kind }
    let known = objects[place].tags
    if !tags.allSatisfy(known.contains) {
      objects[place].tags = TransactionChanges.sorted(known + tags)
    }
  }

  private static func sorted(_ tags: [UInt32]) -> [UInt32] {
    tags.count < 2 ? tags : Set(tags).sorted()
  }
}

extension TransactionChanges {
  /// Notes what operations do; `creator` names creators by the index that the log uses.
  mutating func add(_ operations: [Operation], _ creator: (UInt32) -> Creator?) {
    for operation in operations { add(operation, creator) }
  }

  private mutating func add(_ operation: Operation, _ creator: (UInt32) -> Creator?) {
    switch operation {
    case .create(let object, _, let fields), .recreate(let object, let fields):
      add(object, .inserted, fields.map(\.field), creator)
    case .set(let object, let fields): add(object, .updated, fields.map(\.field), creator)
    case .unset(let object, let fields): add(object, .updated, fields.map(\.field), creator)
    case .group(let object, _, let members):
      add(object, .updated, members.map(\.column.field), creator)
    case .link(let object, let field, _), .unlink(let object, let field, _, _),
      .order(let object, let field, _), .counterAdd(let object, let field, _, _, _),
      .counterReset(let object, let field, _), .setAdd(let object, let field, _),
      .setRemove(let object, let field, _, _), .mapPut(let object, let field, _, _),
      .mapRemove(let object, let field, _), .pendingLink(let object, let field, _, _):
      add(object, .updated, [field], creator)
    case .pair(_, let left, let leftField, let right, let rightField):
      add(left, .updated, [leftField], creator)
      add(right, .updated, [rightField], creator)
    case .delete(let object): add(object, .deleted, [], creator)
    case .undelete(let object): add(object, .restored, [], creator)
    case .merge(let from, let into):
      add(from, .merged, [], creator)
      add(into, .updated, [], creator)
    default: break
    }
  }

  private mutating func add(
    _ object: ObjectReference, _ kind: ObjectChange.Kind, _ tags: [UInt32],
    _ creator: (UInt32) -> Creator?
  ) {
    guard let name = ObjectName(object, creator) else { return }
    add(name, kind, tags)
  }
}

extension ObjectName {
  /// The name of an object that a log calls by the index of its creator; nil for an index that was
  /// never declared.
  init?(_ object: ObjectReference, _ creator: (UInt32) -> Creator?) {
    switch object.origin {
    case .created(let index, let serial):
      guard let creator = creator(index) else { return nil }
      self.init(entity: object.entity, .created(creator, serial: serial))
    case .identity(let hash): self.init(entity: object.entity, .identity(hash))
    }
  }
}
