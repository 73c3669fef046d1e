// The types that values have on disk. See Formats/README.md section 4.

/// How a value is stored.
///
/// Attribute identity is (entity, tag, physical type).
package enum PhysicalType: UInt8, Sendable, CaseIterable {
  case bool = 1
  case integer, unsigned, double, decimal, string, data, date, uuid, reference, blob, array
  case composite, identityReference

  /// The word that tools print.
  package var name: String { String(describing: self) }

  /// Whether columns hold the values as 64-bit words (else as bytes, or bits for bool).
  package var isWord: Bool {
    switch self {
    case .integer, .unsigned, .double, .date, .reference: true
    default: false
    }
  }

  /// Whether words are ordered as signed numbers.
  package var isSigned: Bool { self == .integer || self == .date }

  /// The exact byte count of a cell, for types stored as bytes of one size.
  var fixedBytes: Int? {
    switch self {
    case .uuid, .identityReference: 16
    default: nil
    }
  }
}
