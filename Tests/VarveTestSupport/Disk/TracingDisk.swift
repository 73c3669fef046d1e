// A disk that writes down what is asked of another one. Layer: test support.

import Synchronization
import Varve

/// Wraps a disk and records one line for each call, for transcripts of the order of system calls.
///
/// A line holds the call, its paths and numbers, and, when it failed, the code of the error:
///
///     open create log/1.varve
///     write log/1.varve @0 +4096
///     sync data log/1.varve
///     rename log/1.tmp log/1.varve
///     syncDirectory log
///     lock lock -> busy
package final class TracingDisk: Disk {
  private let base: any Disk
  private let trace: Trace

  /// Wraps a disk.
  ///
  /// - Parameters:
  ///   - base: Where the calls go.
  ///   - omitting: Calls that get no line.
  ///   - map: Replaces what is random in a path.
  package init(
    _ base: any Disk, omitting: Set<DiskCall> = [],
    map: @escaping @Sendable (String) -> String = { $0 }
  ) {
    self.base = base
    trace = Trace(omitting: omitting, map: map)
  }

  /// The lines so far.
  package var lines: [String] { trace.lines }

  /// The lines so far as one text.
  package var transcript: String { lines.map { $0 + "\n" }.joined() }

  /// Takes the lines out: the next ones start a new transcript.
  package func takeLines() -> [String] { trace.take() }

  /// Adds a line of the caller, for example a heading.
  package func note(_ line: String) { trace.append(line) }

  package func open(_ path: String, _ mode: OpenMode) throws(DiskError) -> any DiskFile {
    let call: DiskCall = mode == .create ? .create : .open
    let file = try trace.record(call, "open \(mode)", path) { () throws(DiskError) in
      try base.open(path, mode)
    }
    return TracingFile(file, trace)
  }

  package func makeDirectory(_ path: String) throws(DiskError) {
    try trace.record(.makeDirectory, "makeDirectory", path) { () throws(DiskError) in
      try base.makeDirectory(path)
    }
  }

  package func rename(_ source: String, to target: String) throws(DiskError) {
    let detail = trace.map(target)
    try trace.record(.rename, "rename", source, detail) { () throws(DiskError) in
      try base.rename(source, to: target)
    }
  }

  package func remove(_ path: String) throws(DiskError) {
    try trace.record(.remove, "remove", path) { () throws(DiskError) in
      try base.remove(path)
    }
  }

  package func list(_ directory: String) throws(DiskError) -> [String] {
    try trace.record(.list, "list", directory) { () throws(DiskError) in
      try base.list(directory)
    }
  }

  package func status(_ path: String) throws(DiskError) -> FileStatus? {
    try trace.record(.status, "status", path) { () throws(DiskError) in
      try base.status(path)
    }
  }

  package func syncDirectory(_ path: String) throws(DiskError) {
    try trace.record(.syncDirectory, "syncDirectory", path) { () throws(DiskError) in
      try base.syncDirectory(path)
    }
  }

  package func lock(_ path: String) throws(DiskError) -> any DiskLock {
    let lock = try trace.record(.lock, "lock", path) { () throws(DiskError) in
      try base.lock(path)
    }
    return TracingLock(lock, path, trace)
  }

  package func freeBytes(_ path: String) throws(DiskError) -> UInt64 {
    try trace.record(.freeBytes, "freeBytes", path) { () throws(DiskError) in
      try base.freeBytes(path)
    }
  }

  package func isRemote(_ path: String) throws(DiskError) -> Bool {
    try trace.record(.isRemote, "isRemote", path) { () throws(DiskError) in
      try base.isRemote(path)
    }
  }
}

/// The lines that a disk, its files and its locks write together.
private final class Trace: Sendable {
  let map: @Sendable (String) -> String
  private let omitted: Set<DiskCall>
  private let state = Mutex<[String]>([])

  init(omitting omitted: Set<DiskCall>, map: @escaping @Sendable (String) -> String) {
    self.omitted = omitted
    self.map = map
  }

  var lines: [String] { state.withLock { $0 } }

  func take() -> [String] {
    state.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }

  func append(_ line: String) {
    state.withLock { $0.append(line) }
  }

  /// Makes a call and writes its line.
  func record<Result>(
    _ call: DiskCall, _ verb: String, _ path: String, _ detail: String = "",
    _ body: () throws(DiskError) -> Result
  ) throws(DiskError) -> Result {
    let line = "\(verb) \(map(path))" + (detail.isEmpty ? "" : " \(detail)")
    let isShown = !omitted.contains(call)
    do throws(DiskError) {
      let result = try body()
      if isShown { append(line) }
      return result
    } catch {
      // A failure is shown even when the call is not.
      append("\(line) -> \(error.code)")
      throw error
    }
  }
}

private final class TracingFile: DiskFile {
  private let base: any DiskFile
  private let trace: Trace

  init(_ base: any DiskFile, _ trace: Trace) {
    self.base = base
    self.trace = trace
  }

  var path: String { base.path }

  func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(DiskError) -> Int {
    let detail = "@\(offset) +\(buffer.count)"
    return try trace.record(.read, "read", path, detail) { () throws(DiskError) in
      try base.read(into: buffer, at: offset)
    }
  }

  func write(_ pieces: [UnsafeRawBufferPointer], at offset: UInt64) throws(DiskError) {
    let detail = "@\(offset) +\(pieces.reduce(0) { $0 + $1.count })"
    try trace.record(.write, "write", path, detail) { () throws(DiskError) in
      try base.write(pieces, at: offset)
    }
  }

  func sync(_ kind: SyncKind) throws(DiskError) {
    try trace.record(.sync, "sync \(kind)", path) { () throws(DiskError) in
      try base.sync(kind)
    }
  }

  func dropCache() {
    trace.append("dropCache \(trace.map(path))")
    base.dropCache()
  }

  func truncate(to length: UInt64) throws(DiskError) {
    try trace.record(.truncate, "truncate", path, "\(length)") { () throws(DiskError) in
      try base.truncate(to: length)
    }
  }

  func length() throws(DiskError) -> UInt64 {
    try trace.record(.length, "length", path) { () throws(DiskError) in
      try base.length()
    }
  }

  func close() throws(DiskError) {
    try trace.record(.close, "close", path) { () throws(DiskError) in
      try base.close()
    }
  }
}

private final class TracingLock: DiskLock {
  private let base: any DiskLock
  private let path: String
  private let trace: Trace

  init(_ base: any DiskLock, _ path: String, _ trace: Trace) {
    self.base = base
    self.path = path
    self.trace = trace
  }

  func isIntact() -> Bool { base.isIntact() }

  func release() {
    trace.append("unlock \(trace.map(path))")
    base.release()
  }
}
