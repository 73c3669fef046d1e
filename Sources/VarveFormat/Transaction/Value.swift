// Values in row form. See Formats/README.md section 4.

/// One value as a transaction carries it.
package enum Value: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case unsigned(UInt64)
  /// IEEE 754 bits with one NaN only.
  case double(UInt64)
  case decimal(DecimalValue)
  case string(String)
  case data([UInt8])
  /// Nanoseconds since 1970.
  case date(Int64)
  case uuid([UInt8])
  case reference(ObjectReference)
  case blob(sha256: [UInt8], byteCount: UInt64)
  case array(PhysicalType, [Value])
  case composite(encoding: UInt8, [UInt8])
  case identityReference(ObjectReference)

  package static let canonicalNaN: UInt64 = 0x7FF8_0000_0000_0000

  /// A double in its canonical bits.
  package static func double(_ value: Double) -> Value {
    .double(value.isNaN ? canonicalNaN : value.bitPattern)
  }

  /// The code in front of the payload.
  package var typeCode: UInt8 {
    switch self {
    case .null: 0
    case .bool: 1
    case .integer: 2
    case .unsigned: 3
    case .double: 4
    case .decimal: 5
    case .string: 6
    case .data: 7
    case .date: 8
    case .uuid: 9
    case .reference: 10
    case .blob: 11
    case .array: 12
    case .composite: 13
    case .identityReference: 14
    }
  }
}

/// A decimal number `(-1)^sign * mantissa * 10^exponent` without trailing zeros (Q12).
package struct DecimalValue: Hashable, Sendable {
  package var isNegative: Bool
  package var exponent: Int64
  /// Little-endian, last byte not zero, at most 16 bytes; empty for zero.
  package var mantissa: [UInt8]

  package init(isNegative: Bool, exponent: Int64, mantissa: [UInt8]) {
    self.isNegative = isNegative
    self.exponent = exponent
    self.mantissa = mantissa
  }

  /// The canonical form of a number given by its digits.
  package init(isNegative: Bool, exponent: Int64, magnitude: UInt128) {
    var (rest, power) = (magnitude, exponent)
    while rest != 0, rest % 10 == 0 {
      rest /= 10
      power += 1
    }
    mantissa = []
    while rest != 0 {
      mantissa.append(UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
    self.exponent = mantissa.isEmpty ? 0 : power
    self.isNegative = mantissa.isEmpty ? false : isNegative
  }

  /// The mantissa as a number.
  package var magnitude: UInt128 {
    mantissa.reversed().reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
  }

  init(_ reader: inout ByteReader) throws(FormatError) {
    let sign = try reader.uint8()
    exponent = try reader.zigzag()
    let length = try reader.count(max: 16, "mantissa bytes")
    mantissa = try reader.bytes(length)
    isNegative = sign == 1
    guard sign <= 1, mantissa.last != 0 else {
      throw reader.error(.badValue, "a decimal is not in its canonical form")
    }
    if mantissa.isEmpty {
      guard sign == 0, exponent == 0 else {
        throw reader.error(.badValue, "a decimal zero is not in its canonical form")
      }
    } else if magnitude % 10 == 0 {
      throw reader.error(.badValue, "a decimal has trailing zeros")
    }
  }

  func write(into writer: inout ByteWriter) {
    writer.uint8(isNegative ? 1 : 0)
    writer.zigzag(exponent)
    writer.varint(mantissa.count)
    writer.bytes(mantissa)
  }
}
