// Copies what can still be read of damaged segments into a new store. Never writes to what it
// reads.

import Varve
import VarveFormat

/// Reads damaged files and writes a new store.
final class Salvager {
  private let disk: PosixDisk
  /// The new directory; nil for a dry run.
  private let target: String?
  private(set) var outcome = RecoveryOutcome()
  /// What the superblocks of the directories say, as far as they can be read.
  private var promises: [Superblock] = []
  /// Damage of the replica at hand behind which nothing can be read.
  private var open: [(DamagedRange, SegmentPlace)] = []

  init(disk: PosixDisk, target: String?) {
    self.disk = disk
    self.target = target
  }

  /// Recovers from directories and loose files.
  func run(_ sources: [String]) throws -> StoreID {
    let files = try segmentFiles(sources)
    outcome.files = files.count
    let (store, logs) = try sort(files)
    if let target { try Log.create(at: target, disk: disk, store: store).close() }
    promises = promises.filter { $0.store == store }
    for log in logs { try salvage(log) }
    let known = Set(logs.map(\.replica))
    for promise in promises where !known.contains(promise.replica) {
      outcome.noteLosses(ReplicaLog(replica: promise.replica, places: []), 1, [], promises)
    }
    if target != nil { try disk.syncDirectory(target ?? "") }
    return store
  }

  // MARK: files

  private func segmentFiles(_ sources: [String]) throws -> [String] {
    var files: [String] = []
    for source in sources {
      guard let status = try disk.status(source) else {
        throw LogError(.notAStore, "nothing is at this path; check its spelling", path: source)
      }
      guard status.isDirectory else {
        files.append(source)
        continue
      }
      let paths = StorePaths(source)
      if let promise = Superblock.newest(paths.superblock, disk) { promises.append(promise) }
      promises += (try? SuperblockFile(disk: disk, paths: paths).lostRecords()) ?? []
      collect(paths.root, quarantine: paths.quarantine, &files)
    }
    guard !files.isEmpty else {
      throw LogError(
        .notAStore, "there are no segment files (.vlog) here", path: sources.joined(separator: ", ")
      )
    }
    return files
  }

  /// Segment files below a directory; what stands in the place of one and is none is reported.
  private func collect(_ directory: String, quarantine: String, _ files: inout [String]) {
    let names: [String]
    do throws(DiskError) { names = try disk.list(directory).sorted() } catch {
      outcome.reject(directory, "it cannot be read: \(error.message)")
      return
    }
    for name in names {
      let path = "\(directory)/\(name)"
      guard path != quarantine else { continue }
      let isSegment = SegmentName(name) != nil
      do throws(DiskError) {
        let status = try disk.status(path)
        if status?.isDirectory == true {
          if isSegment { outcome.reject(path, "a directory is in the place of a segment") }
          collect(path, quarantine: quarantine, &files)
        } else if status == nil, isSegment {
          outcome.reject(path, "a link in the place of a segment leads nowhere")
        } else if status != nil, name.hasSuffix(".vlog") {
          files.append(path)
        }
      } catch {
        // What a recovery does not need may be as broken as it likes.
        if isSegment { outcome.reject(path, "it cannot be read: \(error.message)") }
      }
    }
  }

  /// The place of a file; nil, and a line in the report, when the system cannot read it.
  private func readable(_ path: String, _ store: StoreID?) -> (SegmentPlace?, isReadable: Bool) {
    do { return (try place(path, store: store), true) } catch {
      outcome.reject(path, "it cannot be read: \(error)")
      return (nil, false)
    }
  }

  /// Headers of all files, by replica.
  private func sort(_ files: [String]) throws -> (StoreID, [ReplicaLog]) {
    var places: [SegmentPlace] = []
    var unreadable: [String] = []
    for path in files {
      let found = readable(path, nil)
      if let place = found.0 {
        places.append(place)
      } else if found.isReadable {
        unreadable.append(path)
      }
    }
    var votes: [StoreID: Int] = [:]
    for place in places { votes[place.header.store, default: 0] += 1 }
    guard let store = votes.max(by: { $0.value < $1.value })?.key else {
      throw LogError(
        .corrupt, "no file has a header that can be read or put together again", path: files.first)
    }
    for path in unreadable {
      if let place = try place(path, store: store) {
        places.append(place)
      } else {
        try reject(path, "its header cannot be read or put together again")
      }
    }
    for place in places where place.header.store != store {
      try reject(place.path, "it belongs to store \(place.header.store)")
    }
    var logs: [ReplicaID: [SegmentPlace]] = [:]
    for place in places where place.header.store == store {
      logs[place.header.replica, default: []].append(place)
    }
    return (
      store,
      logs.sorted { $0.key < $1.key }.map { replica, places in
        ReplicaLog(
          replica: replica,
          places: places.sorted {
            ($0.header.firstSequence, $0.header.ordinal)
              < ($1.header.firstSequence, $1.header.ordinal)
          })
      }
    )
  }

  private func place(_ path: String, store: StoreID?) throws -> SegmentPlace? {
    let file = try FileSource(disk, path)
    defer { file.close() }
    let directory = StorePaths.parent(path).lastPathComponent
    guard
      let found = try HeaderRepair.header(of: file, store: store, replica: ReplicaID(directory)),
      found.header.kind == .segment
    else { return nil }
    var place = try SegmentPlace(file, found.header, path)
    place.hasRepairedHeader = found.isRepaired
    outcome.add(
      "file",
      [
        ("file", .string(path)), ("replica", .string(found.header.replica.description)),
        ("ordinal", .unsigned(found.header.ordinal)),
        ("first", .unsigned(found.header.firstSequence)), ("bytes", .unsigned(file.length)),
        ("headerRepaired", .bool(found.isRepaired)), ("sealed", .bool(place.isSealed)),
      ])
    return place
  }

  private func reject(_ path: String, _ why: String) throws {
    outcome.reject(path, why)
    let file = try FileSource(disk, path)
    defer { file.close() }
    try quarantine(file, 0..<file.length, path)
  }

  // MARK: transactions

  /// Everything of one replica: the chain from its start, then what cannot be chained.
  private func salvage(_ log: ReplicaLog) throws {
    open = []
    let main = RunWriter(
      replica: log.replica, directory: target.map { "\($0)/log/\(log.replica)" }, disk: disk)
    var report = true
    var before: UInt64
    var hasOthers: Bool
    repeat {
      before = main.next
      hasOthers = try chain(log, main, reports: report)
      report = false
    } while hasOthers && main.next != before
    outcome.kept += try main.finish()
    for segment in main.segments { outcome.add("kept", segment, source: main.source(of: segment)) }
    outcome.keptTransactions += main.count
    let orphans = hasOthers ? try self.orphans(log, behind: main.next) : []
    outcome.noteLosses(log, main.next, orphans, promises)
    for (range, place) in open where range.lost.lowerBound >= main.next {
      try noteSuspect(range, place, log)
    }
  }

  /// Damage at the end of a log: nothing says how far it went.
  private func noteSuspect(
    _ range: DamagedRange, _ place: SegmentPlace, _ log: ReplicaLog
  ) throws {
    let header = place.header
    let isFollowed = log.places.contains { $0.header.ordinal > header.ordinal }
    if isFollowed || place.isSealed || place.hasSealedName { return }
    let promise = promises.first { $0.replica == log.replica && $0.openOrdinal >= header.ordinal }
    // A store that was closed in order has said all.
    if promise?.isClean == true { return }
    var marked = place.whole
    if promise?.openOrdinal == header.ordinal {
      marked.segment.durableMark = promise?.durableMark ?? 0
    }
    let verdict = try SegmentVerdict.judge(marked, disk: disk)
    guard verdict.verdict == .suspect || verdict.verdict == .corrupt else { return }
    outcome.suspects += 1
    outcome.add(
      "suspect",
      [
        ("replica", .string(log.replica.description)), ("file", .string(place.path)),
        ("first", .unsigned(range.lost.lowerBound)), ("offset", .unsigned(range.start)),
        ("detail", .string("what cannot be read here may have been transactions")),
      ])
  }

  /// Appends what continues the chain; true when there are transactions that do not.
  private func chain(_ log: ReplicaLog, _ main: RunWriter, reports: Bool) throws -> Bool {
    var hasOthers = false
    for place in log.places {
      let cursor = try SegmentWalk(place.whole, disk: disk)
      defer { cursor.close() }
      while let event = try cursor.next() {
        switch event {
        case .unit(let unit, _):
          if try !main.take(unit, place) { hasOthers = true }
        case .hint(let frame): main.learn(frame)
        case .damage(let range) where reports:
          try note(range, place, main.names)
          if !range.isResumed { open.append((range, place)) }
        default: break
        }
      }
    }
    return hasOthers
  }

  private func note(_ range: DamagedRange, _ place: SegmentPlace, _ names: NameBook) throws {
    let file = try FileSource(disk, place.path)
    defer { file.close() }
    var end = min(range.end, file.length)
    if !range.isResumed { end = max(try lastByte(file, range.start), range.start) }
    var range = range
    range.end = end
    outcome.add(range, place, names: names)
    if end > range.start { try quarantine(file, range.start..<end, place.path) }
  }

  /// The end of what is not zero: preallocated space is not worth keeping.
  private func lastByte(_ file: FileSource, _ start: UInt64) throws(FormatError) -> UInt64 {
    var last = start
    var offset = start
    while offset < file.length {
      let bytes = try file.read(offset, 1 << 20)
      if bytes.count == 0 { break }
      if !bytes.isZero {
        let index = bytes.array.lastIndex { $0 != 0 } ?? 0
        last = offset + UInt64(index) + 1
      }
      offset += UInt64(bytes.count)
    }
    return last
  }

  /// Writes what lies behind gaps into files of its own, run by run.
  private func orphans(_ log: ReplicaLog, behind next: UInt64) throws -> [RewrittenSegment] {
    var written: [RewrittenSegment] = []
    var run: RunWriter?
    var seen = next
    for place in log.places {
      let cursor = try SegmentWalk(place.whole, disk: disk)
      defer { cursor.close() }
      while let event = try cursor.next() {
        guard case .unit(let unit, _) = event, let last = unit.transactions.last,
          last.sequence >= seen
        else { continue }
        if let run, try run.take(unit, place) {
          seen = run.next
          continue
        }
        if let run { written += try finish(run) }
        let content = try TransactionFrame(unit.frame)
        let started = RunWriter(
          replica: log.replica,
          directory: target.map { "\($0)/quarantine/\(log.replica)" }, disk: disk,
          next: unit.transactions[0].sequence, chain: content.previousChain)
        _ = try started.take(unit, place)
        seen = started.next
        run = started
      }
    }
    if let run { written += try finish(run) }
    return written
  }

  private func finish(_ run: RunWriter) throws -> [RewrittenSegment] {
    let segments = try run.finish()
    outcome.orphans += segments
    outcome.orphanTransactions += run.count
    for segment in segments { outcome.add("orphan", segment, source: run.source(of: segment)) }
    return segments
  }

  // MARK: bytes

  private func quarantine(_ file: FileSource, _ range: Range<UInt64>, _ path: String) throws {
    outcome.quarantinedBytes += UInt64(range.count)
    guard let target else { return }
    try disk.makeDirectory("\(target)")
    try disk.makeDirectory("\(target)/quarantine")
    try disk.makeDirectory("\(target)/quarantine/bytes")
    var copy = "\(target)/quarantine/bytes/\(path.lastPathComponent)-\(range.lowerBound)"
    var number = 1
    while try disk.status(copy + ".bin") != nil {
      number += 1
      copy = "\(target)/quarantine/bytes/\(path.lastPathComponent)-\(range.lowerBound)-\(number)"
    }
    try FileTree.write(file, range, to: copy + ".bin", disk: disk)
    outcome.add(
      "quarantined",
      [
        ("from", .string(path)), ("offset", .unsigned(range.lowerBound)),
        ("bytes", .integer(Int64(range.count))), ("file", .string(copy + ".bin")),
      ])
  }
}

extension SegmentPlace {
  /// The segment without what its successor accepted of it: a recovery looks at all of it.
  fileprivate var whole: SegmentPlace {
    var place = self
    place.segment.successor = nil
    return place
  }
}
