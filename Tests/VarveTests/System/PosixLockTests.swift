// The lock between processes, after fork, and when its file is tampered with.

import Foundation
import Testing
import Varve
import VarveTestSupport

@Suite("Lock of the real disk")
struct PosixLockTests {
  @Test("it excludes another process until it is released", .enabled(if: hasFlock))
  func otherProcess() throws {
    try withTemporaryDirectory { root in
      let lock = try PosixDisk().lock(root + "/lock")
      #expect(try otherProcessCanLock(root + "/lock") == false)
      lock.release()
      #expect(try otherProcessCanLock(root + "/lock"))
    }
  }

  @Test("it is refused while another process holds it", .enabled(if: hasFlock))
  func heldByOther() throws {
    try withTemporaryDirectory { root in
      let (child, input) = try holdInOtherProcess(root + "/lock")
      let error = #expect(throws: DiskError.self) { try PosixDisk().lock(root + "/lock") }
      #expect(error?.code == .busy)
      try input.close()
      child.waitUntilExit()
      try PosixDisk().lock(root + "/lock").release()
    }
  }

  @Test("opened twice in one process, closing one keeps the other (L45)", .enabled(if: hasFlock))
  func twiceInOneProcess() throws {
    try withTemporaryDirectory { root in
      let disk = PosixDisk()
      let lock = try disk.lock(root + "/lock")
      #expect(throws: DiskError.self) { try disk.lock(root + "/lock") }
      #expect(throws: DiskError.self) { try PosixDisk().lock(root + "/./lock") }
      try disk.open(root + "/lock", .read).close()
      #expect(lock.isIntact())
      #expect(try otherProcessCanLock(root + "/lock") == false)
    }
  }

  @Test("another way to the same file counts as the same lock")
  func otherPath() throws {
    try withTemporaryDirectory { root in
      let disk = PosixDisk()
      try disk.makeDirectory(root + "/store")
      #expect(symlink(root + "/store", root + "/link") == 0)
      let lock = try disk.lock(root + "/store/lock")
      let error = #expect(throws: DiskError.self) { try disk.lock(root + "/link/lock") }
      #expect(error?.code == .busy)
      lock.release()
    }
  }

  @Test("a lock file that is removed while it is held is noticed (L46)", .enabled(if: hasFlock))
  func removedFile() throws {
    try withTemporaryDirectory { root in
      let disk = PosixDisk()
      let lock = try disk.lock(root + "/lock")
      try disk.remove(root + "/lock")
      // Nothing keeps the other process out now, so the holder must be able to find out.
      #expect(try otherProcessCanLock(root + "/lock"))
      #expect(lock.isIntact() == false)
      let error = #expect(throws: DiskError.self) { try disk.lock(root + "/lock") }
      #expect(error?.code == .busy)
      lock.release()
      #expect(try disk.lock(root + "/lock").isIntact())
    }
  }

  @Test("a lock file that is replaced while it is held is noticed")
  func replacedFile() throws {
    try withTemporaryDirectory { root in
      let disk = PosixDisk()
      let lock = try disk.lock(root + "/lock")
      try disk.write([], toNew: root + "/new")
      try disk.rename(root + "/new", to: root + "/lock")
      #expect(lock.isIntact() == false)
      #expect(throws: DiskError.self) { try disk.lock(root + "/lock") }
    }
  }

  @Test("a lock file keeps its content and may be read-only")
  func content() throws {
    try withTemporaryDirectory { root in
      let disk = PosixDisk()
      try disk.write([1, 2], toNew: root + "/lock")
      #expect(chmod(root + "/lock", 0o400) == 0)
      let lock = try disk.lock(root + "/lock")
      #expect(throws: DiskError.self) { try disk.lock(root + "/lock") }
      lock.release()
      #expect(try disk.readAll(root + "/lock") == [1, 2])
    }
  }

  @Test("threads that race for it take it one at a time")
  func race() throws {
    try withTemporaryDirectory { root in
      let holders = Locked(0)
      let taken = Locked(0)
      DispatchQueue.concurrentPerform(iterations: 8) { _ in
        for _ in 0..<50 {
          guard let lock = try? PosixDisk().lock(root + "/lock") else { continue }
          let count = holders.withLock { count in
            count += 1
            return count
          }
          precondition(count == 1, "two holders at once")
          taken.withLock { $0 += 1 }
          holders.withLock { $0 -= 1 }
          lock.release()
        }
      }
      #expect(taken.withLock { $0 } > 0)
    }
  }

  #if os(Linux)
    // In processes of their own: a fork among the threads of other tests could copy a mutex that
    // one of them holds.
    @Test(
      "a forked process has no lock, cannot write and leaves the lock alone", .enabled(if: hasFlock)
    )
    func forkedProcess() async {
      await #expect(processExitsWith: .success) { try checkForkedProcess() }
    }

    @Test("releasing frees the lock although a forked process still lives", .enabled(if: hasFlock))
    func releaseWhileForkedProcessLives() async {
      await #expect(processExitsWith: .success) { try checkReleaseWhileForkedProcessLives() }
    }
  #endif
}

private let flockPath = "/usr/bin/flock"
private let hasFlock = FileManager.default.isExecutableFile(atPath: flockPath)

private func otherProcessCanLock(_ path: String) throws -> Bool {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: flockPath)
  process.arguments = ["--nonblock", path, "true"]
  try process.run()
  process.waitUntilExit()
  return process.terminationStatus == 0
}

/// Starts a process that holds a lock until its input is closed.
private func holdInOtherProcess(_ path: String) throws -> (Process, FileHandle) {
  let process = Process()
  let input = Pipe()
  let output = Pipe()
  process.executableURL = URL(fileURLWithPath: flockPath)
  process.arguments = ["--nonblock", path, "sh", "-c", "echo held; read line"]
  process.standardInput = input
  process.standardOutput = output
  try process.run()
  #expect(output.fileHandleForReading.availableData == Data("held\n".utf8))
  return (process, input.fileHandleForWriting)
}

#if os(Linux)
  private func checkForkedProcess() throws {
    try withTemporaryDirectory { root in
      let disk = PosixDisk()
      let file = try disk.open(root + "/a", .create)
      let lock = try disk.lock(root + "/lock")
      let failures = inForkedProcess {
        var failures: Int32 = 0
        if lock.isIntact() { failures |= 1 }
        if (try? file.write([1], at: 0)) != nil { failures |= 2 }
        if (try? file.sync(.data)) != nil { failures |= 4 }
        if (try? disk.lock(root + "/lock")) != nil { failures |= 8 }
        lock.release()
        return failures
      }
      try require(failures, equals: 0)
      try require(lock.isIntact(), "the fork broke the lock")
      try require(try otherProcessCanLock(root + "/lock"), equals: false)
      try require(try file.length(), equals: 0)
      lock.release()
      try require(try otherProcessCanLock(root + "/lock"), equals: true)
    }
  }

  private func checkReleaseWhileForkedProcessLives() throws {
    try withTemporaryDirectory { root in
      let lock = try PosixDisk().lock(root + "/lock")
      let child = fork { usleep(10_000_000) }
      lock.release()
      try require(try otherProcessCanLock(root + "/lock"), equals: true)
      kill(child, SIGKILL)
      waitpid(child, nil, 0)
    }
  }

  /// Forks, which Swift hides: the child runs `body` and ends without cleaning up.
  private func fork(_ body: () -> Void) -> pid_t {
    guard let symbol = dlsym(nil, "fork") else { preconditionFailure("there is no fork") }
    // SAFETY: this is the signature of fork(2), called while no other thread holds a mutex that the
    // child needs.
    let systemFork = unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)
    let child = systemFork()
    precondition(child >= 0, "fork failed")
    if child == 0 {
      body()
      _exit(0)
    }
    return child
  }

  /// Runs `body` in a forked process and returns its result, from 0 to 255.
  private func inForkedProcess(_ body: () -> Int32) -> Int32 {
    let child = fork { _exit(body()) }
    var status: Int32 = 0
    waitpid(child, &status, 0)
    precondition(status & 0x7F == 0, "the forked process was killed by signal \(status & 0x7F)")
    return (status >> 8) & 0xFF
  }
#endif
