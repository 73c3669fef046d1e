// Errors of the log. Layer: Log.

import VarveFormat

/// A log that cannot be opened, read or written.
public struct LogError: Error, Sendable {
  /// The kind of problem.
  ///
  /// Cases may be added.
  public enum Code: String, Sendable {
    /// There is no store at the path.
    case notAStore
    /// A store is there already.
    case exists
    /// Another writer has the store open.
    case busy
    /// A system call failed.
    case disk
    /// Bytes are damaged; `offset` says where.
    case corrupt
    /// A newer version wrote the file.
    case tooNew
    /// A limit of the format was exceeded.
    case tooLarge
    /// The disk is full. Nothing was acknowledged; writing resumes when there is space.
    case diskFull
    /// An earlier write, sync or close failed: open the store again (D6).
    case poisoned
    /// The commit was under way when its write or sync failed: it may or may not be there after the
    /// next opening (Q51).
    case outcomeUnknown
    /// The log was closed.
    case closed
    /// The file system cannot be trusted with locks (D9).
    case remote
  }

  /// The kind of problem.
  public var code: Code
  /// What happened and what to do.
  public var message: String
  /// The file, when one is concerned.
  public var path: String?
  /// The byte in the file, when one is concerned.
  public var offset: UInt64?
  /// The failed system call, when there was one.
  public var diskError: DiskError?
  /// The damage, when there was any.
  public var formatError: FormatError?

  package init(
    _ code: Code, _ message: String, path: String? = nil, offset: UInt64? = nil,
    diskError: DiskError? = nil, formatError: FormatError? = nil
  ) {
    self.code = code
    self.message = message
    self.path = path
    self.offset = offset
    self.diskError = diskError
    self.formatError = formatError
  }

  package init(_ error: DiskError) {
    let code: Code =
      switch error.code {
      case .noSpace: .diskFull
      case .busy: .busy
      default: .disk
      }
    self.init(
      code, "\(error.call): \(error.message)", path: error.path, offset: error.offset,
      diskError: error)
  }

  package init(_ error: FormatError, path: String? = nil) {
    let code: Code =
      switch error.code {
      case .unreadable: .disk
      case .unknownVersion, .unknownFrame: .tooNew
      default: .corrupt
      }
    self.init(
      code, "\(error.code): \(error.message)", path: error.path ?? path, offset: error.offset,
      formatError: error)
  }
}

extension LogError: CustomStringConvertible {
  /// The error as one line: file, offset, code, message.
  public var description: String {
    var place = path ?? ""
    if let offset { place += "@\(offset)" }
    return place.isEmpty ? "\(code.rawValue): \(message)" : "\(place): \(code.rawValue): \(message)"
  }
}
