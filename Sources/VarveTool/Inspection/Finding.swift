// What an inspection found wrong, and the exit code that follows.

import Varve
import VarveFormat

/// One thing worth saying about a store or file.
struct Finding: Sendable, Equatable {
  /// How bad it is, mildest first.
  enum Severity: Int, Sendable, Comparable {
    /// Nothing is wrong.
    case note
    /// The store is usable as it is.
    case blemish
    /// Written by a newer version.
    case unknown
    /// Something that others refer to is not here.
    case gap
    /// Committed data is unreadable.
    case corruption

    var name: String { String(describing: self) }
    static func < (a: Severity, b: Severity) -> Bool { a.rawValue < b.rawValue }
  }

  /// A word; `varve explain` has a page for those of FormatError.
  var code: String
  var severity: Severity
  /// The file.
  var file: String
  var offset: UInt64?
  /// The first sequence that is concerned.
  var sequence: UInt64?
  /// What was found, in a sentence.
  var detail: String
  /// What to do; empty when nothing is to be done.
  var fix: String

  init(
    _ code: String, _ severity: Severity, file: String, offset: UInt64? = nil,
    sequence: UInt64? = nil, _ detail: String, fix: String = ""
  ) {
    self.code = code
    self.severity = severity
    self.file = file
    self.offset = offset
    self.sequence = sequence
    self.detail = detail
    self.fix = fix
  }

  /// `corruption badFrameHash FILE@OFFSET: detail; fix`.
  var line: String {
    let place = offset.map { "\(file)@\($0)" } ?? file
    let tail = fix.isEmpty ? "" : "; \(fix)"
    return "\(severity.name) \(code) \(TablePrinter.visible("\(place): \(detail)\(tail)"))"
  }

  var json: JSONValue { .object(members) }

  /// The stable members of its JSON.
  var members: [(String, JSONValue)] {
    [
      ("code", .string(code)), ("severity", .string(severity.name)), ("file", .string(file)),
      ("offset", offset.map(JSONValue.unsigned) ?? .null),
      ("sequence", sequence.map(JSONValue.unsigned) ?? .null), ("detail", .string(detail)),
      ("fix", .string(fix)),
    ]
  }
}

extension Finding {
  /// What the engine found when it listed a store.
  init(_ finding: RecoveryFinding) {
    let severity: Severity
    var fix = ""
    switch finding.kind {
    case .unclean, .unusedFile: severity = .note
    case .copied: severity = .note
    case .foreignFile:
      severity = finding.offset == nil ? .note : .blemish
      fix = "move it to where its header says it belongs"
    case .superblock:
      severity = .blemish
      fix = "nothing to do: the next write repairs it"
    case .tornTail:
      severity = .blemish
      fix = "nothing to do: the next write starts a new segment"
    case .gap:
      severity = .gap
      fix = "bring the missing files back from a copy of the store"
    case .suspectTail, .corrupt:
      severity = .corruption
      fix = Finding.recoverFix
    }
    self.init(
      finding.kind.rawValue, severity, file: finding.path, offset: finding.offset,
      sequence: finding.sequence, finding.message, fix: fix)
  }

  static let recoverFix = "take a copy of the store, then: varve recover STORE -o NEW"
}

extension [Finding] {
  /// The exit code of an inspection: the worst finding decides.
  func exitCode(strict: Bool) -> ExitCode {
    switch map(\.severity).max() {
    case .corruption: .corruption
    case .gap: .incomplete
    case .unknown: strict ? .unknownFormat : .done
    case .blemish: .recoverableBlemish
    case .note, nil: .done
    }
  }
}
