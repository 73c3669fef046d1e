// One walk: the verdict does not depend on whether reading went on behind damage.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Segment cursor")
struct SegmentCursorTests {
  /// What a recovery says, from a walk that goes on and from one that stops.
  private func compare(_ bytes: [UInt8], _ durableMark: UInt64, _ what: String) throws {
    let source = MemorySource(Bytes(bytes))
    guard var scanner = try? SegmentScanner(source) else { return }
    let expected = outcome { () throws(FormatError) in
      try scanner.readAll(durableMark: durableMark)
    }
    var cursor = SegmentCursor(try SegmentScanner(source), durableMark: durableMark)
    var hasDamage = false
    while let event = try cursor.next() {
      if case .damage = event { hasDamage = true }
    }
    #expect(outcome { () throws(FormatError) in try cursor.reading() } == expected, "\(what)")
    #expect(hasDamage == cursor.hasDamage, "\(what)")
    // What is lost behind a durable mark only is no damage of a frame.
    if hasDamage { #expect(!expected.contains("sealed"), "\(what)") }
  }

  private func outcome(_ read: () throws(FormatError) -> SegmentReading) -> String {
    do throws(FormatError) {
      let reading = try read()
      return "\(reading.verdict) \(reading.accepted) \(reading.droppedBytes) "
        + "\(reading.problem?.description ?? "") \(reading.state.nextSequence)"
    } catch { return "\(error)" }
  }

  @Test("a walk that goes on behind damage judges as a recovery does, cut or flipped anywhere")
  func verdicts() throws {
    for (mark, sealed, zeros) in [(false, false, 0), (true, false, 600), (false, true, 0)] {
      let spec = DamageSamples.rows(mark: mark, sealed: sealed, zeros: zeros)
      let bytes = try spec.encoded().array
      for durableMark in [0, UInt64(bytes.count / 2)] {
        for length in 128...bytes.count {
          try compare(Array(bytes[..<length]), durableMark, "cut to \(length)")
        }
        for place in 128..<bytes.count {
          var damaged = bytes
          damaged[place] ^= 1 << UInt8(place % 8)
          try compare(damaged, durableMark, "flipped byte \(place)")
        }
      }
    }
  }

  @Test("a window is read into the same memory only when nobody kept a piece of it")
  func windows() throws {
    let spec = DamageSamples.rows(groups: 40, bytesMax: 60_000)
    let source = CopyingSource(bytes: try spec.encoded())
    #expect(source.length > 600_000)
    var scanner = try SegmentScanner(source)
    var kept: [(ScannedTransaction, Hash128)] = []
    let reading = try scanner.readAll(unit: { (unit: Unit) throws(FormatError) in
      for transaction in unit.transactions { kept.append((transaction, transaction.hash)) }
    })
    #expect(reading.verdict == .clean)
    #expect(kept.allSatisfy { Checksum.hash128($0.0.bytes) == $0.1 })
  }
}

/// A file in memory that reuses what it is given, as a real one does.
private struct CopyingSource: ByteSource {
  let bytes: Bytes
  var length: UInt64 { UInt64(bytes.count) }
  var path: String? { nil }

  func read(_ offset: UInt64, _ count: Int) throws(FormatError) -> Bytes {
    try read(offset, count, reusing: nil)
  }

  func read(_ offset: UInt64, _ count: Int, reusing spare: Memory?) throws(FormatError) -> Bytes {
    let piece = bytes.slice(Int(offset), min(count, bytes.count - Int(offset)))
    return Memory.filled(count: piece.count, reusing: spare) { buffer in
      piece.withUnsafeBytes { buffer.copyMemory(from: $0) }
      return piece.count
    }
  }
}
