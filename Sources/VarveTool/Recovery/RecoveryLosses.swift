// Which transactions a recovery did not find, by what files and superblocks say of them.

import Varve
import VarveFormat

extension RecoveryOutcome {
  /// Sequences between what was kept and found, and those that a SEAL or superblock promised.
  mutating func noteLosses(
    _ log: ReplicaLog, _ next: UInt64, _ orphans: [RewrittenSegment], _ promises: [Superblock]
  ) {
    var expected = next
    var gaps: [Range<UInt64>] = []
    for orphan in orphans.sorted(by: { $0.first < $1.first }) {
      if orphan.first > expected { gaps.append(expected..<orphan.first) }
      expected = max(expected, orphan.last + 1)
    }
    // Names of sealed segments and headers behind say how far the log went.
    for place in log.places {
      if case .sealed(_, let last, _)? = SegmentName(place.path.lastPathComponent),
        last >= expected
      {
        gaps.append(expected..<last + 1)
        expected = last + 1
      }
      if place.header.firstSequence > expected {
        gaps.append(expected..<place.header.firstSequence)
        expected = place.header.firstSequence
      }
    }
    for promise in promises where promise.replica == log.replica {
      if promise.lastSequence >= expected, promise.lastSequence < .max {
        gaps.append(expected..<promise.lastSequence + 1)
        expected = promise.lastSequence + 1
      } else if promise.openOrdinal > log.places.map(\.header.ordinal).max() ?? 0 {
        suspects += 1
        add(
          "suspect",
          [
            ("replica", .string(log.replica.description)), ("file", .null),
            ("first", .unsigned(expected)), ("offset", .null),
            (
              "detail",
              .string(
                "segment \(promise.openOrdinal) is recorded in the superblock and missing")
            ),
          ])
      }
    }
    for gap in gaps {
      lostTransactions += UInt64(gap.count)
      add(
        "lost",
        [
          ("replica", .string(log.replica.description)), ("first", .unsigned(gap.lowerBound)),
          ("last", .unsigned(gap.upperBound - 1)), ("transactions", .integer(Int64(gap.count))),
        ])
    }
  }
}

extension Superblock {
  /// The newest valid slot of a file; nil when there is none, for whatever reason.
  static func newest(_ path: String, _ disk: any Disk) -> Superblock? {
    guard let file = try? FileSource(disk, path) else { return nil }
    defer { file.close() }
    let slots = (0..<2).compactMap { slot -> Superblock? in
      let bytes = try? file.read(UInt64(slot * Superblock.slotBytes), Superblock.slotBytes)
      return bytes.flatMap { try? Superblock($0, slot: slot) }
    }
    return slots.max { $0.counter < $1.counter }
  }
}
