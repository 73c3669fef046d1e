// Writes of attributes. Layer: Store.

import VarveFormat

extension WriteContext {
  /// Writes an attribute; nil takes its value away.
  ///
  /// - Throws: `unknownObject`, `unknownName`, `invalidValue`.
  public func set(_ id: ObjectID, _ name: String, _ value: AttributeValue?) throws(StoreError) {
    if let (type, word) = value?.number, setNumber(id, name, type, word) { return }
    let handle = try handle(id)
    let rule = try rule(of: handle)
    let attribute = try attribute(name, of: rule)
    guard attribute.isScalar else {
      throw StoreError(.invalidValue, "\(rule.label).\(name) is not a single value")
    }
    if rule.isIdentity, rule.uniqueness?.attributes.contains(attribute.tag) == true {
      throw StoreError(
        .invalidValue, "\(rule.label).\(name) names the object and cannot change (R29)")
    }
    if rule.uniqueness?.attributes.contains(attribute.tag) == true { noteKey(handle, rule) }
    if let group = rule.group(ofAttribute: attribute.tag) {
      return try write(handle, rule, group, attribute, value?.value)
    }
    guard let value else {
      guard attribute.isOptional else {
        throw StoreError(.invalidValue, "\(rule.label).\(name) needs a value")
      }
      return try write(handle, attribute.tag, attribute.type, nil)
    }
    try write(handle, attribute.tag, attribute.type, try checked(value.value, attribute))
  }

  func checked(_ value: Value, _ attribute: AttributeRule) throws(StoreError) -> Value {
    if let violation = declared?.validate(
      value, entity: attribute.entity, attribute: attribute.tag)
    {
      throw StoreError(.invalidValue, violation.message)
    }
    guard value.typeCode == attribute.type.rawValue else {
      throw StoreError(
        .invalidValue, "\"\(attribute.label)\" is of type \(attribute.type.name)")
    }
    return value
  }

  /// All members of an atomic group are written together (R11).
  private func write(
    _ handle: Handle, _ rule: EntityRule, _ group: GroupRule, _ changed: AttributeRule,
    _ value: Value?
  ) throws(StoreError) {
    let snapshot = GraphSnapshot(state)
    var members: [GroupMember] = []
    for tag in group.attributes {
      guard let attribute = rule.attribute(tag) else { continue }
      let now =
        tag == changed.tag
        ? value : snapshot.value(handle, ColumnKey(tag: tag, type: attribute.type))
      members.append(
        now.map { GroupMember(tag, $0) } ?? GroupMember(tag, nilOf: attribute.type))
    }
    try apply(.group(reference(handle), group: group.tag, members))
  }

  /// Writes a register; one that this transaction wrote already is written once only.
  func write(
    _ handle: Handle, _ tag: UInt32, _ type: PhysicalType, _ value: Value?
  ) throws(StoreError) {
    let object = reference(handle)
    let operation: Operation =
      value.map { .set(object, [FieldValue(tag, $0)]) } ?? .unset(object, [FieldType(tag, type)])
    let isWritten = isWritten(handle, tag, type)
    // A link may lead to what is created behind this object, so it is an operation of its own.
    if let creation = creations[handle.bits], !ColumnKey(tag: tag, type: type).isLink,
      case .create(_, let key, var fields) = changes.operations[creation]
    {
      // The register belongs to the creation, which says what it was born with.
      fields.removeAll { $0.field == tag }
      if let value { fields.append(FieldValue(tag, value)) }
      changes.replace(creation, .create(object, key: key, fields))
      if value != nil {
        if isWritten { changes.forget(handle, tag, keepsLast: false) }
        return try applyOnly(operation)
      }
    }
    if isWritten { changes.forget(handle, tag, keepsLast: true) }
    try applyOnly(operation)
    changes.append(operation, register: (handle, tag))
  }

  private func isWritten(_ handle: Handle, _ tag: UInt32, _ type: PhysicalType) -> Bool {
    guard let address = state.address(handle),
      let column = state.tables[address.table].position(ColumnKey(tag: tag, type: type))
    else { return false }
    return state.marks.register(address, column) == integration.mark
  }
}
