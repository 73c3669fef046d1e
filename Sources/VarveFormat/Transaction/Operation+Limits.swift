// What a value of an operation can say and no reader takes.

extension Operation {
  /// What makes the operation unreadable, or nil.
  ///
  /// Everything else that readers check cannot be expressed by the value.
  var problem: FormatError? {
    if let limitProblem { return FormatError(.badLength, limitProblem) }
    return hasNil ? FormatError(.badValue, "a nil where a value must stand; use unset") : nil
  }

  /// Whether a nil stands where only values may.
  private var hasNil: Bool {
    switch self {
    case .create(_, _, let fields), .set(_, let fields), .recreate(_, let fields):
      fields.contains { $0.value == .null }
    case .setAdd(_, _, let value), .setRemove(_, _, let value, _), .mapRemove(_, _, let value):
      value == .null
    case .mapPut(_, _, let key, let value): key == .null || value == .null
    default: false
    }
  }

  private var limitProblem: String? {
    switch self {
    case .schema(let declaration): declaration.limitProblem
    case .unset(_, let fields): Operation.tooMany(fields.count, Limits.columnsMax, "fields")
    case .group(_, _, let members): Operation.tooMany(members.count, Limits.columnsMax, "fields")
    case .tag(let name, _, let vector):
      Operation.tooLong(name) ?? Operation.tooMany(vector.count, Limits.dependenciesMax, "entries")
    case .era(_, _, _, let vector):
      Operation.tooMany(vector.count, Limits.dependenciesMax, "entries")
    case .migration(let identifier, _, _): Operation.tooLong(identifier)
    default: nil
    }
  }

  /// Elements of lists, which a transaction may have so many of.
  var elementCount: Int {
    switch self {
    case .create(_, _, let fields), .set(_, let fields), .recreate(_, let fields):
      fields.reduce(fields.count) { $0 + $1.value.elementCount }
    case .group(_, _, let members):
      members.reduce(members.count) { $0 + ($1.value?.elementCount ?? 0) }
    case .unset(_, let fields): fields.count
    case .unlink(_, _, _, let dots): dots.count
    case .setAdd(_, _, let value), .mapRemove(_, _, let value): value.elementCount
    case .setRemove(_, _, let value, let dots): value.elementCount + dots.count
    case .mapPut(_, _, let key, let value): key.elementCount + value.elementCount
    case .era(_, _, _, let vector), .tag(_, _, let vector): vector.count
    case .adoption(let adoption): adoption.dictionary.count + adoption.parts.count
    case .columns(let columns): columns.columns.count
    case .schema(let declaration): declaration.elementCount
    default: 0
    }
  }

  static func tooLong(_ label: String) -> String? {
    label.utf8.count > Limits.labelBytesMax
      ? "a label of \(label.utf8.count) bytes; at most \(Limits.labelBytesMax) are allowed" : nil
  }

  static func tooMany(_ count: Int, _ limit: Int, _ what: String) -> String? {
    count > limit ? "\(count) \(what) in one operation; at most \(limit) are allowed" : nil
  }
}

extension Value {
  fileprivate var elementCount: Int {
    if case .array(_, let elements) = self { elements.count } else { 0 }
  }
}

extension SchemaOperation {
  fileprivate var elementCount: Int {
    switch self {
    case .attribute(_, _, _, _, _, let value): value?.elementCount ?? 0
    case .uniqueness(_, _, let tags), .group(_, _, _, let tags), .index(_, _, _, let tags):
      tags.count
    default: 0
    }
  }

  fileprivate var limitProblem: String? {
    switch self {
    case .entity(_, let label, _), .attribute(_, _, _, let label, _, _), .version(_, let label):
      Operation.tooLong(label)
    case .relationship(let relationship):
      Operation.tooLong(relationship.label) ?? Operation.tooLong(relationship.inverseLabel)
    case .uniqueness(_, _, let tags): Operation.tooMany(tags.count, Limits.columnsMax, "tags")
    case .group(_, _, let label, let tags), .index(_, let label, _, let tags):
      Operation.tooLong(label) ?? Operation.tooMany(tags.count, Limits.columnsMax, "tags")
    case .retire: nil
    }
  }
}
