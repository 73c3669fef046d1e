// Passing plain units says the same as taking every unit out.

import Testing
import VarveFormat
import VarveTestSupport

@Suite("Plain units")
struct PlainRunTests {
  /// All that a walk says: figures, what it met that is no plain unit, and the verdict.
  private func walk(_ bytes: [UInt8], passesPlain: Bool, limit: UInt64? = nil) -> String {
    do throws(FormatError) {
      let source = MemorySource(Bytes(bytes))
      var cursor = SegmentCursor(try SegmentScanner(source, limit: limit), durableMark: 200)
      var text = ""
      while let step = try cursor.step(passesPlain: passesPlain) {
        if step == .unit, !cursor.unitHasParts, cursor.isStampOrdered { continue }
        text += "\(step) \(cursor.state.accepted) "
        if step == .unit { text += "\(cursor.stampBefore) " }
        if case .damage(let range) = cursor.event(step) { text += "\(range) " }
      }
      let reading = try? cursor.reading()
      return text + "\(cursor.frames) \(cursor.rawBytes) \(cursor.transactions) "
        + "\(cursor.minStamp ?? .zero) \(cursor.maxStamp ?? .zero) \(cursor.hasDamage) "
        + "\(reading.map { "\($0)" } ?? "")"
    } catch { return "\(error)" }
  }

  private func compare(_ bytes: [UInt8], limit: UInt64? = nil, _ what: String) {
    let passed = walk(bytes, passesPlain: true, limit: limit)
    #expect(passed == walk(bytes, passesPlain: false, limit: limit), "\(what)")
  }

  @Test("a walk that passes plain units says what one says that looks at each, cut or flipped")
  func damage() throws {
    let specs = [
      DamageSamples.rows(mark: true, zeros: 100), DamageSamples.rows(sealed: true),
      DamageSamples.columns(sealed: true),
    ]
    for spec in specs {
      let bytes = try spec.encoded().array
      compare(bytes, "whole")
      for length in 128..<bytes.count {
        compare(Array(bytes[..<length]), "cut to \(length)")
        compare(bytes, limit: UInt64(length), "read to \(length)")
      }
      for place in 128..<bytes.count {
        var damaged = bytes
        damaged[place] ^= 1 << UInt8(place % 8)
        compare(damaged, "flipped byte \(place)")
      }
    }
  }

  @Test("broken rules under valid hashes are met by both")
  func rules() throws {
    var random = FormatRandom(seed: 9)
    var spec = SegmentSpec(DamageSamples.header())
    for (place, stamp) in [50, 60, 55, 60, 61, 61, 70].enumerated() {
      var transaction = DamageSamples.transaction(place, bytes: 30, &random)
      transaction.stamp = Stamp(milliseconds: UInt64(stamp))
      spec.append(.group([transaction]))
    }
    let bytes = try spec.encoded().array
    compare(bytes, "stamps out of order")
    #expect(walk(bytes, passesPlain: true).components(of: "unit ") == 3)
    let frames = try FrameMap(bytes).frames
    for (place, frame) in frames.enumerated() {
      compare(bytes.filter(outside: frame.range), "without frame \(place)")
    }
  }

  @Test("units that lie across windows are taken like all others")
  func windows() throws {
    let bytes = try DamageSamples.rows(groups: 900, bytesMax: 1_500).encoded().array
    #expect(bytes.count > 4 * 256 << 10)
    compare(bytes, "small frames")
    var damaged = bytes
    damaged[bytes.count / 2] ^= 4
    compare(damaged, "small frames, one flipped")
    let large = try DamageSamples.rows(groups: 20, bytesMax: 300_000).encoded().array
    compare(large, "frames larger than a window")
  }
}

extension String {
  /// How often a piece occurs.
  fileprivate func components(of piece: String) -> Int {
    indices.count { self[$0...].hasPrefix(piece) }
  }
}

extension [UInt8] {
  fileprivate func filter(outside range: Range<Int>) -> [UInt8] {
    Array(self[..<range.lowerBound] + self[range.upperBound...])
  }
}
