// Beginning, sealing and replacing segments. All called with the monitor held and no leader. Layer: Log.

import VarveFormat

extension Log {
  /// The segment to append to, created at the first write (Q52).
  func openSegment() throws(LogError) -> SegmentWriter {
    if let segment { return segment }
    do throws(DiskError) {
      let created = try withReserve { () throws(DiskError) in try createSegment() }
      segment = created
      needsFullVector = true
      counters.segments += 1
      return created
    } catch {
      if error.code == .noSpace { isFull = true }
      throw LogError(error)
    }
  }

  private func createSegment() throws(DiskError) -> SegmentWriter {
    for path in temporaryFiles { try? disk.remove(path) }
    temporaryFiles = []
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
      disk: disk, paths: paths, header: header, schema: schema, preallocation: options.preallocation)
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

  /// Records where the log stands. Called on rotation, first write and close (D5).
  func writeSuperblock(isClean: Bool) throws(DiskError) {
    superblock.counter += 1
    superblock.isClean = isClean
    superblock.replica = head.replica
    superblock.openOrdinal = head.ordinal
    superblock.durableMark = head.acceptedBytes
    superblock.lastSequence = head.nextSequence - 1
    superblock.chain = head.chain
    superblock.maxStamp = lastStamp
    let file = SuperblockFile(disk: disk, paths: paths)
    if try disk.status(paths.superblock) == nil {
      superblock.inode = try file.create(superblock)
    } else {
      if let status = try disk.status(paths.superblock) { superblock.inode = status.inode }
      try file.update(superblock)
    }
  }

  /// Seals the open segment; the next write begins another one.
  func sealSegment() throws(DiskError) {
    guard let segment else { return }
    segment.encoder.endGroup()
    let vector = others.enumerated().map {
      Seal.VectorEntry(index: UInt32($0.offset + 1), sequence: $0.element.nextSequence - 1)
    }
    let length = try withReserve { () throws(DiskError) in
      try segment.seal(vector: vector, dictionary: dictionary)
    }
    head.acceptedBytes = length
    self.segment = nil
    commits.hasUnmarked = false
    commits.hasUnsynced = false
  }

  /// The dictionary of the other replicas in this store.
  var dictionary: [DictionaryEntry] {
    others.enumerated().map { DictionaryEntry(index: UInt32($0.offset + 1), .replica($0.element.replica)) }
  }

  /// The positions of the other replicas that every segment's first transaction lists (Q42).
  var fullVector: [LogPosition] {
    others.enumerated().map {
      LogPosition(
        index: UInt32($0.offset + 1), sequence: $0.element.nextSequence - 1,
        chainPrefix: $0.element.chain.prefix)
    }
  }

  /// Runs `body`; when the disk is full, gives the reserve back and tries once more.
  private func withReserve<R>(_ body: () throws(DiskError) -> R) throws(DiskError) -> R {
    do throws(DiskError) {
      return try body()
    } catch where error.code == .noSpace {
      Reserve(disk: disk, paths: paths, bytes: options.reserveBytes).release()
      return try body()
    }
  }
}
