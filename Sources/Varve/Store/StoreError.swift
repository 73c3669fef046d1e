// Errors of a store. Layer: Store.

import VarveFormat

/// What went wrong in a store.
public struct StoreError: Error, Sendable {
  /// Kinds of problems.
  ///
  /// Cases may be added.
  public enum Code: String, Sendable, CaseIterable {
    /// There is no store at the path.
    case notAStore
    /// A store is there already.
    case exists
    /// Somebody else has the store open for writing.
    case busy
    /// A file is from a newer version.
    case tooNew
    /// Data cannot be read; what can is in the snapshot, and the open report says more.
    case corrupt
    /// The system refused a call.
    case disk
    /// There is no space: nothing was acknowledged; writing resumes when there is space.
    case diskFull
    /// An earlier write failed: close the store and open it again.
    case poisoned
    /// The transaction may or may not be there after the next opening (Q51).
    case outcomeUnknown
    /// The store was closed.
    case closed
    /// The store was opened for reading only.
    case readOnly
    /// The declared schema contradicts the log.
    case schemaConflict
    /// No entity or property has this name.
    case unknownName
    /// There is no such object, or it is not visible.
    case unknownObject
    /// A value does not fit its attribute.
    case invalidValue
    /// Another object has the key already (R28).
    case duplicateKey
    /// A delete rule refuses the deletion.
    case deleteDenied
    /// The transaction exceeds a limit of the format.
    case tooLarge
    /// The part of the history is not in the files any more (Q25).
    case historyRetired
  }

  /// The kind of problem.
  public var code: Code
  /// What happened and what to do.
  public var message: String
  /// The file, when one is concerned.
  public var path: String?
  /// The byte in the file, when one is concerned.
  public var offset: UInt64?
  /// The error of the log underneath, when there was one.
  public var logError: LogError?
  /// The contradiction with the log's schema, when there was one.
  public var schemaError: SchemaError?

  package init(
    _ code: Code, _ message: String, path: String? = nil, offset: UInt64? = nil,
    logError: LogError? = nil, schemaError: SchemaError? = nil
  ) {
    self.code = code
    self.message = message
    self.path = path
    self.offset = offset
    self.logError = logError
    self.schemaError = schemaError
  }

  package init(_ error: LogError) {
    let code: Code =
      switch error.code {
      case .notAStore: .notAStore
      case .exists: .exists
      case .busy: .busy
      case .tooNew: .tooNew
      case .corrupt: .corrupt
      case .diskFull: .diskFull
      case .poisoned: .poisoned
      case .outcomeUnknown: .outcomeUnknown
      case .closed: .closed
      default: .disk
      }
    self.init(code, error.message, path: error.path, offset: error.offset, logError: error)
  }

  package init(_ error: GraphError) {
    let code: Code =
      switch error.code {
      case .unreadable: .disk
      case .unsupported: .tooNew
      default: .corrupt
      }
    self.init(code, error.message, path: error.path, offset: error.offset)
  }

  package init(_ error: FormatError) {
    self.init(
      error.code == .badLength ? .tooLarge : .invalidValue, error.message, path: error.path,
      offset: error.offset)
  }
}

extension StoreError: CustomStringConvertible {
  /// The error as one line: file, offset, code, message.
  public var description: String {
    var place = path ?? ""
    if let offset { place += "@\(offset)" }
    return place.isEmpty ? "\(code.rawValue): \(message)" : "\(place): \(code.rawValue): \(message)"
  }
}
