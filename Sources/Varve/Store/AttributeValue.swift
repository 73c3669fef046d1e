// Values of attributes for programs. Layer: Store.

import VarveFormat

/// The value of an attribute.
///
/// Literals work: `object["title"] = "Buy milk"`, `object["priority"] = 2`.
public enum AttributeValue: Hashable, Sendable {
  case bool(Bool)
  case integer(Int64)
  case unsigned(UInt64)
  case double(Double)
  /// `(isNegative ? -1 : 1) * magnitude * 10^exponent`.
  case decimal(isNegative: Bool, magnitude: UInt128, exponent: Int64)
  case string(String)
  case data([UInt8])
  /// Nanoseconds since 1970-01-01T00:00:00Z.
  case date(nanoseconds: Int64)
  /// 16 bytes.
  case uuid([UInt8])

  /// The value as the format has it.
  package var value: Value {
    switch self {
    case .bool(let value): .bool(value)
    case .integer(let value): .integer(value)
    case .unsigned(let value): .unsigned(value)
    case .double(let value): .double(value)
    case .decimal(let isNegative, let magnitude, let exponent):
      .decimal(DecimalValue(isNegative: isNegative, exponent: exponent, magnitude: magnitude))
    case .string(let text): .string(text)
    case .data(let bytes): .data(bytes)
    case .date(let nanoseconds): .date(nanoseconds)
    case .uuid(let bytes): .uuid(bytes)
    }
  }

  /// A number that a column holds.
  @inline(__always)
  init?(_ type: PhysicalType, word: UInt64) {
    switch type {
    case .integer: self = .integer(Int64(bitPattern: word))
    case .unsigned: self = .unsigned(word)
    case .double: self = .double(Double(bitPattern: word))
    case .date: self = .date(nanoseconds: Int64(bitPattern: word))
    default: return nil
    }
  }

  /// Nil for what is no value of an attribute by itself.
  package init?(_ value: Value) {
    switch value {
    case .bool(let value): self = .bool(value)
    case .integer(let value): self = .integer(value)
    case .unsigned(let value): self = .unsigned(value)
    case .double(let bits): self = .double(Double(bitPattern: bits))
    case .decimal(let number):
      self = .decimal(
        isNegative: number.isNegative, magnitude: number.magnitude, exponent: number.exponent)
    case .string(let text): self = .string(text)
    case .data(let bytes): self = .data(bytes)
    case .date(let nanoseconds): self = .date(nanoseconds: nanoseconds)
    case .uuid(let bytes): self = .uuid(bytes)
    default: return nil
    }
  }
}

extension AttributeValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByFloatLiteral
{
  /// A string.
  public init(stringLiteral value: String) { self = .string(value) }
  /// An integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// A bool.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// A double.
  public init(floatLiteral value: Double) { self = .double(value) }
}
