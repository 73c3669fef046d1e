// What can go wrong with an import as a whole. Problems of single rows are `RowProblem`s.

/// An input that cannot be imported.
package struct ImportError: Error, Sendable, Equatable {
  /// The kind of problem.
  package enum Code: String, Sendable {
    /// The file cannot be opened or read.
    case unreadable
    /// A gzip file ends before its data does.
    case truncatedGzip
    /// A gzip file whose bytes do not decode.
    case corruptGzip
    /// Text that is not UTF-8 as a whole.
    case unsupportedEncoding
    /// Nothing to read: not even a header.
    case empty
    /// The header row cannot be used.
    case badHeader
    /// An option that contradicts itself or another.
    case badOption
    /// A type that does not exist, or for a column that does not exist.
    case badType
    /// Standard input that is too large to be read twice.
    case spoolExceeded
    /// Two names with the same inferred tag.
    case tagCollision
  }

  /// The kind of problem.
  package var code: Code
  /// What was found and what to do.
  package var message: String
  /// The file.
  package var path: String?
  /// The byte of the file; for gzip the byte of the compressed file.
  package var offset: UInt64?

  package init(_ code: Code, _ message: String, path: String? = nil, offset: UInt64? = nil) {
    self.code = code
    self.message = message
    self.path = path
    self.offset = offset
  }
}

extension ImportError: CustomStringConvertible {
  /// The error as one line: file, offset, message.
  package var description: String {
    var place = path ?? ""
    if let offset { place += "@\(offset)" }
    return place.isEmpty ? message : "\(place): \(message)"
  }
}
