// What failed writes, failed syncs and full disks lead to (D6, D7). Layer: Log.

import VarveFormat

extension Log {
  /// A failed write leaves a torn tail: on a full disk a new segment can follow, anything else
  /// poisons the log.
  func didFail(_ error: DiskError, hasWritten: Bool) {
    if error.isShortOfSpace, !hasWritten {
      fullReason = error
      becomeFull()
    } else {
      _ = fail(error, at: hasWritten ? "syncing a commit" : "writing a commit")
    }
  }

  /// Gives the reserve back, so that a new segment fits, and the open segment up.
  func becomeFull() {
    Reserve(disk: disk, paths: paths, bytes: options.reserveBytes).release()
    isFull = true
    abandonSegment()
  }

  /// Nothing more is written to the open segment: what it accepted is known, the rest of the group
  /// is void.
  private func abandonSegment() {
    do throws(DiskError) {
      // Relaxed commits and marks lie in the page cache; the successor's header will vouch for
      // them.
      try segment?.sync()
    } catch {
      _ = fail(error, at: "syncing before leaving a full segment")
      return
    }
    segment?.abandon()
    segment = nil
    commits.kept.append(commits.written)
    commits.assigned = commits.written
    commits.durable = commits.written
    commits.hasUnsynced = false
    commits.hasUnmarked = false
    commits.wantsSync = false
    commits.openSchema = []
  }

  /// Poisons the log.
  func fail(_ error: DiskError, at what: String) -> LogError {
    var failure = LogError(error)
    failure.message = "\(what): \(failure.message)"
    if self.failure == nil { self.failure = failure }
    segment?.abandon()
    if commits.waiters > 0 { monitor.broadcast() }
    return failure
  }

  func resumeWhenThereIsSpace() throws(LogError) {
    let reserve = Reserve(disk: disk, paths: paths, bytes: options.reserveBytes)
    do throws(DiskError) {
      guard try disk.freeBytes(paths.root) >= reserve.resumeBytes else {
        throw DiskError(
          .noSpace, "the disk is full: \(reserve.resumeBytes) free bytes are needed to go on",
          path: paths.root, call: "statfs")
      }
      try reserve.fill()
      isFull = false
    } catch { throw LogError(error) }
  }
}
