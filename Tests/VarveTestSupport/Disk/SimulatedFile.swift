// Open files and held locks of a simulated disk. Layer: test support.

import Synchronization
import Varve

/// A file opened on a `SimulatedDisk`.
final class SimulatedFile: DiskFile {
  let path: String
  private let disk: SimulatedDisk
  private let node: Int
  private let isWritable: Bool
  private let isClosed = Mutex(false)

  init(disk: SimulatedDisk, node: Int, path: String, isWritable: Bool) {
    self.disk = disk
    self.node = node
    self.path = path
    self.isWritable = isWritable
  }

  func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(DiskError) -> Int {
    let start = try position(offset, plus: buffer.count, "pread")
    return try disk.state.withLock { state throws(DiskError) in
      try state.begin(.read, path, "@\(offset) +\(buffer.count)")
      try requireOpen("pread", offset)
      let bytes = state.contents[node]?.bytes ?? []
      guard start < bytes.count else { return 0 }
      let part = bytes[start..<min(bytes.count, start + buffer.count)]
      buffer.copyBytes(from: part)
      return part.count
    }
  }

  func write(_ pieces: [UnsafeRawBufferPointer], at offset: UInt64) throws(DiskError) {
    let data = pieces.flatMap { Array($0) }
    let start = try position(offset, plus: data.count, "pwrite")
    try disk.state.withLock { state throws(DiskError) in
      let effect = try state.begin(.write, path, "@\(offset) +\(data.count)")
      try requireOpen("pwrite", offset)
      try requireWritable(state, "pwrite")
      var failure: DiskError.Code?
      var count = data.count
      if case .shortWrite(let bytes, let code) = effect {
        count = min(bytes, count)
        failure = code
      }
      let fitting = state.bytesFitting(count, at: start, of: node)
      if fitting < count {
        count = fitting
        failure = .noSpace
      }
      state.contents[node]?.write(Array(data.prefix(count)), at: start)
      if let failure { throw SimulatedDisk.error(failure, path, "pwrite", offset: offset) }
    }
  }

  func sync(_ kind: SyncKind) throws(DiskError) {
    try disk.state.withLock { state throws(DiskError) in
      let effect = try state.begin(.sync, path, kind == .data ? "data" : "full")
      try requireOpen("fsync")
      if effect == .lie { return }
      if case .failAndForget(let code) = effect {
        state.contents[node]?.forgetChanges()
        throw SimulatedDisk.error(code, path, "fsync")
      }
      state.contents[node]?.sync()
      if state.options.syncMakesNameDurable { state.names.syncNames(of: node) }
    }
  }

  func dropCache() {
    disk.state.withLock { $0.contents[node]?.dropCache() }
  }

  func truncate(to length: UInt64) throws(DiskError) {
    let end = try position(length, plus: 0, "ftruncate")
    try disk.state.withLock { state throws(DiskError) in
      try state.begin(.truncate, path, "\(length)")
      try requireOpen("ftruncate", length)
      try requireWritable(state, "ftruncate")
      let old = state.contents[node]?.bytes.count ?? 0
      if end > old && state.bytesFitting(end - old, at: old, of: node) < end - old {
        throw SimulatedDisk.error(.noSpace, path, "ftruncate", offset: length)
      }
      state.contents[node]?.truncate(to: end)
    }
  }

  func length() throws(DiskError) -> UInt64 {
    try disk.state.withLock { state throws(DiskError) in
      try state.begin(.length, path)
      try requireOpen("fstat")
      return UInt64(state.contents[node]?.bytes.count ?? 0)
    }
  }

  // A failed close has closed the file all the same.
  func close() throws(DiskError) {
    let isFirst = isClosed.withLock { isClosed in
      defer { isClosed = true }
      return !isClosed
    }
    guard isFirst else { return }
    try disk.state.withLock { state throws(DiskError) in
      let effect = try state.begin(.close, path)
      if case .failAndForget(let code) = effect {
        state.contents[node]?.forgetChanges()
        throw SimulatedDisk.error(code, path, "close")
      }
    }
  }

  private func requireOpen(_ call: String, _ offset: UInt64? = nil) throws(DiskError) {
    if isClosed.withLock({ $0 }) {
      throw SimulatedDisk.error(.closed, path, call, offset: offset)
    }
  }

  private func requireWritable(_ state: SimulatedDisk.State, _ call: String) throws(DiskError) {
    guard isWritable else { throw SimulatedDisk.error(.noPermission, path, call) }
    try state.requireWritable(path, call)
  }

  private func position(
    _ offset: UInt64, plus count: Int, _ call: String
  ) throws(DiskError) -> Int {
    guard let start = Int(exactly: offset), start <= Int.max - count else {
      throw SimulatedDisk.error(.unsupported, path, call, offset: offset)
    }
    return start
  }
}

extension SimulatedDisk.State {
  /// How many of the bytes of a write fit on the disk.
  func bytesFitting(_ count: Int, at offset: Int, of node: Int) -> Int {
    guard options.capacity != nil else { return count }
    let length = contents[node]?.bytes.count ?? 0
    let free = Int(clamping: freeBytes)
    let end = length.addingReportingOverflow(free)
    return min(count, max(0, (end.overflow ? Int.max : end.partialValue) - offset))
  }
}

/// A lock held on a `SimulatedDisk`.
final class SimulatedLock: DiskLock {
  private let disk: SimulatedDisk
  private let number: Int
  private let path: String

  init(disk: SimulatedDisk, number: Int, path: String) {
    self.disk = disk
    self.number = number
    self.path = path
  }

  deinit { release() }

  func isIntact() -> Bool {
    disk.state.withLock { state in
      guard let lock = state.locks[number] else { return false }
      return (try? state.names.node(at: path, call: "stat")) == lock.node
    }
  }

  func release() {
    disk.state.withLock { $0.locks[number] = nil }
  }
}
