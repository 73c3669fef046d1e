// Who points to whom through a to-one column: CSR at rest, an overlay under mutation (Q35).
// Layer: Graph.

import VarveFormat

/// Members by target in two arrays: those of target t are at offsets[t]..<offsets[t + 1].
///
/// Built at one moment; rows that came later are in the overlay.
private final class AdjacencyBase: @unchecked Sendable {
  /// A run as it was when the arrays were built.
  struct Span {
    var creator: UInt16
    /// The number of the first row.
    var start: Int
    var rows: Int
  }

  let targets: [Span]
  let sources: [Span]
  /// Place in `targets` plus one, by creator.
  let targetByCreator: [UInt16]
  let offsets: Memory
  let members: Memory

  init(targets: [Span], sources: [Span], offsets: Memory, members: Memory) {
    self.targets = targets
    self.sources = sources
    self.offsets = offsets
    self.members = members
    var places = [UInt16](repeating: 0, count: Int(targets.map(\.creator).max() ?? 0) + 1)
    for (place, span) in targets.enumerated() { places[Int(span.creator)] = UInt16(place + 1) }
    targetByCreator = places
  }

  /// The number of a target's row; nil when it came later.
  @inline(__always)
  func number(_ link: UInt64) -> Int? {
    let creator = Int(link >> 48)
    guard creator < targetByCreator.count, targetByCreator[creator] > 0 else { return nil }
    let span = targets[Int(targetByCreator[creator]) - 1]
    let row = Int(link & 0xFFFF_FFFF_FFFF) - 1
    return row >= 0 && row < span.rows ? span.start + row : nil
  }

  // SAFETY: `offsets` has one entry more than there are targets, each at most the member count.

  @inline(__always)
  func range(_ number: Int) -> Range<Int> {
    let all = offsets.base.assumingMemoryBound(to: UInt32.self)
    return Int(all[number])..<Int(all[number + 1])
  }

  /// Calls `body` with the link of each member.
  @inline(__always)
  func forEach(_ number: Int, _ body: (UInt64) -> Void) {
    let range = range(number)
    let all = members.base.assumingMemoryBound(to: UInt32.self)
    var span = 0
    for place in range {
      let row = Int(all[place])
      while row >= sources[span].start + sources[span].rows { span += 1 }
      body(
        UInt64(sources[span].creator) << 48 | UInt64(row - sources[span].start + 1))
    }
  }
}

/// The inverse of a to-one column.
struct Adjacency: Sendable {
  private var base: AdjacencyBase
  /// Targets whose members changed since: their whole lists.
  private var overlay = ShardedMap<UInt64, MemberList>()

  /// Counts, sums up and fills in: two passes over the column.
  ///
  /// - Complexity: O(rows of both tables).
  init(source: Table, column: Int?, target: Table?) {
    let targets = Adjacency.spans(target)
    let sources = Adjacency.spans(source)
    let targetRows = targets.last.map { $0.start + $0.rows } ?? 0
    let offsets = Memory(zeroed: (targetRows + 2) * 4)
    let counts = offsets.base.assumingMemoryBound(to: UInt32.self)
    let probe = AdjacencyBase(
      targets: targets, sources: sources, offsets: offsets, members: Memory(count: 0))
    // A link to a row that is not there cannot be listed by number.
    var strays: [(target: UInt64, source: UInt64)] = []
    Adjacency.forEachLink(source, column) { number, link, own in
      if let place = probe.number(link) {
        counts[place + 1] += 1
      } else {
        strays.append((link, own))
      }
      _ = number
    }
    for place in 0..<targetRows { counts[place + 1] += counts[place] }
    let total = Int(counts[targetRows])
    let members = Memory(count: total * 4)
    let list = members.base.assumingMemoryBound(to: UInt32.self)
    let next = Memory(count: (targetRows + 1) * 4)
    next.base.copyMemory(from: offsets.base, byteCount: (targetRows + 1) * 4)
    let cursor = next.base.assumingMemoryBound(to: UInt32.self)
    Adjacency.forEachLink(source, column) { number, link, _ in
      guard let place = probe.number(link) else { return }
      list[Int(cursor[place])] = UInt32(number)
      cursor[place] += 1
    }
    base = AdjacencyBase(targets: targets, sources: sources, offsets: offsets, members: members)
    for stray in strays { insert(stray.source, of: stray.target) }
  }

  private static func spans(_ table: Table?) -> [AdjacencyBase.Span] {
    var start = 0
    return (table?.runs ?? []).sorted { $0.creator < $1.creator }.map { run in
      defer { start += run.rows }
      return AdjacencyBase.Span(creator: run.creator, start: start, rows: run.rows)
    }
  }

  /// Calls `body` with row number, target and own link of every row that has one.
  private static func forEachLink(
    _ source: Table, _ column: Int?, _ body: (Int, UInt64, UInt64) -> Void
  ) {
    guard let column else { return }
    var start = 0
    for run in source.runs.sorted(by: { $0.creator < $1.creator }) {
      for index in 0..<run.groups.count {
        let group = run.groups[index]
        let slot = group.slot(column)
        guard slot.form != .absent else { continue }
        for row in 0..<run.rows(inGroup: index) {
          guard let link = slot.number(row) else { continue }
          let serial = index << 12 + row + 1
          body(start + serial - 1, link, UInt64(run.creator) << 48 | UInt64(serial))
        }
        withExtendedLifetime(group) {}
      }
      start += run.rows
    }
  }

  // MARK: reading

  /// Calls `body` with the link of each member, in ascending order of creator and serial.
  @inline(__always)
  func forEach(_ target: UInt64, _ body: (UInt64) -> Void) {
    if !overlay.isEmpty, let list = overlay[target] { return list.forEach(body) }
    if let number = base.number(target) { base.forEach(number, body) }
  }

  /// How many rows point to a target.
  func count(_ target: UInt64) -> Int {
    if !overlay.isEmpty, let list = overlay[target] { return list.count }
    return base.number(target).map { base.range($0).count } ?? 0
  }

  // MARK: changes

  mutating func insert(_ source: UInt64, of target: UInt64) {
    change(target) { $0.insert(source) }
  }

  mutating func remove(_ source: UInt64, of target: UInt64) {
    change(target) { $0.remove(source) }
  }

  private mutating func change(_ target: UInt64, _ body: (inout MemberList) -> Void) {
    let base = base
    overlay.update(target) { list in
      if list == nil {
        var links: [UInt64] = []
        if let number = base.number(target) { base.forEach(number) { links.append($0) } }
        list = MemberList(sorted: links)
      }
      if var changed = list.take() {
        body(&changed)
        list = changed
      }
    }
  }
}
