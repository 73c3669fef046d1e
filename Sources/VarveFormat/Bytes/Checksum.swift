// XXH3 over raw memory. Detects accidents, not adversaries.

import CXXHash

/// A 128-bit hash.
@frozen
public struct Hash128: Hashable, Sendable {
  /// The low 64 bits.
  public var low: UInt64
  /// The high 64 bits.
  public var high: UInt64

  /// A hash from its halves.
  @inlinable public init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }

  /// 16 zero bytes: the chain before the first transaction.
  public static let zero = Hash128(low: 0, high: 0)

  /// The first eight stored bytes, in stored order.
  package var prefix: [UInt8] { withUnsafeBytes(of: low.littleEndian) { [UInt8]($0) } }

  /// The 16 stored bytes.
  package var storedBytes: [UInt8] {
    prefix + withUnsafeBytes(of: high.littleEndian) { [UInt8]($0) }
  }

  /// The sum modulo 2^128, which does not depend on the order of its terms.
  @inlinable public static func &+= (a: inout Hash128, b: Hash128) {
    let (low, carry) = a.low.addingReportingOverflow(b.low)
    a.low = low
    a.high = a.high &+ b.high &+ (carry ? 1 : 0)
  }

  /// The difference modulo 2^128.
  @inlinable public static func &-= (a: inout Hash128, b: Hash128) {
    let (low, borrow) = a.low.subtractingReportingOverflow(b.low)
    a.low = low
    a.high = a.high &- b.high &- (borrow ? 1 : 0)
  }
}

extension Hash128: CustomStringConvertible {
  /// 32 hexadecimal digits, most significant first.
  public var description: String { hexadecimal(high) + hexadecimal(low) }
}

extension ByteReader {
  /// The hash of the bytes between a position that was passed and the cursor.
  func hash64(seed: UInt64, from start: Int) -> UInt64 {
    Checksum.hash64(seed: seed, passed(from: start))
  }

  /// The hash of the bytes between a position that was passed and the cursor.
  func hash128(from start: Int) -> Hash128 { Checksum.hash128(passed(from: start)) }
}

extension ByteWriter {
  /// The hash of what was appended from `start` on.
  func hash64(seed: UInt64, from start: Int = 0) -> UInt64 {
    withUnsafeBytes {
      Checksum.hash64(seed: seed, UnsafeRawBufferPointer(rebasing: $0[start...]))
    }
  }

  /// The hash of what was appended from `start` on.
  func hash128(from start: Int = 0) -> Hash128 {
    withUnsafeBytes { Checksum.hash128(UnsafeRawBufferPointer(rebasing: $0[start...])) }
  }
}

// SAFETY: hashing reads exactly the buffer that it is given, which its caller keeps alive.

/// Hash functions of the format.
package enum Checksum {
  @inline(__always)
  package static func hash64(seed: UInt64, _ bytes: UnsafeRawBufferPointer) -> UInt64 {
    varve_hash64(seed, bytes.baseAddress, bytes.count)
  }

  package static func hash64(seed: UInt64, _ bytes: Bytes) -> UInt64 {
    bytes.withUnsafeBytes { hash64(seed: seed, $0) }
  }

  @inline(__always)
  package static func hash128(_ bytes: UnsafeRawBufferPointer) -> Hash128 {
    let hash = varve_hash128_of(bytes.baseAddress, bytes.count)
    return Hash128(low: hash.low, high: hash.high)
  }

  package static func hash128(_ bytes: Bytes) -> Hash128 {
    bytes.withUnsafeBytes { hash128($0) }
  }

  package static func hash128(_ bytes: [UInt8]) -> Hash128 {
    bytes.withUnsafeBytes { hash128($0) }
  }

  /// The next value of a chain: `hash128(chain ‖ transactionHash)`.
  package static func chain(_ previous: Hash128, _ transaction: Hash128) -> Hash128 {
    let words: [4 of UInt64] = [
      previous.low.littleEndian, previous.high.littleEndian,
      transaction.low.littleEndian, transaction.high.littleEndian,
    ]
    return withUnsafeBytes(of: words) { hash128($0) }
  }
}
