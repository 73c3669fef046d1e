// Access to a simulated disk past its system calls. Layer: test support.

import Varve

extension SimulatedDisk {
  // MARK: Faults

  /// Lets something go wrong; of several faults that hit one call the first injected one acts.
  package func inject(_ fault: DiskFault) {
    state.withLock { $0.faults.inject(fault) }
  }

  /// Ends all faults.
  package func clearFaults() {
    state.withLock { $0.faults.clear() }
  }

  /// Stops the machine at the n-th call from now that changes the disk: it fails, without effect,
  /// and all later ones too.
  package func freezeAfter(calls count: Int) {
    state.withLock { $0.faults.freeze(afterChanges: count) }
  }

  /// Ends a freeze, also one to come.
  package func thaw() {
    state.withLock { $0.faults.freeze(afterChanges: nil) }
  }

  /// Whether the call that `freezeAfter` waits for was made.
  package var isFrozen: Bool {
    state.withLock { $0.faults.isFrozen }
  }

  // MARK: Calls

  /// The calls made so far, those that failed included.
  package var calls: [DiskCallRecord] {
    state.withLock { $0.faults.calls }
  }

  /// How many of the calls change the disk: the range of `freezeAfter`.
  package var changeCallCount: Int {
    state.withLock { $0.faults.changeCount }
  }

  /// Forgets the calls made so far.
  package func forgetCalls() {
    state.withLock { $0.faults.forgetCalls() }
  }

  // MARK: Contents

  /// The paths of all files, sorted.
  package var paths: [String] {
    state.withLock { state in
      state.names.tree().filter { !state.names.isDirectory($0.node) }.map(\.path).sorted()
    }
  }

  /// The paths of all directories but the root, sorted.
  package var directories: [String] {
    state.withLock { state in
      state.names.tree().filter { state.names.isDirectory($0.node) }.map(\.path).sorted()
    }
  }

  /// What programs see of a file, or nil when there is none.
  package func bytes(of path: String) -> [UInt8]? {
    state.withLock { $0.content(at: path)?.bytes }
  }

  /// Puts a file on the disk, durable at once; directories are made, an old file is replaced.
  package func setBytes(of path: String, to bytes: [UInt8]) {
    state.withLock { $0.place(path, SimulatedContent(durable: bytes)) }
  }

  /// Puts a directory on the disk, durable at once, with those above it.
  package func setDirectory(_ path: String) {
    state.withLock { $0.place(path, nil) }
  }

  /// Bit rot: flips one bit of a file, counted from the lowest bit of the first byte.
  package func flipBit(of path: String, bit: Int) {
    state.withLock { state in
      guard let node = try? state.names.node(at: path, call: "flip") else {
        preconditionFailure("there is no file at \(path)")
      }
      state.contents[node]?.flip(bit: bit)
    }
  }

  /// Whether no crash can change anything.
  package var isDurable: Bool {
    state.withLock { state in
      state.names.pending.isEmpty
        && state.names.tree().allSatisfy { state.contents[$0.node]?.isDurable ?? true }
    }
  }

  /// Whether no crash can change this file or directory or take its name.
  package func isDurable(_ path: String) -> Bool {
    state.withLock { state in
      guard let node = try? state.names.node(at: path, call: "stat") else { return false }
      return state.names.isDurable(path) && state.contents[node]?.isDurable ?? true
    }
  }

  /// A copy with all that is un-synced and with the faults to come, without locks.
  package func clone() -> SimulatedDisk {
    var copy = state.withLock { $0 }
    copy.locks = [:]
    return SimulatedDisk(state: copy)
  }
}

extension SimulatedDisk.State {
  fileprivate func content(at path: String) -> SimulatedContent? {
    (try? names.node(at: path, call: "stat")).flatMap { $0 }.flatMap { contents[$0] }
  }

  // Nil content makes a directory.
  fileprivate mutating func place(_ path: String, _ content: SimulatedContent?) {
    var directory = SimulatedNames.root
    let components = SimulatedNames.components(path)
    for (index, name) in components.enumerated() {
      let isDirectory = index < components.count - 1 || content == nil
      let slot = SimulatedNames.Slot(directory: directory, name: name)
      let old = names[slot]
      let node = old ?? makeNode()
      precondition(
        old == nil || names.isDirectory(node) == isDirectory,
        "something else is at \(path) already")
      if old == nil { names.place(node, isDirectory: isDirectory, in: slot) }
      if !isDirectory { contents[node] = content }
      directory = node
    }
  }
}
