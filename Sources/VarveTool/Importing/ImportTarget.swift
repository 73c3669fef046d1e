// The store that an import writes to. A new one is made by the first commit, so that an import that
// fails before leaves nothing behind.

import Varve
import VarveFormat

/// A store that is there, or will be.
final class ImportTarget {
  /// What a store directory holds.
  private static let names = [
    "lock", "super", "super.tmp", "log", "base", "reserve-0", "reserve-1", "quarantine",
  ]

  private let paths: StorePaths
  private let disk: PosixDisk
  private let hasDirectory: Bool
  private let isNew: Bool
  private var commits = 0
  /// Nil as long as there is no store.
  private(set) var log: Log?

  /// Opens the store at `path`, or makes sure that one can be made there.
  ///
  /// - Throws: `LogError`: `busy`, `notAStore`, `tooNew`, `disk`.
  init(_ path: String, disk: PosixDisk) throws {
    paths = StorePaths(path)
    self.disk = disk
    let status = try disk.status(path)
    hasDirectory = status?.isDirectory ?? false
    if try ImportTarget.isStore(path, disk: disk) {
      isNew = false
      log = try Log.open(at: path, disk: disk)
      return
    }
    isNew = true
    guard status == nil || hasDirectory else {
      throw LogError(.notAStore, "a file is at the path of the store", path: path)
    }
    if hasDirectory {
      let foreign = try disk.list(path).filter { !ImportTarget.names.contains($0) }
      guard foreign.isEmpty else {
        throw LogError(
          .notAStore, "the directory holds other files; name a new one for the store", path: path)
      }
    } else if try disk.status(StorePaths.parent(paths.root))?.isDirectory != true {
      throw LogError(
        .disk, "cannot make the store: there is no such directory",
        path: StorePaths.parent(paths.root))
    }
  }

  /// Whether a store is at the path.
  static func isStore(_ path: String, disk: PosixDisk) throws -> Bool {
    guard let status = try disk.status(path), status.isDirectory else { return false }
    let opening = try LogOpening(
      disk, StorePaths(path), syncsTails: false, readsTails: false)
    return opening.store != nil
  }

  /// Who creates the objects; nil for a new store, in which nobody else does.
  var replica: ReplicaID? { isNew ? nil : log?.replica }

  /// Bytes that were written to the log.
  var bytes: UInt64 { log?.statistics.bytes ?? 0 }

  /// Commits a transaction, the first one into a store that is made for it.
  func commit(_ draft: TransactionDraft) throws -> CommitPosition {
    let log = try self.log ?? create()
    self.log = log
    let position = try log.commit(draft)
    commits += 1
    return position
  }

  private func create() throws(LogError) -> Log {
    do throws(LogError) { return try Log.create(at: paths.root, disk: disk) } catch {
      // Another program was faster: then it is its store.
      if error.code != .exists, error.code != .busy, !isThere(paths.superblock) { removeFiles() }
      throw error
    }
  }

  func close() throws { try log?.close() }

  /// Closes the store after a failure; one that nothing was committed to goes away again.
  func giveUp() {
    // While the lock is held: nobody else can have opened it.
    if isNew, log != nil, commits == 0 { removeFiles() }
    try? log?.close()
  }

  private func isThere(_ path: String) -> Bool { (try? disk.status(path)) ?? nil != nil }

  private func removeFiles() {
    for name in ImportTarget.names {
      let path = "\(paths.root)/\(name)"
      guard let status = try? disk.status(path) else { continue }
      if status.isDirectory {
        try? FileTree.remove(path, disk: disk)
      } else {
        try? disk.remove(path)
      }
    }
    if !hasDirectory, (try? disk.list(paths.root))?.isEmpty == true {
      try? FileTree.remove(paths.root, disk: disk)
    }
  }
}
