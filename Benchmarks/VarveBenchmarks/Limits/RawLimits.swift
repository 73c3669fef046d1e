// What the machine can do at best: the same bytes without an engine.

import Dispatch
import Synchronization
import Varve
import VarveFormat

/// Loops over system calls alone, with the same preallocation as the engine.
enum RawLimits {
  /// A file that is filled with zeros ahead in the engine's steps.
  final class RawFile: @unchecked Sendable {
    let file: any DiskFile
    private var offset: UInt64 = 0
    private var allocated: UInt64 = 0
    private let zeros = [UInt8](repeating: 0, count: 1 << 20)

    init(_ path: String) throws {
      file = try PosixDisk().open(path, .create)
      try fill(to: 256 << 10)
      try file.sync(.full)
    }

    private func fill(to end: UInt64) throws {
      while allocated < end {
        let count = Int(min(end - allocated, UInt64(zeros.count)))
        try zeros.withUnsafeBytes {
          try file.write([UnsafeRawBufferPointer(rebasing: $0[..<count])], at: allocated)
        }
        allocated += UInt64(count)
      }
    }

    /// Appends bytes, as the engine does, without any framing.
    func append(_ bytes: [UInt8]) throws {
      if offset + UInt64(bytes.count) > allocated {
        try fill(to: allocated + min(max(allocated, 256 << 10), 4 << 20))
      }
      try bytes.withUnsafeBytes { try file.write([$0], at: offset) }
      offset += UInt64(bytes.count)
    }

    func sync() throws { try file.sync(.data) }
  }

  /// Seconds for `count` appends of `size` bytes, each synced.
  static func appendAndSync(_ path: String, count: Int, size: Int) throws -> Double {
    let file = try RawFile(path)
    let bytes = [UInt8](repeating: 0x5A, count: size)
    return try measure {
      for _ in 0..<count {
        try file.append(bytes)
        try file.sync()
      }
    }.seconds
  }

  /// Seconds for one write of these bytes and a sync.
  static func writeAndSync(_ path: String, bytes: Int) throws -> Double {
    let data = [UInt8](repeating: 0x5A, count: bytes)
    return try measure {
      let file = try PosixDisk().open(path, .create)
      try data.withUnsafeBytes { try file.write([$0], at: 0) }
      try file.sync(.data)
      try file.close()
    }.seconds
  }

  /// Seconds for `threads` threads that append `count` records each, sharing syncs through the
  /// simplest possible leader.
  static func groupCommit(_ path: String, threads: Int, count: Int, size: Int) throws -> Double {
    let group = RawGroup(try RawFile(path), record: [UInt8](repeating: 0x5A, count: size))
    return measure {
      let running = (0..<threads).compactMap { _ in
        BackgroundThread { for _ in 0..<count { group.commit() } }
      }
      for thread in running { thread.join() }
    }.seconds
  }

  private final class RawGroup: @unchecked Sendable {
    private let monitor = Monitor()
    private let file: RawFile
    private let record: [UInt8]
    private var pending: [UInt8] = []
    private var assigned = 0
    private var durable = 0
    private var hasLeader = false

    init(_ file: RawFile, record: [UInt8]) {
      self.file = file
      self.record = record
    }

    func commit() {
      monitor.lock()
      pending += record
      assigned += 1
      let mine = assigned
      while durable < mine {
        if hasLeader {
          monitor.wait()
          continue
        }
        hasLeader = true
        let batch = pending
        let last = assigned
        pending = []
        monitor.unlock()
        try? file.append(batch)
        try? file.sync()
        monitor.lock()
        durable = last
        hasLeader = false
        monitor.broadcast()
      }
      monitor.unlock()
    }
  }
}
