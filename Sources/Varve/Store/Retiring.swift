// Removes history that nobody wants to keep (Q25). Layer: Store.

import VarveFormat

/// Retires the oldest segments of a store.
struct Retiring: Sendable {
  let disk: any Disk
  let paths: StorePaths
  let store: StoreID

  /// Segments that can go.
  struct Plan: Sendable {
    /// The files by log, the oldest first.
    var logs: [[SegmentFile]] = []

    var segments: Int { logs.reduce(0) { $0 + $1.count } }
    var bytes: UInt64 { logs.joined().reduce(0) { $0 + $1.length } }
  }

  /// Removes what a policy does not keep, as far as `state` and the previous baseline cover it.
  ///
  /// - Parameters:
  ///   - policy: How much history is kept.
  ///   - state: What the current baseline holds.
  /// - Returns: What was removed.
  /// - Throws: `disk`; a later compaction goes on where this one stopped.
  func retire(_ policy: HistoryRetention, covered state: GraphState) throws(LogError) -> Plan {
    let plan = try plan(policy, covered: state)
    var removed = Plan()
    do throws(DiskError) {
      for log in plan.logs {
        removed.logs.append([])
        for file in log {
          try disk.remove(file.path)
          // One after the other: a crash must not leave a hole.
          try disk.syncDirectory(StorePaths.parent(file.path))
          removed.logs[removed.logs.count - 1].append(file)
        }
      }
    } catch { throw LogError(error) }
    return removed
  }

  /// What a policy does not keep.
  ///
  /// - Parameters:
  ///   - policy: How much history is kept.
  ///   - state: What the current baseline holds, or will hold.
  ///   - current: That baseline, when the superblock does not name it yet.
  /// - Returns: The segments that can go.
  /// - Throws: `disk`.
  func plan(
    _ policy: HistoryRetention, covered state: GraphState, current: BaselineName? = nil
  ) throws(LogError) -> Plan {
    let superblock = try SuperblockFile(disk: disk, paths: paths).read().current
    let hash = current?.hash ?? superblock?.baselineHash
    guard policy != .everything, let previous = try previousHeads(besides: hash) else {
      return Plan()
    }
    let catalog = try LogCatalog(disk, paths, superblock: superblock)
    var plan = Plan()
    for log in catalog.logs {
      let covered = min(previous[log.replica] ?? 0, state.head(of: log.replica))
      let files = prefix(log, upTo: covered, policy, newest: state.maxStamp)
      if !files.isEmpty { plan.logs.append(files) }
    }
    return plan
  }

  /// The segments at the beginning of a log that are covered and not kept.
  private func prefix(
    _ log: CatalogLog, upTo covered: UInt64, _ policy: HistoryRetention, newest: Stamp
  ) -> [SegmentFile] {
    var bytesBehind = log.segments.reduce(UInt64(0)) { $0 + $1.file.length }
    var files: [SegmentFile] = []
    for segment in log.segments {
      guard segment.isSealed, let next = segment.successor, next.firstSequence - 1 <= covered else {
        break
      }
      bytesBehind -= segment.file.length
      switch policy {
      case .everything: return files
      case .newest(let bytes): if bytesBehind < bytes { return files }
      case .recent(let duration):
        // Everything in a segment is older than its successor.
        let age = newest.milliseconds - min(newest.milliseconds, next.created.milliseconds)
        if Duration.milliseconds(age) < duration { return files }
      }
      files.append(segment.file)
    }
    return files
  }

  /// How far the previous baseline reaches, after reading all of it; nil when there is none that
  /// can be read.
  private func previousHeads(besides current: UInt64?) throws(LogError) -> [ReplicaID: UInt64]? {
    let files = BaselineFiles(disk: disk, paths: paths)
    do throws(DiskError) {
      let list = try files.list()
      guard let file = list.first(where: { $0.name.hash != current }) else { return nil }
      return heads(files, file)
    } catch { throw LogError(error) }
  }

  private func heads(_ files: BaselineFiles, _ file: BaselineFile) -> [ReplicaID: UInt64]? {
    guard let reader = try? files.open(file, store: store) else { return nil }
    defer { (reader.source as? FileSource)?.close() }
    do throws(FormatError) { try reader.verify() } catch { return nil }
    return reader.directory.heads
  }
}
