// The fields of operations as records. See Formats/Dump.md, "Operations".

/// Turns operations into records.
package enum OperationText {
  /// The name in the catalogue, `unknown` for others.
  package static func name(_ operation: Operation) -> String {
    if case .unknown = operation { return "unknown" }
    return Opcode(rawValue: operation.opcode).map { names[Int($0.rawValue)] } ?? "unknown"
  }

  private static let names: [String] = {
    var names = [String](repeating: "unknown", count: 256)
    for opcode in Opcode.allCases { names[Int(opcode.rawValue)] = String(describing: opcode) }
    return names
  }()

  private static let kinds = names.map { "op \($0)" }

  /// The record of an operation, then those that belong to it, one deeper.
  package static func records(_ operation: Operation, depth: Int) -> [DumpRecord] {
    var opcode = operation.opcode
    if case .unknown = operation { opcode = 0 }
    let first = DumpRecord(depth, kinds[Int(opcode)], fields(operation))
    return [first] + nested(operation).map { DumpRecord(depth + 1, $0.kind, $0.fields) }
  }

  /// The fields of the operation's own record.
  package static func fields(_ operation: Operation) -> [DumpField] {
    switch operation {
    case .create(let object, let key, let values):
      let first = [DumpField("object", .object(object))]
      let count = [DumpField("count", .number(values.count))]
      if case .identity = object.origin { return first + [DumpField("key", .bytes(key))] + count }
      return first + count
    case .set(let object, let values), .recreate(let object, let values):
      return [DumpField("object", .object(object)), DumpField("count", .number(values.count))]
    case .unset(let object, let columns):
      return [
        DumpField("object", .object(object)),
        DumpField("fields", .list(columns.map(\.description))),
      ]
    case .group(let object, let group, let members):
      return [
        DumpField("object", .object(object)), DumpField("group", .number(group)),
        DumpField("count", .number(members.count)),
      ]
    case .delete(let object), .undelete(let object): return [DumpField("object", .object(object))]
    case .merge(let from, let into):
      return [DumpField("from", .object(from)), DumpField("into", .object(into))]
    case .schema(let declaration): return schemaFields(declaration)
    case .columns(let columns): return columnsFields(columns)
    case .unknown(let opcode, let isCritical, let bytes):
      return [
        DumpField("opcode", .number(opcode)), DumpField("critical", .flag(isCritical)),
        DumpField("bytes", .bytes(bytes)),
      ]
    case .link, .unlink, .pair, .order, .pendingLink: return linkFields(operation)
    case .counterAdd, .counterReset, .setAdd, .setRemove, .mapPut, .mapRemove:
      return collectionFields(operation)
    default: return logFields(operation)
    }
  }

  /// The records one deeper: field values, columns.
  package static func nested(_ operation: Operation) -> [(kind: String, fields: [DumpField])] {
    switch operation {
    case .group(_, _, let members): return members.map { ("field", member($0)) }
    case .create(_, _, let values), .set(_, let values), .recreate(_, let values):
      return values.map {
        ("field", [DumpField("tag", .number($0.field)), DumpField("value", .value($0.value))])
      }
    case .columns(let columns):
      return columns.columns.map {
        (
          "column",
          [
            DumpField("attribute", .number($0.attribute)), DumpField("type", .word($0.type.name)),
            DumpField("explicitNil", .flag($0.hasExplicitNil)),
            DumpField("target", .number($0.target)),
          ]
        )
      }
    default: return []
    }
  }

  private static func member(_ member: GroupMember) -> [DumpField] {
    let tag = DumpField("tag", .number(member.column.field))
    if let value = member.value { return [tag, DumpField("value", .value(value))] }
    return [
      tag, DumpField("value", .value(.null)), DumpField("type", .word(member.column.type.name)),
    ]
  }

  // MARK: lists

  static func tagList(_ tags: [UInt32]) -> DumpValue { .list(tags.map { String($0) }) }

  private static func dots(_ dots: [Dot]) -> DumpField {
    DumpField("dots", .list(dots.map(\.description)))
  }

  private static func vector(_ vector: [LogPosition]) -> DumpField {
    DumpField(
      "vector",
      .list(vector.map { "\($0.index):\($0.sequence):\(hexadecimal($0.chainPrefix))" }))
  }

  static func register(_ object: ObjectReference, _ field: UInt32) -> [DumpField] {
    [DumpField("object", .object(object)), DumpField("field", .number(field))]
  }

  // MARK: families of operations

  private static func linkFields(_ operation: Operation) -> [DumpField] {
    switch operation {
    case .link(let object, let field, let target):
      return register(object, field) + [DumpField("target", .object(target))]
    case .unlink(let object, let field, let target, let list):
      return register(object, field) + [DumpField("target", .object(target)), dots(list)]
    case .pair(let isPaired, let a, let fieldA, let b, let fieldB):
      return [
        DumpField("state", .flag(isPaired)), DumpField("a", .object(a)),
        DumpField("fieldA", .number(fieldA)), DumpField("b", .object(b)),
        DumpField("fieldB", .number(fieldB)),
      ]
    case .order(let object, let field, let place):
      guard let place else { return register(object, field) + [DumpField("parent", .word("none"))] }
      return register(object, field) + [
        DumpField("parent", .object(place.parent)), DumpField("key", .bytes(place.key)),
      ]
    case .pendingLink(let object, let field, let target, let key):
      return register(object, field) + [
        DumpField("target", .number(target)), DumpField("key", .bytes(key)),
      ]
    default: preconditionFailure("not a link operation")
    }
  }

  private static func collectionFields(_ operation: Operation) -> [DumpField] {
    switch operation {
    case .counterAdd(let object, let field, let amount, let stamp, let author):
      return register(object, field) + [
        DumpField("amount", .signed(amount)), DumpField("reset", .stamp(stamp)),
        DumpField("author", .number(author)),
      ]
    case .counterReset(let object, let field, let value):
      return register(object, field) + [DumpField("value", .signed(value))]
    case .setAdd(let object, let field, let value):
      return register(object, field) + [DumpField("value", .value(value))]
    case .setRemove(let object, let field, let value, let list):
      return register(object, field) + [DumpField("value", .value(value)), dots(list)]
    case .mapPut(let object, let field, let key, let value):
      return register(object, field) + [
        DumpField("key", .value(key)), DumpField("value", .value(value)),
      ]
    case .mapRemove(let object, let field, let key):
      return register(object, field) + [DumpField("key", .value(key))]
    default: preconditionFailure("not an operation of a counter, set or map")
    }
  }

  private static func logFields(_ operation: Operation) -> [DumpField] {
    switch operation {
    case .localMarker(let sequence, let chain):
      return [DumpField("sequence", .number(sequence)), DumpField("chain", .hash(chain))]
    case .blob(let hash, let count):
      return [DumpField("sha256", .bytes(hash)), DumpField("bytes", .number(count))]
    case .era(let number, let act, let baseline, let list):
      return [
        DumpField("number", .number(number)), DumpField("act", .number(act)),
        DumpField("baseline", .hash(baseline)), vector(list),
      ]
    case .acceptGap(let index, let first, let last, let chain):
      return [
        DumpField("index", .number(index)), DumpField("first", .number(first)),
        DumpField("last", .number(last)), DumpField("chain", .hash(chain)),
      ]
    case .acceptStore(let store): return [DumpField("store", .word(store.description))]
    case .adoption(let adoption):
      return [
        DumpField("index", .number(adoption.index)),
        DumpField("sequence", .number(adoption.sequence)),
        DumpField("previous", .hash(adoption.previousChain)),
        DumpField("dictionary", .number(adoption.dictionary.count)),
        DumpField("bytes", .number(adoption.transaction.count)),
        DumpField("parts", .number(adoption.parts.count)),
      ]
    case .retireReplica(let position): return positionFields(position)
    case .tag(let name, let isSet, let list):
      return [DumpField("name", .string(name)), DumpField("state", .flag(isSet)), vector(list)]
    case .acknowledgeConflict(let object, let field, let winner, let loser):
      return register(object, field) + [
        DumpField("winner", .word(winner.description)),
        DumpField("loser", .word(loser.description)),
      ]
    case .migration(let identifier, let ordinal, let isFinished):
      return [
        DumpField("identifier", .string(identifier)), DumpField("ordinal", .number(ordinal)),
        DumpField("finished", .flag(isFinished)),
      ]
    default: preconditionFailure("not an operation on the log")
    }
  }

  /// The fields of a dependency, a retired replica.
  static func positionFields(_ position: LogPosition) -> [DumpField] {
    [
      DumpField("index", .number(position.index)),
      DumpField("sequence", .number(position.sequence)),
      DumpField("chain", .bytes(position.chainPrefix)),
    ]
  }
}
