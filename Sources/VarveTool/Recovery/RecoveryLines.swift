// The lines of `recovery-report.jsonl`, and the totals.

import Varve
import VarveFormat

/// What a recovery kept, could not chain, and lost.
struct RecoveryOutcome {
  var kept: [RewrittenSegment] = []
  var orphans: [RewrittenSegment] = []
  var lines: [JSONValue] = []
  var keptTransactions: UInt64 = 0
  var orphanTransactions: UInt64 = 0
  /// Sequences that are nowhere.
  var lostTransactions: UInt64 = 0
  var damagedRanges = 0
  var quarantinedBytes: UInt64 = 0
  var files = 0
  /// Files of which nothing could be read, and files of other stores.
  var rejectedFiles = 0

  /// Damaged ends of logs behind which an unknown number of transactions may be missing.
  var suspects = 0

  var isComplete: Bool {
    lostTransactions == 0 && orphanTransactions == 0 && rejectedFiles == 0 && suspects == 0
  }

  /// A file that is of no use.
  mutating func reject(_ path: String, _ why: String) {
    rejectedFiles += 1
    add("rejected", [("file", .string(path)), ("detail", .string(why))])
  }

  mutating func add(_ kind: String, _ members: [(String, JSONValue)]) {
    lines.append(
      .object([("schema", "varve.recovery/1"), ("kind", .string(kind))] + members))
  }

  mutating func add(_ kind: String, _ segment: RewrittenSegment, source: String) {
    add(
      kind,
      [
        ("replica", .string(segment.replica.description)), ("first", .unsigned(segment.first)),
        ("last", .unsigned(segment.last)), ("transactions", .unsigned(segment.transactions)),
        ("from", .string(source)), ("file", .string(segment.path)),
      ])
  }

  /// What a damaged range costs.
  mutating func add(_ range: DamagedRange, _ place: SegmentPlace, names: NameBook) {
    damagedRanges += 1
    add(
      "damage",
      [
        ("replica", .string(place.header.replica.description)), ("file", .string(place.path)),
        ("offset", .unsigned(range.start)), ("bytes", .unsigned(range.end - range.start)),
        ("code", .string(range.error.code.description)), ("detail", .string(range.error.message)),
        ("resumed", .bool(range.isResumed)), ("first", .unsigned(range.lost.lowerBound)),
        ("lost", .integer(Int64(range.lost.count))),
      ])
    for lost in range.incomplete {
      add(
        "incomplete",
        [
          ("replica", .string(place.header.replica.description)),
          ("sequence", .unsigned(lost.transaction.sequence)),
          ("hash", .string(lost.transaction.hash.description)),
          ("file", .string(place.path)), ("offset", .unsigned(lost.offset)),
        ] + RecoveryOutcome.members(lost, names))
    }
  }

  /// What an incomplete transaction was, and which columns and rows of it are gone.
  private static func members(
    _ lost: IncompleteTransaction, _ names: NameBook
  ) -> [(String, JSONValue)] {
    let header = try? lost.transaction.decoded().header
    var names = names
    var columns: [JSONValue] = []
    // Operations in parts may be among what is missing.
    try? OperationStream.forEach(lost.transaction, parts: []) { operation in
      if case .schema(let schema) = operation { names.learn(schema) }
      guard case .columns(let group) = operation else { return }
      let list = group.partColumns
      for part in lost.missingParts {
        let place = part - group.firstPart
        guard place >= 0, place < group.partCount else { continue }
        let column = list[place % list.count]
        let block = place / list.count
        columns.append(
          .object([
            ("entity", .string(names.name(group.entity))),
            ("attribute", .string(names.name(group.entity, column.attribute, column.type))),
            ("firstRow", .integer(Int64(block * group.blockRows))),
            ("rows", .integer(Int64(group.rows(ofBlock: block)))),
          ]))
      }
    }
    return [
      ("label", header?.metadata.label.map(JSONValue.string) ?? .null),
      ("parts", .integer(Int64(lost.transaction.partCount))),
      ("missing", .array(lost.missingParts.map { .integer(Int64($0)) })),
      ("columns", .array(columns)),
    ]
  }
}
