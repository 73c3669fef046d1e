// Which fields stand for "no value".

/// Texts of unquoted fields that are nil: nothing at all, and what the options add.
struct NilMarkers: Sendable {
  private let texts: [[UInt8]]
  /// Bit n: a text has n bytes (or more than 63).
  private let lengths: UInt64
  /// Bit n: a text starts with a byte whose low six bits are n.
  private let starts: UInt64

  init(_ markers: [String]) {
    texts = markers.map { Array($0.utf8) }.filter { !$0.isEmpty }
    lengths = texts.reduce(1) { $0 | 1 << UInt64(min($1.count, 63)) }
    starts = texts.reduce(0) { $0 | 1 << UInt64($1[0] & 63) }
  }

  /// Whether a field has no value.
  @inline(__always)
  func isNil(_ field: FieldBytes) -> Bool {
    if field.isQuoted || lengths &>> UInt64(min(field.count, 63)) & 1 == 0 { return false }
    if field.count == 0 { return true }
    if starts &>> UInt64(field[0] & 63) & 1 == 0 { return false }
    return texts.contains { field.equals($0) }
  }
}
