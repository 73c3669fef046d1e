// An open file of the real file system. Layer: System.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file opened by `PosixDisk`.
///
/// Writes are continued until all is written; an error in between leaves any part of them. Nothing
/// else is retried: after a failed write, sync or close the caller gives the file up (D6). A
/// process that was forked off may read, not write.
package final class PosixFile: DiskFile {
  package let path: String
  private let descriptor: Int32
  private let isWritable: Bool
  private let process = getpid()
  private let monitor = Monitor()
  // A descriptor is closed only when no call uses it: its number could be given to another file at
  // once. SAFETY: both variables are touched with `monitor` held only, or by `deinit`.
  nonisolated(unsafe) private var users = 0
  nonisolated(unsafe) private var isClosed = false

  /// Takes over an open descriptor.
  init(descriptor: Int32, path: String, isWritable: Bool) {
    self.descriptor = descriptor
    self.path = path
    self.isWritable = isWritable
  }

  deinit {
    // Nobody is left to whom an error could be told; what had to be durable was synced before.
    if !isClosed { _ = systemClose(descriptor) }
  }

  package func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(DiskError) -> Int {
    guard let base = buffer.baseAddress, buffer.count > 0 else { return 0 }
    let call = SystemCall("pread", path, offset: offset)
    let start = try position(offset, plus: buffer.count, call)
    try enter(call)
    defer { leave() }
    var done = 0
    while done < buffer.count {
      // SAFETY: `done < buffer.count`, so the rest of the buffer is valid for `buffer.count - done`
      // bytes.
      let count = try call.run {
        pread(descriptor, base + done, buffer.count - done, start + off_t(done))
      }
      if count == 0 { break }
      done += count
    }
    return done
  }

  package func write(_ pieces: [UnsafeRawBufferPointer], at offset: UInt64) throws(DiskError) {
    let call = SystemCall(pieces.count == 1 ? "pwrite" : "pwritev", path, offset: offset)
    var total = 0
    for piece in pieces {
      let (sum, overflow) = total.addingReportingOverflow(piece.count)
      if overflow { throw call.failure(EINVAL) }
      total = sum
    }
    let start = try position(offset, plus: total, call)
    try requireWritable(call)
    try enter(call)
    defer { leave() }
    if pieces.count == 1 {
      try writeOne(pieces[0], at: start, call)
    } else {
      try writeSeveral(pieces, at: start, call)
    }
  }

  package func sync(_ kind: SyncKind) throws(DiskError) {
    let call = SystemCall(kind == .data ? "fdatasync" : "fsync", path)
    try requireOwnProcess(call)
    try enter(call)
    defer { leave() }
    do {
      try systemSync(descriptor, kind, call)
    } catch {
      // The data were accepted and are now lost, unlike those of a write that finds the disk full.
      throw error.code == .noSpace ? lostToFullDisk(error) : error
    }
  }

  package func dropCache() {
    guard (try? enter(SystemCall("posix_fadvise", path))) != nil else { return }
    defer { leave() }
    // Advice: there is nothing to do when the system does not take it.
    #if canImport(Darwin)
      _ = fcntl(descriptor, F_NOCACHE, 1)
    #else
      _ = posix_fadvise(descriptor, 0, 0, Int32(POSIX_FADV_DONTNEED))
    #endif
  }

  package func truncate(to length: UInt64) throws(DiskError) {
    let call = SystemCall("ftruncate", path, offset: length)
    let end = try position(length, plus: 0, call)
    try requireWritable(call)
    try enter(call)
    defer { leave() }
    try call.run { ftruncate(descriptor, end) }
  }

  package func length() throws(DiskError) -> UInt64 {
    let call = SystemCall("fstat", path)
    try enter(call)
    defer { leave() }
    return try systemStatus(descriptor, call).length
  }

  package func close() throws(DiskError) {
    let isFirst = monitor.withLock {
      if isClosed { return false }
      isClosed = true
      while users > 0 { monitor.wait() }
      return true
    }
    guard isFirst else { return }
    // Not repeated after EINTR: the descriptor is gone in any case.
    try SystemCall("close", path).runOnce { systemClose(descriptor) }
  }

  // MARK: Writing

  private func writeOne(
    _ piece: UnsafeRawBufferPointer, at start: off_t, _ call: SystemCall
  ) throws(DiskError) {
    guard let base = piece.baseAddress else { return }
    var done = 0
    while done < piece.count {
      // SAFETY: `done < piece.count`, so the rest of the piece is valid for `piece.count - done`
      // bytes.
      let count = try call.run {
        pwrite(descriptor, base + done, piece.count - done, start + off_t(done))
      }
      done += try progress(count, call)
    }
  }

  private func writeSeveral(
    _ pieces: [UnsafeRawBufferPointer], at start: off_t, _ call: SystemCall
  ) throws(DiskError) {
    var vectors: [iovec] = []
    vectors.reserveCapacity(pieces.count)
    for piece in pieces where piece.count > 0 {
      // SAFETY: pwritev only reads through these pointers.
      let base = UnsafeMutableRawPointer(mutating: piece.baseAddress)
      vectors.append(iovec(iov_base: base, iov_len: piece.count))
    }
    var first = 0
    var position = start
    while first < vectors.count {
      let batch = min(vectors.count - first, vectorsMax)
      let count = try call.run {
        vectors.withUnsafeBufferPointer { buffer in
          // SAFETY: `first + batch <= buffer.count`, and each vector describes the unwritten rest
          // of a piece, which the caller keeps alive.
          pwritev(descriptor, buffer.baseAddress.map { $0 + first }, Int32(batch), position)
        }
      }
      let written = try progress(count, call)
      position += off_t(written)
      advance(&vectors, &first, by: written)
    }
  }

  // Drops what was written from the front of the vectors.
  private func advance(_ vectors: inout [iovec], _ first: inout Int, by written: Int) {
    var rest = written
    while rest > 0 {
      let length = vectors[first].iov_len
      if length > rest {
        // SAFETY: `rest < length`, so the pointer stays inside the piece.
        vectors[first].iov_base = vectors[first].iov_base.map { $0 + rest }
        vectors[first].iov_len = length - rest
        return
      }
      rest -= length
      first += 1
    }
  }

  // A write of nothing would be repeated for ever.
  private func progress(_ count: Int, _ call: SystemCall) throws(DiskError) -> Int {
    guard count > 0 else {
      throw call.failure(.inputOutput, "the system wrote no bytes and gave no reason")
    }
    return count
  }

  // MARK: Guards

  private func enter(_ call: SystemCall) throws(DiskError) {
    let isOpen = monitor.withLock {
      if isClosed { return false }
      users += 1
      return true
    }
    if !isOpen { throw call.failure(.closed, DiskError.Code.closed.advice()) }
  }

  private func leave() {
    monitor.withLock {
      users -= 1
      if isClosed && users == 0 { monitor.broadcast() }
    }
  }

  private func requireWritable(_ call: SystemCall) throws(DiskError) {
    try requireOwnProcess(call)
    guard isWritable else {
      throw call.failure(.noPermission, "the file was opened for reading; open it for writing")
    }
  }

  private func requireOwnProcess(_ call: SystemCall) throws(DiskError) {
    guard getpid() == process else {
      throw call.failure(
        .closed, "this process was forked from the one that opened the file; open it again")
    }
  }

  private func position(
    _ offset: UInt64, plus count: Int, _ call: SystemCall
  ) throws(DiskError) -> off_t {
    guard let start = off_t(exactly: offset), start <= off_t.max - off_t(count) else {
      throw call.failure(EINVAL)
    }
    return start
  }

  private func lostToFullDisk(_ error: DiskError) -> DiskError {
    DiskError(
      .inputOutput, "the file system was full when it had to store accepted data; free space",
      path: error.path, call: error.call, errorNumber: error.errorNumber)
  }
}

/// The most vectors in one call: IOV_MAX of Linux and the BSDs.
private let vectorsMax = 1024

/// `close`, out of reach of the methods of this name.
func systemClose(_ descriptor: Int32) -> Int32 {
  close(descriptor)
}

/// Makes the data of a descriptor durable.
func systemSync(_ descriptor: Int32, _ kind: SyncKind, _ call: SystemCall) throws(DiskError) {
  #if canImport(Darwin)
    // fsync leaves the data in the drive's cache; some file systems know nothing better (D10).
    if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
    let number = errno
    guard [ENOTSUP, ENOTTY, EINVAL, EINTR].contains(number) else { throw call.failure(number) }
    try call.run { fsync(descriptor) }
  #else
    switch kind {
    case .data: try call.run { fdatasync(descriptor) }
    case .full: try call.run { fsync(descriptor) }
    }
  #endif
}

/// What is behind a descriptor.
func systemStatus(_ descriptor: Int32, _ call: SystemCall) throws(DiskError) -> FileStatus {
  var buffer = stat()
  // SAFETY: the structure is a local that outlives the call.
  try call.run { fstat(descriptor, &buffer) }
  return FileStatus(buffer)
}

extension FileStatus {
  /// Takes over what the system reports.
  init(_ buffer: stat) {
    self.init(
      isDirectory: buffer.st_mode & S_IFMT == S_IFDIR,
      length: UInt64(clamping: buffer.st_size),
      inode: UInt64(truncatingIfNeeded: buffer.st_ino),
      device: UInt64(truncatingIfNeeded: buffer.st_dev))
  }
}
