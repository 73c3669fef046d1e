// Errors of the graph. Layer: Graph.

import VarveFormat

/// What went wrong in the graph.
public struct GraphError: Error, Sendable, Equatable {
  /// Kinds of problems.
  public enum Code: String, Sendable, CaseIterable {
    /// A column could not be read: the file and offset are given.
    case corrupt
    /// The system could not read a file.
    case unreadable
    /// A transaction names an object that is not in its past (R7).
    case unknownObject
    /// A transaction names a replica index that was never declared.
    case unknownReplica
    /// A transaction cannot be applied by this engine.
    case unsupported
    /// Two keys of identity objects have the same hash.
    case identityClash
    /// Numbers in a transaction are out of range.
    case outOfRange
  }

  /// The kind of problem.
  public var code: Code
  /// What happened and what to do.
  public var message: String
  /// The file, when one is concerned.
  public var path: String?
  /// The byte in the file, when one is concerned.
  public var offset: UInt64?

  package init(
    _ code: Code, _ message: String, path: String? = nil, offset: UInt64? = nil
  ) {
    self.code = code
    self.message = message
    self.path = path
    self.offset = offset
  }

  package init(_ error: FormatError, path: String? = nil) {
    self.init(
      error.code == .unreadable ? .unreadable : .corrupt, "\(error.code): \(error.message)",
      path: error.path ?? path, offset: error.offset)
  }
}

extension GraphError: CustomStringConvertible {
  /// The error as one line: file, offset, code, message.
  public var description: String {
    var place = path ?? ""
    if let offset { place += "@\(offset)" }
    return place.isEmpty ? "\(code.rawValue): \(message)" : "\(place): \(code.rawValue): \(message)"
  }
}
