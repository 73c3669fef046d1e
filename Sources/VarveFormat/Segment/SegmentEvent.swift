// What a walk over a segment meets.

/// Bytes of a segment that cannot be used.
package struct DamagedRange: Sendable {
  /// Where the first bad frame starts, and where reading goes on.
  package var start: UInt64
  package var end: UInt64
  package var error: FormatError
  /// Sequences that are lost: none when only a mark or a hint was hit.
  package var lost: Range<UInt64>
  /// Whether something readable follows.
  package var isResumed: Bool
  /// Where the frame is that is bad; parts of its transaction may start before.
  package var badOffset: UInt64 { error.offset ?? start }
  /// Transactions that are whole but lack some of their parts, with the parts that are there.
  package var incomplete: [IncompleteTransaction] = []
}

/// A transaction some of whose parts cannot be read.
package struct IncompleteTransaction: Sendable {
  package var transaction: ScannedTransaction
  package var offset: UInt64
  /// Places in its part list that are missing.
  package var missingParts: [Int]
}

/// What a cursor meets.
package enum SegmentEvent: Sendable {
  /// A unit that continues what was read before, or that follows a gap.
  case unit(Unit, isBehindGap: Bool)
  /// A SCHEMA, REPLICAS or MARK frame.
  case hint(ScannedFrame)
  /// A frame of a type that is not known here.
  case unknown(ScannedFrame)
  /// Only from a walk that goes on behind damage.
  case damage(DamagedRange)
  case seal(ScannedFrame)
}

/// What a walk over a whole segment found by the rules of recovery.
package struct SegmentReading: Sendable {
  package var verdict: TailVerdict
  package var state: SegmentState
  /// The first frame that is not valid, and why.
  package var problem: FormatError?
  /// Bytes behind the accepted end that are not zeros; 0 when clean.
  package var droppedBytes: UInt64 = 0
  package var seal: Seal?

  /// The end of what is accepted.
  package var accepted: UInt64 { state.accepted }
}
