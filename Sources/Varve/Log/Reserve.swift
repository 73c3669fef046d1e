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
      for index in 0..<2 where try !isThere(index) {
        // A power failure can leave a name without its bytes.
        if try disk.status(paths.reserve(index)) != nil { try disk.remove(paths.reserve(index)) }
        try write(paths.reserve(index))
      }
    } catch  where error.isShortOfSpace {
      release()
    }
  }

  /// Fills up what an earlier process used, if there is plenty of space.
  ///
  /// Failures do not matter here.
  func refill() {
    do throws(DiskError) {
      guard bytes > 0 else { return }
      let first = try isThere(0)
      let second = try isThere(1)
      if first && second { return }
      if try disk.freeBytes(paths.root) >= resumeBytes { try fill() }
    } catch {}
  }

  private func isThere(_ index: Int) throws(DiskError) -> Bool {
    try disk.status(paths.reserve(index))?.length == bytes
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
