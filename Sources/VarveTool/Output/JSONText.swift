// JSON with keys in the order they are given. Escapes as in Formats/Dump.md.

/// A JSON document, for shapes that are known when they are written.
indirect enum JSONValue: Sendable, Equatable {
  case null
  case bool(Bool)
  case integer(Int64)
  case unsigned(UInt64)
  case double(Double)
  case string(String)
  case array([JSONValue])
  /// An object; `object(_:)` makes one from pairs.
  case members([Member])

  /// A key and its value.
  struct Member: Sendable, Equatable {
    var key: String
    var value: JSONValue
  }

  static func object(_ members: [(String, JSONValue)]) -> JSONValue {
    .members(members.map { Member(key: $0.0, value: $0.1) })
  }

  /// The document in one line without spaces.
  var text: String {
    var writer = JSONWriter()
    writer.value(self)
    return writer.text
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
  init(stringLiteral value: String) { self = .string(value) }
  init(integerLiteral value: Int64) { self = .integer(value) }
  init(booleanLiteral value: Bool) { self = .bool(value) }
  init(nilLiteral: ()) { self = .null }
}

/// Writes JSON piece by piece, without spaces.
struct JSONWriter {
  private(set) var bytes: [UInt8] = []
  /// Whether the next element needs a comma before it.
  private var needsComma = false

  init() {}

  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Forgets what was written and keeps the memory.
  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    needsComma = false
  }

  mutating func beginObject() { open("{") }
  mutating func endObject() { close("}") }
  mutating func beginArray() { open("[") }
  mutating func endArray() { close("]") }

  /// The key of the next value.
  mutating func key(_ name: String) {
    separate()
    quoted(name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  mutating func string(_ text: String) {
    separate()
    quoted(text)
    needsComma = true
  }

  mutating func integer(_ number: some BinaryInteger) { raw(String(number)) }
  mutating func bool(_ value: Bool) { raw(value ? "true" : "false") }
  mutating func null() { raw("null") }

  /// The shortest digits that read back as the same number.
  ///
  /// JSON has no word for the others: they are strings.
  mutating func double(_ number: Double) {
    if number.isFinite {
      raw("\(number)")
    } else {
      string(number.isNaN ? "nan" : number < 0 ? "-inf" : "inf")
    }
  }

  mutating func value(_ value: JSONValue) {
    switch value {
    case .null: null()
    case .bool(let value): bool(value)
    case .integer(let number): integer(number)
    case .unsigned(let number): integer(number)
    case .double(let number): double(number)
    case .string(let text): string(text)
    case .array(let elements):
      beginArray()
      for element in elements { self.value(element) }
      endArray()
    case .members(let members):
      beginObject()
      for member in members {
        key(member.key)
        self.value(member.value)
      }
      endObject()
    }
  }

  /// A key and its value.
  mutating func member(_ name: String, _ value: JSONValue) {
    key(name)
    self.value(value)
  }

  private mutating func separate() { if needsComma { bytes.append(UInt8(ascii: ",")) } }

  private mutating func open(_ bracket: Unicode.Scalar) {
    separate()
    bytes.append(UInt8(ascii: bracket))
    needsComma = false
  }

  private mutating func close(_ bracket: Unicode.Scalar) {
    bytes.append(UInt8(ascii: bracket))
    needsComma = true
  }

  private mutating func raw(_ text: String) {
    separate()
    bytes.append(contentsOf: text.utf8)
    needsComma = true
  }

  private mutating func quoted(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    JSONWriter.escape(text, into: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }

  /// The text with `\"`, `\\`, `\n`, `\r`, `\t`, and `\u00xx` for other scalars below U+0020 and
  /// U+007F.
  static func escape(_ text: String, into bytes: inout [UInt8]) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""): bytes.append(contentsOf: [0x5C, 0x22])
      case UInt8(ascii: "\\"): bytes.append(contentsOf: [0x5C, 0x5C])
      case UInt8(ascii: "\n"): bytes.append(contentsOf: [0x5C, 0x6E])
      case UInt8(ascii: "\r"): bytes.append(contentsOf: [0x5C, 0x72])
      case UInt8(ascii: "\t"): bytes.append(contentsOf: [0x5C, 0x74])
      case 0..<0x20, 0x7F:
        bytes.append(contentsOf: Array("\\u00".utf8) + hexadecimalDigits(byte))
      default: bytes.append(byte)
      }
    }
  }

  private static func hexadecimalDigits(_ byte: UInt8) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    return [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
  }
}
