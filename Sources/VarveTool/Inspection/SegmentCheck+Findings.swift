// Says what a check of a segment found.

import Varve
import VarveFormat

extension SegmentCheck {
  /// What to say about it; nothing when all is well.
  var findings: [Finding] {
    let path = segment.file.path
    var list = problems.map { SegmentCheck.finding($0, path) }
    if isWhole, verdict.verdict == .corrupt {
      list.append(
        Finding(
          "badChain", .corruption, file: path, sequence: nextSequence,
          "the next segment continues another history", fix: Finding.recoverFix))
    } else if !list.contains(where: { $0.severity == .corruption }),
      let finding = verdict.finding(path),
      finding.severity != .unknown || !list.contains(where: { $0.severity == .unknown })
    {
      list.append(finding)
    }
    return list
  }

  private static func finding(_ problem: Problem, _ path: String) -> Finding {
    switch problem {
    case .damage(let range): finding(range, path)
    case .unknownFrame(let type, let offset): Finding.unknownFrame(type, path, offset)
    case .content(let error, let sequence):
      Finding(
        error.code.description, .corruption, file: path, offset: error.offset,
        sequence: sequence, error.message, fix: Finding.recoverFix)
    case .stampOrder(let offset, let sequence):
      Finding(
        "stampOrder", .blemish, file: path, offset: offset, sequence: sequence,
        "a stamp is not above the one before it")
    }
  }

  private static func finding(_ range: DamagedRange, _ path: String) -> Finding {
    var detail = range.error.message
    if !range.lost.isEmpty {
      let last = range.lost.upperBound - 1
      detail +=
        range.lost.count == 1
        ? "; sequence \(last) is lost" : "; sequences \(range.lost.lowerBound) to \(last) are lost"
    }
    return Finding(
      range.error.code.description, .corruption, file: path, offset: range.badOffset,
      sequence: range.lost.lowerBound, detail, fix: Finding.recoverFix)
  }
}

extension Finding {
  /// A frame that only a newer version understands.
  static func unknownFrame(_ type: FrameType, _ path: String, _ offset: UInt64) -> Finding {
    Finding(
      "unknownFrame", .unknown, file: path, offset: offset,
      "frame type \(type.rawValue) is from a newer version", fix: "use a newer varve")
  }
}

extension SegmentVerdict {
  /// What to say about it; nil when all is well.
  func finding(_ path: String) -> Finding? {
    let offset = problem?.offset ?? accepted
    let code = problem?.code.description ?? verdict.rawValue
    let detail = problem?.message ?? "the segment contradicts its neighbours"
    switch verdict {
    case .sealed, .clean:
      guard let problem else { return nil }
      return Finding(
        problem.code.description, .unknown, file: path, offset: problem.offset,
        problem.message, fix: "use a newer varve")
    case .torn:
      return Finding(
        "tornTail", .blemish, file: path, offset: accepted,
        "a crash cut the last write short; \(droppedBytes) bytes are ignored",
        fix: "nothing to do: the next write starts a new segment")
    case .suspect:
      return Finding(
        "suspectTail", .corruption, file: path, offset: offset,
        "\(droppedBytes) bytes cannot be read (\(code): \(detail)) and do not look like a crash",
        fix: Finding.recoverFix)
    case .corrupt:
      return Finding(
        code, .corruption, file: path, offset: offset, detail, fix: Finding.recoverFix)
    }
  }
}
