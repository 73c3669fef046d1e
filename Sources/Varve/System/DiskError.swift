// Failures of system calls, with path and call. Layer: System.

/// A system call that failed.
public struct DiskError: Error, Sendable, Equatable {
  /// The kind of failure.
  ///
  /// Cases may be added.
  public enum Code: String, Sendable {
    /// Nothing is at the path.
    case notFound
    /// Something is at the path already.
    case exists
    /// The path is a directory where a file should be.
    case isDirectory
    /// A part of the path is a file where a directory should be.
    case notDirectory
    /// The permissions forbid it.
    case noPermission
    /// The file system is mounted read-only.
    case readOnly
    /// The file system or quota is full.
    case noSpace
    /// Another holder has the lock.
    case busy
    /// The process has too many open files.
    case tooManyFiles
    /// The device failed: never a sign of damage in the data itself.
    case inputOutput
    /// The file was closed or given up after an earlier failure.
    case closed
    /// The file system cannot do this.
    case unsupported
    /// Any other failure.
    case other
  }

  /// The kind of failure.
  public var code: Code
  /// What was tried and what to do.
  public var message: String
  /// The path.
  public var path: String
  /// The system call, for example `fdatasync`.
  public var call: String
  /// The offset in the file, where it matters.
  public var offset: UInt64?
  /// The system's error number, 0 when there is none.
  public var errorNumber: Int32

  package init(
    _ code: Code, _ message: String, path: String, call: String, offset: UInt64? = nil,
    errorNumber: Int32 = 0
  ) {
    self.code = code
    self.message = message
    self.path = path
    self.call = call
    self.offset = offset
    self.errorNumber = errorNumber
  }
}

extension DiskError {
  /// Whether something did not fit and nothing else happened.
  ///
  /// The same code from a sync or close means that accepted data are lost (D6).
  package var isShortOfSpace: Bool {
    code == .noSpace && !["fsync", "fdatasync", "sync", "syncDirectory", "close"].contains(call)
  }
}

extension DiskError: CustomStringConvertible {
  /// The error as one line: path, call, message.
  public var description: String {
    let place = offset.map { "\(path)@\($0)" } ?? path
    return "\(place): \(call): \(message)"
  }
}
