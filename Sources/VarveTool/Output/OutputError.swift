// Output that could not be written.

/// A failure to write.
struct OutputError: Error, Sendable, Equatable {
  /// The kind of failure.
  enum Code: String, Sendable {
    /// Nobody reads the pipe any more: the tool ends quietly with exit 0.
    case closedPipe
    /// The file to create is there already.
    case exists
    /// Any other failure of the system.
    case failed
  }

  var code: Code
  var message: String
  var path: String?
  /// The bytes that were written before.
  var offset: UInt64?

  init(_ code: Code, _ message: String, path: String? = nil, offset: UInt64? = nil) {
    self.code = code
    self.message = message
    self.path = path
    self.offset = offset
  }
}

extension OutputError: CustomStringConvertible {
  var description: String {
    var place = path ?? "standard output"
    if let offset { place += "@\(offset)" }
    return "\(place): \(message)"
  }
}
