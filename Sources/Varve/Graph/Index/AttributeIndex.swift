// Finds objects by values of their attributes, across snapshots. Layer: Graph.

import VarveFormat

/// Sorted layers of entries, as in a log-structured merge tree, over what was read last.
///
/// Entries are hints: an object whose value changed has a new entry, and the old one stays until
/// layers are merged or the index is made again. A reader holds every hint to what the object reads
/// as. So an index is never wrong, only larger than need be, and one that was made for an earlier
/// graph is brought up to date by reading the groups that differ.
///
/// Copies share layers.
///
/// - Complexity: O(rows log rows) to make, O(groups + changed rows) to bring up to date,
///   O(log rows) to look up.
struct AttributeIndex: Sendable {
  let key: IndexKey
  /// Entries, the largest layer first.
  private var layers: [ContiguousArray<IndexEntry>] = []
  private var entryCount = 0
  /// The groups that were read, by run.
  private var seen: ContiguousArray<ContiguousArray<SeenGroup>> = []
  /// The draft of the state that was read last.
  private(set) var draft: UInt64 = 0

  /// A group with the rows that it had.
  private struct SeenGroup: Sendable {
    var group: RowGroup
    var rows: Int
  }

  init(_ key: IndexKey) { self.key = key }

  // MARK: reading

  /// Calls `body` with every object that may have a code in a range, some of them twice.
  func forEachHint(_ codes: ClosedRange<UInt64>, _ body: (Handle) -> Void) {
    for layer in layers {
      var place = AttributeIndex.firstPlace(layer, codes.lowerBound)
      while place < layer.count, layer[place].code <= codes.upperBound {
        body(Handle(bits: layer[place].object))
        place += 1
      }
    }
  }

  /// The codes that two different objects may have.
  func forEachDoubledCode(_ body: (UInt64) -> Void) {
    let all = merged(layers)
    var place = 1
    while place < all.count {
      let code = all[place].code
      guard code == all[place - 1].code else {
        place += 1
        continue
      }
      body(code)
      while place < all.count, all[place].code == code { place += 1 }
    }
  }

  private static func firstPlace(_ layer: ContiguousArray<IndexEntry>, _ code: UInt64) -> Int {
    var (low, high) = (0, layer.count)
    while low < high {
      let middle = (low + high) / 2
      if layer[middle].code < code { low = middle + 1 } else { high = middle }
    }
    return low
  }

  // MARK: keeping up

  /// Reads what differs from the state that was read last.
  mutating func update(_ state: GraphState) {
    draft = state.draft
    guard let index = state.tableIndex(key.entity) else { return }
    let table = state.tables[index]
    // Too many hints that nobody is behind any more.
    if entryCount > 2 * table.rows + Limits.groupRows { self = AttributeIndex(key) }
    var entries: ContiguousArray<IndexEntry> = []
    let columns = key.columns.map { table.position($0) }
    for run in table.runs.indices { update(table, index, run, columns, &entries) }
    draft = state.draft
    guard !entries.isEmpty else { return }
    entries.sort()
    add(entries)
  }

  private mutating func update(
    _ table: Table, _ index: Int, _ run: Int, _ columns: [Int?],
    _ entries: inout ContiguousArray<IndexEntry>
  ) {
    if seen.count <= run { seen.append([]) }
    for place in 0..<table.runs[run].groups.count {
      let group = table.runs[run].groups[place]
      let rows = table.runs[run].rows(inGroup: place)
      let isKnown = place < seen[run].count
      let known = isKnown ? seen[run][place] : nil
      if let known, known.group === group, known.rows == rows { continue }
      let first = Handle(
        table: index, creator: table.runs[run].creator, serial: UInt64(place << 12 + 1))
      let codes = GroupCodes(group, columns, key)
      let before = known.map { GroupCodes($0.group, columns, key) }
      codes.forEachChange(rows: rows, since: before, rows: known?.rows ?? 0) { row, code in
        entries.append(IndexEntry(code: code, object: first.bits + UInt64(row)))
      }
      let now = SeenGroup(group: group, rows: rows)
      if isKnown { seen[run][place] = now } else { seen[run].append(now) }
    }
  }

  /// Puts a layer on top; layers of like size become one, so that there are few.
  private mutating func add(_ layer: ContiguousArray<IndexEntry>) {
    entryCount += layer.count
    layers.append(layer)
    while layers.count > 1, layers[layers.count - 2].count <= 2 * layers[layers.count - 1].count {
      let last = layers.removeLast()
      let merged = merged([layers.removeLast(), last])
      layers.append(merged)
    }
    entryCount = layers.reduce(0) { $0 + $1.count }
  }

  /// One layer of several, without entries that are there twice.
  private func merged(_ layers: [ContiguousArray<IndexEntry>]) -> ContiguousArray<IndexEntry> {
    guard var result = layers.first else { return [] }
    for next in layers.dropFirst() {
      var joined: ContiguousArray<IndexEntry> = []
      joined.reserveCapacity(result.count + next.count)
      var (a, b) = (0, 0)
      while a < result.count || b < next.count {
        let takesFirst = b == next.count || a < result.count && result[a] <= next[b]
        let entry = takesFirst ? result[a] : next[b]
        if takesFirst { a += 1 } else { b += 1 }
        if joined.last != entry { joined.append(entry) }
      }
      result = joined
    }
    return result
  }
}
