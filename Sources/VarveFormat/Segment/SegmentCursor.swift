// The one walk over the frames of a segment. Pulls, so that several segments can be read side by
// side, and goes on behind damage when asked. See Formats/Segment.md section 5.

/// Reads the frames of one segment in order and judges how it ends.
package struct SegmentCursor: ~Copyable {
  private var scanner: SegmentScanner
  package private(set) var state: SegmentState
  /// Whether the chain was interrupted before the position.
  package private(set) var isBehindGap = false
  package private(set) var hasDamage = false
  package private(set) var frames: UInt64 = 0
  package private(set) var rawBytes: UInt64 = 0
  package private(set) var isEnded = false
  /// Transactions, and the smallest and largest stamp so far, behind gaps too.
  package private(set) var transactions: UInt64 = 0
  package private(set) var minStamp: Stamp?
  package private(set) var maxStamp: Stamp?
  /// The largest stamp before the last unit.
  package private(set) var stampBefore = Stamp.zero
  private let durableMark: UInt64
  private let goesOn: Bool
  private let keepsColumns: Bool
  private var pending: Step?
  private var stop: Stop?
  /// The unit of the last step.
  private var unit: Unit?
  /// The frame of the last step, unless that was a unit.
  private var frame: ScannedFrame?
  private var damage: DamagedRange?
  /// What is wrong with the SEAL, which may follow other damage.
  private var sealDamage: DamagedRange?
  /// Whether the stamps of the last unit are above all before them.
  package private(set) var isStampOrdered = true

  /// What a step met.
  ///
  /// The event itself is handed out only to whom it interests: small units come by the million.
  package enum Step: Sendable {
    case unit, hint, unknown, damage, seal
  }

  /// Where a recovery stops: the first frame that is not valid, or the end.
  private struct Stop {
    enum Cause {
      /// No SEAL before the end of the data, behind which lie zeros up to `rest`, if that is there.
      case end(rest: UInt64?)
      /// A frame whose hashes are wrong, or whose content breaks a rule.
      case bad(FormatError, isValidFrame: Bool)
      /// A newer version wrote it.
      case newer(FormatError)
      /// A SEAL, judged with its trailer.
      case sealed(SegmentReading)
    }

    var cause: Cause
    var state: SegmentState
    var position: UInt64
    var hashedBytes: UInt64
  }

  /// Starts at the scanner's position, which is the first frame.
  ///
  /// - Parameters:
  ///   - scanner: Has read the header of the file, and nothing else.
  ///   - durableMark: What the superblock promises of this file, 0 when it promises nothing.
  ///   - goesOn: Damage and frames of newer versions are events, and reading goes on behind them.
  ///     Otherwise it ends there.
  ///   - keepsColumns: Whether payloads of column blocks are kept until their transaction comes.
  package init(
    _ scanner: consuming SegmentScanner, durableMark: UInt64 = 0, goesOn: Bool = true,
    keepsColumns: Bool = true
  ) {
    state = SegmentState(scanner.header)
    self.scanner = scanner
    self.durableMark = durableMark
    self.goesOn = goesOn
    self.keepsColumns = keepsColumns
  }

  /// The scanner, wherever it stands.
  consuming func intoScanner() -> SegmentScanner { scanner }

  /// The next event, nil at the end.
  ///
  /// `part` sees each part frame with its payload, also of transactions that turn out to be lost.
  ///
  /// - Throws: `unreadable` when the system cannot read. Damage is an event, or the end.
  package mutating func next(part: (ScannedFrame) -> Void = { _ in }) throws(FormatError)
    -> SegmentEvent?
  {
    guard let met = try step(part: part) else { return nil }
    return event(met)
  }

  /// What the last step met.
  package func event(_ step: Step) -> SegmentEvent? {
    switch step {
    case .unit: unit.map { .unit($0, isBehindGap: isBehindGap) }
    case .hint: frame.map { .hint($0) }
    case .unknown: frame.map { .unknown($0) }
    case .damage: damage.map { .damage($0) }
    case .seal: frame.map { .seal($0) }
    }
  }

  /// Whether the last unit has parts.
  package var unitHasParts: Bool { unit?.parts.isEmpty == false }

  /// As `next`, without copying what was met.
  ///
  /// With `passesPlain` units are left out that have nothing to be looked at: no parts, and stamps
  /// above all before them. They are checked and counted as all others.
  package mutating func step(
    passesPlain: Bool = false, part: (ScannedFrame) -> Void = { _ in }
  ) throws(FormatError) -> Step? {
    if let met = pending {
      pending = nil
      if met == .damage { damage = sealDamage }
      return met
    }
    while !isEnded {
      if passesPlain { passPlain() }
      let offset = scanner.position
      do throws(FormatError) {
        guard case .frame(let frame) = try scanner.next() else { return try atEnd(part) }
        if let met = try take(frame, part) { return met }
      } catch {
        if error.code == .unreadable { throw error }
        let isNewer = error.code == .unknownFrame
        note(isNewer ? .newer(error) : .bad(error, isValidFrame: false), at: offset)
        guard goesOn else {
          isEnded = true
          return nil
        }
        return isNewer ? try skipUnknown() : try resume(after: error, at: offset, part)
      }
    }
    return nil
  }

  /// Passes plain units as far as the window reaches.
  private mutating func passPlain() {
    guard state.pendingParts.isEmpty else { return }
    var run = PlainRun(state, at: scanner.position, lastStamp: maxStamp ?? .zero)
    scanner.pass(&run)
    guard run.transactions > 0 else { return }
    state.accept(run)
    frames += run.frames
    rawBytes += run.rawBytes
    transactions += run.transactions
    minStamp = min(minStamp ?? run.firstStamp, run.firstStamp)
    maxStamp = run.lastStamp
  }

  /// Takes a valid frame in.
  private mutating func take(_ frame: ScannedFrame, _ part: (ScannedFrame) -> Void)
    throws(FormatError) -> Step?
  {
    do throws(FormatError) {
      if frame.header.type == .transaction {
        unit = try state.accept(frame)
      } else {
        _ = try state.accept(kept(frame))
      }
    } catch {
      let isNewer = error.code == .unknownVersion
      if error.code != .unreadable {
        note(isNewer ? .newer(error) : .bad(error, isValidFrame: true), at: frame.offset)
      }
      // The frame is read again when reading resumes.
      scanner.position = frame.offset
      throw error
    }
    count(frame)
    switch frame.header.type {
    case .transaction: return countUnit()
    case .transactionPart, .columnBlock:
      part(frame)
      return nil
    case .seal: return try finish(frame)
    case .schema, .replicas, .mark:
      self.frame = frame
      return .hint
    default:
      self.frame = frame
      return .unknown
    }
  }

  /// Passes a frame whose type is not known.
  private mutating func skipUnknown() throws(FormatError) -> Step {
    let frame = try scanner.frame(at: scanner.position)
    scanner.position = frame.end
    frames += 1
    do throws(FormatError) { _ = try state.accept(frame) } catch {}
    self.frame = frame
    return .unknown
  }

  private func kept(_ frame: ScannedFrame) -> ScannedFrame {
    keepsColumns || frame.header.type != .columnBlock ? frame : frame.withoutPayload()
  }

  private mutating func count(_ frame: ScannedFrame) {
    frames += 1
    rawBytes += UInt64(frame.header.rawLength)
  }

  private mutating func countUnit() -> Step? {
    guard let list = unit?.transactions else { return nil }
    stampBefore = maxStamp ?? .zero
    isStampOrdered = list.ascends(from: stampBefore)
    minStamp = min(minStamp ?? list.minStamp, list.minStamp)
    maxStamp = max(maxStamp ?? list.maxStamp, list.maxStamp)
    transactions += UInt64(list.count)
    return .unit
  }

  // MARK: the end

  /// Keeps where a recovery would have stopped: the first place counts.
  private mutating func note(_ cause: Stop.Cause, at position: UInt64) {
    guard stop == nil else { return }
    stop = Stop(
      cause: cause, state: state, position: position, hashedBytes: scanner.hashedBytes)
  }

  /// Zeros or the end of the file.
  private mutating func atEnd(_ part: (ScannedFrame) -> Void) throws(FormatError) -> Step? {
    let rest = try scanner.remainder(from: scanner.position)
    note(.end(rest: rest), at: scanner.position)
    let parts = state.pendingParts.count
    guard goesOn, rest != nil || parts > 0 else {
      isEnded = true
      return nil
    }
    let error = FormatError(
      .truncated,
      parts == 0 ? "zeros are followed by other bytes" : "\(parts) parts without their transaction",
      offset: state.accepted)
    return try resume(after: error, at: scanner.position, part)
  }

  /// Checks a SEAL and its trailer; contradictions are damage without losses.
  private mutating func finish(_ frame: ScannedFrame) throws(FormatError) -> Step? {
    isEnded = true
    self.frame = frame
    // Behind damage the number of transactions is not known.
    let reading = try scanner.judgeSeal(
      state, frame, durableMark, comparesCount: stop == nil)
    note(.sealed(reading), at: frame.end)
    guard let problem = reading.problem else { return .seal }
    guard goesOn else { return nil }
    hasDamage = true
    pending = .seal
    sealDamage = DamagedRange(
      start: problem.offset ?? frame.offset, end: scanner.source.length, error: problem,
      lost: state.nextSequence..<state.nextSequence, isResumed: false)
    damage = sealDamage
    return .damage
  }

  /// The segment by the rules of recovery: up to the first frame that is not valid.
  ///
  /// Only at the end of the walk.
  ///
  /// - Throws: `unreadable`, and `unknownFrame` or `unknownVersion` when a recovery would stop at
  ///   what a newer version wrote.
  package mutating func reading() throws(FormatError) -> SegmentReading {
    guard let stop else { return SegmentReading(verdict: .clean, state: state) }
    // What was hashed to go on behind damage does not shorten the search for later promises.
    let (position, hashedBytes) = (scanner.position, scanner.hashedBytes)
    scanner.position = stop.position
    scanner.hashedBytes = stop.hashedBytes
    defer {
      scanner.position = position
      scanner.hashedBytes = hashedBytes
    }
    switch stop.cause {
    case .end(let rest): return try scanner.judgeEnd(stop.state, durableMark, rest: rest)
    case .bad(let problem, let isValidFrame):
      return try scanner.judge(stop.state, durableMark, problem, isValidFrame: isValidFrame)
    case .newer(let error): throw error
    case .sealed(let reading): return reading
    }
  }

  /// The reading of a walk that ends because its caller refuses what it got last.
  ///
  /// - Throws: `error` itself when it is `unreadable` or `unknownVersion`.
  mutating func refused(_ error: FormatError) throws(FormatError) -> SegmentReading {
    if [.unreadable, .unknownVersion].contains(error.code) { throw error }
    isEnded = true
    note(.bad(error, isValidFrame: true), at: scanner.position)
    return try reading()
  }

  // MARK: going on behind damage

  /// Looks for the next unit that can be read.
  private mutating func resume(
    after error: FormatError, at offset: UInt64, _ part: (ScannedFrame) -> Void
  ) throws(FormatError) -> Step {
    hasDamage = true
    let isValidFrame = scanner.position == offset && [.badSequence, .badChain].contains(error.code)
    var damage = DamagedRange(
      start: min(offset, state.pendingParts.first?.offset ?? offset), end: scanner.limit,
      error: error.at(offset: offset), lost: state.nextSequence..<state.nextSequence,
      isResumed: false)
    var from = isValidFrame ? offset : offset + 8
    var parts = state.pendingParts
    while let first = try scanner.resynchronise(from: from) {
      scanner.position = first.offset
      guard let frame = try collect(&parts, part) else {
        from = scanner.position + 8
        continue
      }
      if try restart((parts, frame), &damage) {
        self.damage = damage
        return .damage
      }
      parts = []
      from = frame.end
    }
    isEnded = true
    self.damage = damage
    return .damage
  }

  /// Frames up to one that tells where in the log it stands; nil when one of them is bad too.
  private mutating func collect(
    _ parts: inout [ScannedFrame], _ part: (ScannedFrame) -> Void
  ) throws(FormatError) -> ScannedFrame? {
    while true {
      do throws(FormatError) {
        guard case .frame(let frame) = try scanner.next() else { return nil }
        switch frame.header.type {
        case .transactionPart, .columnBlock:
          part(frame)
          parts.append(kept(frame))
        default: return frame
        }
      } catch {
        if error.code == .unreadable { throw error }
        return nil
      }
    }
  }

  /// Takes up reading with the frames found; false when they do not tell where they stand.
  private mutating func restart(
    _ found: (parts: [ScannedFrame], frame: ScannedFrame), _ damage: inout DamagedRange
  ) throws(FormatError) -> Bool {
    switch found.frame.header.type {
    case .transaction: return try restart(atTransaction: found, &damage)
    case .mark:
      guard let chain = try? found.frame.payload().read({ try $0.hash128() }) else { return false }
      restart(found.frame.header.sequence, chain)
    case .seal:
      let seal = try? found.frame.payload().read { try Seal(&$0) }
      guard let seal else { return false }
      restart(seal.lastSequence &+ 1, seal.chain)
      pending = try finish(found.frame)
    default: return false
    }
    count(found.frame)
    close(&damage, at: found.frame.offset, next: state.nextSequence)
    return true
  }

  private mutating func restart(
    atTransaction found: (parts: [ScannedFrame], frame: ScannedFrame), _ damage: inout DamagedRange
  ) throws(FormatError) -> Bool {
    let content: TransactionFrame
    do throws(FormatError) { content = try TransactionFrame(found.frame) } catch {
      if error.code == .unreadable { throw error }
      return false
    }
    let present = Set(found.parts.map(\.offset)).intersection(content.partOffsets)
    let missing = content.partOffsets.indices.filter {
      !present.contains(content.partOffsets[$0])
    }
    count(found.frame)
    guard missing.isEmpty else {
      damage.incomplete += content.transactions.map {
        IncompleteTransaction(
          transaction: $0, offset: found.frame.offset, missingParts: missing)
      }
      restart(
        found.frame.header.sequence + UInt64(content.transactions.count), content.chain,
        isGap: true)
      close(&damage, at: found.frame.end, next: state.nextSequence)
      return true
    }
    restart(found.frame.header.sequence, content.previousChain)
    do throws(FormatError) {
      for part in found.parts where present.contains(part.offset) { _ = try state.accept(part) }
      unit = try state.accept(found.frame)
    } catch {
      if error.code == .unreadable { throw error }
      return false
    }
    pending = countUnit()
    close(&damage, at: unit?.start ?? found.frame.offset, next: found.frame.header.sequence)
    return true
  }

  /// Goes on at a sequence and chain; a gap unless they continue what was read before.
  private mutating func restart(_ sequence: UInt64, _ chain: Hash128, isGap: Bool = false) {
    if isGap || sequence != state.nextSequence || chain != state.chain { isBehindGap = true }
    var header = scanner.header
    header.firstSequence = sequence
    header.previousChain = chain
    state = SegmentState(header)
  }

  private func close(_ damage: inout DamagedRange, at end: UInt64, next: UInt64) {
    damage.end = max(end, damage.start)
    damage.isResumed = true
    damage.lost = damage.lost.lowerBound..<max(next, damage.lost.lowerBound)
  }
}

extension SegmentScanner {
  /// Walks all frames, hands every unit to `unit`, and judges the end.
  ///
  /// `durableMark` is what the superblock promises of this file, 0 when it promises nothing.
  ///
  /// - Throws: `unreadable` when the system cannot read, `unknownFrame` and `unknownVersion` for
  ///   newer files; everything else becomes a verdict. So does what `hint` and `unit` throw: the
  ///   walk ends as corrupt behind the frame that they refused, whose own hashes are sound.
  package mutating func readAll(
    durableMark: UInt64 = 0,
    hint: (ScannedFrame) throws(FormatError) -> Void = { _ throws(FormatError) in },
    unit: (Unit) throws(FormatError) -> Void = { _ throws(FormatError) in }
  ) throws(FormatError) -> SegmentReading {
    var cursor = SegmentCursor(self, durableMark: durableMark, goesOn: false)
    let outcome: Result<SegmentReading, FormatError>
    do throws(FormatError) {
      outcome = .success(try cursor.readAll(hint: hint, unit: unit))
    } catch { outcome = .failure(error) }
    self = cursor.intoScanner()
    return try outcome.get()
  }
}

extension SegmentCursor {
  fileprivate mutating func readAll(
    hint: (ScannedFrame) throws(FormatError) -> Void, unit: (Unit) throws(FormatError) -> Void
  ) throws(FormatError) -> SegmentReading {
    while let met = try step() {
      do throws(FormatError) {
        if met == .unit, let completed = self.unit {
          try unit(completed)
        } else if met == .hint, let frame, frame.header.type == .schema {
          try hint(frame)
        }
      } catch { return try refused(error) }
    }
    return try reading()
  }
}
