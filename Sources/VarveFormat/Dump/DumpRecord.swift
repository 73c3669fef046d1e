// What a dump yields: records, before anybody decides how they are spelled. See Formats/Dump.md.

/// A value of a record, typed so that each renderer can spell it its own way.
package enum DumpValue: Sendable {
  case number(UInt64)
  case signed(Int64)
  /// A stamp, a salt or a hash of 64 bits: 16 hexadecimal digits.
  case hexadecimal(UInt64)
  case hash(Hash128)
  /// Bytes as hexadecimal digits.
  case bytes([UInt8])
  /// A word, identifier or list, printed as it is.
  case word(String)
  /// Text of a program, printed in quotes.
  case string(String)
  case object(ObjectReference)
  case value(Value)
  /// A cell of a decoded column, so that rows need no copies of their values.
  case cell(ColumnBlock, row: Int)

  package static func number(_ value: Int) -> DumpValue { .number(UInt64(value)) }
  package static func number(_ value: UInt32) -> DumpValue { .number(UInt64(value)) }
  package static func number(_ value: UInt8) -> DumpValue { .number(UInt64(value)) }
  package static func flag(_ value: Bool) -> DumpValue { .number(value ? UInt64(1) : 0) }
  package static func stamp(_ value: Stamp) -> DumpValue { .hexadecimal(value.rawValue) }

  /// The items with commas between, `none` without items.
  package static func list(_ items: [String]) -> DumpValue {
    .word(items.isEmpty ? "none" : items.joined(separator: ","))
  }

  /// The words of the flags that are set, with `+` between, `none` without any.
  package static func words<Flags: OptionSet>(
    _ flags: Flags, _ names: [(Flags, String)]
  ) -> DumpValue where Flags.Element == Flags {
    let words = names.filter { flags.contains($0.0) }.map(\.1)
    return .word(words.isEmpty ? "none" : words.joined(separator: "+"))
  }
}

/// A named value.
package struct DumpField: Sendable {
  package var name: String
  package var value: DumpValue

  package init(_ name: String, _ value: DumpValue) {
    self.name = name
    self.value = value
  }
}

/// One line of a dump.
package struct DumpRecord: Sendable {
  package var depth: Int
  package var kind: String
  package var fields: [DumpField]

  package init(_ depth: Int, _ kind: String, _ fields: [DumpField]) {
    self.depth = depth
    self.kind = kind
    self.fields = fields
  }
}

/// What a dump prints.
package struct DumpOptions: Sendable {
  /// A record for every cell of every column block.
  package var values = false
  /// Frames without what is in them; errors are still reported.
  package var headersOnly = false
  /// The offset of the first frame to look at; the file's first one when nil.
  package var fromOffset: UInt64?
  /// Frames to print at most.
  package var framesMax: Int?
  /// Where to stop short of bytes that a writer is appending.
  package var limit: UInt64?

  package init() {}
}

/// What a dump found.
package struct DumpSummary: Sendable, Equatable {
  /// Nil for a superblock, and when only a part of the file was looked at.
  package var verdict: TailVerdict?
  /// Error records, apart from those about newer versions.
  package var damages = 0
  /// Error records about frames, versions or features of newer versions.
  package var unknowns = 0
  /// Frames and operations of newer versions that were skipped as the format allows.
  package var skipped = 0

  package init() {}
}
