// What opening a log found, as a value (D14). Layer: Log.

import VarveFormat

/// One finding about a file.
public struct RecoveryFinding: Sendable, Equatable {
  /// What was found.
  ///
  /// Cases may be added.
  public enum Kind: String, Sendable {
    /// A crash cut the last write short; nothing acknowledged is missing.
    case tornTail
    /// An unreadable tail that does not look like a crash: acknowledged transactions may be
    /// missing.
    case suspectTail
    /// Durable or sealed bytes cannot be read.
    case corrupt
    /// Segments or sequences are missing between others.
    case gap
    /// A file that does not belong where it lies; it is ignored.
    case foreignFile
    /// A segment that was never used: its header was not written.
    case unusedFile
    /// A superblock slot, or the whole file, could not be used.
    case superblock
    /// The directory is a copy, or came from a backup: writing continues under a fresh replica
    /// (R37).
    case copied
    /// The store was not closed in order. Harmless.
    case unclean
  }

  /// What was found.
  public var kind: Kind
  /// The file.
  public var path: String
  /// The byte where it begins.
  public var offset: UInt64?
  /// Bytes that are not used.
  public var bytes: UInt64?
  /// The first sequence that is concerned.
  public var sequence: UInt64?
  /// What happened and what to do, in a sentence.
  public var message: String
}

/// What was found when a log was opened.
///
/// Printing it is up to the caller.
public struct RecoveryReport: Sendable, Equatable {
  /// All findings, in the order of discovery.
  public var findings: [RecoveryFinding] = []
  /// Segment files that belong to the log.
  public var segments = 0
  /// Transactions in the tail that was replayed: those of segments without a seal.
  public var tailTransactions: UInt64 = 0
  /// The last accepted sequence of the writing replica.
  public var lastSequence: UInt64 = 0
  /// Whether writing continues under the same replica.
  public var continuesReplica = true

  /// Whether acknowledged transactions may be missing.
  public var isDamaged: Bool {
    findings.contains { [.suspectTail, .corrupt, .gap].contains($0.kind) }
  }

  mutating func note(
    _ kind: RecoveryFinding.Kind, _ path: String, _ message: String, offset: UInt64? = nil,
    bytes: UInt64? = nil, sequence: UInt64? = nil
  ) {
    findings.append(
      RecoveryFinding(
        kind: kind, path: path, offset: offset, bytes: bytes, sequence: sequence, message: message))
  }
}
