// The directories of a simulated disk: visible names, durable names, pending changes. Layer: test
// support.

import Varve

/// The directory tree of a simulated disk.
///
/// Nodes are numbered like inodes; node 0 is the root. A change of a name is pending until its
/// directory is synced. A crash keeps any subset of the pending changes; those kept are applied in
/// the order in which they were made, so that a later removal can survive while an earlier rename
/// is lost.
struct SimulatedNames: Sendable {
  static let root = 0

  /// A name in a directory.
  struct Slot: Hashable, Sendable {
    var directory: Int
    var name: String
  }

  /// A change that was not synced: a creation sets a slot, a removal clears one, a rename does both
  /// at once.
  struct Change: Sendable {
    var node: Int
    var sets: Slot?
    var clears: Slot?
    /// Whether the slot is cleared only while it leads to the node.
    var isRename = false
    /// Whether the directory of the cleared slot was synced already.
    var isSourceSynced = false
    /// For messages, for example `rename a b`.
    var text: String
  }

  typealias Entries = [Int: [String: Int]]

  /// What programs see: the names in each directory.
  private(set) var entries: Entries = [root: [:]]
  /// What is on the medium for certain.
  private(set) var durable: Entries = [root: [:]]
  /// The changes since, oldest first.
  private(set) var pending: [Change] = []

  // MARK: Looking up

  /// What is at a path, or nil.
  func node(at path: String, call: String) throws(DiskError) -> Int? {
    var node = Self.root
    for name in Self.components(path) {
      guard let names = entries[node] else {
        throw SimulatedDisk.error(.notDirectory, path, call)
      }
      guard let next = names[name] else { return nil }
      node = next
    }
    return node
  }

  /// The place of a path in its parent directory, which must exist.
  func slot(for path: String, call: String) throws(DiskError) -> Slot {
    var components = Self.components(path)
    guard let name = components.popLast() else {
      throw SimulatedDisk.error(.isDirectory, path, call)
    }
    let parent = try node(at: components.joined(separator: "/"), call: call)
    guard let parent else { throw SimulatedDisk.error(.notFound, path, call) }
    guard entries[parent] != nil else { throw SimulatedDisk.error(.notDirectory, path, call) }
    return Slot(directory: parent, name: name)
  }

  func isDirectory(_ node: Int) -> Bool { entries[node] != nil }

  subscript(slot: Slot) -> Int? { entries[slot.directory]?[slot.name] }

  /// All nodes that have a name or may have one after a crash.
  var nodes: Set<Int> {
    var nodes = Set(pending.map(\.node))
    for names in entries.values { nodes.formUnion(names.values) }
    for names in durable.values { nodes.formUnion(names.values) }
    return nodes
  }

  /// Whether `node` is `ancestor` or lies below it.
  func isBelow(_ node: Int, _ ancestor: Int) -> Bool {
    node == ancestor || (entries[ancestor] ?? [:]).values.contains { isBelow(node, $0) }
  }

  /// All paths with their nodes, directories included.
  func tree() -> [(path: String, node: Int)] {
    var result: [(path: String, node: Int)] = []
    collect(Self.root, "", into: &result)
    return result
  }

  private func collect(_ node: Int, _ path: String, into result: inout [(path: String, node: Int)])
  {
    for (name, child) in (entries[node] ?? [:]).sorted(by: { $0.key < $1.key }) {
      let childPath = path.isEmpty ? name : path + "/" + name
      result.append((childPath, child))
      collect(child, childPath, into: &result)
    }
  }

  /// Whether a path is on the medium for certain, with all directories above it.
  func isDurable(_ path: String) -> Bool {
    var node = Self.root
    for name in Self.components(path) {
      guard let next = durable[node]?[name], next == entries[node]?[name] else { return false }
      node = next
    }
    return true
  }

  static func components(_ path: String) -> [String] {
    path.split(separator: "/").map(String.init).filter { $0 != "." }
  }

  // MARK: Changing

  mutating func create(_ node: Int, isDirectory: Bool, in slot: Slot, text: String) {
    if isDirectory {
      entries[node] = [:]
      durable[node] = [:]
    }
    change(Change(node: node, sets: slot, clears: nil, text: text))
  }

  mutating func remove(_ node: Int, from slot: Slot, text: String) {
    change(Change(node: node, sets: nil, clears: slot, text: text))
  }

  mutating func rename(_ node: Int, from source: Slot, to target: Slot, text: String) {
    change(Change(node: node, sets: target, clears: source, isRename: true, text: text))
  }

  /// Puts a name on the medium at once, for tests that prepare a disk.
  mutating func place(_ node: Int, isDirectory: Bool, in slot: Slot) {
    let change = Change(node: node, sets: slot, clears: nil, text: "")
    if isDirectory {
      entries[node] = [:]
      durable[node] = [:]
    }
    Self.apply(change, to: &entries)
    Self.apply(change, to: &durable)
  }

  private mutating func change(_ change: Change) {
    Self.apply(change, to: &entries)
    pending.append(change)
  }

  // A removal removes the name whatever it leads to; a rename removes its old name only while that
  // leads to its node.
  private static func apply(_ change: Change, to entries: inout Entries) {
    if let slot = change.sets { entries[slot.directory]?[slot.name] = change.node }
    if let slot = change.clears {
      if !change.isRename || entries[slot.directory]?[slot.name] == change.node {
        entries[slot.directory]?[slot.name] = nil
      }
    }
  }

  // MARK: Syncing

  /// Makes the names in one directory durable.
  ///
  /// A rename between directories is durable when both are synced. After a sync of the target's
  /// directory alone both names may be found; after one of the source's alone, either.
  mutating func sync(_ directory: Int) {
    var rest: [Change] = []
    for (index, change) in pending.enumerated() {
      let sets = change.sets?.directory == directory
      let clears = change.clears?.directory == directory
      let isWhole = change.sets == nil || change.clears == nil || (sets && clears)
      if !sets && !clears {
        rest.append(change)
      } else if isWhole || (clears && isNameReused(change.clears, after: index)) {
        Self.apply(change, to: &durable)
      } else if sets && change.isSourceSynced {
        Self.apply(change, to: &durable)
      } else if sets {
        var half = change
        half.clears = nil
        Self.apply(half, to: &durable)
        half = change
        half.sets = nil
        rest.append(half)
      } else {
        var half = change
        half.isSourceSynced = true
        rest.append(half)
      }
    }
    pending = rest
  }

  // A durable new file under the old name of a moved one shows that the move is durable too.
  private func isNameReused(_ slot: Slot?, after index: Int) -> Bool {
    pending[(index + 1)...].contains { $0.sets == slot }
  }

  /// Makes the names that lead to one file durable, as ext4 does when it syncs a new file.
  mutating func syncNames(of node: Int) {
    var rest: [Change] = []
    for change in pending {
      if change.node == node, let slot = change.sets {
        // What was removed from this slot before must not be removed after.
        rest.removeAll { $0.sets == nil && $0.clears == slot }
        Self.apply(change, to: &durable)
      } else {
        rest.append(change)
      }
    }
    pending = rest
  }

  /// The names after a crash that keeps some of the pending changes.
  func image(keeping isKept: (Int) -> Bool) -> SimulatedNames {
    var image = durable
    for (index, change) in pending.enumerated() where isKept(index) {
      Self.apply(change, to: &image)
    }
    var names = SimulatedNames()
    names.entries = image
    names.durable = image
    let nodes = Set(names.tree().map(\.node)).union([Self.root])
    names.entries = image.filter { nodes.contains($0.key) }
    names.durable = names.entries
    return names
  }
}
