// The most frequent operation in few bytes: one attribute of one object gets a number.

/// A write of one attribute whose value is a number: what `Operation.set` with one field says.
package struct WordWrite: Sendable, Hashable {
  package var object: ObjectReference
  package var field: UInt32
  package var type: PhysicalType
  /// As a column holds it: the bits of a double, 0 or 1 for a bool.
  package var word: UInt64

  /// `type` is one of bool, integer, unsigned, double and date.
  package init(_ object: ObjectReference, _ field: UInt32, _ type: PhysicalType, _ word: UInt64) {
    self.object = object
    self.field = field
    self.type = type
    self.word = word
  }

  package var value: Value {
    switch type {
    case .bool: .bool(word != 0)
    case .unsigned: .unsigned(word)
    case .double: .double(word)
    case .date: .date(Int64(bitPattern: word))
    default: .integer(Int64(bitPattern: word))
    }
  }

  package var operation: Operation { .set(object, [FieldValue(field, value)]) }

  /// Appends opcode, length and body; the body has less than 128 bytes.
  func write(into writer: inout ByteWriter) {
    writer.uint8(Opcode.set.rawValue)
    let start = writer.count
    writer.uint8(0)
    object.write(into: &writer)
    writer.uint8(1)
    writer.varint(UInt64(field))
    writer.uint8(type.rawValue)
    switch type {
    case .bool: writer.uint8(word != 0 ? 1 : 0)
    case .unsigned: writer.varint(word)
    case .double: writer.uint64(word)
    case .date: writer.int64(Int64(bitPattern: word))
    default: writer.zigzag(Int64(bitPattern: word))
    }
    writer.setUInt8(UInt8(writer.count - start - 1), at: start)
  }
}
