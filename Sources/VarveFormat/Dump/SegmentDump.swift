// The walk of a dump over a file made of frames. See Formats/Dump.md and Formats/Segment.md.
//
// Unlike recovery it goes on behind damage, decodes all content, and judges the end only then.

/// Walks over one file and hands out its records.
package struct SegmentDump: ~Copyable {
  /// What the first problem says about the end of the file.
  enum Judgement {
    case torn, suspect, corrupt, newer
  }

  /// A part frame that waits for its TX frame.
  struct Part {
    let offset: UInt64
    let type: FrameType
    let rawLength: Int
    /// Nil when the payload could not be decompressed.
    var raw: Bytes?
    var hash: Hash128?
    /// Nil for operation bytes, and for a block that cannot be decoded, which was reported.
    var column: ColumnBlockHeader?
  }

  var scanner: SegmentScanner
  let options: DumpOptions
  private let sink: (DumpRecord) throws -> Void
  var summary = DumpSummary()

  /// The end of what a recovery would accept; it stays at the first problem.
  var accepted = UInt64(FileHeader.byteCount)
  /// What the next frame must continue; nil where it is taken over from the next frame.
  var nextSequence: UInt64?
  var chain: Hash128?
  /// Entries of the dictionary so far; nil until a transaction states all of it.
  var dictionaryCount: Int?
  var pending: [Part] = []
  var pendingBytes = 0
  var frames = 0
  var transactions: UInt64 = 0
  var isSealed = false
  var firstProblem: Judgement?
  /// Whether a frame behind the first problem promises bytes that are not accepted.
  var isPromised = false

  /// Whether the file is a baseline, whose frames mean something else.
  var isBaseline: Bool { scanner.header.kind == .baseline }

  private init(
    _ scanner: consuming SegmentScanner, _ options: DumpOptions,
    _ sink: @escaping (DumpRecord) throws -> Void
  ) {
    nextSequence = scanner.header.firstSequence
    chain = scanner.header.previousChain
    self.scanner = scanner
    self.options = options
    self.sink = sink
  }

  /// Dumps a file made of frames.
  ///
  /// - Throws: `notVarve` for other files, `unreadable` when the system cannot read, and what
  ///   `emit` throws. Everything else becomes a record.
  package static func run(
    _ source: any ByteSource, options: DumpOptions = DumpOptions(),
    emit: @escaping (DumpRecord) throws -> Void
  ) throws -> DumpSummary {
    let scanner: SegmentScanner
    do throws(FormatError) {
      scanner = try SegmentScanner(source, limit: options.limit)
    } catch {
      return try refuse(error, emit)
    }
    var dump = SegmentDump(scanner, options, emit)
    return try dump.walk()
  }

  /// A file whose header cannot be used has no salt to look for frames with.
  private static func refuse(
    _ error: FormatError, _ emit: (DumpRecord) throws -> Void
  ) throws -> DumpSummary {
    var summary = DumpSummary()
    switch error.code {
    case .truncated:
      summary.verdict = .torn
      summary.damages = 1
    case .badHeader:
      summary.verdict = .corrupt
      summary.damages = 1
    case .unknownVersion:
      summary.verdict = .suspect
      summary.unknowns = 1
    default: throw error
    }
    try emit(errorRecord(0, offset: 0, code: error.code))
    try emit(end(offset: 0, verdict: summary.verdict, frames: 0, transactions: 0))
    return summary
  }

  private static func errorRecord(
    _ depth: Int, offset: UInt64, code: FormatError.Code
  ) -> DumpRecord {
    DumpRecord(
      depth, "error",
      [DumpField("offset", .number(offset)), DumpField("code", .word(code.description))])
  }

  private static func end(
    offset: UInt64, verdict: TailVerdict?, frames: Int, transactions: UInt64
  ) -> DumpRecord {
    DumpRecord(
      0, "end",
      [
        DumpField("offset", .number(offset)),
        DumpField("verdict", .word(verdict?.rawValue ?? "partial")),
        DumpField("frames", .number(frames)), DumpField("transactions", .number(transactions)),
      ])
  }

  private mutating func walk() throws -> DumpSummary {
    try emitHeader()
    var isPartial = false
    if let start = options.fromOffset, start > UInt64(FileHeader.byteCount) {
      isPartial = true
      scanner.position = min(start, scanner.limit) / 8 * 8
      accepted = scanner.position
      forget()
    }
    while try step() {
      if let limit = options.framesMax, frames >= limit {
        isPartial = true
        break
      }
    }
    if !isPartial, isBaseline { try endBaseline() }
    summary.verdict = isPartial ? nil : try verdict()
    try emit(
      SegmentDump.end(
        offset: accepted, verdict: summary.verdict, frames: frames, transactions: transactions))
    return summary
  }

  private func emitHeader() throws {
    let header = scanner.header
    try emit(
      DumpRecord(
        0, "file",
        [
          DumpField("type", .word(header.kind.name)),
          DumpField("version", .word("\(header.major).\(header.minor)")),
          DumpField("store", .word(header.store.description)),
          DumpField("replica", .word(header.replica.description)),
          DumpField("ordinal", .number(header.ordinal)),
          DumpField("firstSequence", .number(header.firstSequence)),
          DumpField("salt", .hexadecimal(header.salt)),
          DumpField("prevChain", .hash(header.previousChain)),
          DumpField("created", .stamp(header.created)),
          DumpField("previousBytes", .number(header.previousBytes)),
          DumpField("bytes", .number(scanner.source.length)),
        ]))
  }

  // MARK: records

  /// Hands out a record, unless only frames are asked for and it is about something inside one.
  func emit(_ record: DumpRecord) throws {
    if options.headersOnly, record.depth > 0, record.kind != "error" { return }
    try sink(record)
  }

  func emit(_ depth: Int, _ kind: String, _ fields: [DumpField]) throws {
    try emit(DumpRecord(depth, kind, fields))
  }

  /// Reports a problem; the first one decides the verdict.
  mutating func report(
    _ offset: UInt64, _ code: FormatError.Code, _ judgement: Judgement, depth: Int = 0
  ) throws {
    if code == .unknownFrame || code == .unknownVersion {
      summary.unknowns += 1
    } else {
      summary.damages += 1
    }
    try emit(SegmentDump.errorRecord(depth, offset: offset, code: code))
    if firstProblem == nil { firstProblem = judgement }
  }

  /// Reports what is wrong inside a frame that is valid by its hashes.
  mutating func reportContent(_ frame: ScannedFrame, _ code: FormatError.Code) throws {
    try report(frame.offset, code, .corrupt, depth: 1)
  }

  // MARK: frames

  /// Visits what lies at the position; false at the end.
  private mutating func step() throws -> Bool {
    let offset = scanner.position
    if try scanner.raw(offset, FrameHeader.byteCount).isZero {
      guard try scanner.remainder(from: offset) != nil else { return false }
      try report(offset, .truncated, .torn)
      return try resynchronise(from: offset + 8, bad: offset)
    }
    let frame: ScannedFrame
    do throws(FormatError) {
      frame = try scanner.frame(at: offset)
    } catch {
      if error.code == .unreadable { throw error }
      try report(offset, error.code, try scanner.hasZeroPiece(frameAt: offset) ? .torn : .suspect)
      return try resynchronise(from: offset + 8, bad: offset)
    }
    scanner.position = frame.end
    return try visit(frame)
  }

  /// Looks for the next valid frame; false when there is none.
  mutating func resynchronise(from start: UInt64, bad: UInt64) throws -> Bool {
    forget()
    guard let found = try scanner.resynchronise(from: start) else { return false }
    scanner.position = found.offset
    try emit(
      0, "resync",
      [
        DumpField("offset", .number(found.offset)),
        DumpField("skipped", .number(found.offset - bad)),
      ])
    return true
  }

  /// Takes over sequence, chain and dictionary from what comes next.
  private mutating func forget() {
    nextSequence = nil
    chain = nil
    dictionaryCount = nil
    dropParts()
  }

  mutating func dropParts() {
    pending = []
    pendingBytes = 0
  }

  private mutating func visit(_ frame: ScannedFrame) throws -> Bool {
    let header = frame.header
    frames += 1
    if firstProblem != nil, header.syncedOffset > accepted { isPromised = true }
    try emit(
      0, "frame",
      [
        DumpField("offset", .number(frame.offset)), DumpField("type", .word(header.type.name)),
        DumpField("flags", .words(header.flags, FrameFlags.names)),
        DumpField("stored", .number(header.storedLength)),
        DumpField("raw", .number(header.rawLength)),
        DumpField("sequence", .number(header.sequence)),
        DumpField("synced", .number(header.syncedOffset)),
      ])
    if !header.type.isKnown(in: scanner.header.kind) {
      guard header.type.isIgnorable else {
        try report(frame.offset, .unknownFrame, .newer, depth: 1)
        return false
      }
      summary.skipped += 1
    }
    try checkPlace(frame)
    do {
      try isBaseline ? visitBaselineContent(frame) : visitContent(frame)
    } catch let error as ContentError {
      try reportContent(frame, error.code)
      dictionaryCount = nil
    }
    if header.type == .seal { return try visitTrailer(frame) }
    if header.type == .transaction { dropParts() }
    if firstProblem == nil, pending.isEmpty { accepted = frame.end }
    return true
  }

  /// The sequence must continue, and nothing may stand between parts and their transaction.
  private mutating func checkPlace(_ frame: ScannedFrame) throws {
    if let nextSequence, nextSequence != frame.header.sequence {
      try reportContent(frame, .badSequence)
    }
    nextSequence = frame.header.sequence
    let mayFollowParts: [FrameType] = [.transactionPart, .columnBlock, .transaction]
    if !pending.isEmpty, !mayFollowParts.contains(frame.header.type) {
      try reportContent(frame, .badPart)
      dropParts()
    }
  }

  // MARK: verdict

  private mutating func verdict() throws -> TailVerdict {
    switch firstProblem {
    case .torn where isBaseline, .suspect where isBaseline: return .corrupt
    case nil: return isSealed ? .sealed : pending.isEmpty ? .clean : .torn
    case .newer: return .suspect
    case .corrupt: return .corrupt
    case .torn: return isPromised ? .corrupt : .torn
    case .suspect: return try isPromised || scanner.endsWithTrailer() ? .corrupt : .suspect
    }
  }
}

/// Content of a valid frame that cannot be decoded.
///
/// The code names the structure, not the check that failed first.
struct ContentError: Error {
  let code: FormatError.Code

  init(_ code: FormatError.Code) { self.code = code }

  /// Runs `body`; whatever it finds wrong counts as `code`.
  static func naming<R: ~Copyable>(
    _ code: FormatError.Code, _ body: () throws(FormatError) -> R
  ) throws(ContentError) -> R {
    do throws(FormatError) {
      return try body()
    } catch {
      throw ContentError(code)
    }
  }
}
