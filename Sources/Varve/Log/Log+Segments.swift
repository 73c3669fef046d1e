// Beginning, sealing and replacing segments. All called with the monitor held and no leader. Layer:
// Log.

import VarveFormat

extension Log {
  /// The segment to append to, created at the first write (Q52).
  func openSegment() throws(LogError) -> SegmentWriter {
    if let segment { return segment }
    guard head.ordinal < SegmentName.numberMax, head.nextSequence <= SegmentName.numberMax else {
      throw LogError(
        .tooLarge, "the log has no number left for a segment; recover the store into a new one",
        path: paths.root)
    }
    do throws(DiskError) {
      let created = try withReserve { () throws(DiskError) in try createSegment() }
      segment = created
      needsFullVector = true
      if counters.segments == 0 {
        Reserve(disk: disk, paths: paths, bytes: options.reserveBytes).refill()
      }
      counters.segments += 1
      return created
    } catch  where error.isShortOfSpace {
      isFull = true
      throw LogError(error)
    } catch {
      // Which names and bytes reached the disk is not known: reading them again finds out (D6).
      throw fail(error, at: "beginning a segment")
    }
  }

  /// Another writer may be at work when the lock file is no longer the one that was locked (L46).
  private func requireLock() throws(DiskError) {
    guard lock.isIntact() else {
      throw DiskError(
        .busy, "the lock file was removed or replaced while it was held; open the store again",
        path: paths.lock, call: "stat")
    }
  }

  private func createSegment() throws(DiskError) -> SegmentWriter {
    try requireLock()
    for path in temporaryFiles { try? disk.remove(path) }
    temporaryFiles = []
    // The superblock is about to forget what it recorded of the segment that is missing.
    if opening.catalog.lacksNewest, let lost = opening.superblock {
      try SuperblockFile(disk: disk, paths: paths).keepLost(lost)
    }
    try disk.makeDirectory(paths.log)
    try disk.makeDirectory(paths.replica(head.replica))
    try disk.syncDirectory(paths.log)
    try disk.syncDirectory(paths.root)
    let header = FileHeader(
      store: store, replica: head.replica, ordinal: head.ordinal + 1,
      firstSequence: head.nextSequence, salt: entropy.uint64(), previousChain: head.chain,
      created: lastStamp.next(wallMilliseconds: clock.wallMilliseconds()),
      previousBytes: head.acceptedBytes)
    let created = try SegmentWriter.create(
      disk: disk, paths: paths, header: header, schema: schema, preallocation: options.preallocation
    )
    let previousLength = head.acceptedBytes
    head.ordinal = header.ordinal
    head.acceptedBytes = created.writtenOffset
    superblock.lastAcceptedLength = previousLength
    do throws(DiskError) { try writeSuperblock(isClean: false) } catch {
      created.abandon()
      throw error
    }
    return created
  }

  /// Records where the log stands.
  ///
  /// Called on rotation, first write and close (D5).
  func writeSuperblock(isClean: Bool) throws(DiskError) {
    try requireLock()
    // Taken over when it is written: a second attempt must not spoil the other slot.
    var next = superblock
    next.counter += 1
    next.isClean = isClean
    next.replica = head.replica
    next.openOrdinal = head.ordinal
    next.durableMark = head.acceptedBytes
    next.lastSequence = head.nextSequence - 1
    next.chain = head.chain
    next.maxStamp = lastStamp
    let file = SuperblockFile(disk: disk, paths: paths)
    if let status = try disk.status(paths.superblock) {
      next.inode = status.inode
      try file.update(next)
    } else {
      next.inode = try file.create(next)
    }
    superblock = next
  }

  /// Makes the superblock name a baseline that is on the disk and verified (D4).
  package func switchBaseline(hash: UInt64, bytes: UInt64) throws(LogError) {
    monitor.lock()
    defer { monitor.unlock() }
    guard !isClosing else { throw LogError(.closed, "the log was closed", path: paths.root) }
    if let failure { throw failure }
    let previous = (superblock.baselineHash, superblock.baselineBytes)
    superblock.baselineHash = hash
    superblock.baselineBytes = bytes
    do throws(DiskError) { try writeSuperblock(isClean: superblock.isClean) } catch {
      (superblock.baselineHash, superblock.baselineBytes) = previous
      throw LogError(error)
    }
  }

  /// The baseline that the superblock names: the first half of its content hash, 0 for none.
  package var baselineHash: UInt64 { monitor.withLock { superblock.baselineHash } }

  /// Lets a fresh replica write from now on (Q51).
  ///
  /// For a state that holds more of this replica than its log, or less. Before the first write
  /// only.
  package func startFreshReplica() {
    monitor.withLock {
      precondition(segment == nil, "a replica is given up before anything is written")
      others.append(head)
      head = LogHead(replica: ReplicaID(entropy.bytes(16)))
      needsFullVector = true
      commits.assigned = 0
      commits.written = 0
      commits.durable = 0
      commits.writtenChain = .zero
    }
  }

  /// Seals the open segment; the next write begins another one.
  ///
  /// Returns false when there is no room for the SEAL: the file then stays as it is (D6).
  func sealSegment() throws(DiskError) -> Bool {
    guard let segment else { return true }
    let vector = others.enumerated().map {
      Seal.VectorEntry(index: UInt32($0.offset + 1), sequence: $0.element.nextSequence - 1)
    }
    do throws(DiskError) {
      try segment.writeSeal(vector: vector, dictionary: dictionary)
    } catch  where error.isShortOfSpace { return false }
    head.acceptedBytes = try segment.finishSeal()
    self.segment = nil
    commits.hasUnmarked = false
    commits.hasUnsynced = false
    return true
  }

  /// The dictionary of the other replicas in this store.
  var dictionary: [DictionaryEntry] {
    others.enumerated().map {
      DictionaryEntry(index: UInt32($0.offset + 1), .replica($0.element.replica))
    }
  }

  /// The positions of the other replicas that every segment's first transaction lists (Q42).
  var fullVector: [LogPosition] {
    others.enumerated().compactMap { place, listed in
      let head = integrated.map { $0[listed.replica] } ?? (listed.isWhole ? listed : nil)
      guard let head, head.nextSequence > 1 else { return nil }
      return LogPosition(
        index: UInt32(place + 1), sequence: head.nextSequence - 1, chainPrefix: head.chain.prefix)
    }
  }

  /// Runs `body`; when the disk is full, gives the reserve back and tries once more.
  func withReserve<R>(_ body: () throws(DiskError) -> R) throws(DiskError) -> R {
    do throws(DiskError) {
      return try body()
    } catch  where error.isShortOfSpace {
      Reserve(disk: disk, paths: paths, bytes: options.reserveBytes).release()
      return try body()
    }
  }
}
