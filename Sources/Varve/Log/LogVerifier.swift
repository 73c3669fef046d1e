// Checks the segments of logs frame by frame: hashes, parts, sequences, chain, stamps (Q57).
// Layer: Log.

import VarveFormat

/// How much is checked.
package enum VerifyLevel: String, Sendable, CaseIterable {
  /// Headers, seals, sizes.
  case quick
  /// Every frame hash, the chain, and the hash of every part.
  case normal
  /// All of that, and everything decoded and replayed.
  case full
}

/// What checking one segment gave.
package struct SegmentCheck: Sendable {
  /// Something that is not as it should be.
  package enum Problem: Sendable {
    /// Bytes that cannot be read, behind which reading went on.
    case damage(DamagedRange)
    /// A frame of a type that is not known.
    case unknownFrame(FrameType, offset: UInt64)
    /// A part or an operation is not what its transaction says.
    case content(FormatError, sequence: UInt64)
    /// The stamp of a transaction is not above the one before it.
    case stampOrder(offset: UInt64, sequence: UInt64)
  }

  package let segment: CatalogSegment
  /// In the order of the file.
  package private(set) var problems: [Problem] = []
  package private(set) var transactions: UInt64 = 0
  /// Bytes that were read, and what they hold uncompressed.
  package private(set) var bytes: UInt64 = 0
  package private(set) var rawBytes: UInt64 = 0
  /// How it ends, with what its neighbours and its name say.
  package let verdict: SegmentVerdict
  /// Whether it has its SEAL and trailer and can be read up to them.
  package let isWhole: Bool
  /// What the next segment must continue with.
  package let nextSequence: UInt64

  /// Whether all is well.
  package var isClean: Bool {
    problems.isEmpty && verdict.problem == nil
      && (verdict.verdict == .sealed || verdict.verdict == .clean)
  }
}

/// Verifies segments, several at a time.
package enum LogVerifier {
  /// Reads every byte of the segments once.
  ///
  /// `level` full decodes operations and column blocks too. On all cores unless `isSerial`: several
  /// segments side by side, or the parts of a single one. Results come in the order of the
  /// segments.
  ///
  /// - Throws: `disk`. Damage and frames of newer versions are results.
  package static func verify(
    _ disk: any Disk, _ segments: [CatalogSegment], level: VerifyLevel = .normal,
    isSerial: Bool = false
  ) throws(LogError) -> [SegmentCheck] {
    let decodes = level == .full
    guard !isSerial, segments.count > 1 else {
      var checks: [SegmentCheck] = []
      for segment in segments {
        checks.append(
          try SegmentCheck(segment, disk: disk, decodes: decodes, isParallel: !isSerial))
      }
      return checks
    }
    return try Parallel.map(segments.count) { (index: Int) throws(LogError) in
      try SegmentCheck(segments[index], disk: disk, decodes: decodes, isParallel: false)
    }
  }
}

extension SegmentCheck {
  /// Reads every frame.
  ///
  /// - Throws: `disk`.
  init(
    _ segment: CatalogSegment, disk: any Disk, decodes: Bool, isParallel: Bool
  ) throws(LogError) {
    let source: FileSource
    do throws(DiskError) { source = try FileSource.open(disk, segment.file) } catch {
      throw LogError(error)
    }
    defer { source.close() }
    do throws(FormatError) {
      try self.init(segment, source, decodes: decodes, isParallel: isParallel)
    } catch { throw LogError(error, path: segment.file.path) }
  }

  private init(
    _ segment: CatalogSegment, _ source: FileSource, decodes: Bool, isParallel: Bool
  ) throws(FormatError) {
    var cursor = SegmentCursor(
      try SegmentScanner(source, limit: segment.limit), durableMark: segment.durableMark,
      keepsColumns: false)
    var content = ContentCheck(decodes: decodes, isParallel: isParallel)
    while let step = try cursor.step(passesPlain: !decodes, part: { content.add($0) }) {
      // Most units are small and in order: there is nothing to ask them.
      if step != .unit || decodes || cursor.unitHasParts || !cursor.isStampOrdered {
        try content.take(cursor.event(step), after: cursor.stampBefore)
      }
    }
    verdict = try cursor.verdict(segment)
    problems = content.problems
    transactions = cursor.transactions
    bytes = segment.limit
    rawBytes = cursor.rawBytes
    isWhole = segment.isSealed && !cursor.hasDamage
    nextSequence = cursor.state.nextSequence
    self.segment = segment
  }
}

/// Checks what the units of one segment say.
private struct ContentCheck {
  private let decodes: Bool
  private let hasher: PartHasher
  private(set) var problems: [SegmentCheck.Problem] = []

  init(decodes: Bool, isParallel: Bool) {
    self.decodes = decodes
    hasher = PartHasher(isParallel: isParallel, decodes: decodes)
  }

  func add(_ part: ScannedFrame) { hasher.add(part) }

  mutating func take(_ event: SegmentEvent?, after lastStamp: Stamp) throws(FormatError) {
    switch event {
    case .unit(let unit, _): try take(unit, after: lastStamp)
    case .damage(let range):
      hasher.reset(before: range.end)
      if range.isResumed { problems.append(.damage(range)) }
    case .unknown(let frame):
      problems.append(.unknownFrame(frame.header.type, offset: frame.offset))
    case .hint, .seal, nil: break
    }
  }

  private mutating func take(_ unit: Unit, after lastStamp: Stamp) throws(FormatError) {
    if !unit.parts.isEmpty || decodes { try checkContent(unit) }
    var lastStamp = lastStamp
    for transaction in unit.transactions {
      if transaction.stamp <= lastStamp {
        problems.append(
          .stampOrder(offset: unit.frame.offset, sequence: transaction.sequence))
      }
      lastStamp = max(lastStamp, transaction.stamp)
    }
  }

  private mutating func checkContent(_ unit: Unit) throws(FormatError) {
    var found: [FormatError] = []
    do throws(FormatError) {
      found = try hasher.check(unit)
      if decodes {
        for transaction in unit.transactions {
          try OperationStream.forEach(transaction, parts: unit.parts) { _ in }
        }
      }
    } catch { found.append(error.at(offset: unit.frame.offset)) }
    for problem in found {
      if problem.code == .unreadable { throw problem }
      problems.append(.content(problem, sequence: unit.transactions[0].sequence))
    }
  }
}
