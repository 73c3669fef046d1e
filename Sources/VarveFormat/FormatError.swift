// What is wrong with bytes, and where.

/// Bytes that do not follow the file format.
///
/// The message says what was found and what can be done; `offset` is the place in the file, so that
/// `varve frame FILE@OFFSET` can be pointed at it.
public struct FormatError: Error, Sendable, Equatable {
  /// The kind of problem.
  ///
  /// Cases may be added; treat an unknown one as damage.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The word that tools print, for example `badFrameHash`.
    public let description: String

    package init(_ description: String) { self.description = description }

    /// The file starts with something else than a Varve header.
    public static let notVarve = Code("notVarve")
    /// A file header whose check does not match.
    public static let badHeader = Code("badHeader")
    /// A version or feature that this reader does not know.
    public static let unknownVersion = Code("unknownVersion")
    /// The end came before the value did.
    public static let truncated = Code("truncated")
    /// The check over a frame's header does not match.
    public static let badHeaderCheck = Code("badHeaderCheck")
    /// The hash over a frame does not match.
    public static let badFrameHash = Code("badFrameHash")
    /// A length, count or offset beyond its limit or beyond what is there.
    public static let badLength = Code("badLength")
    /// Padding or a reserved field that is not zero.
    public static let badPadding = Code("badPadding")
    /// A compressed payload that does not decode to its raw length.
    public static let badCompression = Code("badCompression")
    /// A frame type from a newer version.
    public static let unknownFrame = Code("unknownFrame")
    /// A sequence number that does not continue.
    public static let badSequence = Code("badSequence")
    /// A chain value that does not continue.
    public static let badChain = Code("badChain")
    /// A part that does not agree with its transaction.
    public static let badPart = Code("badPart")
    /// A transaction whose own fields contradict each other.
    public static let badTransaction = Code("badTransaction")
    /// An operation that cannot be decoded.
    public static let badOperation = Code("badOperation")
    /// A value that cannot be decoded.
    public static let badValue = Code("badValue")
    /// A column block that cannot be decoded.
    public static let badColumn = Code("badColumn")
    /// A SEAL that contradicts its segment.
    public static let badSeal = Code("badSeal")
    /// A trailer that does not match.
    public static let badTrailer = Code("badTrailer")
    /// A directory of a baseline that cannot be decoded, or contradicts its file.
    public static let badDirectory = Code("badDirectory")
    /// The bytes could not be read at all: an I/O error, not damage.
    public static let unreadable = Code("unreadable")
    /// A file of another store or replica, or under a name that contradicts it.
    public static let wrongFile = Code("wrongFile")
  }

  /// The kind of problem.
  public var code: Code
  /// What was found, in a sentence.
  public var message: String
  /// The file, when known.
  public var path: String?
  /// The byte of the file where the problem was found, when known.
  public var offset: UInt64?
  /// What caused it, when another error did.
  public var cause: String?

  package init(
    _ code: Code, _ message: String, offset: UInt64? = nil, path: String? = nil,
    cause: String? = nil
  ) {
    self.code = code
    self.message = message
    self.offset = offset
    self.path = path
    self.cause = cause
  }

  /// The same error with a path, unless it has one.
  package func at(path: String) -> FormatError {
    var error = self
    if error.path == nil { error.path = path }
    return error
  }

  /// The same error when it was found inside of a payload or of what a payload holds: its offset
  /// counts from there and is no place in the file, so that it moves into the message.
  ///
  /// The place of the frame can be given to it then.
  package func inContent() -> FormatError {
    guard let offset else { return self }
    var error = self
    error.offset = nil
    error.message += " (at +\(offset) of the content)"
    return error
  }

  /// The same error with an offset, unless it has one.
  package func at(offset: UInt64) -> FormatError {
    var error = self
    if error.offset == nil { error.offset = offset }
    return error
  }
}

extension FormatError: CustomStringConvertible {
  /// The error as one line: file, offset, code, message.
  public var description: String {
    var place = path ?? ""
    if let offset { place += "@\(offset)" }
    if !place.isEmpty { place += ": " }
    let tail = cause.map { " (\($0))" } ?? ""
    return "\(place)\(code): \(message)\(tail)"
  }
}
