// Writes one segment file: creation, groups, preallocation, sealing (D1, D2, Q9). Layer: Log.

import VarveFormat

/// The open segment of a log.
///
/// Encoding happens under the log's lock; `write(_:at:)` and `sync()` run outside it, by the leader
/// alone.
package final class SegmentWriter: @unchecked Sendable {
  let disk: any Disk
  let paths: StorePaths
  let header: FileHeader
  private let file: any DiskFile
  private let preallocation: PreallocationPolicy
  /// The file is filled with zeros up to here.
  private var allocated: UInt64
  var encoder: SegmentEncoder
  /// The end of the last group that was written whole.
  var writtenOffset = UInt64(FileHeader.byteCount)

  var openPath: String { file.path }

  private init(
    disk: any Disk, paths: StorePaths, header: FileHeader, file: any DiskFile,
    preallocation: PreallocationPolicy, allocated: UInt64, encoder: consuming SegmentEncoder
  ) {
    self.disk = disk
    self.paths = paths
    self.header = header
    self.file = file
    self.preallocation = preallocation
    self.allocated = allocated
    self.encoder = encoder
  }

  /// Creates the file under a temporary name with header, hints and zeros, syncs it, gives it its
  /// open name and syncs the directory.
  static func create(
    disk: any Disk, paths: StorePaths, header: FileHeader, schema: [SchemaOperation],
    preallocation: PreallocationPolicy
  ) throws(DiskError) -> SegmentWriter {
    let path = paths.segment(header.replica, .open(ordinal: header.ordinal))
    let temporary = path + StorePaths.temporarySuffix
    if try disk.status(temporary) != nil { try disk.remove(temporary) }
    // Renaming would replace it.
    if try disk.status(path) != nil {
      throw DiskError(
        .exists, "a segment that is not known lies here; open the store again", path: path,
        call: "rename")
    }
    var encoder = SegmentEncoder(header)
    if !schema.isEmpty {
      for payload in SchemaHint.payloads(schema) { encoder.hint(.schema, payload) }
    }
    let start = encoder.offset
    let allocated = max(start, preallocation.firstBytes)
    let file = try disk.open(temporary, .create)
    do throws(DiskError) {
      try file.write(header.encoded, at: 0)
      try file.write(encoder.output, at: UInt64(FileHeader.byteCount))
      encoder.output.removeAll()
      try writeZeros(file, from: start, to: allocated)
      try file.sync(.full)
      try file.close()
    } catch {
      try? file.close()
      try? disk.remove(temporary)
      throw error
    }
    encoder.didSync(upTo: start)
    try disk.rename(temporary, to: path)
    try disk.syncDirectory(StorePaths.parent(path))
    let opened = try disk.open(path, .readWrite)
    let writer = SegmentWriter(
      disk: disk, paths: paths, header: header, file: opened, preallocation: preallocation,
      allocated: allocated, encoder: encoder)
    writer.writtenOffset = start
    return writer
  }

  private static func writeZeros(_ file: any DiskFile, from start: UInt64, to end: UInt64)
    throws(DiskError)
  {
    guard end > start else { return }
    let zeros = Bytes(Memory(zeroed: Int(min(end - start, 1 << 20))))
    var offset = start
    while offset < end {
      let count = Int(min(end - offset, UInt64(zeros.count)))
      try file.write(zeros.slice(0, count), at: offset)
      offset += UInt64(count)
    }
  }

  /// Writes a group at `offset`, preceded by a step of zeros when the group passes what is filled.
  ///
  /// Zeros that do not fit refuse the group, although it might have fitted alone: nothing is
  /// written to a file after a failed write (D6).
  func write(_ output: borrowing GroupOutput, at offset: UInt64) throws(DiskError) {
    let end = offset + UInt64(output.count)
    let step = preallocation.bytes(
      groupEnd: end, groupBytes: UInt64(output.count), allocated: allocated)
    if step > 0 {
      try SegmentWriter.writeZeros(file, from: max(allocated, end), to: end + step)
      allocated = end + step
    }
    try file.write(output, at: offset)
    allocated = max(allocated, end)
    writtenOffset = end
  }

  func sync() throws(DiskError) { try file.sync(.data) }

  /// Writes SEAL and trailer.
  ///
  /// Called once: a file whose SEAL did not fit gets no other one.
  func writeSeal(vector: [Seal.VectorEntry], dictionary: [DictionaryEntry]) throws(DiskError) {
    encoder.seal(vector: vector, dictionary: dictionary)
    try file.write(encoder.output, at: writtenOffset)
    encoder.output.removeAll()
  }

  /// Cuts the file behind the trailer, syncs, renames and syncs the directory.
  ///
  /// Returns the sealed length.
  func finishSeal() throws(DiskError) -> UInt64 {
    let length = encoder.offset
    try file.truncate(to: length)
    try file.sync(.full)
    let hash = try wholeFileHash(length)
    try file.close()
    let name = SegmentName.sealed(
      first: header.firstSequence, last: encoder.nextSequence - 1, hash: hash)
    let path = paths.segment(header.replica, name)
    try disk.rename(openPath, to: path)
    try disk.syncDirectory(StorePaths.parent(path))
    writtenOffset = length
    return length
  }

  private func wholeFileHash(_ length: UInt64) throws(DiskError) -> UInt64 {
    var hash = StreamHash()
    var offset: UInt64 = 0
    while offset < length {
      let bytes = try file.read(offset, Int(min(length - offset, 8 << 20)))
      guard bytes.count > 0 else { break }
      hash.update(bytes)
      offset += UInt64(bytes.count)
    }
    return hash.finish()
  }

  /// Gives the file up without sealing.
  func abandon() { try? file.close() }

  func close() throws(DiskError) { try file.close() }
}
