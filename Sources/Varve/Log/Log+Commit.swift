// The commit path: group commit with a leader (D2, Q34). Layer: Log.
//
// A committer encodes its transaction under the lock and gets a sequence. If nobody is writing it
// becomes the leader: it closes the group, writes it in one piece and syncs it outside the lock,
// while later committers encode the next group. Then every waiter whose sequence is covered
// returns, and one of the others leads the next group. A lone committer pays no hand-over.

import VarveFormat

extension Log {
  /// Appends a transaction and waits as `durability` says.
  ///
  /// - Throws: `diskFull` and `tooLarge` when nothing was committed, `outcomeUnknown` when the
  ///   write or sync of the group
  ///   failed, `poisoned` after such a failure, `closed`.
  package func commit(_ draft: TransactionDraft, durability: Durability? = nil) throws(LogError)
    -> CommitPosition
  {
    let durability = durability ?? options.durability
    monitor.lock()
    defer { monitor.unlock() }
    let pending = try enqueue(draft, stamp: nil, durability)
    if case .grouped(let milliseconds) = durability { gather(milliseconds) }
    try complete(pending.position.sequence, pending.generation, durability)
    return pending.position
  }

  /// The stamp for the next transaction: above all that were seen or handed out (R2).
  package func reserveStamp() -> Stamp { monitor.withLock { nextStamp() } }

  /// Gives a transaction its place in the log without waiting for the disk.
  ///
  /// `stamp` comes from `reserveStamp`, and `sequence` is the one that the draft was made for: a
  /// draft that builds on a transaction which the log refused meanwhile must not be appended.
  /// Nobody may be told of the transaction before `wait` returned. One thread at a time.
  ///
  /// - Throws: As `commit`, and `diskFull` when another sequence is due; nothing was appended then.
  package func append(
    _ draft: TransactionDraft, stamp: Stamp, sequence: UInt64, durability: Durability? = nil
  ) throws(LogError) -> PendingCommit {
    monitor.lock()
    defer { monitor.unlock() }
    return try enqueue(draft, stamp: stamp, durability ?? options.durability, due: sequence)
  }

  /// How often the log refused transactions that had their place already (D7).
  package var refusals: Int { monitor.withLock { commits.kept.count } }

  /// Waits until a transaction is acknowledged as its durability says.
  ///
  /// - Throws: As `commit`.
  package func wait(_ pending: PendingCommit) throws(LogError) {
    monitor.lock()
    defer { monitor.unlock() }
    if case .grouped(let milliseconds) = pending.durability { gather(milliseconds) }
    try complete(pending.position.sequence, pending.generation, pending.durability)
  }

  /// Without a stamp the transaction gets the next one, once its place is sure: others may come in
  /// between while it waits.
  private func enqueue(
    _ draft: TransactionDraft, stamp: Stamp?, _ durability: Durability, due sequence: UInt64? = nil
  ) throws(LogError) -> PendingCommit {
    let segment = try admit()
    if let sequence, sequence != commits.assigned + 1 {
      throw LogError(
        .diskFull, "an earlier transaction was refused, and this one builds on it",
        path: paths.root)
    }
    let position = append(draft, to: segment, stamp: stamp ?? nextStamp())
    if durability != .relaxed { commits.wantsSync = true }
    return PendingCommit(
      position: position, generation: commits.kept.count, durability: durability)
  }

  private func nextStamp() -> Stamp {
    lastStamp = lastStamp.next(wallMilliseconds: clock.wallMilliseconds())
    return lastStamp
  }

  /// Waits until a transaction may be encoded, and returns the segment for it.
  private func admit() throws(LogError) -> SegmentWriter {
    while true {
      try checkState()
      guard let segment else {
        if commits.hasLeader { wait() } else { return try openSegment() }
        continue
      }
      guard options.rotation.isDue(segment.encoder.offset) else { return segment }
      // Rotation needs a quiet log: whoever waits for the open group leads it to the disk first.
      if commits.hasLeader || segment.encoder.hasOpenGroup { wait() } else { try rotate() }
    }
  }

  private func checkState() throws(LogError) {
    guard !isClosing else { throw LogError(.closed, "the log was closed", path: paths.root) }
    if let failure {
      throw LogError(
        .poisoned, "an earlier write failed (\(failure)); close the store and open it again",
        path: paths.root, diskError: failure.diskError)
    }
    guard commits.assigned < SegmentName.numberMax else {
      throw LogError(
        .tooLarge, "the log has no sequence left; recover the store into a new one",
        path: paths.root)
    }
    if isFull { try resumeWhenThereIsSpace() }
  }

  private func wait() {
    commits.waiters += 1
    monitor.wait()
    commits.waiters -= 1
  }

  private func rotate() throws(LogError) {
    do throws(DiskError) {
      if commits.hasUnsynced { try segment?.sync() }
      if try !sealSegment() { becomeFull() }
    } catch { throw fail(error, at: "sealing a segment") }
  }

  /// Encodes a transaction into the open group.
  private func append(_ draft: TransactionDraft, to segment: SegmentWriter, stamp: Stamp)
    -> CommitPosition
  {
    let (sequence, chain) = segment.encoder.append(
      draft, stamp: stamp, dictionary: needsFullVector ? dictionary : [],
      dependencies: needsFullVector ? fullVector : [], isFullVector: needsFullVector)
    needsFullVector = false
    commits.assigned = sequence
    counters.transactions += 1
    commits.openSchema += draft.schema
    return CommitPosition(replica: head.replica, sequence: sequence, chain: chain, stamp: stamp)
  }

  /// Leaves others some time to join the group.
  ///
  /// Someone else's group is not waited for twice.
  private func gather(_ milliseconds: UInt32) {
    guard milliseconds > 0, !commits.hasLeader else { return }
    let end = clock.monotonicNanoseconds() + UInt64(milliseconds) * 1_000_000
    commits.hasLeader = true
    while true {
      let now = clock.monotonicNanoseconds()
      guard now < end else { break }
      commits.waiters += 1
      _ = monitor.wait(timeoutNanoseconds: end - now)
      commits.waiters -= 1
    }
    commits.hasLeader = false
    if commits.waiters > 0 { monitor.broadcast() }
  }

  /// Leads or follows until the sequence is acknowledged.
  ///
  /// `generation` says how many segments had been given up when the sequence was assigned.
  private func complete(_ sequence: UInt64, _ generation: Int, _ durability: Durability)
    throws(LogError)
  {
    while true {
      // After a full disk the same sequence may be somebody else's: the generation tells them
      // apart.
      if generation < commits.kept.count {
        if sequence <= commits.kept[generation] { return }
        let reason = fullReason.map { "\($0.call): \($0.message)" } ?? "the disk is full"
        throw LogError(
          .diskFull, "the transaction was not acknowledged: \(reason)", path: paths.root,
          diskError: fullReason)
      }
      let reached = durability == .relaxed ? commits.written : commits.durable
      if reached >= sequence { return }
      if let failure {
        throw LogError(
          .outcomeUnknown,
          "sequence \(sequence) may have failed to reach the disk: the next opening tells",
          path: failure.path ?? paths.root, diskError: failure.diskError)
      }
      if commits.hasLeader { wait() } else { lead() }
    }
  }

  /// Writes the open group, and syncs it if one of its transactions wants that.
  func lead() {
    guard let segment else { return }
    commits.hasLeader = true
    segment.encoder.endGroup()
    swap(&spareOutput, &segment.encoder.output)
    let group = Group(
      start: segment.writtenOffset, end: segment.encoder.offset, last: commits.assigned,
      chain: segment.encoder.chain, syncs: commits.wantsSync, schema: commits.openSchema)
    commits.wantsSync = false
    commits.openSchema = []
    monitor.unlock()
    var failed: DiskError?
    var hasWritten = false
    do throws(DiskError) {
      if spareOutput.count > 0 { try segment.write(spareOutput, at: group.start) }
      hasWritten = true
      if group.syncs { try segment.sync() }
    } catch { failed = error }
    monitor.lock()
    spareOutput.removeAll()
    if let failed {
      didFail(failed, hasWritten: hasWritten)
    } else {
      didComplete(group, segment)
    }
    commits.hasLeader = false
    if commits.waiters > 0 { monitor.broadcast() }
  }

  /// What a leader carries out of the lock and back.
  private struct Group {
    let start: UInt64
    let end: UInt64
    let last: UInt64
    let chain: Hash128
    let syncs: Bool
    let schema: [SchemaOperation]
  }

  private func didComplete(_ group: Group, _ segment: SegmentWriter) {
    commits.written = max(commits.written, group.last)
    commits.writtenChain = group.chain
    commits.lastCommitNanoseconds = options.usesTimer ? clock.monotonicNanoseconds() : 0
    counters.groups += 1
    counters.bytes += group.end - group.start
    commits.hasUnmarked = true
    if group.syncs {
      commits.durable = commits.written
      commits.hasUnsynced = false
      counters.syncs += 1
      segment.encoder.didSync(upTo: group.end)
    } else {
      commits.hasUnsynced = true
    }
    if !group.schema.isEmpty { schema = SchemaHint.merged(schema + group.schema) }
    head.nextSequence = commits.written + 1
    head.chain = group.chain
    head.acceptedBytes = group.end
    wakeTimer()
  }
}
