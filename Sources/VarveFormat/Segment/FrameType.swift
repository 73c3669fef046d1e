// Types and flags of frames. See Formats/Segment.md section 2.

/// What a frame holds.
package struct FrameType: Hashable, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let replicas = FrameType(rawValue: 1)
  package static let schema = FrameType(rawValue: 2)
  package static let transaction = FrameType(rawValue: 3)
  package static let transactionPart = FrameType(rawValue: 4)
  package static let mark = FrameType(rawValue: 5)
  package static let seal = FrameType(rawValue: 6)
  package static let receipt = FrameType(rawValue: 7)
  package static let columnBlock = FrameType(rawValue: 8)
  package static let directory = FrameType(rawValue: 9)
  package static let side = FrameType(rawValue: 10)

  private static let names = [
    "", "replicas", "schema", "tx", "part", "mark", "seal", "receipt", "block", "directory",
    "side",
  ]

  /// Whether this reader knows the type in files of a kind.
  package func isKnown(in kind: FileKind) -> Bool {
    rawValue >= 1 && rawValue <= (kind == .baseline ? 10 : 9)
  }
  /// Whether a reader that does not know the type may skip the frame.
  package var isIgnorable: Bool { rawValue & 0x80 != 0 }
  /// The word that tools print.
  package var name: String {
    rawValue >= 1 && rawValue <= 10 ? FrameType.names[Int(rawValue)] : "type-\(rawValue)"
  }
}

/// Bits of a frame.
package struct FrameFlags: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The payload is LZ4-compressed.
  package static let compressed = FrameFlags(rawValue: 1)
  /// The frame belongs to a columnar transaction.
  package static let columnar = FrameFlags(rawValue: 2)
  /// The last frame of a commit group.
  package static let last = FrameFlags(rawValue: 4)
  static let known: UInt8 = 7

  package static let names: [(FrameFlags, String)] = [
    (.compressed, "lz4"), (.columnar, "columnar"), (.last, "last"),
  ]
}
