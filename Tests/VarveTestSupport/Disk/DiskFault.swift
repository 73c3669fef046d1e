// Faults of a simulated disk, and the record of its calls. Layer: test support.

import Varve

/// The calls of `Disk`, `DiskFile` and `DiskLock`.
package enum DiskCall: String, Sendable, CaseIterable {
  case open, create, makeDirectory, rename, remove, list, status, syncDirectory, lock
  case freeBytes, isRemote, read, write, sync, truncate, length, close

  /// Whether it changes what is on the disk or makes it durable.
  package var changesDisk: Bool {
    switch self {
    case .create, .makeDirectory, .rename, .remove, .syncDirectory, .write, .sync, .truncate: true
    case .open, .list, .status, .lock, .freeBytes, .isRemote, .read, .length, .close: false
    }
  }
}

/// A call that was made.
package struct DiskCallRecord: Sendable, Equatable, CustomStringConvertible {
  package var call: DiskCall
  package var path: String
  /// The other path, the offset and length, or the kind of sync.
  package var detail: String

  package var description: String {
    detail.isEmpty ? "\(call) \(path)" : "\(call) \(path) \(detail)"
  }
}

/// Something that goes wrong on a simulated disk.
package struct DiskFault: Sendable {
  /// What happens to the call.
  package enum Effect: Sendable, Equatable {
    /// It fails and does nothing.
    case fail(DiskError.Code)
    /// A write stores its first bytes, then fails.
    case shortWrite(bytes: Int, DiskError.Code)
    /// A sync or close fails and the system takes the pages for clean: what was not durable never
    /// will be, and the next sync succeeds.
    case failAndForget(DiskError.Code)
    /// A sync of a file or directory succeeds and makes nothing durable.
    case lie

    // What it does to a call that it was not made for.
    fileprivate func adapted(to call: DiskCall) -> Effect? {
      switch self {
      case .shortWrite(_, let code) where call != .write: .fail(code)
      case .failAndForget(let code) where call != .sync && call != .close: .fail(code)
      case .lie where call != .sync && call != .syncDirectory: nil
      default: self
      }
    }
  }

  package var effect: Effect
  /// The kind of call; nil for any.
  package var call: DiskCall?
  /// Only calls whose path contains this; nil for any.
  package var path: String?
  /// The first such call that is hit, counted from 1 since the fault was injected.
  package var ordinal: Int
  /// Whether all later ones are hit as well.
  package var isLasting: Bool

  package init(
    _ effect: Effect, on call: DiskCall? = nil, path: String? = nil, ordinal: Int = 1,
    isLasting: Bool = false
  ) {
    precondition(ordinal >= 1, "calls are counted from 1")
    self.effect = effect
    self.call = call
    self.path = path
    self.ordinal = ordinal
    self.isLasting = isLasting
  }
}

/// The faults to come and the calls made.
struct SimulatedFaults: Sendable {
  private struct Armed: Sendable {
    let fault: DiskFault
    var matches = 0
  }

  private var armed: [Armed] = []
  private var changesUntilFreeze: Int?
  private(set) var isFrozen = false
  private(set) var calls: [DiskCallRecord] = []
  private(set) var changeCount = 0

  mutating func inject(_ fault: DiskFault) { armed.append(Armed(fault: fault)) }

  mutating func clear() { armed = [] }

  mutating func freeze(afterChanges count: Int?) {
    precondition(count ?? 1 >= 1, "calls are counted from 1")
    changesUntilFreeze = count
    isFrozen = false
  }

  mutating func forgetCalls() {
    calls = []
    changeCount = 0
  }

  /// Notes a call and says what goes wrong with it.
  mutating func note(_ record: DiskCallRecord) throws(DiskError) -> DiskFault.Effect? {
    calls.append(record)
    if record.call.changesDisk { try countChange(record) }
    var effect: DiskFault.Effect?
    for index in armed.indices where Self.matches(armed[index].fault, record) {
      armed[index].matches += 1
      let fault = armed[index].fault
      let isHit =
        armed[index].matches == fault.ordinal
        || (fault.isLasting && armed[index].matches > fault.ordinal)
      if isHit && effect == nil { effect = fault.effect.adapted(to: record.call) }
    }
    if case .fail(let code) = effect {
      throw SimulatedDisk.error(code, record.path, record.call.rawValue)
    }
    return effect
  }

  /// Fails when the machine has stopped, for calls that change the disk only sometimes.
  func requireRunning(_ path: String, _ call: DiskCall) throws(DiskError) {
    guard isFrozen else { return }
    throw DiskError(
      .inputOutput, "the simulated machine has stopped", path: path, call: call.rawValue)
  }

  private mutating func countChange(_ record: DiskCallRecord) throws(DiskError) {
    changeCount += 1
    if let count = changesUntilFreeze {
      changesUntilFreeze = count - 1
      if count <= 1 { isFrozen = true }
    }
    try requireRunning(record.path, record.call)
  }

  private static func matches(_ fault: DiskFault, _ record: DiskCallRecord) -> Bool {
    if let call = fault.call, call != record.call { return false }
    if let part = fault.path, !record.path.contains(part) { return false }
    return true
  }
}
