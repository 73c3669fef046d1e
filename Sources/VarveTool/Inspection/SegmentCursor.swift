// Walks one segment and goes on behind damage. Pulls, so that several segments can be read side by
// side.

import Varve
import VarveFormat

/// Bytes of a segment that cannot be used.
struct DamagedRange: Sendable {
  /// Where the first bad frame starts, and where reading goes on.
  var start: UInt64
  var end: UInt64
  var error: FormatError
  /// Sequences that are lost: none when only a mark or a hint was hit.
  var lost: Range<UInt64>
  /// Whether something readable follows.
  var isResumed: Bool
  /// Where the frame is that is bad; parts of its transaction may start before.
  var badOffset: UInt64 { error.offset ?? start }
  /// Transactions that are whole but lack some of their parts, with the parts that are there.
  var incomplete: [IncompleteTransaction] = []
}

/// A transaction some of whose parts cannot be read.
struct IncompleteTransaction: Sendable {
  var transaction: ScannedTransaction
  var offset: UInt64
  /// Places in its part list that are missing.
  var missingParts: [Int]
}

/// What a cursor meets.
enum SegmentEvent: Sendable {
  /// A unit that continues what was read before, or that follows a gap.
  case unit(Unit, isBehindGap: Bool)
  /// A SCHEMA, REPLICAS or MARK frame.
  case hint(ScannedFrame)
  /// A frame of a type that is not known here.
  case unknown(ScannedFrame)
  case damage(DamagedRange)
  case seal(ScannedFrame)
}

/// Reads the frames of one segment in order.
final class SegmentCursor {
  let place: SegmentPlace
  private let source: any ByteSource
  private let file: FileSource
  private var scanner: SegmentScanner
  private(set) var state: SegmentState
  /// Whether the chain was interrupted before the position.
  private(set) var isBehindGap = false
  private(set) var hasDamage = false
  private(set) var frames: UInt64 = 0
  private(set) var rawBytes: UInt64 = 0
  private(set) var seal: Seal?
  private(set) var isEnded = false
  /// The smallest and largest stamp so far, and the transactions, behind gaps too.
  private(set) var transactions: UInt64 = 0
  private(set) var minStamp: Stamp?
  private(set) var maxStamp: Stamp?
  private var pending: SegmentEvent?
  /// Whether payloads of column blocks are kept until their transaction comes.
  private let keepsColumns: Bool
  /// Sees each part frame with its payload.
  var onPart: ((ScannedFrame) throws(FormatError) -> Void)?

  init(_ place: SegmentPlace, disk: any Disk, keepsColumns: Bool = true) throws {
    self.place = place
    self.keepsColumns = keepsColumns
    file = try FileSource(disk, place.path)
    source = place.hasRepairedHeader ? PatchedSource(file, header: place.header) : file
    scanner = try SegmentScanner(source, limit: place.limit)
    state = SegmentState(place.header)
  }

  func close() { file.close() }

  /// The next event, nil at the end.
  ///
  /// - Throws: `unreadable` when the system cannot read. Damage is an event.
  func next() throws(FormatError) -> SegmentEvent? {
    if let event = pending {
      pending = nil
      return event
    }
    while !isEnded {
      let offset = scanner.position
      do throws(FormatError) {
        guard case .frame(let frame) = try scanner.next() else { return try atEnd() }
        if let event = try take(frame) { return event }
      } catch {
        switch error.code {
        case .unreadable: throw error
        case .unknownFrame:
          let frame = try scanner.frame(at: offset)
          scanner.position = frame.end
          frames += 1
          do throws(FormatError) { _ = try state.accept(frame) } catch {}
          return .unknown(frame)
        default: return try resume(after: error, at: offset)
        }
      }
    }
    return nil
  }

  /// Takes a valid frame in.
  private func take(_ frame: ScannedFrame) throws(FormatError) -> SegmentEvent? {
    let unit: Unit?
    do throws(FormatError) {
      unit = try state.accept(kept(frame))
    } catch {
      // The frame is read again when reading resumes.
      scanner.position = frame.offset
      throw error
    }
    count(frame)
    switch frame.header.type {
    case .transaction: return unit.map { note($0) }
    case .transactionPart, .columnBlock:
      try onPart?(frame)
      return nil
    case .seal: return try finish(frame)
    case .schema, .replicas, .mark: return .hint(frame)
    default: return .unknown(frame)
    }
  }

  private func kept(_ frame: ScannedFrame) -> ScannedFrame {
    keepsColumns || frame.header.type != .columnBlock ? frame : frame.withoutPayload()
  }

  private func count(_ frame: ScannedFrame) {
    frames += 1
    rawBytes += UInt64(frame.header.rawLength)
  }

  private func note(_ unit: Unit) -> SegmentEvent {
    for transaction in unit.transactions {
      minStamp = min(minStamp ?? transaction.stamp, transaction.stamp)
      maxStamp = max(maxStamp ?? transaction.stamp, transaction.stamp)
    }
    transactions += UInt64(unit.transactions.count)
    return .unit(unit, isBehindGap: isBehindGap)
  }

  // MARK: the end

  /// Zeros or the end of the file.
  private func atEnd() throws(FormatError) -> SegmentEvent? {
    let start = state.accepted
    guard state.pendingParts.isEmpty, try isZero(from: scanner.position) else {
      let error = FormatError(
        .truncated,
        state.pendingParts.isEmpty
          ? "zeros are followed by other bytes"
          : "\(state.pendingParts.count) parts without their transaction", offset: start)
      return try resume(after: error, at: scanner.position)
    }
    isEnded = true
    return nil
  }

  private func isZero(from start: UInt64) throws(FormatError) -> Bool {
    var offset = start
    while offset < scanner.limit {
      let bytes = try scanner.raw(offset, 1 << 20)
      if bytes.count == 0 { return true }
      if !bytes.isZero { return false }
      offset += UInt64(bytes.count)
    }
    return true
  }

  /// Checks what a SEAL says; contradictions are damage without losses.
  private func finish(_ frame: ScannedFrame) throws(FormatError) -> SegmentEvent {
    isEnded = true
    do throws(FormatError) {
      let seal = try frame.payload().read(origin: frame.offset) {
        (reader: inout ByteReader) throws(FormatError) in try Seal(&reader)
      }
      self.seal = seal
      let isOurs =
        seal.chain == state.chain && seal.lastSequence == state.nextSequence &- 1
        && seal.firstSequence == place.header.firstSequence
      guard isOurs else {
        throw FormatError(
          .badSeal, "the SEAL contradicts the transactions before it", offset: frame.offset)
      }
      var last = place.trailer
      if last == nil { last = try trailerBeforeZeros(frame.end) }
      guard let trailer = last, trailer.sealOffset == frame.offset,
        trailer.chain == state.chain
      else {
        throw FormatError(
          .badTrailer, "no trailer that agrees with the SEAL ends the file", offset: frame.end)
      }
    } catch {
      if error.code == .unreadable { throw error }
      hasDamage = true
      pending = .seal(frame)
      return .damage(
        DamagedRange(
          start: error.offset ?? frame.offset, end: place.length, error: error,
          lost: state.nextSequence..<state.nextSequence, isResumed: false))
    }
    return .seal(frame)
  }

  /// The trailer of a segment with an open name, whose preallocated space was not cut off yet.
  private func trailerBeforeZeros(_ start: UInt64) throws(FormatError) -> Trailer? {
    if case .sealed? = SegmentName(place.path.lastPathComponent) { return nil }
    let bytes = try scanner.raw(start, Trailer.byteCount)
    guard bytes.count == Trailer.byteCount,
      let trailer = try? Trailer(bytes, offset: start, salt: place.header.salt),
      try isZero(from: start + UInt64(Trailer.byteCount))
    else { return nil }
    return trailer
  }

  // MARK: going on behind damage

  /// Looks for the next unit that can be read.
  private func resume(after error: FormatError, at offset: UInt64) throws(FormatError)
    -> SegmentEvent
  {
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
      guard let frame = try collect(&parts) else {
        from = scanner.position + 8
        continue
      }
      if try restart((parts, frame), &damage) { return .damage(damage) }
      parts = []
      from = frame.end
    }
    isEnded = true
    return .damage(damage)
  }

  /// Frames up to one that tells where in the log it stands; nil when one of them is bad too.
  private func collect(_ parts: inout [ScannedFrame]) throws(FormatError) -> ScannedFrame? {
    while true {
      do throws(FormatError) {
        guard case .frame(let frame) = try scanner.next() else { return nil }
        switch frame.header.type {
        case .transactionPart, .columnBlock:
          try onPart?(frame)
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
  private func restart(
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

  private func restart(
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
    var unit: Unit?
    do throws(FormatError) {
      for part in found.parts where present.contains(part.offset) { _ = try state.accept(part) }
      unit = try state.accept(found.frame)
    } catch {
      if error.code == .unreadable { throw error }
      return false
    }
    pending = unit.map { note($0) }
    close(&damage, at: unit?.start ?? found.frame.offset, next: found.frame.header.sequence)
    return true
  }

  /// Goes on at a sequence and chain; a gap unless they continue what was read before.
  private func restart(_ sequence: UInt64, _ chain: Hash128, isGap: Bool = false) {
    if isGap || sequence != state.nextSequence || chain != state.chain { isBehindGap = true }
    var header = place.header
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
