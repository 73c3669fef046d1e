// What a write wants to say in the log. Layer: Store.

import VarveFormat

/// The changes of a transaction in order; writes of single numbers take 32 bytes and no operation.
struct ChangeList {
  private struct Entry {
    /// The object of a register that is written as a whole; 0 for other operations.
    var object: UInt64
    /// The number, or the place of an operation.
    var word: UInt64
    var field: UInt32
    /// 0 for operations.
    var type: UInt8
  }

  private var entries: ContiguousArray<Entry> = []
  private(set) var operations: [Operation] = []
  /// Registers that were written more than once, and whether the last write counts or none.
  private var rewritten = RegisterSet()

  var isEmpty: Bool { entries.isEmpty }
  var count: Int { entries.count }

  /// Adds an operation and returns its place among them.
  ///
  /// `register` is the object whose one register it writes.
  @discardableResult
  mutating func append(_ operation: Operation, register: (Handle, UInt32)? = nil) -> Int {
    operations.append(operation)
    entries.append(
      Entry(
        object: register?.0.bits ?? 0, word: UInt64(operations.count - 1),
        field: register?.1 ?? 0, type: 0))
    return operations.count - 1
  }

  /// Adds a write of a number.
  @inline(__always)
  mutating func append(_ handle: Handle, _ field: UInt32, _ type: PhysicalType, _ word: UInt64) {
    entries.append(Entry(object: handle.bits, word: word, field: field, type: type.rawValue))
  }

  /// Replaces an operation.
  mutating func replace(_ place: Int, _ operation: Operation) { operations[place] = operation }

  /// Notes that the writes of a register so far do not count, and whether a later one does.
  mutating func forget(_ handle: Handle, _ field: UInt32, keepsLast: Bool) {
    rewritten.set(handle.bits, field, keepsLast ? .keepsLast : .keepsNone)
  }

  /// The same for the register of a write of a number.
  mutating func forgetNumber(_ place: Int) {
    rewritten.set(entries[place].object, entries[place].field, .keepsLast)
  }

  /// Leaves out what was written again: a transaction writes a register once at most (Q16).
  mutating func removeRewritten() {
    guard !rewritten.isEmpty else { return }
    var kept = entries.count
    for place in entries.indices.reversed() {
      let entry = entries[place]
      if entry.object != 0, rewritten.isForgotten(entry.object, entry.field) { continue }
      kept -= 1
      entries[kept] = entry
    }
    entries.removeFirst(kept)
    rewritten = RegisterSet()
  }

  /// Hands everything to a builder.
  func encode(into builder: inout TransactionBuilder, _ names: ChangeNames) {
    for entry in entries {
      if let type = PhysicalType(rawValue: entry.type) {
        builder.add(WordWrite(names.reference(entry.object), entry.field, type, entry.word))
      } else {
        builder.add(operations[Int(entry.word)])
      }
    }
  }

  /// The operations that stand for everything.
  func all(_ names: ChangeNames) -> [Operation] {
    entries.map { entry in
      PhysicalType(rawValue: entry.type).map {
        WordWrite(names.reference(entry.object), entry.field, $0, entry.word).operation
      } ?? operations[Int(entry.word)]
    }
  }
}

/// How the log names objects that a replica or branch created.
struct ChangeNames {
  /// By table.
  let entities: ContiguousArray<UInt32>
  /// Dictionary indices by creator.
  let indices: ContiguousArray<UInt32>

  init(_ state: GraphState, _ dictionary: [UInt16: UInt32]) {
    entities = ContiguousArray(state.tables.map(\.entity))
    var indices = ContiguousArray<UInt32>(
      repeating: 0, count: Int(dictionary.keys.max() ?? 0) + 1)
    for (creator, index) in dictionary { indices[Int(creator)] = index }
    self.indices = indices
  }

  @inline(__always)
  func reference(_ bits: UInt64) -> ObjectReference {
    let handle = Handle(bits: bits)
    let creator = Int(handle.creator)
    return ObjectReference(
      entity: entities[handle.table], index: creator < indices.count ? indices[creator] : 0,
      serial: handle.serial)
  }
}

/// Registers by object and field, with what is to be done about their writes.
private struct RegisterSet {
  enum Fate: UInt32 {
    case keepsLast = 1
    case keepsNone
  }

  private struct Slot {
    var object: UInt64 = 0
    var field: UInt32 = 0
    /// 0 for an empty place.
    var fate: UInt32 = 0
  }

  private var slots: ContiguousArray<Slot> = []
  private var count = 0

  var isEmpty: Bool { count == 0 }

  @inline(__always)
  private func place(_ object: UInt64, _ field: UInt32) -> Int {
    let mask = slots.count &- 1
    let key = (object ^ UInt64(field) &<< 44) &* 0x9E37_79B9_7F4A_7C15
    var place = Int(truncatingIfNeeded: key >> 32) & mask
    while slots[place].fate != 0, slots[place].object != object || slots[place].field != field {
      place = (place &+ 1) & mask
    }
    return place
  }

  mutating func set(_ object: UInt64, _ field: UInt32, _ fate: Fate) {
    if count * 2 >= slots.count { grow() }
    let place = place(object, field)
    if slots[place].fate == 0 { count += 1 }
    slots[place] = Slot(object: object, field: field, fate: fate.rawValue)
  }

  private mutating func grow() {
    let old = slots
    slots = ContiguousArray(repeating: Slot(), count: max(old.count * 2, 64))
    for slot in old where slot.fate != 0 { slots[place(slot.object, slot.field)] = slot }
  }

  /// Whether a write, met from the end, does not count.
  mutating func isForgotten(_ object: UInt64, _ field: UInt32) -> Bool {
    let place = place(object, field)
    switch slots[place].fate {
    case 0: return false
    case Fate.keepsLast.rawValue:
      slots[place].fate = Fate.keepsNone.rawValue
      return false
    default: return true
    }
  }
}
