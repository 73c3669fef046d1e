// Values as text: for people, and as Formats/Dump.md spells them.

import VarveFormat

/// Spellings of values.
enum ReadableValue {
  /// Bytes of data that are shown to people.
  private static let shownBytes = 16
  /// Characters of strings that are shown to people in tables.
  static let shownCharacters = 60

  /// The value for people: times as RFC 3339, long data cut.
  static func human(_ value: Value, names: NameBook) -> String {
    switch value {
    case .date(let nanoseconds): return ReadableTime.rfc3339(nanoseconds: nanoseconds)
    case .double(let bits): return DoubleText.text(Double(bitPattern: bits))
    case .string(let text): return quoted(text)
    case .data(let bytes) where bytes.count > shownBytes:
      return "\(hexadecimal(bytes.prefix(shownBytes)))… (\(HumanText.grouped(bytes.count)) bytes)"
    case .data(let bytes): return bytes.isEmpty ? "no bytes" : hexadecimal(bytes)
    case .decimal(let number): return decimal(number)
    case .reference(let object), .identityReference(let object): return self.object(object, names)
    default: return spelling(value)
    }
  }

  /// A cell of a table: as for people, strings without quotes and cut.
  static func cell(_ value: Value, names: NameBook) -> String {
    switch value {
    case .null: return "-"
    case .string(let text): return TextWidth.truncated(text, to: shownCharacters)
    default: return human(value, names: names)
    }
  }

  /// The value as `varve dump` spells it.
  static func spelling(_ value: Value) -> String {
    var writer = ByteWriter()
    ValueText.write(value, into: &writer)
    return writer.text
  }

  /// The value in JSON: a string is itself, nil is null, anything else its spelling.
  static func json(_ value: Value) -> JSONValue {
    switch value {
    case .null: .null
    case .string(let text): .string(text)
    default: .string(spelling(value))
    }
  }

  static func quoted(_ text: String) -> String {
    var bytes: [UInt8] = [UInt8(ascii: "\"")]
    JSONWriter.escape(text, into: &bytes)
    bytes.append(UInt8(ascii: "\""))
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func sign(_ number: DecimalValue) -> String { number.isNegative ? "-" : "" }

  /// Plain digits while the exponent is small.
  private static func decimal(_ number: DecimalValue) -> String {
    let digits = "\(number.magnitude)"
    let exponent = number.exponent
    if exponent == 0 { return sign(number) + digits }
    if exponent > 0, exponent <= 12 {
      return sign(number) + digits + String(repeating: "0", count: Int(exponent))
    }
    guard exponent < 0, exponent >= -18 else { return "\(sign(number))\(digits)e\(exponent)" }
    let places = Int(-exponent)
    let padded = String(repeating: "0", count: max(places + 1 - digits.count, 0)) + digits
    return "\(sign(number))\(padded.dropLast(places)).\(padded.suffix(places))"
  }

  /// `flights/0/12` with the entity's name.
  static func object(_ object: ObjectReference, _ names: NameBook) -> String {
    switch object.origin {
    case .created(let index, let serial): "\(names.name(object.entity))/\(index)/\(serial)"
    case .identity(let hash): "\(names.name(object.entity))/#\(hash)"
    }
  }
}
