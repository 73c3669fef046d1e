// System calls: interrupted ones are repeated, error numbers become `DiskError`s. Layer: System.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What a failed system call was about: everything of a `DiskError` but the error number.
package struct SystemCall {
  let name: String
  let path: String
  var offset: UInt64?

  package init(_ name: String, _ path: String, offset: UInt64? = nil) {
    self.name = name
    self.path = path
    self.offset = offset
  }

  /// Runs a call that returns a negative number and sets `errno` on failure.
  ///
  /// It is repeated when a signal interrupts it.
  @discardableResult
  package func run<Result: FixedWidthInteger & SignedInteger>(
    _ body: () -> Result
  ) throws(DiskError) -> Result {
    while true {
      let result = body()
      if result >= 0 { return result }
      let number = errno
      if number != EINTR { throw failure(number) }
    }
  }

  /// Runs a call that must not be repeated.
  @discardableResult
  package func runOnce<Result: FixedWidthInteger & SignedInteger>(
    _ body: () -> Result
  ) throws(DiskError) -> Result {
    let result = body()
    if result < 0 { throw failure(errno) }
    return result
  }

  /// The error for an error number.
  package func failure(_ number: Int32) -> DiskError {
    let code = DiskError.Code(errorNumber: number)
    return DiskError(
      code, code.advice(number), path: path, call: name, offset: offset, errorNumber: number)
  }

  /// An error that has no error number.
  package func failure(_ code: DiskError.Code, _ message: String) -> DiskError {
    DiskError(code, message, path: path, call: name, offset: offset)
  }
}

extension DiskError.Code {
  /// The kind of failure that an error number stands for.
  init(errorNumber: Int32) {
    self = Self.table[errorNumber] ?? .other
  }

  private static let table: [Int32: DiskError.Code] = {
    var table: [Int32: DiskError.Code] = [:]
    for (code, numbers) in numbersByCode {
      for number in numbers { table[number] = code }
    }
    return table
  }()

  private static var numbersByCode: [(DiskError.Code, [Int32])] {
    [
      (.notFound, [ENOENT]),
      (.exists, [EEXIST, ENOTEMPTY]),
      (.isDirectory, [EISDIR]),
      (.notDirectory, [ENOTDIR]),
      (.noPermission, [EACCES, EPERM]),
      (.readOnly, [EROFS]),
      (.noSpace, [ENOSPC, EDQUOT, EFBIG]),
      (.busy, [EAGAIN, EWOULDBLOCK, EBUSY, ETXTBSY]),
      (.tooManyFiles, [EMFILE, ENFILE]),
      (.inputOutput, [EIO, ENXIO, ENODEV, ESTALE, ETIMEDOUT, EBADMSG] + damagedFileSystem),
      (.closed, [EBADF]),
      (.unsupported, [ENOTSUP, EOPNOTSUPP, ENOSYS, EINVAL, ENOTTY, EXDEV, ENOLCK]),
    ]
  }

  private static var damagedFileSystem: [Int32] {
    #if os(Linux)
      [EUCLEAN, EREMOTEIO]
    #else
      []
    #endif
  }

  /// What happened and what to do, for people.
  package func advice(_ errorNumber: Int32 = 0) -> String {
    switch self {
    case .notFound: "there is no such file or directory; check the path"
    case .exists: "something is at this path already; choose another name or move it away"
    case .isDirectory: "this is a directory, a file was expected; check the path"
    case .notDirectory: "a part of the path is a file, a directory was expected; check the path"
    case .noPermission: "the permissions forbid it; check the owner and the mode of the path"
    case .readOnly: "the file system is mounted read-only; open the store for reading only"
    case .noSpace where errorNumber == EFBIG:
      "the limit on the size of files is reached; raise it (ulimit -f), then try again"
    case .noSpace: "the file system or the quota is full; free space, then try again"
    case .busy: "another process uses it; close that process, then try again"
    case .tooManyFiles: "too many files are open; raise the limit (ulimit -n) or close some"
    case .inputOutput: "the device or the file system failed; check the system log and the device"
    case .closed: "the file was closed; open it again"
    case .unsupported:
      "the file system cannot do this (error number \(errorNumber)); use a local file system"
    case .other: "the system reported error number \(errorNumber)"
    }
  }
}
