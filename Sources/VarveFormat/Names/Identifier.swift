// 16-byte identifiers of stores and replicas.

/// A 16-byte identifier of a kind.
public protocol Identifier: Hashable, Sendable, CustomStringConvertible {
  /// The 16 bytes.
  var bytes: [16 of UInt8] { get }
  /// The identifier with these bytes.
  init(bytes: [16 of UInt8])
}

/// Names a store.
public struct StoreID: Identifier {
  /// The 16 bytes.
  public let bytes: [16 of UInt8]
  /// The identifier with these bytes.
  public init(bytes: [16 of UInt8]) { self.bytes = bytes }
}

/// Names a replica: one incarnation of a writer, not a device.
public struct ReplicaID: Identifier {
  /// The 16 bytes.
  public let bytes: [16 of UInt8]
  /// The identifier with these bytes.
  public init(bytes: [16 of UInt8]) { self.bytes = bytes }
}

extension Identifier {
  /// The bytes as an array.
  package var array: [UInt8] { (0..<16).map { bytes[$0] } }

  package init(_ array: [UInt8]) {
    precondition(array.count == 16, "identifiers have 16 bytes")
    self.init(bytes: [16 of UInt8] { array[$0] })
  }

  /// The identifier that 26 base32 characters spell, or nil.
  package init?(_ text: some StringProtocol) {
    guard let bytes = Base32.decode(Array(text.utf8)) else { return nil }
    self.init(bytes)
  }

  /// 26 characters of lower-case base32.
  public var description: String { Base32.encode(array) }

  /// The bytes as two words, to compare and hash them at once.
  @inlinable @inline(__always)
  package var words: (UInt64, UInt64) {
    // SAFETY: both are 16 bytes of plain data.
    unsafeBitCast(bytes, to: (UInt64, UInt64).self)
  }

  /// Whether all bytes are equal.
  @inlinable
  public static func == (a: Self, b: Self) -> Bool {
    // SAFETY: as for `words`, which code of other modules cannot inline.
    unsafeBitCast(a.bytes, to: (UInt64, UInt64).self)
      == unsafeBitCast(b.bytes, to: (UInt64, UInt64).self)
  }

  /// Feeds all bytes.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(words.0)
    hasher.combine(words.1)
  }
}

extension ReplicaID: Comparable {
  /// Byte order: the tie rule of equal stamps (Q16).
  public static func < (a: ReplicaID, b: ReplicaID) -> Bool {
    for index in 0..<16 where a.bytes[index] != b.bytes[index] {
      return a.bytes[index] < b.bytes[index]
    }
    return false
  }
}

extension ByteReader {
  package mutating func identifier<ID: Identifier>(_ type: ID.Type) throws(FormatError) -> ID {
    ID(try bytes(16))
  }
}
