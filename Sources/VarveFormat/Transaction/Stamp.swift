// Hybrid logical clock values (R2).

/// A value that orders concurrent writes: epoch, milliseconds since 1970, counter.
public struct Stamp: Hashable, Sendable, Comparable {
  /// Bits 63...56 epoch, 55...12 milliseconds, 11...0 counter.
  public var rawValue: UInt64

  /// The stamp with these bits.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  package init(epoch: UInt8 = 0, milliseconds: UInt64, counter: UInt16 = 0) {
    rawValue =
      UInt64(epoch) << 56 | (milliseconds & Stamp.millisecondsMax) << 12 | UInt64(counter & 0xFFF)
  }

  package static let millisecondsMax: UInt64 = (1 << 44) - 1
  /// Before every write.
  public static let zero = Stamp(rawValue: 0)

  /// The clock's epoch, raised only to escape a poisoned clock (R6).
  public var epoch: UInt8 { UInt8(rawValue >> 56) }
  /// Milliseconds since 1970-01-01T00:00:00Z.
  public var milliseconds: UInt64 { rawValue >> 12 & Stamp.millisecondsMax }

  /// The next stamp: the wall clock if it is ahead of everything seen, else one more than the
  /// largest seen.
  ///
  /// A full counter carries into the milliseconds and never fails.
  package func next(wallMilliseconds: UInt64) -> Stamp {
    let wall = Stamp(epoch: epoch, milliseconds: min(wallMilliseconds, Stamp.millisecondsMax))
    return wall > self ? wall : Stamp(rawValue: rawValue == .max ? .max : rawValue + 1)
  }

  /// Unsigned order of the bits.
  public static func < (a: Stamp, b: Stamp) -> Bool { a.rawValue < b.rawValue }
}

extension Stamp: CustomStringConvertible {
  /// 16 hexadecimal digits.
  public var description: String { hexadecimal(rawValue) }
}
