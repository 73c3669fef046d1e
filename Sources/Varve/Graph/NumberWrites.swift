// Many writes of numbers at once, group by group. Layer: Graph.

import VarveFormat

/// Writes that a draft has not looked at yet: all of objects that were there before it.
struct NumberWrites {
  struct Write {
    /// Table, run, group and column.
    fileprivate var group: UInt64
    fileprivate var word: UInt64
    fileprivate var place: UInt32
    /// What the caller calls it.
    fileprivate var number: UInt32
  }

  private var writes: ContiguousArray<Write> = []

  var isEmpty: Bool { writes.isEmpty }
  var count: Int { writes.count }

  /// Where a write goes, what it writes and what it is called.
  subscript(index: Int) -> (RowAddress, column: Int, word: UInt64, number: Int) {
    let write = writes[index]
    var address = NumberWrites.address(write.group)
    address.row += Int(write.place)
    return (address, Int(write.group & 0xFFF), write.word, Int(write.number))
  }

  /// The first row of a group.
  private static func address(_ group: UInt64) -> RowAddress {
    RowAddress(
      table: Int(group >> 52), run: Int(group >> 36 & 0xFFFF),
      row: Int(group >> 12 & 0xFF_FFFF) << 12)
  }

  @inline(__always)
  mutating func append(_ address: RowAddress, _ column: Int, _ word: UInt64, number: Int) {
    let group =
      UInt64(address.table) << 52 | UInt64(address.run) << 36 | UInt64(address.group) << 12
      | UInt64(column)
    writes.append(
      Write(
        group: group, word: word, place: UInt32(address.place),
        number: UInt32(truncatingIfNeeded: number)))
  }

  mutating func removeAll() { writes.removeAll(keepingCapacity: true) }

  /// Calls `body` with the writes of each group and column, in their order.
  func forEachGroup(_ body: (RowAddress, _ column: Int, ArraySlice<Write>) -> Void) {
    var places: [UInt64: Int] = [:]
    var counts: [Int] = []
    var last: (group: UInt64, place: Int)?
    var ordinals = ContiguousArray<UInt32>()
    ordinals.reserveCapacity(writes.count)
    for write in writes {
      var place: Int
      if let last, last.group == write.group {
        place = last.place
      } else {
        place = places[write.group] ?? -1
        if place < 0 {
          place = counts.count
          places[write.group] = place
          counts.append(0)
        }
        last = (write.group, place)
      }
      counts[place] += 1
      ordinals.append(UInt32(place))
    }
    var starts: [Int] = [0]
    for count in counts { starts.append((starts.last ?? 0) + count) }
    var next = starts
    let none = Write(group: 0, word: 0, place: 0, number: 0)
    var sorted = [Write](repeating: none, count: writes.count)
    for (index, write) in writes.enumerated() {
      let ordinal = Int(ordinals[index])
      sorted[next[ordinal]] = write
      next[ordinal] += 1
    }
    for ordinal in counts.indices {
      let list = sorted[starts[ordinal]..<starts[ordinal + 1]]
      let group = list.first?.group ?? 0
      body(NumberWrites.address(group), Int(group & 0xFFF), list)
    }
  }
}

extension GraphState {
  /// Writes numbers to registers as `writeNumber` does, one after the other.
  ///
  /// Calls `rewritten` with the number of each write to a register that has `mark` already.
  mutating func apply(
    _ writes: NumberWrites, _ mark: WriteMark, rewritten: (Int) -> Void
  ) {
    guard writes.count > 4 else {
      for place in 0..<writes.count {
        let (address, column, word, number) = writes[place]
        if writeNumber(address, column, word, mark) { rewritten(number) }
      }
      return
    }
    let creators = creators
    writes.forEachGroup { first, column, list in
      var claimed = list
      marks.exchange(first, column, &claimed, mark, creators, rewritten: rewritten)
      guard !claimed.isEmpty else { return }
      if !explicitNils.isEmpty {
        let key = tables[first.table].columns[column].key
        for write in claimed {
          var address = first
          address.row += Int(write.place)
          explicitNils.set(nilKey(address, key), nil)
        }
      }
      tables[first.table].setWords(column, first, claimed)
    }
  }
}

extension StampBook {
  /// Claims the registers of a group for one mark; takes out writes that another mark beats.
  fileprivate mutating func exchange(
    _ first: RowAddress, _ column: Int, _ writes: inout ArraySlice<NumberWrites.Write>,
    _ mark: WriteMark, _ creators: CreatorTable, rewritten: (Int) -> Void
  ) {
    let marks = ownForWriting(first)
    marks.reserve(column, writes.count)
    let dense = marks.denseMarks(column)
    let code = dense?.code(for: mark) ?? 0
    var beaten: Set<UInt32> = []
    for write in writes {
      let place = Int(write.place)
      let written = dense.map { $0[place] } ?? marks.written(column, place)
      let known = written ?? marks.row(place)
      if mark == known {
        rewritten(Int(write.number))
        continue
      }
      guard creators.isNewer(mark, than: known) else {
        beaten.insert(write.place)
        continue
      }
      var address = first
      address.row += place
      note(address, column, written)
      if let dense { dense.set(place, code: code) } else { marks.setRegister(column, place, mark) }
    }
    if !beaten.isEmpty { writes.removeAll { beaten.contains($0.place) } }
  }
}

extension Table {
  /// Writes words of one column of a group, to rows that snapshots may show.
  fileprivate mutating func setWords(
    _ column: Int, _ first: RowAddress, _ writes: ArraySlice<NumberWrites.Write>
  ) {
    let rows = runs[first.run].rows(inGroup: first.group)
    let isSigned = columns[column].key.isSigned
    _ = runs[first.run].groups.withGroup(
      first.group, columns: column + 1, isUnpublished: false
    ) { group, isOwn -> Bool? in
      guard isOwn else { return nil }
      var rest = writes
      while let write = rest.first {
        let count = group.writeInPlace(column, rest.lazy.map { (Int($0.place), $0.word) })
        rest = rest.dropFirst(count)
        guard count == 0 else { continue }
        group.rewrite(
          column, rows: rows, holding: write.word, at: Int(write.place),
          rule: .words(isSigned: isSigned))
        rest = rest.dropFirst()
      }
      return true
    }
  }
}
