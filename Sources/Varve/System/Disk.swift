// The seam to the file system. Layer: System, the lowest of the engine.
//
// Everything that the engine does to a disk goes through these two protocols, so that tests can run
// the same code on a simulated disk (crashes, failures, full disks) and on a tracing one (the order
// of system calls as a golden file).

/// A file system as the engine needs it.
///
/// Paths are absolute or relative to the process. All methods may block. Nothing here retries:
/// after a failed write, sync or close the caller gives the file up (D6).
package protocol Disk: Sendable {
  /// Opens a file.
  func open(_ path: String, _ mode: OpenMode) throws(DiskError) -> any DiskFile
  /// Creates one directory; its parent must exist. An existing directory is no error.
  func makeDirectory(_ path: String) throws(DiskError)
  /// Renames within one file system, replacing `target`. Durable only after `syncDirectory` of both
  /// parents.
  func rename(_ source: String, to target: String) throws(DiskError)
  /// Removes a file. Durable only after `syncDirectory`.
  func remove(_ path: String) throws(DiskError)
  /// The names in a directory, in no order, without `.` and `..`.
  func list(_ directory: String) throws(DiskError) -> [String]
  /// What is at `path`, or nil when nothing is.
  func status(_ path: String) throws(DiskError) -> FileStatus?
  /// Makes names created, renamed or removed in a directory durable.
  func syncDirectory(_ path: String) throws(DiskError)
  /// Takes the exclusive lock of a lock file, which is created when absent and never removed (D9).
  ///
  /// Fails with `busy` when another holder exists, in this process or another one.
  func lock(_ path: String) throws(DiskError) -> any DiskLock
  /// Free bytes on the file system of `path`.
  func freeBytes(_ path: String) throws(DiskError) -> UInt64
  /// Whether `path` lies on a network or user-space file system, where locks cannot be trusted
  /// (D9).
  func isRemote(_ path: String) throws(DiskError) -> Bool
}

// SAFETY: the pointers of these methods are valid during a call only; no implementation keeps them.

/// An open file.
///
/// Safe to use from several threads; concurrent writes must not overlap.
package protocol DiskFile: AnyObject, Sendable {
  /// The path it was opened under, for errors.
  var path: String { get }
  /// Reads up to `buffer.count` bytes at `offset`; fewer only at the end of the file. Returns the
  /// bytes read.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(DiskError) -> Int
  /// Writes all pieces, one behind the other, at `offset`. On an error any part of them may have
  /// been written.
  func write(_ pieces: [UnsafeRawBufferPointer], at offset: UInt64) throws(DiskError)
  /// Makes what was written durable.
  func sync(_ kind: SyncKind) throws(DiskError)
  /// Lets later reads come from the device, as far as the system can.
  ///
  /// After a failed sync the system may show bytes that never got there and take them for synced
  /// (D6).
  func dropCache()
  /// Cuts or extends the file (with zeros).
  func truncate(to length: UInt64) throws(DiskError)
  /// The length in bytes.
  func length() throws(DiskError) -> UInt64
  /// Closes the file and reports what the system says (D6). Further calls fail; a second close does
  /// nothing.
  func close() throws(DiskError)
}

/// A held lock.
///
/// Released by `release()` or when the object goes away; the lock file stays.
package protocol DiskLock: AnyObject, Sendable {
  /// Whether the lock still keeps others out.
  ///
  /// False after `release()`, in a process forked from the one that took it, and when somebody
  /// removed or replaced the lock file, so that another writer can have entered. Costs one system
  /// call.
  func isIntact() -> Bool
  func release()
}

/// How to open a file.
package enum OpenMode: Sendable, Equatable {
  /// For reading; the file must exist.
  case read
  /// For reading and writing; the file must exist.
  case readWrite
  /// For reading and writing; the file must not exist.
  case create
}

/// What a sync covers.
package enum SyncKind: Sendable, Equatable {
  /// The bytes, and the length if it changed (`fdatasync`).
  case data
  /// Bytes and all metadata (`fsync`, `F_FULLFSYNC` on Apple platforms).
  case full
}

/// What is at a path.
package struct FileStatus: Sendable, Equatable {
  package var isDirectory: Bool
  package var length: UInt64
  package var inode: UInt64
  package var device: UInt64

  package init(isDirectory: Bool, length: UInt64, inode: UInt64, device: UInt64) {
    self.isDirectory = isDirectory
    self.length = length
    self.inode = inode
    self.device = device
  }
}
