// Rules for values that hold when a program writes (R28), not for what the log brings. Layer:
// Schema.

import VarveFormat

extension Entity.Attribute {
  /// What is wrong with a value that a program wants to write; nil when nothing is.
  ///
  /// Of sets and maps it is an element, of counters the amount. What replicas with other
  /// declarations wrote is not judged by this: it is shown as it is.
  package func validate(_ value: Value) -> SchemaViolation? {
    guard let type else {
      return SchemaViolation(.retired, attribute: name, "\"\(name)\" is no longer used")
    }
    if value == .null {
      if isOptional && form == .scalar { return nil }
      return SchemaViolation(.missing, attribute: name, "\"\(name)\" needs a value")
    }
    // Long data may have moved into a file of its own.
    let isMoved = type == .data && value.typeCode == PhysicalType.blob.rawValue
    guard value.typeCode == type.physicalType.rawValue || isMoved else {
      let word = PhysicalType(rawValue: value.typeCode)?.name ?? "nil"
      return SchemaViolation(
        .wrongType, attribute: name,
        "\"\(name)\" is declared as \(type.rawValue), and the value is of type \(word)")
    }
    return rangeProblem(value, type).map {
      SchemaViolation(.outOfRange, attribute: name, "\"\(name)\" \($0)")
    }
  }

  private func rangeProblem(_ value: Value, _ type: AttributeType) -> String? {
    switch value {
    case .integer(let number):
      guard let range = type.range, !range.contains(number) else { return nil }
      return "is declared as \(type.rawValue), and \(number) is not within "
        + "\(range.lowerBound) to \(range.upperBound)"
    case .uuid(let bytes):
      return bytes.count == 16 ? nil : "needs 16 bytes, and the value has \(bytes.count)"
    default: return nil
    }
  }
}

extension Schema {
  /// What is wrong with a value for an attribute; nil when nothing is, or when this schema does not
  /// declare the attribute.
  package func validate(_ value: Value, entity: UInt32, attribute: UInt32) -> SchemaViolation? {
    self.entity(entity)?.attributes.first { $0.tag == attribute }?.validate(value)
  }
}
