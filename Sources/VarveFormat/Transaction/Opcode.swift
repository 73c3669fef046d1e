// The numbers of the operations (Q15, Q48). Numbers and bodies are fixed before the engine applies
// them.

/// What an operation does; the catalogue is in Formats/Transaction.md section 3.
package enum Opcode: UInt8, Sendable, CaseIterable {
  case create = 0x01
  case set, unset, link, unlink, pair, order
  case counterAdd = 0x08
  case counterReset, setAdd, setRemove, mapPut, mapRemove, group
  case delete = 0x0F
  case undelete, recreate, merge, schema, localMarker, blob, era
  case acceptGap = 0x17
  case acceptStore, adoption, retireReplica, tag, acknowledgeConflict, migration, pendingLink
  case columns = 0x1F

  /// Bit 7 of the stored opcode.
  static let criticalBit: UInt8 = 0x80
}
