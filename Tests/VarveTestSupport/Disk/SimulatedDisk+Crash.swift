// What a crash leaves of a simulated disk. Layer: test support.

import Varve

/// Which un-synced changes a crash keeps.
package enum CrashChoice: Sendable, Hashable {
  /// What was durable, nothing else.
  case nothingUnsynced
  /// All of it, as if everything had been synced.
  case everything
  /// Any part of it, by a seed.
  case random(UInt64)
  /// The units of `unsyncedUnits` whose bit is set.
  ///
  /// Of several versions of one sector or length the newest counts.
  case subset([Bool])
}

/// One un-synced thing that a crash keeps or loses.
package struct CrashUnit: Sendable, Hashable, CustomStringConvertible {
  package enum Kind: Sendable, Hashable {
    /// The file has this length.
    case length(Int)
    /// The sector of this number holds what this change left in it.
    case sector(Int, change: Int)
    /// This change of names is done.
    case name(Int)
  }

  package var kind: Kind
  /// The path, or the change of names in words.
  package var text: String
  /// The file; 0 for changes of names.
  package var node: Int

  package var description: String {
    switch kind {
    case .length(let length): "\(text): length \(length)"
    case .sector(let sector, let change): "\(text): sector \(sector), change \(change)"
    case .name: text
    }
  }
}

extension SimulatedDisk {
  /// The disk as a machine finds it that was switched off now.
  ///
  /// This disk stays as it is. Options are taken over; faults, locks and open files are not.
  package func crash(keeping choice: CrashChoice) -> SimulatedDisk {
    let snapshot = state.withLock { $0 }
    let plan = snapshot.plan(choice)
    var after = State(generator: snapshot.generator)
    after.names = snapshot.names.image { plan.names.contains($0) }
    for (_, node) in after.names.tree() {
      guard let content = snapshot.contents[node] else { continue }
      after.contents[node] = SimulatedContent(
        durable: content.image(plan.contents[node] ?? .nothing))
    }
    after.options = snapshot.options
    after.nextNode = snapshot.nextNode
    return SimulatedDisk(state: after)
  }

  /// Everything un-synced, in a fixed order: for each file its lengths and sectors, then the
  /// changes of names.
  package var unsyncedUnits: [CrashUnit] {
    state.withLock { $0.unsyncedUnits }
  }

  /// Choices that together lead to every possible image, each once, or a sample when there are more
  /// than `limit`.
  ///
  /// A sample starts with nothing and everything; the rest is random and depends on `seed`.
  package func crashChoices(limit: Int = 4096, seed: UInt64 = 0) -> [CrashChoice] {
    let (units, lengths) = state.withLock { state in
      (state.unsyncedUnits, state.contents.mapValues(\.durable.count))
    }
    if let masks = CrashEnumerator(units: units, limit: limit).masks(lengths) {
      return masks.map { .subset($0) }
    }
    var generator = SplitMix64(seed: seed)
    let sample = (0..<max(0, limit - 2)).map { _ in CrashChoice.random(generator.next()) }
    return [.nothingUnsynced, .everything] + sample
  }
}

/// What a crash keeps, part by part.
struct CrashPlan {
  var names: Set<Int> = []
  var contents: [Int: SimulatedContent.Choice] = [:]
}

extension SimulatedDisk.State {
  /// The files with un-synced changes, in a fixed order.
  private var dirtyFiles: [(node: Int, content: SimulatedContent)] {
    let nodes = names.nodes
    return contents.filter { nodes.contains($0.key) && !$0.value.changes.isEmpty }.sorted {
      $0.key < $1.key
    }
    .map { (node: $0.key, content: $0.value) }
  }

  var unsyncedUnits: [CrashUnit] {
    var paths: [Int: String] = [:]
    for (path, node) in names.tree() { paths[node] = path }
    var units: [CrashUnit] = []
    for (node, content) in dirtyFiles {
      let text = paths[node] ?? "removed file \(node)"
      for length in content.lengthVersions {
        units.append(CrashUnit(kind: .length(length), text: text, node: node))
      }
      for (sector, changes) in content.sectorVersions {
        for change in changes {
          units.append(CrashUnit(kind: .sector(sector, change: change), text: text, node: node))
        }
      }
    }
    for (index, change) in names.pending.enumerated() {
      units.append(CrashUnit(kind: .name(index), text: change.text, node: 0))
    }
    return units
  }

  func plan(_ choice: CrashChoice) -> CrashPlan {
    switch choice {
    case .nothingUnsynced:
      return CrashPlan()
    case .everything:
      var plan = CrashPlan(names: Set(names.pending.indices))
      for (node, _) in dirtyFiles { plan.contents[node] = .everything }
      return plan
    case .random(let seed):
      return randomPlan(SplitMix64(seed: seed))
    case .subset(let mask):
      return plan(mask)
    }
  }

  private func plan(_ mask: [Bool]) -> CrashPlan {
    let units = unsyncedUnits
    precondition(mask.count == units.count, "a mask has one bit for each un-synced unit")
    var plan = CrashPlan()
    var lengths: [Int: Int] = [:]
    var sectors: [Int: [Int: Int]] = [:]
    for (unit, isKept) in zip(units, mask) where isKept {
      switch unit.kind {
      case .length(let length): lengths[unit.node] = length
      case .sector(let sector, let change): sectors[unit.node, default: [:]][sector] = change
      case .name(let index): plan.names.insert(index)
      }
    }
    for (node, content) in dirtyFiles {
      plan.contents[node] = .mixed(
        length: lengths[node] ?? content.durable.count, lastChange: sectors[node] ?? [:])
    }
    return plan
  }

  // Each file, and the names, are kept, lost or mixed in a proportion of their own: a fair coin for
  // each sector would never keep a long write whole.
  private func randomPlan(_ source: SplitMix64) -> CrashPlan {
    var generator = source
    var plan = CrashPlan()
    for (node, content) in dirtyFiles {
      switch UInt8.random(in: 0..<4, using: &generator) {
      case 0: plan.contents[node] = .nothing
      case 1: plan.contents[node] = .everything
      default: plan.contents[node] = Self.randomChoice(content, &generator)
      }
    }
    let proportion = UInt8.random(in: 0...4, using: &generator)
    for index in names.pending.indices
    where UInt8.random(in: 0..<4, using: &generator) < proportion {
      plan.names.insert(index)
    }
    return plan
  }

  private static func randomChoice(
    _ content: SimulatedContent, _ generator: inout SplitMix64
  ) -> SimulatedContent.Choice {
    let lengths = [content.durable.count] + content.lengthVersions
    let proportion = UInt8.random(in: 1...15, using: &generator)
    var lastChange: [Int: Int] = [:]
    for (sector, changes) in content.sectorVersions
    where UInt8.random(in: 0..<16, using: &generator) < proportion {
      lastChange[sector] = changes.randomElement(using: &generator)
    }
    // The full length in half of the cases, or most torn writes would only look shorter.
    let length =
      Bool.random(using: &generator) ? lengths.last : lengths.randomElement(using: &generator)
    return .mixed(length: length ?? content.durable.count, lastChange: lastChange)
  }
}

/// Lists the masks that lead to different images.
struct CrashEnumerator {
  /// Units of which at most one is kept.
  private struct Group {
    var node: Int
    /// Where the group's sector starts; nil for lengths and names.
    var start: Int?
    var units: [Int]
  }

  private let units: [CrashUnit]
  private let limit: Int
  private let groups: [Group]

  init(units: [CrashUnit], limit: Int) {
    self.units = units
    self.limit = limit
    groups = Self.groups(units)
  }

  /// All masks, or nil when there are more than the limit; `lengths` are the durable ones of all
  /// files.
  func masks(_ lengths: [Int: Int]) -> [[Bool]]? {
    var result: [[Bool]] = []
    var mask = Array(repeating: false, count: units.count)
    let isComplete = extend(&mask, lengths, 0, &result)
    return isComplete ? result : nil
  }

  private static func groups(_ units: [CrashUnit]) -> [Group] {
    var groups: [Group] = []
    for (index, unit) in units.enumerated() {
      var start: Int?
      if case .sector(let sector, _) = unit.kind { start = sector * SimulatedContent.sectorBytes }
      if unit.node != 0, let last = groups.last, last.node == unit.node, last.start == start {
        groups[groups.count - 1].units.append(index)
      } else {
        groups.append(Group(node: unit.node, start: start, units: [index]))
      }
    }
    return groups
  }

  // Goes through the choices for one group and, for each, through those for the rest. What lies
  // behind the end of a file makes no difference.
  private func extend(
    _ mask: inout [Bool], _ lengths: [Int: Int], _ index: Int, _ result: inout [[Bool]]
  ) -> Bool {
    guard index < groups.count else {
      result.append(mask)
      return result.count <= limit
    }
    let group = groups[index]
    guard extend(&mask, lengths, index + 1, &result) else { return false }
    if let start = group.start, let length = lengths[group.node], start >= length { return true }
    for unit in group.units {
      var lengths = lengths
      if case .length(let length) = units[unit].kind { lengths[group.node] = length }
      mask[unit] = true
      defer { mask[unit] = false }
      guard extend(&mask, lengths, index + 1, &result) else { return false }
    }
    return true
  }
}
