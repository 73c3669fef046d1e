// Copies and removes directories: for what a command made itself.

import Varve
import VarveFormat

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Whole directories.
enum FileTree {
  /// All files below a directory, as paths.
  static func files(_ directory: String, disk: any Disk) throws(DiskError) -> [String] {
    var files: [String] = []
    for name in try disk.list(directory).sorted() {
      let path = "\(directory)/\(name)"
      guard let status = try disk.status(path) else { continue }
      if status.isDirectory {
        files += try self.files(path, disk: disk)
      } else {
        files.append(path)
      }
    }
    return files
  }

  /// Copies a directory with everything in it to a new place.
  static func copy(_ source: String, to target: String, disk: any Disk) throws {
    try disk.makeDirectory(target)
    for name in try disk.list(source).sorted() {
      let (from, to) = ("\(source)/\(name)", "\(target)/\(name)")
      guard let status = try disk.status(from) else { continue }
      if status.isDirectory {
        try copy(from, to: to, disk: disk)
      } else {
        let file = try FileSource(disk, from)
        defer { file.close() }
        try write(file, 0..<file.length, to: to, disk: disk)
      }
    }
  }

  /// Copies a range of a source into a new file.
  static func write(
    _ source: any ByteSource, _ range: Range<UInt64>, to target: String, disk: any Disk
  ) throws {
    let file = try disk.open(target, .create)
    do {
      try write(source, range, into: file)
    } catch {
      // Half a copy is none.
      try? file.close()
      try? disk.remove(target)
      throw error
    }
  }

  private static func write(
    _ source: any ByteSource, _ range: Range<UInt64>, into file: any DiskFile
  ) throws {
    let piece = 4 << 20
    var offset = range.lowerBound
    while offset < range.upperBound {
      let count = Int(min(UInt64(piece), range.upperBound - offset))
      let bytes = try source.read(offset, count)
      guard bytes.count > 0 else { break }
      try bytes.withUnsafeBytes { try file.write([$0], at: offset - range.lowerBound) }
      offset += UInt64(bytes.count)
    }
    try file.sync(.full)
    try file.close()
  }

  /// Removes a directory with everything in it.
  static func remove(_ directory: String, disk: any Disk) throws(DiskError) {
    for name in try disk.list(directory) {
      let path = "\(directory)/\(name)"
      guard let status = try disk.status(path) else { continue }
      if status.isDirectory { try remove(path, disk: disk) } else { try disk.remove(path) }
    }
    if rmdir(directory) != 0 {
      throw DiskError(
        .other, SystemText.error(errno), path: directory, call: "rmdir", errorNumber: errno)
    }
  }

  /// Makes a directory with a name that nobody has, below `parent`.
  static func makeTemporary(in parent: String, disk: any Disk) throws(DiskError) -> String {
    let word = VarveFormat.hexadecimal(SystemEntropy().uint64(), width: 16)
    let path = "\(parent)/varve-\(word)"
    guard try disk.status(path) == nil else {
      throw DiskError(.exists, "the name is taken", path: path, call: "mkdir")
    }
    try disk.makeDirectory(path)
    return path
  }
}
