// Fetching objects by the values of their attributes. Layer: Store.

import VarveFormat

extension Snapshot {
  /// The objects whose attribute has a value, by creator and serial; nil finds those that read as
  /// nil.
  ///
  /// ```swift
  /// let open = try store.snapshot().objects("Item", where: "isDone", is: false)
  /// ```
  ///
  /// Strings are compared byte for byte, an attribute that was never written counts with its
  /// default. An attribute with an index is found by it; the index is made by the first fetch.
  ///
  /// - Throws: `unknownName`; `invalidValue` when the value is of another type.
  /// - Complexity: O(log objects + found) with an index, O(objects) without.
  public func objects(
    _ entity: String, where attribute: String, is value: AttributeValue?
  ) throws(StoreError) -> [DynamicObject] {
    let (rule, attribute) = try fetched(entity, attribute)
    let reader = IndexReader(graph)
    guard let value else { return list(reader.objects(withoutValue: attribute), rule) }
    let wanted = try checked(value, attribute)
    return list(
      reader.objects([attribute], are: [wanted], usesIndex: rule.hasIndex(attribute)), rule)
  }

  /// The objects whose attribute lies between two values, both included, in the order of the
  /// values; a bound that is nil bounds nothing.
  ///
  /// ```swift
  /// let late = try store.snapshot().objects("Flight", where: "delay", from: 60, through: nil)
  /// ```
  ///
  /// Strings are ordered by their bytes in UTF-8. Objects that read as nil are never among them.
  ///
  /// - Throws: `unknownName`; `invalidValue` when a value is of another type.
  /// - Complexity: O(log objects + found log found) with an ordered index, else O(objects).
  public func objects(
    _ entity: String, where attribute: String, from lower: AttributeValue?,
    through upper: AttributeValue?
  ) throws(StoreError) -> [DynamicObject] {
    let (rule, attribute) = try fetched(entity, attribute)
    var bounds: [Value?] = []
    for bound in [lower, upper] {
      bounds.append(try bound.map { value throws(StoreError) in try checked(value, attribute) })
    }
    let found = IndexReader(graph).objects(
      attribute, from: bounds[0], through: bounds[1], usesIndex: rule.hasOrderedIndex(attribute))
    return list(found, rule)
  }

  /// The object with a key, nil when there is none.
  ///
  /// ```swift
  /// let amsterdam = try store.snapshot().object("Station", key: ["AMS"])
  /// ```
  ///
  /// When several objects have the key, which replicas that did not know of each other can bring
  /// about, it is the first by creator and serial; `violations` lists the others (Q20).
  ///
  /// - Parameters:
  ///   - entity: The name of an entity with a key.
  ///   - key: The values of the key's attributes, in the order in which the schema lists them.
  /// - Returns: The object.
  /// - Throws: `unknownName`; `invalidValue` for an entity without a key, another number of values
  ///   or values of other types.
  /// - Complexity: O(log objects); the first fetch makes the index.
  public func object(_ entity: String, key: [AttributeValue]) throws(StoreError) -> DynamicObject? {
    let (rule, attributes) = try keyed(entity)
    guard key.count == attributes.count else {
      throw StoreError(
        .invalidValue, "the key of \(entity) has \(attributes.count) values, not \(key.count)")
    }
    var values: [Value] = []
    for (value, attribute) in zip(key, attributes) { values.append(try checked(value, attribute)) }
    if rule.isIdentity {
      var fields = zip(attributes, values).map { FieldValue($0.tag, $1) }
      fields.sort { $0.field < $1.field }
      let hash = Checksum.hash128(try IdentityKeys.bytes(rule, fields))
      return object(ObjectID(ObjectName(entity: rule.tag, .identity(hash))))
    }
    return list(
      Array(IndexReader(graph).objects(attributes, are: values, usesIndex: true).prefix(1)), rule
    ).first
  }

  /// Objects that share a key which should be of one object only, those of each key together.
  ///
  /// A write that would make two throws; replicas that did not know of each other can bring it
  /// about, and nothing is ever rejected or dropped for it (R27). Objects with a nil in their key
  /// have none.
  ///
  /// - Throws: `unknownName`; `invalidValue` for an entity without a key.
  /// - Complexity: O(objects).
  public func violations(_ entity: String) throws(StoreError) -> [[DynamicObject]] {
    let (rule, attributes) = try keyed(entity)
    if rule.isIdentity { return [] }
    return IndexReader(graph).doubles(attributes).map { list($0, rule) }
  }

  // MARK: names

  private func fetched(
    _ entity: String, _ name: String
  ) throws(StoreError) -> (EntityRule, AttributeRule) {
    guard let rule = graph.schema.entity(named: entity) else {
      throw StoreError(.unknownName, "no entity is called \"\(entity)\"")
    }
    guard let attribute = rule.attribute(named: name) else {
      throw StoreError(.unknownName, "\(entity) has no attribute \"\(name)\"")
    }
    guard attribute.isScalar else {
      throw StoreError(.invalidValue, "\(entity).\(name) is not a single value")
    }
    return (rule, attribute)
  }

  private func keyed(_ entity: String) throws(StoreError) -> (EntityRule, [AttributeRule]) {
    guard let rule = graph.schema.entity(named: entity) else {
      throw StoreError(.unknownName, "no entity is called \"\(entity)\"")
    }
    guard let attributes = rule.keyAttributes else {
      throw StoreError(.invalidValue, "\(entity) has no key")
    }
    return (rule, attributes)
  }

  private func checked(_ value: AttributeValue, _ attribute: AttributeRule) throws(StoreError)
    -> Value
  {
    let value = value.value
    guard value.typeCode == attribute.type.rawValue else {
      throw StoreError(.invalidValue, "\"\(attribute.label)\" is of type \(attribute.type.name)")
    }
    return value
  }

  private func list(_ handles: [Handle], _ rule: EntityRule) -> [DynamicObject] {
    handles.map { DynamicObject(graph: graph, handle: $0, rule: rule) }
  }
}

extension EntityRule {
  /// The attributes of the key, in its order; nil without one, or when one of them is not known.
  var keyAttributes: [AttributeRule]? {
    guard let tags = uniqueness?.attributes, !tags.isEmpty else { return nil }
    let attributes = tags.compactMap { attribute($0) }.filter(\.isScalar)
    return attributes.count == tags.count ? attributes : nil
  }

  /// Whether equal values are found by an index: a declared one, or that of a key.
  func hasIndex(_ attribute: AttributeRule) -> Bool {
    indexes.contains { $0.attributes == [attribute.tag] }
      || uniqueness?.attributes == [attribute.tag]
  }

  /// Whether ranges are found by an index.
  func hasOrderedIndex(_ attribute: AttributeRule) -> Bool {
    indexes.contains { $0.attributes == [attribute.tag] && $0.kind == .ordered }
  }
}
