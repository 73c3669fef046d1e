// Exit codes of `varve`, one table for all commands. A contract: scripts depend on the numbers.

/// How a command ended.
enum ExitCode: Int32, CaseIterable, Sendable {
  case done = 0
  case negativeAnswer = 1
  case operationalFailure = 2
  case corruption = 3
  case recoverableBlemish = 4
  case incomplete = 5
  case unknownFormat = 6
  case busy = 7
  case keyMissing = 8
  case partialSuccess = 9
  case regression = 10
  case onlyImprovements = 11
  case usage = 64
  case internalBug = 70
  case interrupted = 130

  /// The word that tools print.
  var name: String { String(describing: self) }

  /// What the code says, in a few words.
  var meaning: String {
    switch self {
    case .done: "done; healthy; equal"
    case .negativeAnswer: "negative answer"
    case .operationalFailure: "operational failure"
    case .corruption: "corruption: committed data is unreadable"
    case .recoverableBlemish: "recoverable blemish: the store is usable as it is"
    case .incomplete: "incomplete: files are referenced but not here (yet)"
    case .unknownFormat: "too new or unknown format under --strict"
    case .busy: "busy: lock or timeout"
    case .keyMissing: "key missing or wrong, or credentials refused"
    case .partialSuccess: "partial success"
    case .regression: "performance regression"
    case .onlyImprovements: "only improvements"
    case .usage: "wrong usage of the command line"
    case .internalBug: "internal bug"
    case .interrupted: "interrupted"
    }
  }

  /// When a command ends this way.
  var example: String {
    switch self {
    case .done: "verify found nothing; diff found no difference"
    case .negativeAnswer: "diff found differences; query --exit-code found no match"
    case .operationalFailure: "an I/O or network failure; the path is not a store"
    case .corruption: "a checksum mismatch inside the log"
    case .recoverableBlemish: "a torn tail after a crash; a missing index; a stale baseline"
    case .incomplete: "a sync is in flight; a gap in the log of a replica"
    case .unknownFormat: "a newer major version"
    case .busy: "a writer is active and the command needs the lock"
    case .keyMissing: "the store cannot be decrypted; the container answers 403"
    case .partialSuccess: "an import rejected rows; a sync pushed and failed to pull"
    case .regression: "bench compare found a slower benchmark"
    case .onlyImprovements: "bench compare --report-improvements found faster ones only"
    case .usage: "an unknown option; a missing argument"
    case .internalBug: "a failed check inside the tool: please report it"
    case .interrupted: "Ctrl-C"
    }
  }

  /// All codes as one JSON object, for `--exit-map`.
  static var map: JSONValue {
    .object([
      ("schema", "varve.exitMap/1"),
      (
        "codes",
        .array(
          allCases.map { code in
            .object([
              ("code", .integer(Int64(code.rawValue))), ("name", .string(code.name)),
              ("meaning", .string(code.meaning)), ("example", .string(code.example)),
            ])
          })
      ),
    ])
  }
}
