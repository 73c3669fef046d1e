// Creating and opening logs for writing. Layer: Log.

import VarveFormat

extension Log {
  /// Creates a store directory at `path`, or finishes a creation that a crash interrupted (L16).
  ///
  /// - Throws: `exists` when a store is there, `busy` when somebody has it open.
  package static func create(
    at path: String, disk: any Disk, clock: any Clock = SystemClock(),
    entropy: any Entropy = SystemEntropy(), options: LogOptions = LogOptions(),
    store: StoreID? = nil
  ) throws(LogError) -> Log {
    let paths = StorePaths(path)
    do throws(DiskError) {
      if let status = try disk.status(paths.root), !status.isDirectory {
        throw DiskError(
          .notDirectory, "a file is at the path of the store", path: paths.root, call: "mkdir")
      }
      try disk.makeDirectory(paths.root)
      try disk.syncDirectory(StorePaths.parent(paths.root))
    } catch { throw LogError(error) }
    let lock = try takeLock(disk, paths, options)
    let opening = try LogOpening(disk, paths, syncsTails: false)
    // A segment that cannot be read is a segment all the same.
    guard opening.superblock == nil, opening.store == nil, !opening.report.isDamaged else {
      lock.release()
      throw LogError(.exists, "a store is there already; open it instead", path: paths.root)
    }
    let first = Superblock(
      store: store ?? StoreID(entropy.bytes(16)), replica: ReplicaID(entropy.bytes(16)))
    return try start(disk, clock, entropy, options, lock, opening, first, isNew: true)
  }

  /// Opens the store at `path` for writing.
  ///
  /// Nothing is written before the first commit (Q52). With `trustsSeals`, `setSchema` has to be
  /// called before the first commit.
  ///
  /// - Throws: `notAStore` when there is none, `busy`, `disk`, `tooNew`. Damage is in `report`, not
  ///   an error.
  package static func open(
    at path: String, disk: any Disk, clock: any Clock = SystemClock(),
    entropy: any Entropy = SystemEntropy(), options: LogOptions = LogOptions(),
    trustsSeals: Bool = false
  ) throws(LogError) -> Log {
    let paths = StorePaths(path)
    try requireStore(disk, paths)
    let lock = try takeLock(disk, paths, options)
    var opening = try LogOpening(disk, paths, syncsTails: true, trustsSeals: trustsSeals)
    guard opening.hasSuperblockFile || opening.catalog.store != nil else {
      lock.release()
      throw LogError(
        .notAStore, "the directory has neither a superblock nor segments", path: paths.root)
    }
    if let features = opening.superblock?.compatibleFeatures, features != 0 {
      lock.release()
      throw LogError(
        .tooNew,
        "feature bit \(features.trailingZeroBitCount) is not known: the store can be read, and is "
          + "written by a newer version only", path: paths.superblock)
    }
    if let current = opening.superblock, current.host != options.host, current.host != 0,
      options.host != 0
    {
      opening.report.note(
        .copied, paths.superblock, "the store was written on another machine")
      opening.report.continuesReplica = false
    }
    let current = opening.superblock ?? rebuilt(opening, entropy)
    return try start(disk, clock, entropy, options, lock, opening, current, isNew: false)
  }

  /// Looks before locking, which would leave a file in a directory that is none of ours.
  private static func requireStore(_ disk: any Disk, _ paths: StorePaths) throws(LogError) {
    var isDirectory = false
    var hasFiles = false
    do throws(DiskError) {
      isDirectory = try disk.status(paths.root)?.isDirectory ?? false
      if isDirectory {
        let superblock = try disk.status(paths.superblock)
        let log = try disk.status(paths.log)
        hasFiles = superblock != nil || log != nil
      }
    } catch { throw LogError(error) }
    guard isDirectory else { throw LogError(.notAStore, "there is no store", path: paths.root) }
    guard hasFiles else {
      throw LogError(
        .notAStore, "the directory has neither a superblock nor segments", path: paths.root)
    }
  }

  private static func takeLock(
    _ disk: any Disk, _ paths: StorePaths, _ options: LogOptions
  ) throws(LogError) -> any DiskLock {
    do throws(DiskError) {
      let isRemote = try disk.isRemote(paths.root)
      if options.allowsRemote || !isRemote { return try disk.lock(paths.lock) }
    } catch { throw LogError(error) }
    throw LogError(
      .remote,
      "a network or user-space file system cannot keep writers apart; use a local disk",
      path: paths.root)
  }

  /// A superblock made from what the segments say, when no slot is valid (D5).
  private static func rebuilt(_ opening: LogOpening, _ entropy: any Entropy) -> Superblock {
    let newest = opening.heads.max { $0.nextSequence < $1.nextSequence }
    return Superblock(
      store: opening.catalog.store ?? StoreID(entropy.bytes(16)),
      replica: newest?.replica ?? ReplicaID(entropy.bytes(16)))
  }

  private static func start(
    _ disk: any Disk, _ clock: any Clock, _ entropy: any Entropy, _ options: LogOptions,
    _ lock: any DiskLock, _ opening: LogOpening, _ current: Superblock, isNew: Bool
  ) throws(LogError) -> Log {
    var superblock = current
    superblock.host = options.host
    var report = opening.report
    // Without a valid superblock nothing proves that this is the directory that wrote last.
    if !isNew, opening.superblock == nil { report.continuesReplica = false }
    if !report.continuesReplica { superblock.replica = ReplicaID(entropy.bytes(16)) }
    let head =
      opening.heads.first { $0.replica == superblock.replica }
      ?? LogHead(replica: superblock.replica)
    let others = opening.heads.filter { $0.replica != superblock.replica && $0.nextSequence > 1 }
    var final = opening
    final.report = report
    let log = Log(
      disk: disk, clock: clock, entropy: entropy, options: options, lock: lock, opening: final,
      superblock: superblock, head: head, others: others)
    log.commits.assigned = head.nextSequence - 1
    log.commits.written = log.commits.assigned
    log.commits.durable = log.commits.assigned
    log.commits.writtenChain = head.chain
    if isNew {
      do throws(DiskError) { try log.createFiles() } catch {
        lock.release()
        throw LogError(error)
      }
    }
    return log
  }

  /// Reserve and superblock of a new store, which is there when its superblock is.
  private func createFiles() throws(DiskError) {
    try disk.makeDirectory(paths.log)
    try Reserve(disk: disk, paths: paths, bytes: options.reserveBytes).fill()
    superblock.counter = 1
    superblock.isClean = true
    superblock.inode = try withReserve { () throws(DiskError) in
      try SuperblockFile(disk: disk, paths: paths).create(superblock)
    }
  }
}
