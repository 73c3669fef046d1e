// What every disk must do, run for the real and the simulated one. Layer: test support.

import Varve

/// One requirement of the protocols `Disk`, `DiskFile` and `DiskLock`.
package struct DiskConformance: Sendable, CustomStringConvertible {
  /// The requirement in words.
  package let description: String
  private let body: @Sendable (_ disk: any Disk, _ root: String) throws -> Void

  init(
    _ description: String,
    _ body: @escaping @Sendable (_ disk: any Disk, _ root: String) throws -> Void
  ) {
    self.description = description
    self.body = body
  }

  /// Checks the requirement in an empty directory.
  ///
  /// - Throws: `DiskConformanceFailure`, or an error of the disk that was not expected.
  package func check(_ disk: any Disk, in root: String) throws {
    try body(disk, root)
  }

  /// All requirements.
  package static let all = files + writes + names + locks
}

/// A requirement that a disk does not meet.
package struct DiskConformanceFailure: Error, CustomStringConvertible {
  package let description: String
}

/// Fails a check outside of a test function, for example in a forked process.
package func require(_ condition: Bool, _ message: String, line: Int = #line) throws {
  if !condition { throw DiskConformanceFailure(description: "line \(line): \(message)") }
}

/// Fails a check unless the value is the expected one.
package func require<Value: Equatable>(
  _ value: Value, equals expected: Value, line: Int = #line
) throws {
  try require(value == expected, "found \(value), expected \(expected)", line: line)
}

func requireFailure(
  _ code: DiskError.Code, line: Int = #line, _ body: () throws(DiskError) -> Void
) throws {
  do {
    try body()
  } catch {
    try require(error.code, equals: code, line: line)
    try require(!error.message.isEmpty, "an error without a message", line: line)
    return
  }
  throw DiskConformanceFailure(description: "line \(line): succeeded, expected \(code)")
}

extension Disk {
  /// Creates a file with these bytes, for tests; nothing is synced.
  package func write(_ bytes: [UInt8], toNew path: String) throws(DiskError) {
    let file = try open(path, .create)
    try file.write(bytes, at: 0)
    try file.close()
  }

  /// All bytes of a file, for tests.
  package func readAll(_ path: String) throws(DiskError) -> [UInt8] {
    let file = try open(path, .read)
    let bytes = try file.read(Int(try file.length()), at: 0)
    try file.close()
    return bytes
  }
}

extension DiskFile {
  /// Writes an array, for tests.
  package func write(_ bytes: [UInt8], at offset: UInt64) throws(DiskError) {
    try bytes.span.withUnsafeBytes { (buffer) throws(DiskError) in
      // SAFETY: the buffer is used within the closure only.
      try write([buffer], at: offset)
    }
  }

  /// Reads up to `count` bytes, for tests.
  package func read(_ count: Int, at offset: UInt64) throws(DiskError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0xEE, count: count)
    var span = bytes.mutableSpan
    let done = try span.withUnsafeMutableBytes { (buffer) throws(DiskError) in
      // SAFETY: the buffer is used within the closure only.
      try read(into: buffer, at: offset)
    }
    return Array(bytes.prefix(done))
  }
}
