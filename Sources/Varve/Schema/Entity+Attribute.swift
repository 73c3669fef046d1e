// Declarations of attributes. Layer: Schema.

import VarveFormat

extension Entity {
  /// A value of an object: one value, a counter, or a set or map of values.
  ///
  /// ```swift
  /// .string("title", tag: 1, default: "", isIndexed: true)
  /// .date("deadline", tag: 2, isOptional: true)
  /// .set("labels", tag: 3, of: .string)
  /// ```
  public struct Attribute: Sendable, Hashable {
    /// What an attribute holds.
    public enum Form: String, Sendable, CaseIterable {
      /// One value; of concurrent writes the later one wins.
      case scalar
      /// A sum; concurrent additions all count.
      case counter
      /// A set of values; an addition wins over a concurrent removal of an earlier one.
      case set
      /// A value for each key; each is a register of its own.
      case map
    }

    /// The label that the log gets.
    public let name: String
    /// Names the attribute in the log: 1 to 65,535, or the inferred tag of an import.
    public let tag: UInt32
    /// The type of the value, or of the elements of a set or the values of a map; nil when retired.
    public let type: AttributeType?
    /// What the attribute holds.
    public let form: Form
    /// Whether there need not be a value.
    public let isOptional: Bool
    /// The index of this attribute alone, if there is one.
    public let index: IndexKind?
    /// Whether the value stays on this replica.
    public let isLocalOnly: Bool
    /// What a missing value reads as.
    package let defaultValue: Value?

    /// Whether it is no longer used.
    public var isRetired: Bool { type == nil }

    package init(
      _ name: String, tag: UInt32, type: AttributeType?, form: Form = .scalar,
      isOptional: Bool = false, defaultValue: Value? = nil, index: IndexKind? = nil,
      isLocalOnly: Bool = false
    ) {
      self.name = name
      self.tag = tag
      self.type = type
      self.form = form
      self.isOptional = isOptional
      self.defaultValue = defaultValue
      self.index = index
      self.isLocalOnly = isLocalOnly
    }

    /// A copy with an index; `hash` answers equality only, and takes less memory.
    public func indexed(_ kind: IndexKind = .ordered) -> Attribute {
      Attribute(
        name, tag: tag, type: type, form: form, isOptional: isOptional, defaultValue: defaultValue,
        index: kind, isLocalOnly: isLocalOnly)
    }

    /// A copy whose value is kept in this replica's local log and never leaves it.
    public var localOnly: Attribute {
      Attribute(
        name, tag: tag, type: type, form: form, isOptional: isOptional, defaultValue: defaultValue,
        index: index, isLocalOnly: true)
    }

    /// An attribute that is no longer used; its values stay in the log and its tag stays taken.
    public static func retired(_ name: String, tag: UInt32) -> Attribute {
      Attribute(name, tag: tag, type: nil, isOptional: true)
    }
  }
}

extension Entity.Attribute {
  private static func scalar(
    _ name: String, _ tag: UInt32, _ type: AttributeType, _ isOptional: Bool, _ value: Value?,
    _ isIndexed: Bool
  ) -> Self {
    Self(
      name, tag: tag, type: type, isOptional: isOptional, defaultValue: value,
      index: isIndexed ? .ordered : nil)
  }

  /// A truth value.
  public static func bool(
    _ name: String, tag: UInt32, isOptional: Bool = false, default value: Bool? = nil,
    isIndexed: Bool = false
  ) -> Self { scalar(name, tag, .bool, isOptional, value.map { .bool($0) }, isIndexed) }

  /// An integer of 8 bits.
  public static func int8(
    _ name: String, tag: UInt32, isOptional: Bool = false, default value: Int8? = nil,
    isIndexed: Bool = false
  ) -> Self { scalar(name, tag, .int8, isOptional, value.map { .integer(Int64($0)) }, isIndexed) }

  /// An integer of 16 bits.
  public static func int16(
    _ name: String, tag: UInt32, isOptional: Bool = false, default value: Int16? = nil,
    isIndexed: Bool = false
  ) -> Self { scalar(name, tag, .int16, isOptional, value.map { .integer(Int64($0)) }, isIndexed) }

  /// An integer of 32 bits.
  public static func int32(
    _ name: String, tag: UInt32, isOptional: Bool = false, default value: Int32? = nil,
    isIndexed: Bool = false
  ) -> Self { scalar(name, tag, .int32, isOptional, value.map { .integer(Int64($0)) }, isIndexed) }

  /// An integer of 64 bits.
  public static func integer(
    _ name: String, tag: UInt32, isOptional: Bool = false, default value: Int64? = nil,
    isIndexed: Bool = false
  ) -> Self { scalar(name, tag, .int64, isOptional, value.map { .integer($0) }, isIndexed) }

  /// An integer of 64 bits without a sign.
  public static func unsigned(
    _ name: String, tag: UInt32, isOptional: Bool = false, default value: UInt64? = nil,
    isIndexed: Bool = false
  ) -> Self { scalar(name, tag, .uint64, isOptional, value.map { .unsigned($0) }, isIndexed) }

  /// A floating-point number.
  public static func double(
    _ name: String, tag: UInt32, isOptional: Bool = false, default value: Double? = nil,
    isIndexed: Bool = false
  ) -> Self { scalar(name, tag, .double, isOptional, value.map { Value.double($0) }, isIndexed) }

  /// A decimal number: the default is `significand` times ten to the power of `exponent`.
  public static func decimal(
    _ name: String, tag: UInt32, isOptional: Bool = false,
    default value: (significand: Int64, exponent: Int)? = nil, isIndexed: Bool = false
  ) -> Self {
    let number = value.map {
      DecimalValue(
        isNegative: $0.significand < 0, exponent: Int64($0.exponent),
        magnitude: UInt128($0.significand.magnitude))
    }
    return scalar(name, tag, .decimal, isOptional, number.map { .decimal($0) }, isIndexed)
  }

  /// A text.
  public static func string(
    _ name: String, tag: UInt32, isOptional: Bool = false, default value: String? = nil,
    isIndexed: Bool = false
  ) -> Self { scalar(name, tag, .string, isOptional, value.map { .string($0) }, isIndexed) }

  /// Bytes.
  public static func data(
    _ name: String, tag: UInt32, isOptional: Bool = false, default value: [UInt8]? = nil,
    isIndexed: Bool = false
  ) -> Self { scalar(name, tag, .data, isOptional, value.map { .data($0) }, isIndexed) }

  /// A point in time; the default is in nanoseconds since 1970.
  public static func date(
    _ name: String, tag: UInt32, isOptional: Bool = false, default value: Int64? = nil,
    isIndexed: Bool = false
  ) -> Self { scalar(name, tag, .date, isOptional, value.map { .date($0) }, isIndexed) }

  /// A universally unique identifier; the default has 16 bytes.
  public static func uuid(
    _ name: String, tag: UInt32, isOptional: Bool = false, default value: [UInt8]? = nil,
    isIndexed: Bool = false
  ) -> Self { scalar(name, tag, .uuid, isOptional, value.map { .uuid($0) }, isIndexed) }

  /// Bytes in a file of their own; reserved for a later version.
  public static func blob(_ name: String, tag: UInt32, isOptional: Bool = false) -> Self {
    scalar(name, tag, .blob, isOptional, nil, false)
  }

  /// A number that is added to; it starts with 0.
  public static func counter(_ name: String, tag: UInt32) -> Self {
    Self(name, tag: tag, type: .int64, form: .counter)
  }

  /// A set of values; it starts empty.
  public static func set(_ name: String, tag: UInt32, of type: AttributeType) -> Self {
    Self(name, tag: tag, type: type, form: .set)
  }

  /// Values by key; it starts empty, and keys are of any scalar type.
  public static func map(_ name: String, tag: UInt32, of type: AttributeType) -> Self {
    Self(name, tag: tag, type: type, form: .map)
  }
}
