// Everything that a store's logs hold, read and checked without trust. Layer: test support.

import Varve
import VarveFormat

/// A numbered transaction where it was found.
package struct LogEntry: Sendable, Equatable {
  package var sequence: UInt64
  /// The number that the test gave the transaction; nil when it has none.
  package var number: Int?
  package var chain: Hash128
}

/// What a reader finds in a store.
package struct LogContents: Sendable {
  package let report: RecoveryReport
  /// The transactions of each replica, in order.
  package private(set) var entries: [ReplicaID: [LogEntry]] = [:]
  package private(set) var verdicts: [TailVerdict] = []
  /// Breaks of chain or sequence, and segments that are damaged.
  package private(set) var problems: [String] = []
  package let hasStore: Bool

  /// Reads all segments of all replicas in order.
  package init(
    _ disk: any Disk, at path: String, bound: ReadBound = .validFrames
  ) throws(LogError) {
    let opening = try LogOpening(disk, StorePaths(path), syncsTails: false, bound: bound)
    report = opening.report
    hasStore = opening.store != nil
    for log in opening.catalog.logs { try read(log, disk, bound) }
  }

  /// The numbers of all transactions, replica by replica.
  package var numbers: [Int] {
    entries.sorted { $0.key < $1.key }.flatMap { $0.value.compactMap { $0.number } }
  }

  /// The kinds of findings, each once, sorted.
  package var findingKinds: [String] {
    Set(report.findings.map(\.kind.rawValue)).sorted()
  }

  /// Whether something says that acknowledged data may be missing.
  package var isDamaged: Bool { report.isDamaged || !problems.isEmpty }

  private mutating func read(
    _ log: CatalogLog, _ disk: any Disk, _ bound: ReadBound
  ) throws(LogError) {
    var list: [LogEntry] = []
    var end: (sequence: UInt64, chain: Hash128)?
    for segment in log.segments {
      let header = segment.file.header
      if let end, end.sequence != header.firstSequence || end.chain != header.previousChain {
        problems.append(
          "\(segment.file.path) starts at \(header.firstSequence), not at \(end.sequence)")
      }
      let result = try LogReader(disk).read(
        segment, bound: bound,
        unit: { unit throws(FormatError) in
          for transaction in unit.transactions {
            list.append(
              LogEntry(
                sequence: transaction.sequence,
                number: try Self.number(transaction, unit.parts), chain: transaction.chain))
          }
        })
      end = (result.reading.state.nextSequence, result.reading.state.chain)
      verdicts.append(result.verdict)
      if result.verdict == .corrupt || result.verdict == .suspect {
        problems.append(
          "\(segment.file.path) is \(result.verdict): \(result.reading.problem?.message ?? "")")
      }
    }
    entries[log.replica] = list
  }

  private static func number(
    _ transaction: ScannedTransaction, _ parts: [ScannedFrame]
  ) throws(FormatError) -> Int? {
    var number: Int?
    try OperationStream.forEach(transaction, parts: parts) { operation throws(FormatError) in
      guard case .set(_, let fields) = operation, case .integer(let value) = fields[0].value
      else { return }
      if number == nil { number = Int(value) }
    }
    return number
  }
}
