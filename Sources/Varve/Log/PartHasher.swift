// Hashes the parts of transactions as they come, so that none has to be kept. Layer: Log.

import VarveFormat

/// Compares parts with the hashes that their transactions list.
final class PartHasher {
  /// Raw bytes that are collected before they are hashed side by side.
  private static let batchBytes = 16 << 20

  private struct Outcome: Sendable {
    var offset: UInt64
    var hash: Hash128?
    var problem: FormatError?
  }

  private let isParallel: Bool
  private let decodes: Bool
  private var waiting: [ScannedFrame] = []
  private var waitingBytes = 0
  private var outcomes: [UInt64: Outcome] = [:]

  init(isParallel: Bool, decodes: Bool) {
    self.isParallel = isParallel
    self.decodes = decodes
  }

  func add(_ frame: ScannedFrame) {
    waiting.append(frame)
    waitingBytes += frame.header.rawLength
    if !isParallel || waitingBytes >= PartHasher.batchBytes { flush() }
  }

  private func flush() {
    let frames = waiting
    waiting = []
    waitingBytes = 0
    let decodes = decodes
    let results =
      isParallel
      ? Parallel.map(frames.count) { (index: Int) throws(Never) in
        PartHasher.outcome(frames[index], decodes)
      } : frames.map { PartHasher.outcome($0, decodes) }
    for result in results { outcomes[result.offset] = result }
  }

  private static func outcome(_ frame: ScannedFrame, _ decodes: Bool) -> Outcome {
    do throws(FormatError) {
      let payload = try frame.payload()
      if decodes, frame.header.type == .columnBlock {
        try ColumnBlockDecoder.decode(payload).checkCells()
      }
      return Outcome(offset: frame.offset, hash: Checksum.hash128(payload))
    } catch { return Outcome(offset: frame.offset, problem: error.at(offset: frame.offset)) }
  }

  /// What is wrong with the parts of a unit, which are forgotten.
  func check(_ unit: Unit) throws(FormatError) -> [FormatError] {
    guard !unit.parts.isEmpty else { return [] }
    flush()
    var problems: [FormatError] = []
    let header = try unit.transactions[0].decoded().header
    for (part, entry) in zip(unit.parts, header.parts) {
      let outcome = outcomes.removeValue(forKey: part.offset)
      if let problem = outcome?.problem {
        problems.append(problem)
      } else if outcome?.hash != entry.hash {
        problems.append(
          FormatError(
            .badPart, "the hash of a part of transaction \(header.sequence) does not match",
            offset: part.offset))
      }
    }
    return problems
  }

  /// Forgets parts before `offset`, whose transaction never came.
  func reset(before offset: UInt64) {
    flush()
    outcomes = outcomes.filter { $0.key >= offset }
  }
}
