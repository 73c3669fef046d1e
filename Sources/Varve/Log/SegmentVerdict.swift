// Judges how a segment ends, with what its neighbours and its name say. Layer: Log.

import VarveFormat

/// How a segment ends, and why.
package struct SegmentVerdict: Sendable {
  package private(set) var verdict: TailVerdict
  package private(set) var problem: FormatError?
  /// The end of what is accepted, and what lies behind it.
  package let accepted: UInt64
  package let droppedBytes: UInt64
  /// The largest offset that is promised durable.
  package let synced: UInt64

  /// Judges a reading in its place.
  ///
  /// A segment with a successor is what that accepted of it: an open one is clean when the accepted
  /// prefix matches (Q1). A file gets its sealed name after it was cut behind the trailer.
  package init(_ reading: SegmentReading, _ segment: CatalogSegment) {
    verdict = reading.verdict
    problem = reading.problem
    accepted = reading.accepted
    droppedBytes = reading.droppedBytes
    synced = max(reading.state.synced, segment.durableMark)
    let isSealed = reading.verdict == .sealed
    if let successor = segment.successor {
      let continues =
        reading.state.chain == successor.previousChain
        && reading.state.nextSequence == successor.firstSequence
      let isWhole = segment.isSealed ? isSealed : accepted == successor.previousBytes
      guard continues, isWhole else {
        refuse(.badChain, "the next segment continues another history")
        return
      }
      verdict = isSealed ? .sealed : .clean
      problem = nil
    }
    guard case .sealed = segment.file.name else { return }
    if !isSealed {
      refuse(.badSeal, "a sealed segment without its SEAL")
    } else if !segment.file.isSealed {
      refuse(.badTrailer, "something follows the trailer of a sealed segment")
    }
  }

  /// A segment that a newer version wrote on: nothing is wrong up to there.
  package init(newer error: FormatError) {
    verdict = .clean
    problem = error
    accepted = error.offset ?? 0
    droppedBytes = 0
    synced = accepted
  }

  /// What the frames say comes first.
  private mutating func refuse(_ code: FormatError.Code, _ message: String) {
    verdict = .corrupt
    problem = problem ?? FormatError(code, message, offset: accepted)
  }
}

extension SegmentCursor {
  /// The verdict at the end of a walk over `segment`.
  ///
  /// - Throws: `unreadable`.
  package mutating func verdict(_ segment: CatalogSegment) throws(FormatError) -> SegmentVerdict {
    do throws(FormatError) {
      return SegmentVerdict(try reading(), segment)
    } catch {
      guard error.code == .unknownFrame || error.code == .unknownVersion else { throw error }
      return SegmentVerdict(newer: error)
    }
  }
}
