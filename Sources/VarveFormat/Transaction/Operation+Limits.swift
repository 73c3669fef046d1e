// Limits that an operation can exceed although each of its parts can be written.

extension Operation {
  /// What makes the operation unreadable, or nil.
  ///
  /// Everything else that readers check cannot be expressed by the value.
  var limitProblem: String? {
    switch self {
    case .schema(let declaration): declaration.limitProblem
    case .unset(_, let fields): Operation.tooMany(fields.count, Limits.columnsMax, "fields")
    case .tag(let name, _, let vector):
      Operation.tooLong(name) ?? Operation.tooMany(vector.count, Limits.dependenciesMax, "entries")
    case .era(_, _, _, let vector):
      Operation.tooMany(vector.count, Limits.dependenciesMax, "entries")
    case .migration(let identifier, _, _): Operation.tooLong(identifier)
    default: nil
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

extension SchemaOperation {
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
