// A segment file that is open for a walk.

import Varve
import VarveFormat

/// A cursor with its file.
final class SegmentWalk {
  let place: SegmentPlace
  private let file: FileSource
  private var cursor: SegmentCursor

  /// Opens the file; unless `goesOn` is false the walk goes on behind damage.
  init(_ place: SegmentPlace, disk: any Disk, goesOn: Bool = true, keepsColumns: Bool = true)
    throws
  {
    self.place = place
    file = try FileSource.open(disk, place.segment.file)
    let source: any ByteSource =
      place.hasRepairedHeader ? PatchedSource(file, header: place.header) : file
    cursor = SegmentCursor(
      try SegmentScanner(source, limit: place.segment.limit),
      durableMark: place.segment.durableMark, goesOn: goesOn, keepsColumns: keepsColumns)
  }

  func close() { file.close() }

  var state: SegmentState { cursor.state }
  var frames: UInt64 { cursor.frames }
  var rawBytes: UInt64 { cursor.rawBytes }
  var transactions: UInt64 { cursor.transactions }
  var minStamp: Stamp? { cursor.minStamp }
  var maxStamp: Stamp? { cursor.maxStamp }

  /// The next event, nil at the end.
  ///
  /// - Throws: `unreadable`. Damage is an event.
  func next() throws(FormatError) -> SegmentEvent? { try cursor.next() }

  /// How the segment ends, at the end of the walk.
  ///
  /// - Throws: `unreadable`.
  func verdict() throws(FormatError) -> SegmentVerdict { try cursor.verdict(place.segment) }
}

extension SegmentVerdict {
  /// Reads all frames of a segment by the rules of recovery.
  static func judge(_ place: SegmentPlace, disk: any Disk) throws -> SegmentVerdict {
    let walk = try SegmentWalk(place, disk: disk, goesOn: false, keepsColumns: false)
    defer { walk.close() }
    do throws(FormatError) {
      while try walk.next() != nil {}
      return try walk.verdict()
    } catch { throw error.at(path: place.path) }
  }
}
