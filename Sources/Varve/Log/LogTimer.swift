// The thread that syncs relaxed commits and writes idle marks. Layer: Log.

import VarveFormat

/// Wakes a log when something falls due, and sleeps without a clock when nothing can.
final class LogTimer: @unchecked Sendable {
  private let monitor = Monitor()
  private var isStopped = false
  private var isArmed = false
  private var thread: BackgroundThread?
  private weak var log: Log?
  private let intervalNanoseconds: UInt64

  init(_ log: Log) {
    self.log = log
    let milliseconds = min(log.options.idleMilliseconds, log.options.relaxedSyncMilliseconds)
    intervalNanoseconds = max(milliseconds, 1) * 1_000_000 / 2 + 1
  }

  func start() { thread = BackgroundThread { [weak self] in self?.run() } }

  /// There is something to do soon.
  func arm() {
    monitor.withLock {
      if !isArmed {
        isArmed = true
        monitor.signal()
      }
    }
  }

  /// Ends the thread without waiting for it.
  func cancel() {
    monitor.withLock {
      isStopped = true
      monitor.signal()
    }
  }

  /// Ends the thread and waits for it.
  func stop() {
    cancel()
    thread?.join()
    thread = nil
  }

  private func run() {
    while true {
      monitor.lock()
      while !isArmed, !isStopped { monitor.wait() }
      if !isStopped { _ = monitor.wait(timeoutNanoseconds: intervalNanoseconds) }
      let ends = isStopped
      monitor.unlock()
      guard !ends, let log else { return }
      if !log.tick() { disarm(log) }
    }
  }

  /// Goes to sleep unless a commit came in meanwhile.
  private func disarm(_ log: Log) {
    log.monitor.withLock {
      if !log.hasTimedWork { monitor.withLock { isArmed = false } }
    }
  }
}

extension Log {
  /// Whether a sync or a mark will fall due.
  ///
  /// Called with the monitor held.
  var hasTimedWork: Bool {
    !isClosed && failure == nil && (commits.hasUnsynced || commits.hasUnmarked)
  }

  /// Called after each group with the monitor held.
  func wakeTimer() {
    guard options.usesTimer, !isClosing else { return }
    if timer == nil {
      let created = LogTimer(self)
      created.start()
      timer = created
    }
    timer?.arm()
  }

  /// Does what is due.
  ///
  /// Returns whether something is left for later.
  package func tick() -> Bool {
    monitor.lock()
    defer { monitor.unlock() }
    guard hasTimedWork, !commits.hasLeader, let segment else { return hasTimedWork }
    guard !segment.encoder.hasOpenGroup else { return true }
    let now = clock.monotonicNanoseconds()
    let idle = now &- commits.lastCommitNanoseconds
    if commits.hasUnsynced {
      let age = now &- commits.lastSyncNanoseconds
      if age >= options.relaxedSyncMilliseconds * 1_000_000
        || idle >= options.idleMilliseconds * 1_000_000
      {
        syncUnlocked(segment)
        commits.lastSyncNanoseconds = now
      }
    }
    if !commits.hasUnsynced, commits.hasUnmarked, !commits.hasLeader, failure == nil,
      idle >= options.idleMilliseconds * 1_000_000, !segment.encoder.hasOpenGroup
    {
      mark(segment)
    }
    return hasTimedWork
  }

  /// Syncs outside the lock, as a leader does.
  private func syncUnlocked(_ segment: SegmentWriter) {
    commits.hasLeader = true
    let end = segment.writtenOffset
    let sequence = commits.written
    monitor.unlock()
    var failed: DiskError?
    do throws(DiskError) { try segment.sync() } catch { failed = error }
    monitor.lock()
    if let failed {
      _ = fail(failed, at: "syncing relaxed commits")
    } else {
      commits.durable = max(commits.durable, sequence)
      commits.hasUnsynced = false
      counters.syncs += 1
      segment.encoder.didSync(upTo: end)
    }
    commits.hasLeader = false
    if commits.waiters > 0 { monitor.broadcast() }
  }

  /// Appends a MARK without a sync (format 1.4): the durable length becomes visible to readers.
  private func mark(_ segment: SegmentWriter) {
    segment.encoder.mark()
    swap(&spareOutput, &segment.encoder.output)
    defer { spareOutput.removeAll() }
    do throws(DiskError) {
      try segment.write(spareOutput, at: segment.writtenOffset)
      head.acceptedBytes = segment.writtenOffset
      commits.hasUnmarked = false
    } catch  where error.isShortOfSpace {
      becomeFull()
    } catch {
      _ = fail(error, at: "writing a mark")
    }
  }
}
