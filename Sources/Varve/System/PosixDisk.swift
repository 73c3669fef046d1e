// The real file system. Layer: System.

import CStatfs
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The file system of the operating system.
package final class PosixDisk: Disk {
  private let unsynced = Mutex<Set<String>>([])

  package init() {}

  /// Directories whose file system refuses to sync directories, so that a new name may be lost at a
  /// power failure (D10).
  ///
  /// `syncDirectory` succeeds for them; whoever promises durability should show this list.
  package var directoriesWithoutSync: [String] {
    unsynced.withLock { $0.sorted() }
  }

  package func open(_ path: String, _ mode: OpenMode) throws(DiskError) -> any DiskFile {
    let call = SystemCall("open", path)
    let flags: Int32 =
      switch mode {
      case .read: O_RDONLY
      case .readWrite: O_RDWR
      case .create: O_RDWR | O_CREAT | O_EXCL
      }
    let descriptor = try call.run { systemOpen(path, flags) }
    do {
      try requireRegularFile(descriptor, path)
    } catch {
      _ = systemClose(descriptor)
      throw error
    }
    return PosixFile(descriptor: descriptor, path: path, isWritable: mode != .read)
  }

  package func makeDirectory(_ path: String) throws(DiskError) {
    do {
      try SystemCall("mkdir", path).run { mkdir(path, 0o777) }
    } catch {
      // Whatever the reason, also a read-only file system: what was asked for is there.
      if let found = try? status(path), found.isDirectory { return }
      throw error
    }
  }

  package func rename(_ source: String, to target: String) throws(DiskError) {
    try SystemCall("rename", source).run { systemRename(source, target) }
  }

  package func remove(_ path: String) throws(DiskError) {
    try SystemCall("unlink", path).run { unlink(path) }
  }

  package func list(_ directory: String) throws(DiskError) -> [String] {
    let descriptor = try SystemCall("open", directory).run {
      systemOpen(directory, O_RDONLY | O_DIRECTORY)
    }
    let call = SystemCall("readdir", directory)
    // SAFETY: the stream takes the descriptor over; it is used by this call alone and closed before
    // it returns.
    guard let stream = fdopendir(descriptor) else {
      let number = errno
      _ = systemClose(descriptor)
      throw call.failure(number)
    }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        if errno != 0 { throw call.failure(errno) }
        return names
      }
      let name = entryName(entry)
      if name != "." && name != ".." { names.append(name) }
    }
  }

  package func status(_ path: String) throws(DiskError) -> FileStatus? {
    var buffer = stat()
    do {
      // SAFETY: the structure is a local that outlives the call.
      try SystemCall("stat", path).run { stat(path, &buffer) }
    } catch {
      if error.code == .notFound { return nil }
      throw error
    }
    return FileStatus(buffer)
  }

  package func syncDirectory(_ path: String) throws(DiskError) {
    let descriptor = try SystemCall("open", path).run {
      systemOpen(path, O_RDONLY | O_DIRECTORY)
    }
    defer { _ = systemClose(descriptor) }
    do {
      try systemSync(descriptor, .full, SystemCall("fsync", path))
    } catch {
      guard error.code == .unsupported else { throw error }
      unsynced.withLock { _ = $0.insert(path) }
    }
  }

  package func lock(_ path: String) throws(DiskError) -> any DiskLock {
    try PosixLock.acquire(path)
  }

  package func freeBytes(_ path: String) throws(DiskError) -> UInt64 {
    var buffer = statvfs()
    // SAFETY: the structure is a local that outlives the call.
    try SystemCall("statvfs", path).run { statvfs(path, &buffer) }
    let (bytes, overflow) = UInt64(buffer.f_bavail).multipliedReportingOverflow(
      by: UInt64(buffer.f_frsize))
    return overflow ? .max : bytes
  }

  package func isRemote(_ path: String) throws(DiskError) -> Bool {
    var buffer = statfs()
    // SAFETY: the structure is a local that outlives the call.
    try SystemCall("statfs", path).run { statfs(path, &buffer) }
    #if canImport(Darwin)
      return buffer.f_flags & UInt32(MNT_LOCAL) == 0
    #else
      return remoteFileSystems.contains(UInt32(truncatingIfNeeded: buffer.f_type))
    #endif
  }

  // A directory can be opened for reading, a pipe and a device too; none of them holds a log.
  private func requireRegularFile(_ descriptor: Int32, _ path: String) throws(DiskError) {
    let call = SystemCall("open", path)
    var buffer = stat()
    // SAFETY: the structure is a local that outlives the call.
    try call.run { fstat(descriptor, &buffer) }
    switch buffer.st_mode & S_IFMT {
    case S_IFREG: return
    case S_IFDIR: throw call.failure(EISDIR)
    default: throw call.failure(.unsupported, "this is not a regular file; check the path")
    }
  }

  // A name that is not UTF-8 is repaired: it is seen and reported, but cannot be opened. The engine
  // writes no such names.
  private func entryName(_ entry: UnsafeMutablePointer<dirent>) -> String {
    // SAFETY: `d_name` ends with a zero byte and lies in the stream's buffer, which is valid until
    // the next `readdir`.
    withUnsafePointer(to: &entry.pointee.d_name) { field in
      field.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
    }
  }
}

/// The magic numbers of network and user-space file systems on Linux, from statfs(2).
private let remoteFileSystems: Set<UInt32> = [
  0x6969,  // NFS
  0x517B,  // SMB
  0xFF53_4D42,  // CIFS
  0xFE53_4D42,  // SMB 2
  0x6573_5546,  // FUSE
  0x0102_1997,  // 9P
  0x5346_414F,  // AFS of OpenAFS
  0x6B41_4653,  // AFS of the kernel
  0x7375_7245,  // Coda
  0x00C3_6400,  // Ceph
  0x0BD0_0BD0,  // Lustre
  0x4750_4653,  // GPFS
  0x0116_1970,  // GFS2
  0x7461_636F,  // OCFS2
  0x786F_4256,  // VirtualBox shared folder
]

/// `open` with the flags that all files share.
///
/// Closed on exec, no controlling terminal, and no waiting for the other end of a pipe that has the
/// name of a log.
func systemOpen(_ path: String, _ flags: Int32) -> Int32 {
  open(path, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0o666)
}

private func systemRename(_ source: String, _ target: String) -> Int32 {
  rename(source, target)
}
