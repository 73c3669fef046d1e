// Reads and writes the superblock file (D4, D5). Layer: Log.

import VarveFormat

/// What was found in the superblock file.
package struct SuperblockReading: Sendable {
  /// The valid slot with the highest counter.
  package var current: Superblock?
  /// A sentence for every slot that could not be used.
  package var problems: [String] = []
  /// Whether the file exists.
  package var exists = false
  /// The inode of the file, to compare with the recorded one.
  package var inode: UInt64 = 0
}

/// The two-slot file `super`.
package struct SuperblockFile: Sendable {
  let disk: any Disk
  let paths: StorePaths

  package init(disk: any Disk, paths: StorePaths) {
    self.disk = disk
    self.paths = paths
  }

  /// Reads both slots.
  ///
  /// - Throws: `disk` when the file cannot be read, `tooNew` when a slot is of a newer version.
  package func read() throws(LogError) -> SuperblockReading {
    var reading = SuperblockReading()
    do throws(DiskError) {
      guard let status = try disk.status(paths.superblock), !status.isDirectory else {
        return reading
      }
      reading.exists = true
      reading.inode = status.inode
    } catch { throw LogError(error) }
    let source: FileSource
    do throws(DiskError) { source = try FileSource(disk, paths.superblock) } catch {
      throw LogError(error)
    }
    defer { source.close() }
    for slot in 0..<2 {
      do throws(FormatError) {
        let bytes = try source.read(UInt64(slot * Superblock.slotBytes), Superblock.slotBytes)
        if bytes.isZero { continue }
        let superblock = try Superblock(bytes, slot: slot)
        if superblock.counter > (reading.current?.counter ?? 0) { reading.current = superblock }
      } catch {
        guard error.code != .unknownVersion, error.code != .unreadable else {
          throw LogError(error, path: paths.superblock)
        }
        reading.problems.append("slot \(slot): \(error.code): \(error.message)")
      }
    }
    return reading
  }

  /// Creates the file with one slot: temporary file, sync, rename, sync of the directory (D1).
  ///
  /// Returns its inode.
  package func create(_ superblock: Superblock) throws(DiskError) -> UInt64 {
    let temporary = paths.superblock + StorePaths.temporarySuffix
    if try disk.status(temporary) != nil { try disk.remove(temporary) }
    let file = try disk.open(temporary, .create)
    let inode = try disk.status(temporary)?.inode ?? 0
    var stamped = superblock
    stamped.inode = inode
    let empty = Bytes(Memory(zeroed: Superblock.fileBytes))
    try file.write(empty, at: 0)
    try file.write(stamped.encoded, at: UInt64(stamped.slot * Superblock.slotBytes))
    try file.sync(.full)
    try file.close()
    try disk.rename(temporary, to: paths.superblock)
    try disk.syncDirectory(paths.root)
    return inode
  }

  /// Writes the slot that is not current and syncs it.
  package func update(_ superblock: Superblock) throws(DiskError) {
    let file = try disk.open(paths.superblock, .readWrite)
    do throws(DiskError) {
      try file.write(superblock.encoded, at: UInt64(superblock.slot * Superblock.slotBytes))
      try file.sync(.data)
    } catch {
      try? file.close()
      throw error
    }
    try file.close()
  }

  /// Keeps a superblock that records what is missing, before another state replaces it.
  func keepLost(_ superblock: Superblock) throws(DiskError) {
    let path = paths.lostRecord(superblock.replica)
    if try disk.status(path) != nil { return }
    let temporary = path + StorePaths.temporarySuffix
    try disk.makeDirectory(paths.quarantine)
    if try disk.status(temporary) != nil { try disk.remove(temporary) }
    let file = try disk.open(temporary, .create)
    try file.write(Bytes(Memory(zeroed: Superblock.fileBytes)), at: 0)
    try file.write(superblock.encoded, at: UInt64(superblock.slot * Superblock.slotBytes))
    try file.sync(.full)
    try file.close()
    try disk.rename(temporary, to: path)
    try disk.syncDirectory(paths.quarantine)
    try disk.syncDirectory(paths.root)
  }

  /// Superblocks that were kept because they record what was missing; others are left out.
  package func lostRecords() throws(DiskError) -> [Superblock] {
    guard try disk.status(paths.quarantine)?.isDirectory == true else { return [] }
    var records: [Superblock] = []
    for name in try disk.list(paths.quarantine).sorted() {
      guard name.hasPrefix(StorePaths.lostPrefix),
        ReplicaID(String(name.dropFirst(StorePaths.lostPrefix.count))) != nil
      else { continue }
      let source = try FileSource(disk, "\(paths.quarantine)/\(name)")
      defer { source.close() }
      for slot in 0..<2 {
        let offset = UInt64(slot * Superblock.slotBytes)
        guard let bytes = try? source.read(offset, Superblock.slotBytes),
          let record = try? Superblock(bytes, slot: slot)
        else { continue }
        records.append(record)
      }
    }
    return records
  }
}
