// What a run was made on: figures without it mean nothing.

import Varve
import VarveFormat

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Facts about machine and build.
enum RunEnvironment {
  static func facts(directory: String) -> [(String, String)] {
    [
      ("cpu", line("/proc/cpuinfo", "model name") ?? "unknown"),
      ("cores", "\(sysconf(Int32(_SC_NPROCESSORS_ONLN)))"),
      ("kernel", contents("/proc/sys/kernel/osrelease") ?? "unknown"),
      ("load", contents("/proc/loadavg") ?? "unknown"),
      ("directory", directory),
      ("build", isRelease ? "release" : "debug"),
      ("lz4", Compression.libraryVersion),
      ("format", "\(FormatVersion.major).\(FormatVersion.minor)"),
    ]
  }

  static var isRelease: Bool {
    var debug = false
    assert(
      {
        debug = true
        return true
      }())
    return !debug
  }

  /// Bytes of memory that the process has now; 0 where the system does not say.
  static func residentBytes() -> Int {
    let fields = contents("/proc/self/statm")?.split(separator: " ").compactMap { Int($0) } ?? []
    return fields.count > 1 ? fields[1] * sysconf(Int32(_SC_PAGESIZE)) : 0
  }

  private static func contents(_ path: String) -> String? {
    guard let file = try? PosixDisk().open(path, .read) else { return nil }
    defer { try? file.close() }
    guard let bytes = try? file.read(0, 16_384) else { return nil }
    let text = String(decoding: bytes.array, as: UTF8.self)
    return text.split(separator: "\n").first.map(String.init)
  }

  private static func line(_ path: String, _ key: String) -> String? {
    guard let file = try? PosixDisk().open(path, .read) else { return nil }
    defer { try? file.close() }
    guard let bytes = try? file.read(0, 16_384) else { return nil }
    let lines = String(decoding: bytes.array, as: UTF8.self).split(separator: "\n")
    return lines.first { $0.hasPrefix(key) }?.split(separator: ":").last.map {
      String($0.drop { $0 == " " })
    }
  }
}

/// A directory for one sample, removed afterwards.
func withStoreDirectory<R>(_ scale: Scale, _ body: (String) throws -> R) throws -> R {
  let path = "\(scale.directory)/varve-bench-\(getpid())-\(SystemEntropy().uint64())"
  defer { removeTree(path) }
  return try body(path)
}

/// Removes a directory made by a workload.
func removeTree(_ path: String) {
  let disk = PosixDisk()
  guard let status = try? disk.status(path) else { return }
  if status.isDirectory {
    for name in (try? disk.list(path)) ?? [] { removeTree("\(path)/\(name)") }
    rmdir(path)
  } else {
    try? disk.remove(path)
  }
}
