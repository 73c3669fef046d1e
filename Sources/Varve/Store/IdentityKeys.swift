// The bytes that name objects by their key (Q3, Q12). Layer: Store.

import VarveFormat

/// Makes the key bytes of objects of identity entities.
enum IdentityKeys {
  /// The values of the key's attributes in row form, in the order of the key.
  ///
  /// - Throws: `invalidValue` when one is missing.
  static func bytes(_ rule: EntityRule, _ fields: [FieldValue]) throws(StoreError) -> [UInt8] {
    guard let key = rule.uniqueness, key.mode == .identity else {
      throw StoreError(.invalidValue, "\(rule.label) declares no key that names its objects")
    }
    var writer = ByteWriter(capacity: 64)
    for tag in key.attributes {
      guard let field = fields.first(where: { $0.field == tag }) else {
        let name = rule.attribute(tag)?.label ?? "#\(tag)"
        throw StoreError(.invalidValue, "\(rule.label) needs \"\(name)\", which names the object")
      }
      canonical(field.value).write(into: &writer)
    }
    return writer.finish().array
  }

  /// Equal keys have equal bytes: -0 is 0.
  private static func canonical(_ value: Value) -> Value {
    if case .double(let bits) = value, bits == 1 << 63 { return .double(UInt64(0)) }
    return value
  }
}
