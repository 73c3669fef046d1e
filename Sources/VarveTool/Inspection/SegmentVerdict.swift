// Judges a segment that was walked, with what its neighbours and its name say.

import Varve
import VarveFormat

/// How a segment ends, and why.
struct SegmentVerdict: Sendable {
  var verdict: TailVerdict
  var problem: FormatError?
  /// The end of what is accepted, and what lies behind it.
  var accepted: UInt64
  var droppedBytes: UInt64
  /// The largest offset that is promised durable.
  var synced: UInt64

  /// Reads all frames of a segment by the rules of recovery.
  static func judge(_ place: SegmentPlace, disk: any Disk) throws -> SegmentVerdict {
    let file = try FileSource(disk, place.path)
    defer { file.close() }
    let source: any ByteSource =
      place.hasRepairedHeader ? PatchedSource(file, header: place.header) : file
    var scanner = try SegmentScanner(source, limit: place.limit)
    do throws(FormatError) {
      let reading = try scanner.readAll(durableMark: place.durableMark)
      return SegmentVerdict(reading, place)
    } catch {
      guard error.code == .unknownFrame || error.code == .unknownVersion else {
        throw error.at(path: place.path)
      }
      let offset = error.offset ?? 0
      return SegmentVerdict(
        verdict: .clean, problem: error, accepted: offset, droppedBytes: 0, synced: offset)
    }
  }

  init(
    verdict: TailVerdict, problem: FormatError?, accepted: UInt64, droppedBytes: UInt64,
    synced: UInt64
  ) {
    self.verdict = verdict
    self.problem = problem
    self.accepted = accepted
    self.droppedBytes = droppedBytes
    self.synced = synced
  }

  private init(_ reading: SegmentReading, _ place: SegmentPlace) {
    self.init(
      verdict: reading.verdict, problem: reading.problem, accepted: reading.accepted,
      droppedBytes: reading.droppedBytes, synced: max(reading.state.synced, place.durableMark))
    let name = SegmentName(String(place.path.split(separator: "/").last ?? ""))
    if let successor = place.successor {
      let continues =
        reading.state.chain == successor.previousChain
        && reading.state.nextSequence == successor.firstSequence
      let isWhole = place.isSealed ? verdict == .sealed : accepted == successor.previousBytes
      guard !continues || !isWhole else {
        if !place.isSealed { verdict = .clean }
        return
      }
      verdict = .corrupt
      problem =
        problem
        ?? FormatError(
          .badChain, "the next segment continues another history", offset: accepted,
          path: place.path)
    } else if case .sealed = name, verdict == .sealed, !place.isSealed {
      verdict = .corrupt
      problem = FormatError(
        .badTrailer, "something follows the trailer of a sealed segment", offset: accepted)
    } else if case .sealed = name, verdict != .sealed, verdict != .corrupt {
      verdict = .corrupt
      problem =
        problem
        ?? FormatError(.badSeal, "a sealed segment without its SEAL", offset: accepted)
    }
  }

  /// What to say about it; nil when all is well.
  func finding(_ place: SegmentPlace) -> Finding? {
    let offset = problem?.offset ?? accepted
    let code = problem?.code.description ?? verdict.rawValue
    let detail = problem?.message ?? "the segment contradicts its neighbours"
    switch verdict {
    case .sealed, .clean:
      guard let problem else { return nil }
      return Finding(
        problem.code.description, .unknown, file: place.path, offset: problem.offset,
        problem.message, fix: "use a newer varve")
    case .torn:
      return Finding(
        "tornTail", .blemish, file: place.path, offset: accepted,
        "a crash cut the last write short; \(droppedBytes) bytes are ignored",
        fix: "nothing to do: the next write starts a new segment")
    case .suspect:
      return Finding(
        "suspectTail", .corruption, file: place.path, offset: offset,
        "\(droppedBytes) bytes cannot be read (\(code): \(detail)) and do not look like a crash",
        fix: Finding.recoverFix)
    case .corrupt:
      return Finding(
        code, .corruption, file: place.path, offset: offset, detail, fix: Finding.recoverFix)
    }
  }
}
