// The lock of a store on the real file system (D9). Layer: System.

import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A held lock file.
///
/// `flock` excludes other processes, a registry the other stores of this process. The lock belongs
/// to the process that took it: in one forked from that, it counts as lost, and releasing it there
/// leaves the parent's lock alone.
package final class PosixLock: DiskLock {
  private let path: String
  private let descriptor: Int32
  private let keys: LockKeys
  private let process = getpid()
  private let isReleased = Mutex(false)

  private init(path: String, descriptor: Int32, keys: LockKeys) {
    self.path = path
    self.descriptor = descriptor
    self.keys = keys
  }

  deinit { release() }

  package func isIntact() -> Bool {
    guard getpid() == process else { return false }
    return isReleased.withLock { isReleased in
      !isReleased && Self.names(path, keys.file)
    }
  }

  package func release() {
    isReleased.withLock { isReleased in
      if isReleased { return }
      isReleased = true
      if getpid() == process {
        // Unlocked by name: closing would not do it while a forked process holds a copy of the
        // descriptor.
        _ = systemUnlock(descriptor)
        LockRegistry.shared.remove(keys)
      }
      _ = systemClose(descriptor)
    }
  }

  /// Takes the lock or fails with `busy`.
  static func acquire(_ path: String) throws(DiskError) -> PosixLock {
    for _ in 0..<attemptsMax {
      if let lock = try attempt(path) { return lock }
    }
    throw SystemCall("flock", path).failure(
      .busy, "the lock file is replaced again and again; stop the program that does it")
  }

  /// Whether some process holds the lock, as far as the system says without taking it.
  ///
  /// Only Linux says, and only about processes that this one can see; elsewhere this is false.
  package static func isHeld(_ path: String) -> Bool {
    guard let status = try? PosixDisk().status(path),
      let table = try? PosixDisk().open("/proc/locks", .read)
    else { return false }
    defer { try? table.close() }
    var text: [UInt8] = []
    while let piece = try? table.read(UInt64(text.count), 64 << 10), piece.count > 0 {
      text += piece.array
    }
    // 1: FLOCK  ADVISORY  WRITE 4711 fe:00:262147 0 EOF
    let inode = ":\(status.inode)"
    return String(decoding: text, as: UTF8.self).split(separator: "\n").contains { line in
      let words = line.split(separator: " ")
      return words.contains("FLOCK") && words.contains { $0.hasSuffix(inode) }
    }
  }

  /// How often a lock file that was replaced meanwhile is opened again.
  private static let attemptsMax = 16

  // Returns nil when the file that was locked is no longer the one at the path.
  private static func attempt(_ path: String) throws(DiskError) -> PosixLock? {
    let descriptor = try openFile(path)
    var keys: LockKeys?
    do throws(DiskError) {
      let status = try requireFile(descriptor, path)
      let wanted = LockKeys(file: status, path: path)
      guard LockRegistry.shared.insert(wanted) else {
        throw SystemCall("flock", path).failure(
          .busy, "this process has locked it already; close the other store first")
      }
      keys = wanted
      try SystemCall("flock", path).run { systemLock(descriptor) }
      if names(path, wanted.file) {
        return PosixLock(path: path, descriptor: descriptor, keys: wanted)
      }
      drop(descriptor, keys)
      return nil
    } catch {
      drop(descriptor, keys)
      throw error
    }
  }

  private static func drop(_ descriptor: Int32, _ keys: LockKeys?) {
    _ = systemClose(descriptor)
    if let keys { LockRegistry.shared.remove(keys) }
  }

  // Creates the file when it is absent. A file that can only be read can still be locked.
  private static func openFile(_ path: String) throws(DiskError) -> Int32 {
    let call = SystemCall("open", path)
    do {
      return try call.run { systemOpen(path, O_RDWR | O_CREAT) }
    } catch {
      guard error.code == .readOnly || error.code == .noPermission else { throw error }
      let descriptor = try? call.run { systemOpen(path, O_RDONLY) }
      guard let descriptor else { throw error }
      return descriptor
    }
  }

  private static func requireFile(
    _ descriptor: Int32, _ path: String
  ) throws(DiskError) -> FileStatus {
    let call = SystemCall("open", path)
    let status = try systemStatus(descriptor, call)
    if status.isDirectory { throw call.failure(EISDIR) }
    return status
  }

  // Whether the path still leads to this file.
  private static func names(_ path: String, _ file: FileIdentity) -> Bool {
    guard let status = try? PosixDisk().status(path) else { return false }
    return FileIdentity(status) == file
  }
}

/// A file, whatever its names.
struct FileIdentity: Hashable {
  let device: UInt64
  let inode: UInt64

  init(_ status: FileStatus) {
    device = status.device
    inode = status.inode
  }
}

/// What a lock occupies in this process: the file, and its name in its directory.
///
/// The name counts as well because a lock file that is removed while it is held comes back as
/// another file.
struct LockKeys {
  let file: FileIdentity
  let directory: FileIdentity?
  let name: String

  init(file status: FileStatus, path: String) {
    file = FileIdentity(status)
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let parent = slash.map { String(path[...$0]) } ?? "."
    directory = (try? PosixDisk().status(parent)).flatMap { $0 }.map(FileIdentity.init)
    name = slash.map { String(path[path.utf8.index(after: $0)...]) } ?? path
  }
}

/// The locks that this process holds.
final class LockRegistry: Sendable {
  static let shared = LockRegistry()

  private struct Entry {
    let keys: LockKeys
    let process: pid_t
  }

  private let entries = Mutex<[Entry]>([])

  /// Adds a lock, or returns false when it is held already.
  func insert(_ keys: LockKeys) -> Bool {
    let process = getpid()
    return entries.withLock { entries in
      // What a parent process held is no concern of a forked one; `flock` still excludes it.
      entries.removeAll { $0.process != process }
      if entries.contains(where: { Self.clash($0.keys, keys) }) { return false }
      entries.append(Entry(keys: keys, process: process))
      return true
    }
  }

  func remove(_ keys: LockKeys) {
    entries.withLock { entries in
      entries.removeAll { $0.keys.file == keys.file }
    }
  }

  private static func clash(_ left: LockKeys, _ right: LockKeys) -> Bool {
    if left.file == right.file { return true }
    guard let directory = left.directory else { return false }
    return directory == right.directory && left.name == right.name
  }
}

private func systemLock(_ descriptor: Int32) -> Int32 {
  flock(descriptor, LOCK_EX | LOCK_NB)
}

private func systemUnlock(_ descriptor: Int32) -> Int32 {
  flock(descriptor, LOCK_UN)
}
