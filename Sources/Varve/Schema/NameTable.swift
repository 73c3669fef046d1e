// Finds things by their names. Layer: Schema.

/// Names and what they stand for: a look-up reads the ends of a name and compares it once.
struct NameTable<Element: Sendable>: Sendable {
  private struct Entry: Sendable {
    var name: String
    var element: Element
  }

  private var entries: ContiguousArray<Entry> = []
  /// Keys of names and places of entries plus one; a power of two of them, half of them empty.
  private var keys: ContiguousArray<UInt64> = [0]
  private var places: ContiguousArray<UInt32> = [0]

  init(_ names: [String: Element]) {
    var size = 1
    while size < names.count * 2 { size *= 2 }
    keys = ContiguousArray(repeating: 0, count: size)
    places = ContiguousArray(repeating: 0, count: size)
    entries.reserveCapacity(names.count)
    for (name, element) in names {
      let key = NameTable.key(name)
      var place = self.place(key)
      while places[place] != 0 { place = (place + 1) & (size - 1) }
      entries.append(Entry(name: name, element: element))
      keys[place] = key
      places[place] = UInt32(entries.count)
    }
  }

  /// What a name stands for, by the rules of Unicode.
  ///
  /// - Complexity: O(1).
  @inline(__always)
  subscript(name: String) -> Element? {
    let key = NameTable.key(name)
    var place = self.place(key)
    while places[place] != 0 {
      if keys[place] == key {
        let index = Int(places[place]) &- 1
        if entries[index].name == name { return entries[index].element }
      }
      place = (place &+ 1) & (places.count &- 1)
    }
    return nil
  }

  @inline(__always)
  private func place(_ key: UInt64) -> Int {
    Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> 32) & (places.count &- 1)
  }

  /// Both ends and the length of an ASCII name; the same for all others, which can be equal without
  /// having the same bytes.
  @inline(__always)
  private static func key(_ name: String) -> UInt64 {
    let bytes = name.utf8.span.bytes
    let count = bytes.byteCount
    var (head, tail): (UInt64, UInt64) = (0, 0)
    if count >= 8 {
      head = bytes.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt64.self)
      tail = bytes.unsafeLoadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
      if count > 16 {
        for place in stride(from: 8, to: count &- 8, by: 8) {
          tail |= bytes.unsafeLoadUnaligned(fromByteOffset: place, as: UInt64.self) & marks
        }
      }
    } else if count >= 4 {
      head = UInt64(bytes.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt32.self))
      tail = UInt64(bytes.unsafeLoadUnaligned(fromByteOffset: count &- 4, as: UInt32.self))
    } else {
      for place in 0..<count {
        head = head << 8 | UInt64(bytes.unsafeLoadUnaligned(fromByteOffset: place, as: UInt8.self))
      }
    }
    if (head | tail) & marks != 0 { return 1 }
    return head &* 0xC2B2_AE3D_27D4_EB4F ^ (tail &+ UInt64(count))
  }

  /// The bits that only bytes beyond ASCII have.
  private static var marks: UInt64 { 0x8080_8080_8080_8080 }
}
