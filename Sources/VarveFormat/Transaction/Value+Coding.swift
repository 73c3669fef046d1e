// Reading and writing of values in row form.

extension Value {
  /// Reads a type code and its payload.
  package init(_ reader: inout ByteReader) throws(FormatError) {
    let code = try reader.uint8()
    if code == 0 {
      self = .null
      return
    }
    guard let type = PhysicalType(rawValue: code) else {
      throw reader.error(.badValue, "value type \(code) is not known")
    }
    try self.init(type, &reader)
  }

  /// Reads the payload of a value of `type`.
  package init(_ type: PhysicalType, _ reader: inout ByteReader) throws(FormatError) {
    switch type {
    case .bool:
      let byte = try reader.uint8()
      guard byte <= 1 else { throw reader.error(.badValue, "a bool of \(byte)") }
      self = .bool(byte == 1)
    case .integer: self = .integer(try reader.zigzag())
    case .unsigned: self = .unsigned(try reader.varint())
    case .double:
      let bits = try reader.uint64()
      guard Value.isCanonicalDouble(bits) else {
        throw reader.error(.badValue, "a NaN is not in its canonical form")
      }
      self = .double(bits)
    case .decimal: self = .decimal(try DecimalValue(&reader))
    case .string: self = .string(try reader.text())
    case .data: self = .data(try reader.countedBytes())
    case .date: self = .date(try reader.int64())
    case .uuid: self = .uuid(try reader.bytes(16))
    case .reference: self = .reference(try ObjectReference(&reader))
    case .blob:
      let hash = try reader.bytes(32)
      self = .blob(sha256: hash, byteCount: try reader.varint())
    case .array: self = try Value.array(&reader)
    case .composite:
      let encoding = try reader.uint8()
      guard encoding == 1 || encoding == 2 else {
        throw reader.error(.badValue, "composite encoding \(encoding) is not known")
      }
      self = .composite(encoding: encoding, try reader.countedBytes())
    case .identityReference:
      let object = try ObjectReference(&reader)
      guard case .identity = object.origin else {
        throw reader.error(.badValue, "an identity reference names no identity")
      }
      self = .identityReference(object)
    }
  }

  /// Whether the bits are no NaN, or the one NaN.
  package static func isCanonicalDouble(_ bits: UInt64) -> Bool {
    bits & 0x7FFF_FFFF_FFFF_FFFF <= 0x7FF0_0000_0000_0000 || bits == canonicalNaN
  }

  private static func array(_ reader: inout ByteReader) throws(FormatError) -> Value {
    let code = try reader.uint8()
    guard code >= 1, code <= 9, let type = PhysicalType(rawValue: code) else {
      throw reader.error(.badValue, "array elements of type \(code)")
    }
    let count = try reader.elementCount("array elements")
    var elements: [Value] = []
    elements.reserveCapacity(min(count, Limits.reservedMax))
    for _ in 0..<count { elements.append(try Value(type, &reader)) }
    return .array(type, elements)
  }

  /// Appends type code and payload.
  package func write(into writer: inout ByteWriter) {
    writer.uint8(typeCode)
    writePayload(into: &writer)
  }

  /// Appends the payload alone.
  package func writePayload(into writer: inout ByteWriter) {
    switch self {
    case .null: break
    case .bool(let value): writer.uint8(value ? 1 : 0)
    case .integer(let value): writer.zigzag(value)
    case .unsigned(let value): writer.varint(value)
    case .double(let bits): writer.uint64(bits)
    case .decimal(let value): value.write(into: &writer)
    case .string(let value): writer.text(value)
    case .data(let value): writer.countedBytes(value)
    case .date(let value): writer.int64(value)
    case .uuid(let value):
      precondition(value.count == 16, "a UUID has 16 bytes")
      writer.bytes(value)
    case .reference(let object), .identityReference(let object): object.write(into: &writer)
    case .blob(let hash, let count):
      precondition(hash.count == 32, "a SHA-256 has 32 bytes")
      writer.bytes(hash)
      writer.varint(count)
    case .array(let type, let elements):
      writer.uint8(type.rawValue)
      writer.varint(elements.count)
      for element in elements { element.writePayload(into: &writer) }
    case .composite(let encoding, let value):
      writer.uint8(encoding)
      writer.countedBytes(value)
    }
  }
}
