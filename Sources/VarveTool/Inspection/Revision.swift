// Transactions and ranges of them as people name them.

import Varve
import VarveFormat

/// One transaction named on the command line.
enum Revision: Equatable {
  /// `REPLICA:SEQUENCE`, or a sequence alone.
  case position(replica: ReplicaID?, sequence: UInt64)
  /// `#9f31c0`: the start of its hash, in hexadecimal.
  case hash(prefix: String)
  /// The newest transaction.
  case head

  /// Digits of a hash that are needed at least.
  static let hashDigitsMin = 6

  init(_ text: String, replicas: [ReplicaID]) throws(UsageError) {
    if text.uppercased() == "HEAD" {
      self = .head
    } else if text.hasPrefix("#") {
      let digits = text.dropFirst().lowercased()
      guard digits.count >= Revision.hashDigitsMin, digits.count <= 32,
        digits.allSatisfy(\.isHexDigit)
      else {
        throw Revision.error(text, "a hash has \(Revision.hashDigitsMin) to 32 hexadecimal digits")
      }
      self = .hash(prefix: digits)
    } else {
      let position = try Revision.position(text, replicas)
      self = .position(replica: position.replica, sequence: position.sequence)
    }
  }

  fileprivate static func position(
    _ text: some StringProtocol, _ replicas: [ReplicaID]
  ) throws(UsageError) -> (replica: ReplicaID?, sequence: UInt64) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count <= 2, let last = parts.last, let sequence = UInt64(last) else {
      throw error(String(text), "it is no sequence number")
    }
    guard parts.count == 2, let first = parts.first else { return (nil, sequence) }
    return (try ReplicaText.find(String(first), among: replicas), sequence)
  }

  fileprivate static func error(_ text: String, _ why: String) -> UsageError {
    UsageError(
      .badArgument, "\"\(text)\" names no transaction: \(why)",
      hint: "Write REPLICA:SEQUENCE, a SEQUENCE, #HASH or HEAD; \"varve log --oneline\" lists them."
    )
  }
}

/// `A..B`: behind A, up to B.
struct RevisionRange {
  private var replica: ReplicaID?
  private var lower: UInt64?
  private var upper: UInt64?

  /// Whether a word looks like a range rather than a path.
  static func isRange(_ word: String) -> Bool {
    guard let dots = word.firstRange(of: "..") else { return false }
    let ends = [word[..<dots.lowerBound], word[dots.upperBound...]]
    return ends.contains { !$0.isEmpty }
      && ends.allSatisfy { end in
        end.isEmpty
          || end.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == ":") }
            && end.last?.isNumber == true
      }
  }

  init(_ word: String, replicas: [ReplicaID]) throws(UsageError) {
    guard let dots = word.firstRange(of: "..") else { throw Revision.error(word, "it is no range") }
    let (first, last) = (word[..<dots.lowerBound], word[dots.upperBound...])
    let lower = first.isEmpty ? nil : try Revision.position(first, replicas)
    let upper = last.isEmpty ? nil : try Revision.position(last, replicas)
    replica = lower?.replica ?? upper?.replica
    if replica == nil, replicas.count == 1 { replica = replicas.first }
    guard replica != nil || replicas.isEmpty else {
      throw Revision.error(word, "there are several replicas; write REPLICA:SEQUENCE")
    }
    if let other = upper?.replica, other != replica {
      throw Revision.error(word, "both ends must be of one replica")
    }
    self.lower = lower?.sequence
    self.upper = upper?.sequence
  }

  func contains(_ replica: ReplicaID, _ sequence: UInt64) -> Bool {
    replica == self.replica && sequence > (lower ?? 0) && sequence <= (upper ?? .max)
  }
}
