// A disk in memory that crashes and fails on demand. Layer: test support.
//
// It keeps the promises of Formats/Media.md and no other. The parts: contents (`SimulatedContent`),
// names (`SimulatedNames`), faults (`SimulatedFaults`), crashes (`SimulatedDisk+Crash`), access for
// tests (`SimulatedDisk+Inspection`).

import Synchronization
import Varve

/// A simulated disk, whose behaviour depends on its seed and on the calls alone.
package final class SimulatedDisk: Disk {
  struct State: Sendable {
    var names = SimulatedNames()
    var contents: [Int: SimulatedContent] = [:]
    var faults = SimulatedFaults()
    var options = Options()
    var nextNode = 1
    var locks: [Int: LockedFile] = [:]
    var nextLock = 0
    var generator: SplitMix64
  }

  /// How the disk behaves.
  package struct Options: Sendable {
    /// The bytes that fit on it; nil for no limit.
    package var capacity: UInt64?
    /// Whether it says that it is a network file system.
    package var isRemote = false
    /// Whether it is mounted read-only.
    package var isReadOnly = false
    /// Whether a sync of a file makes its name durable, as on ext4; nothing may rely on that.
    package var syncMakesNameDurable = false

    package init() {}
  }

  struct LockedFile: Sendable {
    let node: Int
    let slot: SimulatedNames.Slot
  }

  let state: Mutex<State>

  /// An empty disk: a root directory, which every path starts from, with or without a leading
  /// slash.
  package init(seed: UInt64 = 0, options: Options = Options()) {
    var state = State(generator: SplitMix64(seed: seed))
    state.options = options
    self.state = Mutex(state)
  }

  init(state: sending State) {
    self.state = Mutex(state)
  }

  /// How the disk behaves; may be changed at any time.
  package var options: Options {
    get { state.withLock { $0.options } }
    set { state.withLock { $0.options = newValue } }
  }

  static func error(
    _ code: DiskError.Code, _ path: String, _ call: String, offset: UInt64? = nil
  ) -> DiskError {
    DiskError(code, code.advice(), path: path, call: call, offset: offset)
  }

  // MARK: Disk

  package func open(_ path: String, _ mode: OpenMode) throws(DiskError) -> any DiskFile {
    let node = try state.withLock { state throws(DiskError) in
      try state.open(path, mode)
    }
    return SimulatedFile(disk: self, node: node, path: path, isWritable: mode != .read)
  }

  package func makeDirectory(_ path: String) throws(DiskError) {
    try state.withLock { state throws(DiskError) in
      try state.begin(.makeDirectory, path)
      if SimulatedNames.components(path).isEmpty { return }
      let slot = try state.names.slot(for: path, call: "mkdir")
      if let node = state.names[slot] {
        if state.names.isDirectory(node) { return }
        throw SimulatedDisk.error(.exists, path, "mkdir")
      }
      try state.requireWritable(path, "mkdir")
      let node = state.makeNode()
      state.names.create(node, isDirectory: true, in: slot, text: "makeDirectory \(path)")
    }
  }

  package func rename(_ source: String, to target: String) throws(DiskError) {
    try state.withLock { state throws(DiskError) in
      try state.begin(.rename, source, target)
      try state.requireWritable(source, "rename")
      try state.rename(source, to: target)
    }
  }

  package func remove(_ path: String) throws(DiskError) {
    try state.withLock { state throws(DiskError) in
      try state.begin(.remove, path)
      let slot = try state.names.slot(for: path, call: "unlink")
      guard let node = state.names[slot] else {
        throw SimulatedDisk.error(.notFound, path, "unlink")
      }
      if state.names.isDirectory(node) { throw SimulatedDisk.error(.isDirectory, path, "unlink") }
      try state.requireWritable(path, "unlink")
      state.names.remove(node, from: slot, text: "remove \(path)")
    }
  }

  package func list(_ directory: String) throws(DiskError) -> [String] {
    try state.withLock { state throws(DiskError) in
      try state.begin(.list, directory)
      let node = try state.directory(directory, "readdir")
      return (state.names.entries[node] ?? [:]).keys.sorted().shuffled(using: &state.generator)
    }
  }

  package func status(_ path: String) throws(DiskError) -> FileStatus? {
    try state.withLock { state throws(DiskError) in
      try state.begin(.status, path)
      guard let node = try state.names.node(at: path, call: "stat") else { return nil }
      return FileStatus(
        isDirectory: state.names.isDirectory(node),
        length: UInt64(state.contents[node]?.bytes.count ?? 0), inode: UInt64(node), device: 1)
    }
  }

  package func syncDirectory(_ path: String) throws(DiskError) {
    try state.withLock { state throws(DiskError) in
      let effect = try state.begin(.syncDirectory, path)
      let node = try state.directory(path, "fsync")
      if effect != .lie { state.names.sync(node) }
    }
  }

  package func lock(_ path: String) throws(DiskError) -> any DiskLock {
    let number = try state.withLock { state throws(DiskError) in
      try state.begin(.lock, path)
      return try state.lock(path)
    }
    return SimulatedLock(disk: self, number: number, path: path)
  }

  package func freeBytes(_ path: String) throws(DiskError) -> UInt64 {
    try state.withLock { state throws(DiskError) in
      try state.begin(.freeBytes, path)
      guard try state.names.node(at: path, call: "statvfs") != nil else {
        throw SimulatedDisk.error(.notFound, path, "statvfs")
      }
      return state.freeBytes
    }
  }

  package func isRemote(_ path: String) throws(DiskError) -> Bool {
    try state.withLock { state throws(DiskError) in
      try state.begin(.isRemote, path)
      guard try state.names.node(at: path, call: "statfs") != nil else {
        throw SimulatedDisk.error(.notFound, path, "statfs")
      }
      return state.options.isRemote
    }
  }
}

extension SimulatedDisk.State {
  /// Notes a call; throws or returns what goes wrong with it.
  @discardableResult
  mutating func begin(
    _ call: DiskCall, _ path: String, _ detail: String = ""
  ) throws(DiskError) -> DiskFault.Effect? {
    try faults.note(DiskCallRecord(call: call, path: path, detail: detail))
  }

  mutating func makeNode() -> Int {
    defer { nextNode += 1 }
    return nextNode
  }

  func requireWritable(_ path: String, _ call: String) throws(DiskError) {
    if options.isReadOnly { throw SimulatedDisk.error(.readOnly, path, call) }
  }

  /// The node of a directory that must exist.
  func directory(_ path: String, _ call: String) throws(DiskError) -> Int {
    guard let node = try names.node(at: path, call: call) else {
      throw SimulatedDisk.error(.notFound, path, call)
    }
    guard names.isDirectory(node) else { throw SimulatedDisk.error(.notDirectory, path, call) }
    return node
  }

  /// The bytes of all files that have a name.
  var usedBytes: UInt64 {
    Set(names.tree().map(\.node)).reduce(0) { $0 + UInt64(contents[$1]?.bytes.count ?? 0) }
  }

  var freeBytes: UInt64 {
    guard let capacity = options.capacity else { return 1 << 50 }
    let used = usedBytes
    return capacity > used ? capacity - used : 0
  }

  mutating func open(_ path: String, _ mode: OpenMode) throws(DiskError) -> Int {
    if mode == .create { return try create(path) }
    try begin(.open, path, mode == .read ? "read" : "readWrite")
    guard let node = try names.node(at: path, call: "open") else {
      throw SimulatedDisk.error(.notFound, path, "open")
    }
    if names.isDirectory(node) { throw SimulatedDisk.error(.isDirectory, path, "open") }
    if mode == .readWrite { try requireWritable(path, "open") }
    return node
  }

  private mutating func create(_ path: String) throws(DiskError) -> Int {
    try begin(.create, path)
    if SimulatedNames.components(path).isEmpty {
      throw SimulatedDisk.error(.exists, path, "open")
    }
    let slot = try names.slot(for: path, call: "open")
    if names[slot] != nil { throw SimulatedDisk.error(.exists, path, "open") }
    try requireWritable(path, "open")
    return addFile(path, in: slot)
  }

  private mutating func addFile(_ path: String, in slot: SimulatedNames.Slot) -> Int {
    let node = makeNode()
    contents[node] = SimulatedContent()
    names.create(node, isDirectory: false, in: slot, text: "create \(path)")
    return node
  }

  mutating func rename(_ source: String, to target: String) throws(DiskError) {
    let from = try names.slot(for: source, call: "rename")
    guard let node = names[from] else { throw SimulatedDisk.error(.notFound, source, "rename") }
    let to = try names.slot(for: target, call: "rename")
    if names.isBelow(to.directory, node) {
      throw SimulatedDisk.error(.unsupported, source, "rename")
    }
    if let old = names[to] {
      if old == node { return }
      switch (names.isDirectory(node), names.isDirectory(old)) {
      case (false, true): throw SimulatedDisk.error(.isDirectory, source, "rename")
      case (true, false): throw SimulatedDisk.error(.notDirectory, source, "rename")
      case (true, true) where names.entries[old] != [:]:
        throw SimulatedDisk.error(.exists, source, "rename")
      default: break
      }
    }
    names.rename(node, from: from, to: to, text: "rename \(source) \(target)")
  }

  // The same rules as for the real lock: neither the file nor its name may be locked already.
  mutating func lock(_ path: String) throws(DiskError) -> Int {
    let slot = try names.slot(for: path, call: "flock")
    var node = names[slot]
    if node == nil {
      try faults.requireRunning(path, .lock)
      try requireWritable(path, "open")
      node = addFile(path, in: slot)
    }
    guard let node, !names.isDirectory(node) else {
      throw SimulatedDisk.error(.isDirectory, path, "open")
    }
    if locks.values.contains(where: { $0.node == node || $0.slot == slot }) {
      throw SimulatedDisk.error(.busy, path, "flock")
    }
    defer { nextLock += 1 }
    locks[nextLock] = SimulatedDisk.LockedFile(node: node, slot: slot)
    return nextLock
  }
}
