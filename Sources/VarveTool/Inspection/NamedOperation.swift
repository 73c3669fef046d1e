// Operations as one line for people and as JSON members, with names from the log's schema.

import Varve
import VarveFormat

/// The word for an operation, and what it says as named values.
struct NamedOperation {
  /// The name in Formats/Transaction.md, section 3.
  let name: String
  /// Named values in order.
  private(set) var fields: [(String, JSONValue)] = []
  /// Attribute values, with the attribute's name.
  private(set) var values: [(name: String, value: Value)] = []

  /// Fields whose text people chose.
  private static let quoted: Set = ["attribute", "label", "name", "identifier", "relationship"]

  private let names: NameBook

  init(_ operation: Operation, names: NameBook) {
    self.names = names
    name = NamedOperation.word(operation)
    describe(operation)
  }

  /// `set flights/0/1 delay=5 carrier="UA"`.
  var line: String {
    var text = name
    for (name, value) in fields {
      switch value {
      case .string(let word) where name == "object" || name == "entity": text += " \(word)"
      case .string(let word) where NamedOperation.quoted.contains(name):
        text += " \(name)=\(ReadableValue.quoted(word))"
      case .string(let word): text += " \(name)=\(word)"
      case .array(let words):
        let list = words.map { word in if case .string(let text) = word { text } else { word.text }
        }
        text += " \(name)=\(list.joined(separator: ","))"
      default: text += " \(name)=\(value.text)"
      }
    }
    for (name, value) in values {
      text += " \(name)=\(ReadableValue.human(value, names: names))"
    }
    return text
  }

  /// The members of a JSON object.
  var members: [(String, JSONValue)] {
    var members: [(String, JSONValue)] = [("op", .string(name))]
    members += fields
    if !values.isEmpty {
      let keys = NamedOperation.distinct(values.map(\.name))
      let list = zip(keys, values).map { ($0, ReadableValue.json($1.value)) }
      members.append(("values", .object(list)))
    }
    return members
  }

  /// Names as keys of an object: the second `name` is `name#2`.
  static func distinct(_ names: [String]) -> [String] {
    var counts: [String: Int] = [:]
    return names.map { name in
      counts[name, default: 0] += 1
      let count = counts[name, default: 1]
      return count == 1 ? name : "\(name)#\(count)"
    }
  }

  /// The name of an opcode.
  static func word(_ opcode: UInt8) -> String {
    Opcode(rawValue: opcode & 0x7F).map { String(describing: $0) }
      ?? "unknown(0x\(VarveFormat.hexadecimal(UInt64(opcode), width: 2)))"
  }

  static func word(_ operation: Operation) -> String { word(operation.opcode) }

  private mutating func add(_ object: ObjectReference, _ name: String = "object") {
    fields.append((name, .string(ReadableValue.object(object, names))))
  }

  private mutating func add(_ name: String, _ number: some BinaryInteger) {
    fields.append((name, .integer(Int64(clamping: number))))
  }

  private mutating func add(_ name: String, _ text: String) {
    fields.append((name, .string(text)))
  }

  private mutating func add(_ entity: UInt32, field: UInt32, _ name: String = "field") {
    fields.append((name, .string(names.name(entity, field))))
  }

  private mutating func add(_ entity: UInt32, fields: [UInt32]) {
    let list = fields.map { JSONValue.string(names.name(entity, $0)) }
    self.fields.append(("fields", .array(list)))
  }

  private mutating func add(_ object: ObjectReference, _ list: [FieldValue]) {
    values += list.map { (names.name(object.entity, $0.field), $0.value) }
  }

  private mutating func describe(_ operation: Operation) {
    switch operation {
    case .create(let object, let key, let list):
      add(object)
      if !key.isEmpty { add("key", hexadecimal(key)) }
      add(object, list)
    case .set(let object, let list), .recreate(let object, let list):
      add(object)
      add(object, list)
    case .unset(let object, let columns):
      add(object)
      add(object.entity, fields: columns.map(\.field))
    case .delete(let object), .undelete(let object): add(object)
    case .link(let object, let field, let target), .unlink(let object, let field, let target, _):
      add(object)
      add(object.entity, field: field)
      add(target, "target")
    case .group(let object, let group, let members):
      add(object)
      add("group", group)
      add(object, members.map { FieldValue($0.column.field, $0.value ?? .null) })
    case .merge(let from, let into):
      add(from, "from")
      add(into, "into")
    case .columns(let columns): describe(columns)
    case .schema(let schema): describe(schema)
    case .unknown(let opcode, let isCritical, let bytes):
      add("opcode", opcode)
      add("critical", isCritical ? 1 : 0)
      add("bytes", bytes.count)
    default: describeRest(operation)
    }
  }

  private mutating func describeRest(_ operation: Operation) {
    switch operation {
    case .pair(let isPaired, let a, let fieldA, let b, let fieldB):
      add("state", isPaired ? 1 : 0)
      add(a, "a")
      add(a.entity, field: fieldA, "fieldA")
      add(b, "b")
      add(b.entity, field: fieldB, "fieldB")
    case .order(let object, let field, let place):
      add(object)
      add(object.entity, field: field)
      if let place { add(place.parent, "parent") }
    case .counterAdd(let object, let field, let amount, _, _):
      add(object)
      add(object.entity, field: field)
      add("amount", amount)
    case .counterReset(let object, let field, let value):
      add(object)
      add(object.entity, field: field)
      add("value", value)
    case .setAdd(let object, let field, let value), .setRemove(let object, let field, let value, _):
      add(object)
      values.append((names.name(object.entity, field), value))
    case .mapPut(let object, let field, let key, let value):
      add(object)
      add("key", ReadableValue.spelling(key))
      values.append((names.name(object.entity, field), value))
    case .mapRemove(let object, let field, let key):
      add(object)
      add(object.entity, field: field)
      add("key", ReadableValue.spelling(key))
    case .acknowledgeConflict(let object, let field, let winner, let loser):
      add(object)
      add(object.entity, field: field)
      add("winner", winner.description)
      add("loser", loser.description)
    case .pendingLink(let object, let field, let target, let key):
      add(object)
      add(object.entity, field: field)
      add("target", names.name(target))
      add("key", hexadecimal(key))
    default: describeMarks(operation)
    }
  }

  /// Operations that concern the log rather than objects.
  private mutating func describeMarks(_ operation: Operation) {
    switch operation {
    case .localMarker(let sequence, let chain):
      add("sequence", sequence)
      add("chain", chain.description)
    case .blob(let hash, let count):
      add("sha256", hexadecimal(hash))
      add("bytes", count)
    case .era(let number, let kind, _, _):
      add("number", number)
      add("kind", kind)
    case .acceptGap(let index, let first, let last, let chain):
      add("index", index)
      add("first", first)
      add("last", last)
      add("chain", chain.description)
    case .acceptStore(let store): add("store", store.description)
    case .adoption(let adoption):
      add("index", adoption.index)
      add("sequence", adoption.sequence)
      add("bytes", adoption.transaction.count)
    case .retireReplica(let position):
      add("index", position.index)
      add("sequence", position.sequence)
    case .tag(let name, let isSet, _):
      add("name", name)
      add("state", isSet ? 1 : 0)
    case .migration(let identifier, let ordinal, let isFinished):
      add("identifier", identifier)
      add("ordinal", ordinal)
      add("finished", isFinished ? 1 : 0)
    default: break
    }
  }

  private mutating func describe(_ columns: ColumnsOperation) {
    add("entity", names.name(columns.entity))
    add("form", columns.form.name)
    add("rows", columns.rows)
    if case .run(let index, let first) = columns.identifiers {
      add("ids", "\(index)/\(first)")
    }
    let labels = columns.columns.map { names.name(columns.entity, $0.attribute, $0.type) }
    fields.append(("columns", .array(labels.map(JSONValue.string))))
  }

  private mutating func describe(_ schema: SchemaOperation) {
    switch schema {
    case .entity(let tag, let label, _):
      add("entity", label)
      add("tag", tag)
    case .attribute(let entity, let tag, let type, let label, let flags, _):
      add("entity", names.name(entity))
      add("attribute", label)
      add("tag", tag)
      add("type", type.name)
      if flags & SchemaOperation.AttributeFlag.optional != 0 { add("optional", 1) }
    case .relationship(let link):
      add("entity", names.name(link.entity))
      add("relationship", link.label)
      add("target", names.name(link.target))
    case .uniqueness(let entity, let mode, let tags):
      add("entity", names.name(entity))
      add("uniqueness", mode)
      add(entity, fields: tags)
    case .group(let entity, _, let label, _):
      add("entity", names.name(entity))
      add("group", label)
    case .index(let entity, let label, _, _):
      add("entity", names.name(entity))
      add("index", label)
    case .retire(let entity, let tag):
      add("entity", names.name(entity))
      if tag != 0 { add(entity, field: tag, "retire") }
    case .version(let version, let label):
      add("version", version)
      add("label", label)
    }
  }
}
