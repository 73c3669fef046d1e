// Creating and opening logs for writing. Layer: Log.

import VarveFormat

extension Log {
  /// Creates a store directory at `path`, or finishes a creation that a crash interrupted (L16).
  ///
  /// - Throws: `exists` when a store is there, `busy` when somebody has it open.
  package static func create(
    at path: String, disk: any Disk, clock: any Clock = SystemClock(),
    entropy: any Entropy = SystemEntropy(), options: LogOptions = LogOptions(), store: StoreID? = nil
  ) throws(LogError) -> Log {
    let paths = StorePaths(path)
    let lock: any DiskLock
    do throws(DiskError) {
      if let status = try disk.status(paths.root), !status.isDirectory {
        throw DiskError(
          .notDirectory, "a file is at the path of the store", path: paths.root, call: "mkdir")
      }
      try disk.makeDirectory(paths.root)
      try disk.syncDirectory(StorePaths.parent(paths.root))
      try refuseRemote(disk, paths, options)
      lock = try disk.lock(paths.lock)
    } catch { throw LogError(error) }
    let opening = try LogOpening(disk, paths, syncsTails: false)
    guard opening.superblock == nil, opening.catalog.logs.allSatisfy({ $0.segments.isEmpty }) else {
      lock.release()
      throw LogError(.exists, "a store is there already; open it instead", path: paths.root)
    }
    let first = Superblock(
      store: store ?? StoreID(entropy.bytes(16)), replica: ReplicaID(entropy.bytes(16)))
    return try start(
      disk, clock, entropy, options, lock, opening, first, hasFile: false, isNew: true)
  }

  /// Opens the store at `path` for writing. Nothing is written before the first commit (Q52).
  ///
  /// - Throws: `notAStore` when there is none, `busy`, `disk`, `tooNew`. Damage is in `report`, not an error.
  package static func open(
    at path: String, disk: any Disk, clock: any Clock = SystemClock(),
    entropy: any Entropy = SystemEntropy(), options: LogOptions = LogOptions()
  ) throws(LogError) -> Log {
    let paths = StorePaths(path)
    let lock: any DiskLock
    do throws(DiskError) {
      guard let status = try disk.status(paths.root), status.isDirectory else {
        throw DiskError(.notFound, "there is no store", path: paths.root, call: "open")
      }
      try refuseRemote(disk, paths, options)
      lock = try disk.lock(paths.lock)
    } catch {
      throw error.code == .notFound
        ? LogError(.notAStore, "there is no store", path: paths.root) : LogError(error)
    }
    var opening = try LogOpening(disk, paths, syncsTails: true)
    guard opening.hasSuperblockFile || opening.catalog.store != nil else {
      lock.release()
      throw LogError(
        .notAStore, "the directory has neither a superblock nor segments", path: paths.root)
    }
    if let current = opening.superblock, current.host != options.host, current.host != 0,
      options.host != 0
    {
      opening.report.note(
        .copied, paths.superblock, "the store was written on another machine")
      opening.report.continuesReplica = false
    }
    let current = opening.superblock ?? rebuilt(opening, entropy)
    return try start(
      disk, clock, entropy, options, lock, opening, current, hasFile: opening.hasSuperblockFile,
      isNew: false)
  }

  private static func refuseRemote(_ disk: any Disk, _ paths: StorePaths, _ options: LogOptions)
    throws(DiskError)
  {
    if !options.allowsRemote, try disk.isRemote(paths.root) {
      throw DiskError(
        .unsupported,
        "a network or user-space file system cannot keep writers apart; keep the store on a local disk",
        path: paths.root, call: "statfs")
    }
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
    _ lock: any DiskLock, _ opening: LogOpening, _ current: Superblock, hasFile: Bool, isNew: Bool
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
    if !hasFile {
      do throws(DiskError) { try log.createFiles() } catch {
        lock.release()
        throw LogError(error)
      }
    }
    return log
  }

  /// Superblock and reserve of a new store.
  private func createFiles() throws(DiskError) {
    try disk.makeDirectory(paths.log)
    superblock.counter = 1
    superblock.isClean = true
    superblock.inode = try SuperblockFile(disk: disk, paths: paths).create(superblock)
    try Reserve(disk: disk, paths: paths, bytes: options.reserveBytes).fill()
  }
}
