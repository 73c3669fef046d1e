// How far an open segment can be read while a writer appends to it (D8, Q28). Takes no lock.
//
// What a writer has not finished writing looks like damage. It is told from damage by looking
// again: what is being written changes or becomes complete, what is damaged stays as it is.

import Varve
import VarveFormat

extension LogCatalog {
  /// Lists a store as readers beside a writer need it: its newest segments end where they are
  /// complete.
  ///
  /// - Throws: `LogError`: `disk`, `tooNew`.
  static func settled(
    _ disk: any Disk, _ paths: StorePaths, superblock: Superblock?, store: StoreID? = nil
  ) throws -> LogCatalog {
    var attempts = 1
    while true {
      do throws(LogError) {
        var catalog = try LogCatalog(disk, paths, superblock: superblock, store: store)
        // A listing may miss a file that is being renamed.
        let hasGap = catalog.report.findings.contains { $0.kind == .gap }
        if !hasGap || attempts > 2 {
          try catalog.settle(disk, paths)
          return catalog
        }
      } catch {
        guard error.diskError?.code == .notFound, attempts < LiveTail.attemptsMax else {
          throw error
        }
      }
      attempts += 1
    }
  }

  /// Finds out where the newest segments end.
  mutating func settle(_ disk: any Disk, _ paths: StorePaths) throws(LogError) {
    for index in logs.indices where !logs[index].segments.isEmpty {
      let last = logs[index].segments.count - 1
      guard case .open = logs[index].segments[last].file.name else { continue }
      try LiveTail(disk: disk, lock: paths.lock).settle(&logs[index].segments[last])
    }
  }
}

/// Looks at the tail of an open segment until it is known what it is.
struct LiveTail {
  let disk: any Disk
  /// The lock file of the store: while somebody holds it, the segment may be growing.
  let lock: String

  static let attemptsMax = 16
  /// Looks at a tail that changes all the time.
  private static let looksMax = 60
  /// Between two looks; each wait for a writer that holds the lock is twice as long.
  private static let firstPause: UInt64 = 10_000_000
  private static let longestPause: UInt64 = 640_000_000

  /// For a file by itself, which may lie in the log of a store.
  init(disk: any Disk, file: String) {
    let root = StorePaths.parent(StorePaths.parent(StorePaths.parent(file)))
    self.init(disk: disk, lock: StorePaths(root).lock)
  }

  init(disk: any Disk, lock: String) {
    self.disk = disk
    self.lock = lock
  }

  /// What a look at the tail showed.
  private struct Look: Equatable {
    var verdict: TailVerdict
    var accepted: UInt64
    /// What follows, unless that is proven to be damage: a hash, and the end of the file.
    var tail: UInt64 = 0
    var length: UInt64?
  }

  /// Makes a segment end where it is complete; leaves it as it is when its tail is damaged.
  func settle(_ segment: inout CatalogSegment) throws(LogError) {
    guard segment.successor == nil, !segment.isSealed else { return }
    var before: Look?
    var pause = LiveTail.firstPause
    for _ in 0..<LiveTail.looksMax {
      let (verdict, look) = try look(segment)
      guard let look else {
        // The file may have grown since it was listed.
        segment.settledEnd = verdict.problem == nil ? verdict.accepted : nil
        return
      }
      segment.settledEnd = look.length
      if look == before {
        // A promise was kept or broken before it was read; other tails may still be completed.
        let isFinal = look.verdict == .corrupt || pause >= LiveTail.longestPause
        if isFinal || !PosixLock.isHeld(lock) { return }
        pause *= 2
      } else {
        pause = LiveTail.firstPause
      }
      before = look
      wait(pause)
    }
    // Each look met something else behind frames that are complete.
    segment.settledEnd = before?.accepted
  }

  private func wait(_ nanoseconds: UInt64) {
    let monitor = Monitor()
    _ = monitor.withLock { monitor.wait(timeoutNanoseconds: nanoseconds) }
  }

  /// How the segment ends by the rules of recovery; no look when nothing is wrong.
  private func look(_ segment: CatalogSegment) throws(LogError) -> (SegmentVerdict, Look?) {
    let source: FileSource
    do throws(DiskError) { source = try FileSource.open(disk, segment.file) } catch {
      throw LogError(error)
    }
    defer { source.close() }
    do throws(FormatError) {
      var cursor = SegmentCursor(
        try SegmentScanner(source), durableMark: segment.durableMark, goesOn: false,
        keepsColumns: false)
      while try cursor.step(passesPlain: true) != nil {}
      let verdict = try cursor.verdict(segment)
      switch verdict.verdict {
      case .clean, .sealed: return (verdict, nil)
      case .corrupt:
        return (verdict, Look(verdict: .corrupt, accepted: verdict.accepted))
      case .torn, .suspect:
        let tail = try hash(source, from: verdict.accepted)
        return (
          verdict,
          Look(verdict: .torn, accepted: verdict.accepted, tail: tail, length: source.length)
        )
      }
    } catch { throw LogError(error, path: segment.file.path) }
  }

  private func hash(_ source: FileSource, from start: UInt64) throws(FormatError) -> UInt64 {
    var hash = StreamHash()
    var offset = start
    while offset < source.length {
      let bytes = try source.read(offset, Int(min(1 << 20, source.length - offset)))
      guard bytes.count > 0 else { break }
      hash.update(bytes)
      offset += UInt64(bytes.count)
    }
    return hash.finish()
  }
}
