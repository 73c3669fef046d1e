// Checks one segment frame by frame: hashes, parts, sequences, chain, stamps.

import Varve
import VarveFormat

/// What checking a segment gave.
struct SegmentCheck: Sendable {
  var findings: [Finding] = []
  var transactions: UInt64 = 0
  var parts: UInt64 = 0
  /// Bytes that were read.
  var bytes: UInt64 = 0
  var rawBytes: UInt64 = 0
}

/// Hashes the parts of transactions as they come, so that none has to be kept.
private final class PartHasher {
  /// Raw bytes that are collected before they are hashed side by side.
  private static let batchBytes = 16 << 20

  private struct Outcome: Sendable {
    var offset: UInt64
    var hash: Hash128?
    var problem: FormatError?
  }

  private let isParallel: Bool
  private let decodes: Bool
  private var waiting: [ScannedFrame] = []
  private var waitingBytes = 0
  private var outcomes: [UInt64: Outcome] = [:]
  private(set) var count: UInt64 = 0

  init(isParallel: Bool, decodes: Bool) {
    self.isParallel = isParallel
    self.decodes = decodes
  }

  func add(_ frame: ScannedFrame) {
    count += 1
    waiting.append(frame)
    waitingBytes += frame.header.rawLength
    if !isParallel || waitingBytes >= PartHasher.batchBytes { flush() }
  }

  private func flush() {
    let frames = waiting
    waiting = []
    waitingBytes = 0
    let decodes = decodes
    let results =
      isParallel
      ? Parallel.map(frames.count) { (index: Int) throws(Never) in
        PartHasher.outcome(frames[index], decodes)
      } : frames.map { PartHasher.outcome($0, decodes) }
    for result in results { outcomes[result.offset] = result }
  }

  private static func outcome(_ frame: ScannedFrame, _ decodes: Bool) -> Outcome {
    do throws(FormatError) {
      let payload = try frame.payload()
      if decodes, frame.header.type == .columnBlock {
        try ColumnBlockDecoder.decode(payload).checkCells()
      }
      return Outcome(offset: frame.offset, hash: Checksum.hash128(payload))
    } catch { return Outcome(offset: frame.offset, problem: error.at(offset: frame.offset)) }
  }

  /// What is wrong with the parts of a unit, which are forgotten.
  func check(_ unit: Unit) throws(FormatError) -> [FormatError] {
    guard !unit.parts.isEmpty else { return [] }
    flush()
    var problems: [FormatError] = []
    let header = try unit.transactions[0].decoded().header
    for (part, entry) in zip(unit.parts, header.parts) {
      let outcome = outcomes.removeValue(forKey: part.offset)
      if let problem = outcome?.problem {
        problems.append(problem)
      } else if outcome?.hash != entry.hash {
        problems.append(
          FormatError(
            .badPart, "the hash of a part of transaction \(header.sequence) does not match",
            offset: part.offset))
      }
    }
    return problems
  }

  /// Forgets parts before `offset`, whose transaction never came.
  func reset(before offset: UInt64) {
    flush()
    outcomes = outcomes.filter { $0.key >= offset }
  }
}

extension SegmentCheck {
  /// Reads every frame.
  ///
  /// `decodes` also decodes operations and column blocks; `isParallel` uses all cores for the parts
  /// of large transactions.
  ///
  /// - Throws: What the system cannot read.
  static func run(
    _ place: SegmentPlace, disk: any Disk, decodes: Bool, isParallel: Bool
  ) throws -> SegmentCheck {
    var check = SegmentCheck()
    let cursor = try SegmentCursor(place, disk: disk, keepsColumns: false)
    defer { cursor.close() }
    let hasher = PartHasher(isParallel: isParallel, decodes: decodes)
    cursor.onPart = { frame throws(FormatError) in hasher.add(frame) }
    var lastStamp = Stamp.zero
    while let event = try cursor.next() {
      switch event {
      case .unit(let unit, _):
        try check.take(unit, place, hasher, decodes: decodes, &lastStamp)
      case .damage(let range):
        hasher.reset(before: range.end)
        if range.isResumed { check.add(range, place) }
      case .unknown(let frame):
        check.findings.append(
          Finding(
            "unknownFrame", .unknown, file: place.path, offset: frame.offset,
            "frame type \(frame.header.type.rawValue) is from a newer version",
            fix: "use a newer varve"))
      case .hint, .seal: break
      }
    }
    check.parts = hasher.count
    check.bytes = place.limit
    check.rawBytes = cursor.rawBytes
    try check.judgeEnd(cursor, place, disk)
    return check
  }

  private mutating func take(
    _ unit: Unit, _ place: SegmentPlace, _ hasher: PartHasher, decodes: Bool,
    _ lastStamp: inout Stamp
  ) throws {
    transactions += UInt64(unit.transactions.count)
    var problems: [FormatError] = []
    do throws(FormatError) {
      problems = try hasher.check(unit)
      if decodes {
        for transaction in unit.transactions {
          try OperationStream.forEach(transaction, parts: unit.parts) { _ in }
        }
      }
    } catch { problems.append(error.at(offset: unit.frame.offset)) }
    for problem in problems {
      if problem.code == .unreadable { throw problem }
      findings.append(
        Finding(
          problem.code.description, .corruption, file: place.path, offset: problem.offset,
          sequence: unit.transactions.first?.sequence, problem.message, fix: Finding.recoverFix))
    }
    for transaction in unit.transactions {
      if transaction.stamp <= lastStamp {
        findings.append(
          Finding(
            "stampOrder", .blemish, file: place.path, offset: unit.frame.offset,
            sequence: transaction.sequence, "a stamp is not above the one before it"))
      }
      lastStamp = max(lastStamp, transaction.stamp)
    }
  }

  private mutating func add(_ range: DamagedRange, _ place: SegmentPlace) {
    var detail = range.error.message
    if !range.lost.isEmpty {
      let last = range.lost.upperBound - 1
      detail +=
        range.lost.count == 1
        ? "; sequence \(last) is lost" : "; sequences \(range.lost.lowerBound) to \(last) are lost"
    }
    findings.append(
      Finding(
        range.error.code.description, .corruption, file: place.path, offset: range.badOffset,
        sequence: range.lost.lowerBound, detail, fix: Finding.recoverFix))
  }

  /// Judges the end, which needs another walk unless the segment is sealed and whole.
  private mutating func judgeEnd(
    _ cursor: SegmentCursor, _ place: SegmentPlace, _ disk: any Disk
  ) throws {
    let isWhole = place.isSealed && !cursor.hasDamage && cursor.seal != nil
    guard !isWhole else {
      guard let successor = place.successor,
        successor.previousChain != cursor.state.chain
          || successor.firstSequence != cursor.state.nextSequence
      else { return }
      findings.append(
        Finding(
          "badChain", .corruption, file: place.path, sequence: cursor.state.nextSequence,
          "the next segment continues another history", fix: Finding.recoverFix))
      return
    }
    guard findings.allSatisfy({ $0.severity != .corruption }),
      let finding = try SegmentVerdict.judge(place, disk: disk).finding(place),
      finding.severity != .unknown
    else { return }
    findings.append(finding)
  }
}
