// The real file system against the requirements of a disk, and what only it can do.

import Foundation
import Testing
import Varve
import VarveTestSupport

@Suite("Real disk")
struct PosixDiskTests {
  @Test("it meets every requirement of a disk", arguments: DiskConformance.all)
  func conformance(_ requirement: DiskConformance) throws {
    try withTemporaryDirectory { root in
      try requirement.check(PosixDisk(), in: root)
    }
  }

  @Test("a traced real disk meets every requirement of a disk", arguments: DiskConformance.all)
  func tracedConformance(_ requirement: DiskConformance) throws {
    try withTemporaryDirectory { root in
      try requirement.check(TracingDisk(PosixDisk()), in: root)
    }
  }

  @Test("relative paths start at the working directory")
  func relativePath() throws {
    #expect(try PosixDisk().status(".")?.isDirectory == true)
    #expect(try PosixDisk().list(".").isEmpty == false)
  }

  @Test("a pipe under the name of a file is refused without waiting for its other end")
  func pipe() throws {
    try withTemporaryDirectory { root in
      #expect(mkfifo(root + "/pipe", 0o600) == 0)
      for mode in [OpenMode.read, .readWrite] {
        let error = #expect(throws: DiskError.self) { try PosixDisk().open(root + "/pipe", mode) }
        #expect(error?.code == .unsupported)
      }
    }
  }

  @Test("no descriptor survives exec, and a forgotten file is closed", .enabled(if: hasProc))
  func descriptors() throws {
    try withTemporaryDirectory { root in
      do {
        let file = try PosixDisk().open(root + "/a", .create)
        let lock = try PosixDisk().lock(root + "/lock")
        let flags = try descriptorFlags(below: root)
        #expect(flags.count == 2)
        #expect(flags.allSatisfy { $0 & UInt32(O_CLOEXEC) != 0 })
        withExtendedLifetime((file, lock)) {}
      }
      #expect(try descriptorFlags(below: root).isEmpty)
    }
  }

  @Test("failed opens leave no descriptor behind", .enabled(if: hasProc))
  func failedOpens() throws {
    try withTemporaryDirectory { root in
      let disk = PosixDisk()
      let lock = try disk.lock(root + "/lock")
      #expect(throws: DiskError.self) { try disk.open(root, .read) }
      #expect(throws: DiskError.self) { try disk.lock(root + "/lock") }
      #expect(throws: DiskError.self) { try disk.lock(root) }
      #expect(try disk.list(root) == ["lock"])
      try disk.syncDirectory(root)
      #expect(try descriptorFlags(below: root).count == 1)
      lock.release()
      #expect(try descriptorFlags(below: root).isEmpty)
    }
  }

  @Test("close waits for a write of many system calls, which finds the file open to its end")
  func closeDuringWrite() throws {
    try withTemporaryDirectory { root in
      let disk = PosixDisk()
      let file = try disk.open(root + "/a", .create)
      let result = Locked<DiskError?>(nil)
      let group = DispatchGroup()
      DispatchQueue.global().async(group: group) {
        let byte: [UInt8] = [7]
        do throws(DiskError) {
          try byte.span.withUnsafeBytes { (buffer) throws(DiskError) in
            try file.write(Array(repeating: buffer, count: 300_000), at: 0)
          }
        } catch {
          result.withLock { $0 = error }
        }
      }
      while try disk.status(root + "/a")?.length == 0 { usleep(10) }
      try file.close()
      #expect(try disk.status(root + "/a")?.length == 300_000)
      group.wait()
      #expect(result.withLock { $0 } == nil)
    }
  }

  @Test("threads that read a file while it is closed get all or an error that says so")
  func closeDuringReads() throws {
    try withTemporaryDirectory { root in
      let disk = PosixDisk()
      try disk.write([UInt8](repeating: 7, count: 4096), toNew: root + "/a")
      for _ in 0..<20 {
        let file = try disk.open(root + "/a", .read)
        let errors = Locked<[DiskError]>([])
        let group = DispatchGroup()
        for _ in 0..<3 {
          DispatchQueue.global().async(group: group) {
            do throws(DiskError) {
              while true { _ = try file.read(4096, at: 0) }
            } catch {
              errors.withLock { $0.append(error) }
            }
          }
        }
        usleep(500)
        try file.close()
        group.wait()
        // Refused by the file itself: a number would mean that the system was asked with a stale
        // descriptor.
        #expect(errors.withLock { $0.map(\.code) } == [.closed, .closed, .closed])
        #expect(errors.withLock { $0.map(\.errorNumber) } == [0, 0, 0])
      }
    }
  }

  @Test("a local directory is not remote and syncs its names", .enabled(if: hasProc))
  func localDirectory() throws {
    // The process information of the kernel is local on every machine, whatever holds the temporary
    // files.
    #expect(try PosixDisk().isRemote("/proc") == false)
    let disk = PosixDisk()
    try withTemporaryDirectory { root in try disk.syncDirectory(root) }
    #expect(disk.directoriesWithoutSync == [])
  }

  @Test("a directory that cannot be synced is remembered", .enabled(if: hasProc))
  func directoryWithoutSync() throws {
    let disk = PosixDisk()
    try disk.syncDirectory("/proc/self")
    #expect(disk.directoriesWithoutSync == ["/proc/self"])
  }

  @Test(
    "error numbers become codes with advice",
    arguments: [
      (ENOENT, DiskError.Code.notFound), (EEXIST, .exists), (ENOTEMPTY, .exists),
      (EISDIR, .isDirectory), (ENOTDIR, .notDirectory), (EACCES, .noPermission),
      (EPERM, .noPermission), (EROFS, .readOnly), (ENOSPC, .noSpace), (EDQUOT, .noSpace),
      (EWOULDBLOCK, .busy), (EMFILE, .tooManyFiles), (ENFILE, .tooManyFiles),
      (EIO, .inputOutput), (ESTALE, .inputOutput), (EBADF, .closed), (EINVAL, .unsupported),
      (ENOLCK, .unsupported), (ELOOP, .other), (ENAMETOOLONG, .other),
    ])
  func errorNumbers(_ number: Int32, _ code: DiskError.Code) {
    let error = SystemCall("write", "log/1", offset: 8).failure(number)
    #expect(error.code == code)
    #expect(error.errorNumber == number)
    #expect(error.description.hasPrefix("log/1@8: write: "))
    #expect(error.message.count > 20)
  }

  @Test("a call that a signal interrupts is repeated, any other failure is not")
  func interruptedCalls() throws {
    var results: [(Int, Int32)] = [(-1, EINTR), (-1, EINTR), (5, 0)]
    let value = try SystemCall("read", "a").run {
      let (result, number) = results.removeFirst()
      errno = number
      return result
    }
    #expect(value == 5 && results.isEmpty)
    var attempts = 0
    #expect(throws: DiskError.self) {
      try SystemCall("read", "a").run {
        attempts += 1
        errno = EIO
        return -1
      }
    }
    #expect(attempts == 1)
  }
}

private let hasProc = FileManager.default.fileExists(atPath: "/proc/self/fdinfo")

/// The open flags of the descriptors of this process that lead below a directory.
private func descriptorFlags(below root: String) throws -> [UInt32] {
  let files = FileManager.default
  return try files.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { name in
    guard let target = try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + name),
      target.hasPrefix(root + "/") || target == root
    else { return nil }
    let info = try String(contentsOfFile: "/proc/self/fdinfo/" + name, encoding: .utf8)
    let line = info.split(separator: "\n").first { $0.hasPrefix("flags:") }
    return line.flatMap { UInt32($0.dropFirst(6).trimmingCharacters(in: .whitespaces), radix: 8) }
  }
}
