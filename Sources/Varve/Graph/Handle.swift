// Objects in memory. Layer: Graph.

import VarveFormat

/// An object while a store is open: its table, creator and serial in 64 bits (Q3).
///
/// Never persisted. All zeros is no object.
package struct Handle: Hashable, Sendable, Comparable {
  package var bits: UInt64

  private static let serialBits: UInt64 = 36
  private static let creatorBits: UInt64 = 16
  package static let tablesMax = 4_096

  @inline(__always)
  init(bits: UInt64) { self.bits = bits }

  @inline(__always)
  package init(table: Int, creator: UInt16, serial: UInt64) {
    bits =
      UInt64(table) << (Handle.serialBits + Handle.creatorBits)
      | UInt64(creator) << Handle.serialBits | serial
  }

  /// The object that a link word of a column names.
  @inline(__always)
  init(table: Int, link: UInt64) {
    self.init(
      table: table, creator: UInt16(truncatingIfNeeded: link >> 48),
      serial: link & 0xFFFF_FFFF_FFFF)
  }

  @inline(__always)
  package var table: Int { Int(bits >> (Handle.serialBits + Handle.creatorBits)) }
  @inline(__always)
  package var creator: UInt16 { UInt16(truncatingIfNeeded: bits >> Handle.serialBits) }
  @inline(__always)
  package var serial: UInt64 { bits & (1 << Handle.serialBits - 1) }

  /// The word that a column holds for a link to the object: creator and serial.
  @inline(__always)
  package var link: UInt64 { UInt64(creator) << 48 | serial }

  /// By table, creator and serial.
  package static func < (a: Handle, b: Handle) -> Bool { a.bits < b.bits }
}

/// What an object is called outside: the same in every process and on every replica (Q3).
package struct ObjectName: Hashable, Sendable {
  package enum Origin: Hashable, Sendable {
    case created(Creator, serial: UInt64)
    /// The hash of the key of an identity object.
    case identity(Hash128)
  }

  package var entity: UInt32
  package var origin: Origin

  package init(entity: UInt32, _ origin: Origin) {
    self.entity = entity
    self.origin = origin
  }
}
