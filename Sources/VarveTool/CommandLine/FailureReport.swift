// Turns the error that ended a command into a line for people and an exit code.

import Varve
import VarveFormat
import VarveImport

/// What is said about an error, and how the tool ends.
struct FailureReport {
  var text: String
  var code: ExitCode

  init(_ error: any Error) {
    switch error {
    case let error as UsageError:
      text = error.text
      code = .usage
    case let error as OutputError where error.code == .closedPipe:
      text = ""
      code = .done
    case let error as FormatError:
      text = "varve: \(error)\nTry \"varve explain \(error.code)\".\n"
      code = FailureReport.exitCode(for: error.code)
    case let error as LogError:
      text = "varve: \(error)\n\(FailureReport.hint(error.code))"
      code = FailureReport.exitCode(for: error.code)
    case let error as DiskError:
      text = "varve: \(error)\n"
      code = error.code == .busy ? .busy : .operationalFailure
    case let error as ImportError:
      text = "varve: \(error)\n"
      code = .operationalFailure
    default:
      text = "varve: \(error)\n"
      code = .operationalFailure
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

  /// What to try next, as a line, or nothing.
  private static func hint(_ code: LogError.Code) -> String {
    switch code {
    case .notAStore: "Try \"varve demo\" for a store to play with, or check the path.\n"
    case .busy: "Close the program that writes to the store; reading commands work meanwhile.\n"
    case .corrupt: "Try \"varve verify\" for the extent of the damage.\n"
    case .exists: "Name a path where nothing is.\n"
    default: ""
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
