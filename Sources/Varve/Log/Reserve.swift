// Space that is kept back, so that a full disk can still be left in order (D7). Layer: Log.

import VarveFormat

/// Two files that are deleted when the disk is full.
struct Reserve {
  let disk: any Disk
  let paths: StorePaths
  let bytes: UInt64

  /// Writes the files that are missing.
  ///
  /// A full disk is no error here: then there is no reserve.
  func fill() throws(DiskError) {
    guard bytes > 0 else { return }
    do throws(DiskError) {
      for index in 0..<2 where try disk.status(paths.reserve(index)) == nil {
        try write(paths.reserve(index))
      }
    } catch  where error.code == .noSpace { release() }
  }

  private func write(_ path: String) throws(DiskError) {
    let file = try disk.open(path, .create)
    do throws(DiskError) {
      try file.write(Bytes(Memory(zeroed: Int(bytes))), at: 0)
      try file.close()
    } catch {
      try? file.close()
      try? disk.remove(path)
      throw error
    }
  }

  /// Gives the space back.
  ///
  /// Failures do not matter: it is a help, not a promise.
  func release() {
    for index in 0..<2 { try? disk.remove(paths.reserve(index)) }
  }

  /// Free space from which on writing resumes.
  var resumeBytes: UInt64 { 4 * bytes + (4 << 20) }
}
