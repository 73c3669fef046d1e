// Turns the error that ended a command into lines for people or scripts, and an exit code.

import Varve
import VarveFormat
import VarveImport

/// What is said about an error, and how the tool ends.
struct FailureReport {
  /// The kind of error, as a word; empty for the end of a pipe, of which nothing is said.
  private(set) var word: String
  /// The error in one line.
  private(set) var message: String
  /// What to try, in one line.
  private(set) var hint: String?
  private(set) var path: String?
  private(set) var offset: UInt64?
  /// What was done before, in one line.
  private(set) var lasting: String?
  private(set) var code: ExitCode
  /// The line for people; the message says less than the error's own text, which names the place.
  private let line: String

  /// The report of an error that came after `lasting` work.
  init(_ error: any Error, after lasting: LastingWork? = nil) {
    (word, message, line, code) = FailureReport.content(error)
    (path, offset) = FailureReport.place(error)
    hint = FailureReport.hint(error)
    guard let lasting else { return }
    if isSilent {
      // Nobody reads any more, which is no failure: the command ends as it would have.
      code = lasting.code
      return
    }
    self.lasting = lasting.text
    if code == .operationalFailure { code = .partialSuccess }
  }

  private var isSilent: Bool { word.isEmpty }

  /// Lines for people.
  var text: String {
    if isSilent { return "" }
    let hint = hint.map { "\($0)\n" } ?? ""
    let lasting = lasting.map { "varve: \($0)\n" } ?? ""
    return "varve: \(line)\n\(hint)\(lasting)"
  }

  /// One line for scripts.
  var json: String {
    if isSilent { return "" }
    let text = { (text: String?) in text.map(JSONValue.string) ?? .null }
    let object = JSONValue.object([
      ("schema", "varve.error/1"), ("code", .string(word)), ("message", .string(message)),
      ("file", text(path)), ("offset", offset.map(JSONValue.unsigned) ?? .null),
      ("hint", text(hint)), ("lasting", text(lasting)), ("exit", .integer(Int64(code.rawValue))),
    ])
    return object.text + "\n"
  }

  private static func content(_ error: any Error) -> (String, String, String, ExitCode) {
    switch error {
    case let error as UsageError:
      (error.code.rawValue, error.message, error.message, .usage)
    case let error as OutputError where error.code == .closedPipe: ("", "", "", .done)
    case let error as OutputError:
      ("output", error.message, "\(error)", .operationalFailure)
    case let error as FormatError:
      (error.code.description, error.message, "\(error)", exitCode(for: error.code))
    case let error as LogError:
      (error.code.rawValue, error.message, "\(error)", exitCode(for: error.code))
    case let error as StoreError:
      (error.code.rawValue, error.message, "\(error)", exitCode(for: error.code))
    case let error as RefusedStore:
      (error.kind.rawValue, error.message, "\(error)", error.exitCode)
    case let error as DiskError:
      (
        error.code.rawValue, "\(error.call): \(error.message)", "\(error)",
        error.code == .busy ? .busy : .operationalFailure
      )
    case let error as ImportError:
      (error.code.rawValue, error.message, "\(error)", .operationalFailure)
    default: ("failed", "\(error)", "\(error)", .operationalFailure)
    }
  }

  private static func place(_ error: any Error) -> (String?, UInt64?) {
    switch error {
    case let error as OutputError: (error.path, error.offset)
    case let error as FormatError: (error.path, error.offset)
    case let error as LogError: (error.path, error.offset)
    case let error as StoreError: (error.path, error.offset)
    case let error as RefusedStore: (error.path, nil)
    case let error as DiskError: (error.path, error.offset)
    case let error as ImportError: (error.path, error.offset)
    default: (nil, nil)
    }
  }

  /// What to try next.
  private static func hint(_ error: any Error) -> String? {
    switch error {
    case let error as UsageError: error.hint
    case let error as FormatError: "Try \"varve explain \(error.code)\"."
    case let error as LogError: hint(error.code)
    case let error as StoreError: error.logError.flatMap { hint($0.code) }
    case is RefusedStore: hint(LogError.Code.corrupt)
    default: nil
    }
  }

  private static func hint(_ code: LogError.Code) -> String? {
    switch code {
    case .notAStore: "Try \"varve demo\" for a store to play with, or check the path."
    case .busy: "Close the program that writes to the store; reading commands work meanwhile."
    case .corrupt: "Try \"varve verify\" for the extent of the damage."
    case .exists: "Name a path where nothing is."
    default: nil
    }
  }

  /// The exit code of an error of a store.
  static func exitCode(for code: StoreError.Code) -> ExitCode {
    switch code {
    case .busy: .busy
    case .corrupt: .corruption
    case .tooNew: .unknownFormat
    default: .operationalFailure
    }
  }

  /// The exit code of an error of the log.
  static func exitCode(for code: LogError.Code) -> ExitCode {
    switch code {
    case .busy: .busy
    case .corrupt: .corruption
    case .tooNew: .unknownFormat
    default: .operationalFailure
    }
  }

  /// The exit code of a format error: corruption unless it is something else.
  static func exitCode(for code: FormatError.Code) -> ExitCode {
    switch code {
    case .unreadable, .notVarve, .wrongFile: .operationalFailure
    case .unknownVersion, .unknownFrame: .unknownFormat
    default: .corruption
    }
  }
}
