// Declarations for tests of the schema. Layer: test support.

import Varve
import VarveFormat

/// Short spellings of schema operations.
package enum SchemaSamples {
  /// A replica whose bytes are all `byte`.
  package static func replica(_ byte: UInt8) -> ReplicaID {
    ReplicaID([UInt8](repeating: byte, count: 16))
  }

  package static func entity(_ tag: UInt32, _ label: String, flags: UInt8 = 0) -> SchemaOperation {
    .entity(entity: tag, label: label, flags: flags)
  }

  package static func attribute(
    _ entity: UInt32, _ tag: UInt32, _ label: String, _ type: PhysicalType = .string,
    flags: UInt8 = 0, defaultValue: Value? = nil
  ) -> SchemaOperation {
    .attribute(
      entity: entity, attribute: tag, type: type, label: label,
      flags: flags | (defaultValue == nil ? 0 : SchemaOperation.AttributeFlag.hasDefault),
      defaultValue: defaultValue)
  }

  package static func link(
    _ entity: UInt32, _ tag: UInt32, _ label: String, to target: UInt32,
    kind: RelationshipKind = .toOne, inverse: UInt32 = 0, inverseLabel: String = "",
    rule: DeleteRule = .nullify, flags: UInt8 = SchemaOperation.RelationshipFlag.optional
  ) -> SchemaOperation {
    .relationship(
      SchemaOperation.Relationship(
        entity: entity, attribute: tag, label: label, kind: kind.rawValue, target: target,
        inverse: inverse, inverseLabel: inverseLabel, deleteRule: rule.rawValue, flags: flags))
  }

  /// A state of declarations, each a millisecond after the one before, by one replica.
  package static func state(_ operations: [SchemaOperation]) -> SchemaState {
    var state = SchemaState()
    for (place, operation) in operations.enumerated() {
      state.apply(
        operation, stamp: Stamp(milliseconds: UInt64(place) + 1_000), author: replica(1))
    }
    return state
  }

  /// Projects with items, as two programs would declare them.
  package static let projects: [SchemaOperation] = [
    entity(1, "Project"), attribute(1, 1, "name"),
    attribute(1, 2, "deadline", .date, flags: SchemaOperation.AttributeFlag.optional),
    entity(2, "Item"), attribute(2, 1, "title", defaultValue: .string("")),
    attribute(2, 2, "priority", .integer, defaultValue: .integer(0)),
    attribute(2, 3, "isDone", .bool, defaultValue: .bool(false)),
    link(2, 4, "project", to: 1, inverse: 3, inverseLabel: "items", rule: .cascade),
    .index(entity: 2, label: "title", kind: IndexKind.ordered.rawValue, attributes: [1]),
    .version(2, label: ""),
  ]

  /// The declaration that says the same as `projects`.
  package static let projectSchema = Schema(
    version: 2,
    entities: [
      Entity(
        "Project", tag: 1,
        attributes: [.string("name", tag: 1), .date("deadline", tag: 2, isOptional: true)]),
      Entity(
        "Item", tag: 2,
        attributes: [
          .string("title", tag: 1, default: "", isIndexed: true),
          .integer("priority", tag: 2, default: 0), .bool("isDone", tag: 3, default: false),
        ],
        relationships: [
          .toOne(
            "project", tag: 4, to: "Project", inverse: "items", inverseTag: 3, onDelete: .cascade)
        ]),
    ])
}

extension SchemaState {
  /// All bytes that the state is made of, for comparison.
  package var fingerprint: [[UInt8]] {
    declarations.map { declaration in
      var writer = ByteWriter()
      for claim in [declaration.latest, declaration.earliest] {
        writer.uint64(claim.stamp.rawValue)
        writer.bytes(claim.author.array)
        writer.uint64(claim.ordinal)
      }
      writer.bytes(declaration.operation.encoded)
      return writer.finish().array
    }
  }
}
