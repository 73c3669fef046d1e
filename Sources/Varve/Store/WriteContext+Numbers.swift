// Writes of single numbers, which may come by the million: the same rules, without what only others
// need. Layer: Store.

import VarveFormat

/// Attributes of one table that are registers of their own and hold numbers.
final class NumberFields {
  struct Field {
    var tag: UInt32
    var type: PhysicalType
    /// Nil while no object has a value.
    var column: Int?
    /// Numbers that the program's own schema allows.
    var range: ClosedRange<Int64>
  }

  let rule: EntityRule
  /// By place in the entity's attributes; nil for others.
  var fields: ContiguousArray<Field?>

  init(_ rule: EntityRule, _ fields: ContiguousArray<Field?>) {
    self.rule = rule
    self.fields = fields
  }
}

/// An attribute, and what it was found by.
struct LastNumber {
  var table = -1
  var name = ""
  var tag: UInt32 = 0
  var type = PhysicalType.integer
  var column = 0
  var range = Int64.min...Int64.max
}

extension WriteContext {
  /// Writes a number to an attribute; false when it is not as simple as that, and nothing was done.
  @inline(__always)
  func setNumber(_ id: ObjectID, _ name: String, _ type: PhysicalType, _ word: UInt64) -> Bool {
    guard !isFinished, let (handle, address) = draft.created(id.name, alive: true),
      handle.creator != CreatorTable.identityIndex,
      creations.isEmpty || creations[handle.bits] == nil,
      lastNumber.table == handle.table && lastNumber.name == name
        || findNumber(handle.table, name),
      lastNumber.type == type,
      type != .integer || lastNumber.range.contains(Int64(bitPattern: word))
    else { return false }
    numbers.append(address, lastNumber.column, word, number: changes.count)
    changes.append(handle, lastNumber.tag, type, word)
    return true
  }

  @inline(never)
  private func findNumber(_ table: Int, _ name: String) -> Bool {
    guard
      let fields = table < numberFields.count
        ? numberFields[table] ?? makeNumberFields(table) : makeNumberFields(table),
      let place = fields.rule.attributeNames[name], let field = fields.fields[place],
      let column = field.column ?? makeColumn(fields, place, field)
    else { return false }
    lastNumber = LastNumber(
      table: table, name: name, tag: field.tag, type: field.type, column: column,
      range: field.range)
    return true
  }

  /// Writes the numbers that nobody has asked for yet.
  @inline(__always)
  func applyNumbers() { if !numbers.isEmpty { applyAllNumbers() } }

  @inline(never)
  private func applyAllNumbers() {
    draft.apply(numbers, integration.mark) { number in
      // A register that this transaction wrote already is written once only.
      changes.forgetNumber(number)
    }
    numbers.removeAll()
  }

  @inline(never)
  private func makeColumn(_ fields: NumberFields, _ place: Int, _ field: NumberFields.Field)
    -> Int?
  {
    guard let table = draft.tableIndex(fields.rule.tag) else { return nil }
    let column = draft.tables[table].intern(ColumnKey(tag: field.tag, type: field.type))
    fields.fields[place]?.column = column
    return column
  }

  @inline(never)
  private func makeNumberFields(_ table: Int) -> NumberFields? {
    while numberFields.count <= table { numberFields.append(nil) }
    guard let rule = view.entity(draft.tables[table].entity), !rule.updatesRevive else {
      return nil
    }
    let own = declared?.entity(rule.tag)
    let fields = NumberFields(
      rule,
      ContiguousArray(
        rule.attributes.map { attribute -> NumberFields.Field? in
          let key = ColumnKey(tag: attribute.tag, type: attribute.type)
          guard attribute.isScalar, attribute.type.isWord || attribute.type == .bool,
            !key.isLink, rule.group(ofAttribute: attribute.tag) == nil,
            rule.uniqueness?.attributes.contains(attribute.tag) != true
          else { return nil }
          var range = Int64.min...Int64.max
          if let declared = own?.attributes.first(where: { $0.tag == attribute.tag }) {
            guard let type = declared.type, type.physicalType == attribute.type else { return nil }
            range = type.range ?? range
          }
          return NumberFields.Field(
            tag: attribute.tag, type: attribute.type, column: draft.tables[table].position(key),
            range: range)
        }))
    numberFields[table] = fields
    return fields
  }
}

extension AttributeValue {
  /// Type and word of a number.
  @inline(__always)
  var number: (PhysicalType, UInt64)? {
    switch self {
    case .bool(let value): (.bool, value ? 1 : 0)
    case .integer(let value): (.integer, UInt64(bitPattern: value))
    case .unsigned(let value): (.unsigned, value)
    case .double(let value): (.double, value.bitPattern)
    case .date(let value): (.date, UInt64(bitPattern: value))
    default: nil
    }
  }
}
