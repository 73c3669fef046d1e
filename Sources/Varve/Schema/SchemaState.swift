// Folds schema operations into registers whose order of arrival does not matter. Layer: Schema.

import Synchronization
import VarveFormat

/// Everything that schema operations of all replicas declared (Q7).
///
/// A rule is a last-writer-wins register by (kind, entity, tag), the one of an attribute by
/// (entity, tag, physical type). The same declarations give the same state in any order, however
/// often each of them arrives. What they mean together says `resolved`.
package struct SchemaState: Sendable {
  /// What a register is named by.
  private enum Key: Hashable, Sendable {
    case entity(UInt32)
    case attribute(UInt32, UInt32, PhysicalType)
    case relationship(UInt32, UInt32)
    case uniqueness(UInt32)
    case group(UInt32, UInt32)
    /// Labels name indexes by their bytes, not by what they look like.
    case index(UInt32, [UInt8])
    case retire(UInt32, UInt32)
    case version

    init(_ operation: SchemaOperation) {
      self =
        switch operation {
        case .entity(let entity, _, _): .entity(entity)
        case .attribute(let entity, let tag, let type, _, _, _): .attribute(entity, tag, type)
        case .relationship(let link): .relationship(link.entity, link.attribute)
        case .uniqueness(let entity, _, _): .uniqueness(entity)
        case .group(let entity, let group, _, _): .group(entity, group)
        case .index(let entity, let label, _, _): .index(entity, Array(label.utf8))
        case .retire(let entity, let tag): .retire(entity, tag)
        case .version: .version
        }
    }
  }

  /// The view of one state, computed when it is first asked for and shared by copies.
  private final class View: Sendable {
    let resolved = AtomicLazyReference<ResolvedSchema>()
  }

  private var registers: [Key: SchemaDeclaration] = [:]
  private var view = View()

  package init() {}

  /// The state that `declarations` gave.
  package init(_ declarations: [SchemaDeclaration]) {
    for declaration in declarations { merge(declaration) }
  }

  /// Takes in what a transaction declares.
  ///
  /// `ordinal` is the place of the operation in its transaction; it counts only if the transaction
  /// writes one register twice, which a valid one does not.
  package mutating func apply(
    _ operation: SchemaOperation, stamp: Stamp, author: ReplicaID, ordinal: UInt64 = 0
  ) {
    let claim = SchemaClaim(stamp: stamp, author: author, ordinal: ordinal)
    merge(SchemaDeclaration(operation, latest: claim, earliest: claim))
  }

  /// Takes in a declaration that a SCHEMA frame repeats; later ones of a log have larger ordinals.
  package mutating func applyHint(
    _ operation: SchemaOperation, author: ReplicaID, ordinal: UInt64
  ) {
    apply(operation, stamp: .zero, author: author, ordinal: ordinal)
  }

  /// Takes in all that another state knows.
  package mutating func merge(_ other: SchemaState) {
    for declaration in other.registers.values { merge(declaration) }
  }

  /// Takes in one register.
  package mutating func merge(_ declaration: SchemaDeclaration) {
    let key = Key(declaration.operation)
    if var known = registers[key] {
      guard known.merge(declaration) else { return }
      registers[key] = known
    } else {
      registers[key] = declaration
    }
    view = View()
  }

  /// Whether nothing was declared.
  package var isEmpty: Bool { registers.isEmpty }

  /// Every register, in an order that depends on the state alone.
  ///
  /// A state made of them equals this one, also for what arrives later.
  package var declarations: [SchemaDeclaration] {
    registers.values.map { ($0, $0.operation.place) }.sorted { a, b in
      a.1 != b.1 ? a.1.lexicographicallyPrecedes(b.1) : SchemaState.precedes(a.0, b.0)
    }.map(\.0)
  }

  /// Types of one tag, and indexes of one entity: earliest first, then by bytes.
  private static func precedes(_ a: SchemaDeclaration, _ b: SchemaDeclaration) -> Bool {
    if case .attribute = a.operation, a.earliest != b.earliest { return a.earliest < b.earliest }
    return a.operation.encoded.lexicographicallyPrecedes(b.operation.encoded)
  }

  /// The operations that a SCHEMA frame repeats: those that still say something.
  ///
  /// Taken in as hints, one after the other, they give the same view.
  package var operations: [SchemaOperation] {
    declarations.filter { declaration in
      guard case .retire(let entity, let tag) = declaration.operation else { return true }
      return isRetired(entity, tag)
    }.map(\.operation)
  }

  /// Whether a retirement is newer than the last declaration of the same thing; in one transaction
  /// the retirement wins.
  func isRetired(_ entity: UInt32, _ tag: UInt32) -> Bool {
    guard let retired = registers[.retire(entity, tag)]?.latest else { return false }
    let keys: [Key] =
      tag == 0
      ? [.entity(entity)]
      : [.relationship(entity, tag)] + PhysicalType.allCases.map { .attribute(entity, tag, $0) }
    return keys.allSatisfy { key in
      guard let declared = registers[key]?.latest else { return true }
      if declared.isHint && retired.isHint { return true }
      return (declared.stamp, declared.author) <= (retired.stamp, retired.author)
    }
  }

  /// What the declarations mean together.
  ///
  /// - Complexity: O(1) after the first call since the last change.
  package var resolved: ResolvedSchema {
    view.resolved.load() ?? view.resolved.storeIfNil(ResolvedSchema(self))
  }
}

extension SchemaState: Hashable {
  package static func == (a: SchemaState, b: SchemaState) -> Bool { a.registers == b.registers }

  package func hash(into hasher: inout Hasher) { hasher.combine(registers) }
}

extension SchemaOperation {
  /// Kind, entity and tag: the order in which declarations are listed; retirements come last.
  fileprivate var place: [UInt32] {
    switch self {
    case .version: [0, 0, 0]
    case .entity(let entity, _, _): [1, entity, 0]
    case .attribute(let entity, let tag, _, _, _, _): [2, entity, tag]
    case .relationship(let link): [3, link.entity, link.attribute]
    case .uniqueness(let entity, _, _): [4, entity, 0]
    case .group(let entity, let group, _, _): [5, entity, group]
    case .index(let entity, _, _, _): [6, entity, 0]
    case .retire(let entity, let tag): [7, entity, tag]
    }
  }
}
