// The types that a program declares for attributes. Layer: Schema.

import VarveFormat

/// The type of an attribute's values.
///
/// The width of an integer is a rule that is checked when a value is written. On disk all signed
/// integers are one type, so that widening a declaration changes nothing there.
public enum AttributeType: String, Sendable, CaseIterable {
  /// `Bool`.
  case bool
  /// `Int8`.
  case int8
  /// `Int16`.
  case int16
  /// `Int32`.
  case int32
  /// `Int64`, and `Int`.
  case int64
  /// `UInt64`.
  case uint64
  /// `Double`.
  case double
  /// A decimal number of up to 38 digits.
  case decimal
  /// `String`.
  case string
  /// Bytes.
  case data
  /// A point in time, in nanoseconds since 1970.
  case date
  /// A universally unique identifier.
  case uuid
  /// Bytes that are kept in a file of their own; reserved.
  case blob

  /// How values are stored.
  package var physicalType: PhysicalType {
    switch self {
    case .bool: .bool
    case .int8, .int16, .int32, .int64: .integer
    case .uint64: .unsigned
    case .double: .double
    case .decimal: .decimal
    case .string: .string
    case .data: .data
    case .date: .date
    case .uuid: .uuid
    case .blob: .blob
    }
  }

  /// The values that the width allows; nil for types without a width below that of the storage.
  package var range: ClosedRange<Int64>? {
    switch self {
    case .int8: Int64(Int8.min)...Int64(Int8.max)
    case .int16: Int64(Int16.min)...Int64(Int16.max)
    case .int32: Int64(Int32.min)...Int64(Int32.max)
    default: nil
    }
  }
}
