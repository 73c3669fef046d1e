// Tags of entities and attributes that nobody declared (Q8, Q50).

@_spi(_Unicode) import Swift

/// Tags made from names: bit 31 and the low 31 bits of XXH3-64 of the NFC form of the name.
package enum InferredTag {
  /// The tag of an entity.
  package static func entity(_ name: String) -> UInt32 { tag(of: name) }

  /// The tag of an attribute, of the name `Entity.attribute`.
  package static func attribute(entity: String, name: String) -> UInt32 {
    tag(of: "\(entity).\(name)")
  }

  private static func tag(of name: String) -> UInt32 {
    0x8000_0000 | UInt32(truncatingIfNeeded: Checksum.hash64(seed: 0, Bytes(canonicalBytes(name))))
      & 0x7FFF_FFFF
  }

  /// The UTF-8 bytes of the NFC form.
  package static func canonicalBytes(_ name: String) -> [UInt8] {
    let bytes = Array(name.utf8)
    if bytes.allSatisfy({ $0 < 0x80 }) { return bytes }
    var scalars = String.UnicodeScalarView()
    for scalar in name._nfc { scalars.append(scalar) }
    return Array(String(scalars).utf8)
  }
}
