// One segment in figures: from its SEAL when it has one, else by walking it.

import Varve
import VarveFormat

/// Figures of a segment.
struct SegmentSummary: Sendable {
  var firstSequence: UInt64
  /// One less than the first when there are no transactions.
  var lastSequence: UInt64
  var transactions: UInt64
  var minStamp: Stamp?
  var maxStamp: Stamp?
  var frames: UInt64
  /// Bytes that count: up to the accepted end.
  var acceptedBytes: UInt64
  var rawBytes: UInt64
  var isSealed: Bool
  /// Where a walk met damage; nil when it met none, or when only the SEAL was read.
  var damageOffset: UInt64?
  /// How the segment ends, when it was walked.
  var verdict: SegmentVerdict?

  /// - Throws: `unreadable` and `DiskError` when the system cannot read.
  init(_ place: SegmentPlace, disk: any Disk) throws {
    if let trailer = place.trailer, let seal = try SegmentSummary.seal(place, trailer, disk) {
      self.init(place, seal)
    } else {
      try self.init(walking: place, disk: disk)
    }
  }

  private static func seal(_ place: SegmentPlace, _ trailer: Trailer, _ disk: any Disk) throws
    -> Seal?
  {
    let file = try FileSource.open(disk, place.segment.file)
    defer { file.close() }
    var scanner = try SegmentScanner(file)
    scanner.position = trailer.sealOffset
    do throws(FormatError) {
      guard case .frame(let frame) = try scanner.next(), frame.header.type == .seal else {
        return nil
      }
      return try frame.payload().read { (reader: inout ByteReader) throws(FormatError) in
        try Seal(&reader)
      }
    } catch {
      if error.code == .unreadable { throw error }
      return nil
    }
  }

  private init(_ place: SegmentPlace, _ seal: Seal) {
    firstSequence = seal.firstSequence
    lastSequence = seal.lastSequence
    transactions = seal.transactions
    minStamp = seal.transactions > 0 ? seal.minStamp : nil
    maxStamp = seal.transactions > 0 ? seal.maxStamp : nil
    frames = seal.typeCounts.reduce(1) { $0 + UInt64($1) }
    acceptedBytes = place.length
    rawBytes = seal.rawBytes
    isSealed = true
  }

  private init(walking place: SegmentPlace, disk: any Disk) throws {
    let cursor = try SegmentWalk(place, disk: disk, keepsColumns: false)
    defer { cursor.close() }
    var damage: UInt64?
    var accepted: UInt64?
    var last = place.header.firstSequence &- 1
    while true {
      let before = cursor.state.accepted
      guard let event = try cursor.next() else { break }
      if case .damage(let range) = event, damage == nil {
        damage = range.start
        accepted = before
      }
      if case .unit(let unit, _) = event { last = unit.transactions.last?.sequence ?? last }
    }
    firstSequence = place.header.firstSequence
    lastSequence = last
    transactions = cursor.transactions
    minStamp = cursor.minStamp
    maxStamp = cursor.maxStamp
    frames = cursor.frames
    acceptedBytes = accepted ?? cursor.state.accepted
    rawBytes = cursor.rawBytes
    isSealed = false
    verdict = try cursor.verdict()
    // A sealed name stands for a file that ends with its trailer.
    damageOffset = damage ?? (place.hasSealedName ? acceptedBytes : nil)
  }

  /// Raw bytes for each stored byte, `1.0x` and more.
  var ratio: Double { acceptedBytes > 0 ? Double(rawBytes) / Double(acceptedBytes) : 0 }
}
