// `varve schema show`: what the log declares.

import Varve
import VarveFormat

extension CommandSpec {
  static let schemaShow = CommandSpec(
    name: "schema show", section: "Inspection",
    summary: "list the entities, attributes and relationships of a store",
    discussion: """
      The schema is what all logs of the store declare together. Each property has a line: name, \
      tag, type, whether it is optional, its default and its index; for a relationship the target, \
      the kind, the way back and what happens when the target is deleted. Declarations that \
      contradict each other are listed at the end, with the reading that the engine takes in its \
      documentation.

      Of a single segment file, what earlier segments declared is known only as far as its SCHEMA \
      frame repeats it.
      """,
    arguments: [ArgumentSpec("STORE", .optional, help: "a store directory or a segment file")],
    examples: [
      ExampleSpec("varve schema show my.store", "everything that is declared"),
      ExampleSpec("varve schema show my.store --json", "the same for a script"),
    ],
    exits: ExitSpec.inspection
  ) { context in
    let disk = PosixDisk()
    let target = try StoreTarget.resolve(
      context.command.argument("STORE"), context, disk: disk)
    let set = try LogSet.open(target, disk: disk)
    let walk = LogWalk(set, disk: disk)
    let schema = try walk.readSchema().resolved
    let findings = set.findings + walk.findings
    let writer = try context.resultWriter()
    if context.globals.format == .human {
      try writer.write(schema.entities.isEmpty ? "nothing is declared\n" : schema.description)
      for finding in findings where finding.severity > .note { try writer.line(finding.line) }
    } else {
      try writer.line(SchemaDocument(schema).json(set, findings).text)
    }
    return findings.exitCode(strict: context.globals.isStrict)
  }
}

extension LogWalk {
  /// What the transactions that can be read declare, and what SCHEMA frames repeat.
  func readSchema() throws -> SchemaState {
    var state = SchemaState()
    while let event = try next() {
      guard case .transaction(let logged) = event else { continue }
      let declared =
        (try? OperationStream.schema(logged.transaction, parts: logged.parts)) ?? []
      for (place, operation) in declared.enumerated() {
        state.apply(
          operation, stamp: logged.transaction.stamp, author: logged.replica,
          ordinal: UInt64(place))
      }
    }
    for (replica, hints) in hints {
      for (place, operation) in hints.enumerated() {
        state.applyHint(operation, author: replica, ordinal: UInt64(place))
      }
    }
    return state
  }
}

/// The JSON of a schema.
private struct SchemaDocument {
  let schema: ResolvedSchema

  init(_ schema: ResolvedSchema) { self.schema = schema }

  func json(_ set: LogSet, _ findings: [Finding]) -> JSONValue {
    .object([
      ("schema", "varve.schema/1"), ("path", .string(set.path)),
      ("version", .unsigned(schema.version)), ("versionLabel", .string(schema.versionLabel)),
      ("entities", .array(schema.entities.map { json($0) })),
      (
        "problems",
        .array(
          schema.problems.map { problem in
            .object([
              ("kind", .string(problem.kind.rawValue)), ("entity", number(problem.entity)),
              ("tag", number(problem.tag)), ("detail", .string(problem.sentence)),
            ])
          })
      ), ("findings", .array(findings.map(\.json))),
    ])
  }

  private func number(_ tag: UInt32) -> JSONValue { .integer(Int64(tag)) }

  private func tags(_ tags: [UInt32]) -> JSONValue { .array(tags.map { number($0) }) }

  private func json(_ entity: EntityRule) -> JSONValue {
    .object([
      ("name", .string(entity.label)), ("tag", number(entity.tag)),
      ("identity", .bool(entity.isIdentity)), ("updatesRevive", .bool(entity.updatesRevive)),
      ("retired", .bool(entity.isRetired)),
      ("attributes", .array(entity.attributes.map { json($0) })),
      ("relationships", .array(entity.relationships.map { json($0) })),
      (
        "key",
        entity.uniqueness.map {
          .object([("mode", .string($0.mode.word)), ("attributes", tags($0.attributes))])
        } ?? .null
      ),
      (
        "groups",
        .array(
          entity.groups.map {
            .object([
              ("name", .string($0.label)), ("tag", number($0.tag)),
              ("attributes", tags($0.attributes)),
            ])
          })
      ),
      (
        "indexes",
        .array(
          entity.indexes.map {
            .object([
              ("name", .string($0.label)), ("kind", .string($0.kind.word)),
              ("attributes", tags($0.attributes)),
            ])
          })
      ),
    ])
  }

  private func json(_ attribute: AttributeRule) -> JSONValue {
    .object([
      ("name", .string(attribute.label)), ("tag", number(attribute.tag)),
      ("type", .string(attribute.type.name)), ("form", .string(attribute.form.rawValue)),
      ("optional", .bool(attribute.isOptional)),
      ("default", attribute.defaultValue.map { ReadableValue.json($0) } ?? .null),
      ("ordered", .bool(attribute.isOrdered)), ("localOnly", .bool(attribute.isLocalOnly)),
      ("retired", .bool(attribute.isRetired)),
    ])
  }

  private func json(_ link: RelationshipRule) -> JSONValue {
    .object([
      ("name", .string(link.label)), ("tag", number(link.tag)), ("kind", .string(link.kind.word)),
      ("target", number(link.target)), ("targetName", .string(schema.name(link.target))),
      ("inverse", link.inverse == 0 ? .null : number(link.inverse)),
      ("inverseName", link.inverse == 0 ? .null : .string(link.inverseLabel)),
      ("deleteRule", .string(link.deleteRule.word)), ("optional", .bool(link.isOptional)),
      ("owned", .bool(link.isOwner)), ("cascading", .bool(link.isCascading)),
      ("retired", .bool(link.isRetired)),
    ])
  }
}
