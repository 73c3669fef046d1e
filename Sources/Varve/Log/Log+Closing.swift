// Syncing on demand and closing in order. Layer: Log.

import VarveFormat

extension Log {
  /// Makes every acknowledged commit durable.
  package func sync() throws(LogError) {
    monitor.lock()
    defer { monitor.unlock() }
    while commits.hasLeader { waitForLeader() }
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

  /// Seals the open segment, records a clean end and releases the lock. A second call does nothing.
  ///
  /// - Throws: What sealing or the superblock met. The lock is released all the same; the next opening recovers.
  package func close() throws(LogError) {
    let timer = monitor.withLock { () -> LogTimer? in
      let timer = self.timer
      self.timer = nil
      return isClosed ? nil : timer
    }
    timer?.stop()
    monitor.lock()
    defer { monitor.unlock() }
    guard !isClosed else { return }
    while commits.hasLeader || (failure == nil && segment?.encoder.hasOpenGroup == true) {
      waitForLeader()
    }
    isClosed = true
    defer {
      lock.release()
      monitor.broadcast()
    }
    if failure != nil {
      segment = nil
      return
    }
    guard let segment else { return }
    do throws(DiskError) {
      if commits.hasUnsynced { try segment.sync() }
      try sealSegment()
      try writeSuperblock(isClean: true)
    } catch { throw fail(error, at: "closing") }
  }
}
