// Walks the transactions of all logs of a store in the order of their stamps, with bounded memory.

import Varve
import VarveFormat

/// A transaction with its place.
struct LoggedTransaction: Sendable {
  var replica: ReplicaID
  var transaction: ScannedTransaction
  var parts: [ScannedFrame]
  var path: String
  /// The TX frame, and the unit with its parts.
  var frameOffset: UInt64
  var start: UInt64
  var end: UInt64
  /// This transaction's share of the stored bytes of its unit.
  var storedBytes: UInt64
  var rawBytes: UInt64
  /// False when it lies behind the last durable mark of a segment that is still open.
  var isDurable: Bool
  /// Whether transactions before it are missing.
  var isBehindGap: Bool

  /// `replica:sequence`.
  var name: String { "\(replica):\(transaction.sequence)" }
  var shortName: String { "\(ReplicaText.short(replica)):\(transaction.sequence)" }
}

/// What a walk meets.
enum WalkEvent: Sendable {
  case transaction(LoggedTransaction)
  case unknown(path: String, ScannedFrame)
  /// Damage inside a segment, or a gap between two.
  case damage(path: String, DamagedRange?, Finding)

  /// Where it stands in time; damage comes as soon as it is met.
  fileprivate var stamp: Stamp? {
    if case .transaction(let logged) = self { logged.transaction.stamp } else { nil }
  }
}

/// The events of one replica's log.
private final class ReplicaWalk {
  let replica: ReplicaID
  private let places: [SegmentPlace]
  private let disk: any Disk
  private let isReversed: Bool
  private let keepsColumns: Bool
  private var nextPlace = 0
  private var cursor: SegmentWalk?
  private var verdict: SegmentVerdict?
  private var queue: [WalkEvent] = []
  private var position = 0
  /// The sequence and chain that the next segment continues.
  private var expected: (sequence: UInt64, chain: Hash128)?
  /// The first segment of a log whose beginning is missing says so.
  private let missingStart: Finding?
  /// In a reversed walk, the segment that follows the one at hand.
  private var later: SegmentPlace?
  private var isBehindGap = false
  /// What a sealed name promises and the file at hand does not keep; said at its end.
  private var tail: Finding?
  private var met: [Finding] = []
  var names = NameBook()
  /// What SCHEMA frames repeat, in the order they were met.
  private(set) var hints: [SchemaOperation] = []
  var findings: [Finding] { met + (tail.map { [$0] } ?? []) }

  init(
    _ log: ReplicaLog, findings: [Finding], disk: any Disk, isReversed: Bool, keepsColumns: Bool
  ) {
    replica = log.replica
    let first = log.places.first.flatMap { $0.header.firstSequence > 1 ? $0.path : nil }
    missingStart = findings.last { $0.code == "gap" && $0.file == first && $0.sequence == 1 }
    places = isReversed ? log.places.reversed() : log.places
    self.disk = disk
    self.isReversed = isReversed
    self.keepsColumns = keepsColumns
  }

  /// The next event without taking it.
  func peek() throws -> WalkEvent? {
    while position == queue.count {
      queue.removeAll(keepingCapacity: true)
      position = 0
      if cursor == nil {
        guard try openNext() else { return nil }
      }
      if isReversed { try readAllReversed() } else { try readSome() }
    }
    return queue[position]
  }

  func take() { position += 1 }

  private func openNext() throws -> Bool {
    guard nextPlace < places.count else {
      guard isReversed, nextPlace == places.count, let missingStart else { return false }
      nextPlace += 1
      queue.append(.damage(path: missingStart.file, nil, missingStart))
      return true
    }
    let place = places[nextPlace]
    nextPlace += 1
    if nextPlace == 1, !isReversed, let missingStart {
      isBehindGap = true
      queue.append(.damage(path: place.path, nil, missingStart))
    }
    verdict = place.isSealed ? nil : try SegmentVerdict.judge(place, disk: disk)
    if place.hasSealedName, !place.isSealed { tail = verdict?.finding(place.path) }
    let cursor = try SegmentWalk(place, disk: disk, keepsColumns: keepsColumns)
    self.cursor = cursor
    if !isReversed { noteGap(place) }
    return true
  }

  /// A segment that does not continue the one before it.
  private func noteGap(_ place: SegmentPlace) {
    let header = place.header
    guard let expected,
      expected.sequence != header.firstSequence || expected.chain != header.previousChain
    else { return }
    if !isReversed { isBehindGap = true }
    let detail =
      expected.sequence < header.firstSequence
      ? "sequences \(expected.sequence) to \(header.firstSequence - 1) are missing"
      : "sequence \(header.firstSequence) does not continue the segment before"
    let finding = Finding(
      "gap", .gap, file: place.path, offset: 64, sequence: expected.sequence, detail,
      fix: "bring the missing files back from a copy of the store")
    met.append(finding)
    queue.append(.damage(path: place.path, nil, finding))
  }

  private func readSome() throws {
    guard let cursor else { return }
    while queue.isEmpty {
      guard let event = try cursor.next() else {
        close()
        return
      }
      try take(event, cursor.place)
    }
  }

  private func readAllReversed() throws {
    guard let cursor else { return }
    while let event = try cursor.next() { try take(event, cursor.place) }
    close()
    if let later { noteGap(later) }
    later = cursor.place
    queue.reverse()
  }

  private func close() {
    if let cursor { expected = (cursor.state.nextSequence, cursor.state.chain) }
    if let cursor, let tail {
      met.append(tail)
      queue.append(.damage(path: cursor.place.path, nil, tail))
    }
    tail = nil
    cursor?.close()
    cursor = nil
  }

  private func take(_ event: SegmentEvent, _ place: SegmentPlace) throws {
    switch event {
    case .unit(let unit, let isBehindGap):
      // Later schema must not rename what a reversed walk shows first.
      if let schema = try? SchemaHint.declarations(unit) {
        for operation in schema { names.learn(operation) }
      }
      if isBehindGap { self.isBehindGap = true }
      queue += logged(unit, place, isBehindGap: self.isBehindGap)
    case .hint(let frame):
      names.learn(frame)
      guard frame.header.type == .schema, let payload = try? frame.payload() else { return }
      hints += (try? SchemaHint.decode(payload)) ?? []
    case .unknown(let frame):
      met.append(Finding.unknownFrame(frame.header.type, place.path, frame.offset))
      queue.append(.unknown(path: place.path, frame))
    case .damage(let range):
      guard let finding = try finding(range, place) else { return }
      if !range.isResumed { tail = nil }
      met.append(finding)
      queue.append(.damage(path: place.path, range, finding))
    case .seal: break
    }
  }

  /// What a damaged range is; nil for zeros behind the trailer of a segment with an open name.
  private func finding(_ range: DamagedRange, _ place: SegmentPlace) throws -> Finding? {
    if verdict == nil { verdict = try SegmentVerdict.judge(place, disk: disk) }
    if !range.isResumed, let verdict {
      if verdict.verdict == .sealed, !place.isSealed { return nil }
      if var known = verdict.finding(place.path) {
        known.sequence = range.lost.lowerBound
        return known
      }
    }
    return Finding(
      range.error.code.description, .corruption, file: place.path, offset: range.badOffset,
      sequence: range.lost.lowerBound, range.error.message, fix: Finding.recoverFix)
  }

  private func logged(_ unit: Unit, _ place: SegmentPlace, isBehindGap: Bool) -> [WalkEvent] {
    let partRaw = unit.parts.reduce(UInt64(0)) { $0 + UInt64($1.header.rawLength) }
    let stored = unit.end - unit.start
    let bytes = unit.transactions.reduce(UInt64(0)) { $0 + UInt64($1.bytes.count) }
    let isDurable = verdict.map { unit.end <= $0.synced || !place.isNewest } ?? true
    return unit.transactions.map { transaction in
      let own = UInt64(transaction.bytes.count)
      let share = unit.transactions.count == 1 ? stored : stored * own / max(bytes, 1)
      return .transaction(
        LoggedTransaction(
          replica: replica, transaction: transaction, parts: unit.parts, path: place.path,
          frameOffset: unit.frame.offset, start: unit.start, end: unit.end, storedBytes: share,
          rawBytes: own + partRaw, isDurable: isDurable, isBehindGap: isBehindGap))
    }
  }
}

/// Merges the logs of all replicas by stamp; ties by replica.
final class LogWalk {
  private let walks: [ReplicaWalk]
  private let isReversed: Bool
  /// The walk that gave the last event.
  private var current: ReplicaWalk?

  init(_ set: LogSet, disk: any Disk, isReversed: Bool = false, keepsColumns: Bool = false) {
    self.isReversed = isReversed
    walks = set.logs.map {
      ReplicaWalk(
        $0, findings: set.findings, disk: disk, isReversed: isReversed, keepsColumns: keepsColumns)
    }
  }

  /// Names as far as they are known where the last event stands.
  var names: NameBook { current?.names ?? NameBook() }

  /// What SCHEMA frames repeated so far, by replica.
  var hints: [(replica: ReplicaID, operations: [SchemaOperation])] {
    walks.map { ($0.replica, $0.hints) }
  }

  /// What was found so far.
  var findings: [Finding] { walks.flatMap(\.findings) }

  func next() throws -> WalkEvent? {
    var best: (walk: ReplicaWalk, event: WalkEvent)?
    for walk in walks {
      guard let event = try walk.peek() else { continue }
      guard let stamp = event.stamp else {
        best = (walk, event)
        break
      }
      if let known = best?.event.stamp, isReversed ? known >= stamp : known <= stamp { continue }
      best = (walk, event)
    }
    guard let best else { return nil }
    best.walk.take()
    current = best.walk
    return best.event
  }
}
