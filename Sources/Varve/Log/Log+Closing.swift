// Syncing on demand and closing in order. Layer: Log.

import VarveFormat

extension Log {
  /// Makes every acknowledged commit durable.
  package func sync() throws(LogError) {
    monitor.lock()
    defer { monitor.unlock() }
    // A group that nobody leads yet is written, too.
    while commits.hasLeader || segment?.encoder.hasOpenGroup == true {
      if let failure { throw failure }
      commits.wantsSync = true
      if commits.hasLeader { waitForLeader() } else { lead() }
    }
    if let failure { throw failure }
    guard commits.hasUnsynced, let segment else { return }
    do throws(DiskError) {
      try segment.sync()
      commits.durable = commits.written
      commits.hasUnsynced = false
      counters.syncs += 1
      segment.encoder.didSync(upTo: segment.writtenOffset)
    } catch { throw fail(error, at: "syncing") }
  }

  private func waitForLeader() {
    commits.waiters += 1
    monitor.wait()
    commits.waiters -= 1
  }

  /// Seals the open segment, records a clean end and releases the lock.
  ///
  /// A second call does nothing.
  ///
  /// - Throws: What sealing or the superblock met, and an earlier failure when commits that were
  ///   acknowledged without a sync may be lost with it. The lock is released all the same; the next
  ///   opening recovers.
  package func close() throws(LogError) {
    let timer = monitor.withLock { () -> LogTimer? in
      defer { self.timer = nil }
      return self.timer
    }
    timer?.stop()
    monitor.lock()
    defer { monitor.unlock() }
    guard !isClosing else {
      while !isClosed { waitForLeader() }
      return
    }
    isClosing = true
    while commits.hasLeader || (failure == nil && segment?.encoder.hasOpenGroup == true) {
      waitForLeader()
    }
    defer {
      isClosed = true
      segment = nil
      lock.release()
      monitor.broadcast()
    }
    if let failure {
      // Who wrote without waiting was told nothing yet.
      if commits.hasUnsynced { throw failure }
      return
    }
    guard segment != nil else { return }
    do throws(DiskError) {
      if commits.hasUnsynced { try segment?.sync() }
      guard try sealSegment() else { throw noSpaceForSeal }
      try writeSuperblock(isClean: true)
    } catch { throw fail(error, at: "closing") }
  }

  private var noSpaceForSeal: DiskError {
    DiskError(
      .noSpace, "no space to seal the last segment; nothing is lost, the next opening recovers",
      path: paths.root, call: "pwrite")
  }
}
