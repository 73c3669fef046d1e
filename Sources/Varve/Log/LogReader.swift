// Reads the units of one replica's log in order, across its segments. Layer: Log.

import VarveFormat

/// How far an unsealed newest segment may be read.
package enum ReadBound: Sendable {
  /// All valid frames: for recovery and for tools.
  case validFrames
  /// What is known durable: for readers beside a live writer (Q28, Q52).
  case syncedOffset
}

/// What reading one segment gave.
package struct SegmentResult: Sendable {
  package let segment: CatalogSegment
  package let reading: SegmentReading
  /// How it ends in its place, and why.
  package let judgement: SegmentVerdict

  package var verdict: TailVerdict { judgement.verdict }
}

/// Walks segments.
package struct LogReader: Sendable {
  package let disk: any Disk

  package init(_ disk: any Disk) { self.disk = disk }

  /// Reads one segment and judges it with what its neighbours say.
  ///
  /// `expected` is the chain and sequence at the end of the previous segment, when that was read.
  ///
  /// - Throws: `disk` for failed system calls and `tooNew` for newer files. Damage is a verdict.
  package func read(
    _ segment: CatalogSegment, bound: ReadBound = .validFrames,
    hint: (ScannedFrame) throws(FormatError) -> Void = { _ throws(FormatError) in },
    unit: (Unit) throws(FormatError) -> Void = { _ throws(FormatError) in }
  ) throws(LogError) -> SegmentResult {
    let path = segment.file.path
    let source: FileSource
    do throws(DiskError) { source = try FileSource.open(disk, segment.file) } catch {
      throw LogError(error)
    }
    defer { source.close() }
    do throws(FormatError) {
      var limit = segment.limit
      if case .syncedOffset = bound, segment.isNewest, !segment.file.isSealed {
        // The superblock vouches for hints, which no frame may have promised yet.
        limit = max(try syncedOffset(source, limit: limit), min(segment.durableMark, limit))
      }
      var scanner = try SegmentScanner(source, limit: limit)
      let reading = try scanner.readAll(durableMark: segment.durableMark, hint: hint, unit: unit)
      return SegmentResult(
        segment: segment, reading: reading, judgement: SegmentVerdict(reading, segment))
    } catch { throw LogError(error, path: path) }
  }

  /// The largest synced offset that a valid frame promises.
  private func syncedOffset(_ source: FileSource, limit: UInt64) throws(FormatError) -> UInt64 {
    var scanner = try SegmentScanner(source, limit: limit)
    return try scanner.readAll().state.synced
  }
}
