// Which segments a store has, in order, and how far each is accepted. Reads only. Layer: Log.

import VarveFormat

/// One segment with what its neighbours say about it.
package struct CatalogSegment: Sendable {
  package let file: SegmentFile
  /// The segment with the next ordinal, when it is there: it says how far this one is accepted.
  package var successor: FileHeader?
  /// Whether no later segment of the replica is there.
  package let isNewest: Bool
  /// What the superblock promises durable of it; 0 when nothing.
  package var durableMark: UInt64
  /// Where reading stops short of bytes that a writer is appending, for readers that found out.
  package var settledEnd: UInt64?

  package init(
    file: SegmentFile, successor: FileHeader? = nil, isNewest: Bool = true,
    durableMark: UInt64 = 0
  ) {
    self.file = file
    self.successor = successor
    self.isNewest = isNewest
    self.durableMark = durableMark
  }

  /// Whether the file counts as sealed.
  ///
  /// Under its open name it does so only if its successor saw the SEAL: when the sync of the SEAL
  /// failed, it may not be there at the next opening.
  package var isSealed: Bool {
    guard file.isSealed else { return false }
    guard case .open = file.name, let successor else { return true }
    return successor.previousBytes == file.length
  }
  /// How far the file may be read: to the end, or to where its successor says (Q1).
  package var limit: UInt64 {
    guard let successor, !isSealed else { return settledEnd ?? file.length }
    return min(successor.previousBytes, file.length)
  }
}

/// The log of one replica.
package struct CatalogLog: Sendable {
  package let replica: ReplicaID
  package var segments: [CatalogSegment]

  package var newest: CatalogSegment? { segments.last }
}

/// All logs of a store, by replica.
package struct LogCatalog: Sendable {
  package private(set) var store: StoreID?
  package var logs: [CatalogLog] = []
  package var report = RecoveryReport()
  /// Whether the newest segment that the superblock records is not there.
  package private(set) var lacksNewest = false
  /// Files left over from an interrupted creation.
  package private(set) var temporaryFiles: [String] = []

  /// Lists and inspects all segment files below `log/`.
  ///
  /// `store` is the store that files must belong to when there is no superblock; else the first
  /// file decides.
  ///
  /// - Throws: `disk` when a directory or file cannot be read: that is never taken for absence or
  ///   damage.
  package init(
    _ disk: any Disk, _ paths: StorePaths, superblock: Superblock?, store expected: StoreID? = nil
  ) throws(LogError) {
    store = superblock?.store ?? expected
    var names: [String] = []
    do throws(DiskError) {
      if try disk.status(paths.log) != nil { names = try disk.list(paths.log).sorted() }
    } catch { throw LogError(error) }
    for name in names {
      let path = "\(paths.log)/\(name)"
      guard let replica = ReplicaID(name) else {
        report.note(.foreignFile, path, "not the name of a replica; ignored")
        continue
      }
      let files = try inspect(disk, path, replica, superblock)
      logs.append(catalog(files, replica, superblock))
    }
    if let superblock { checkNewest(superblock) }
    do throws(DiskError) {
      for record in try SuperblockFile(disk: disk, paths: paths).lostRecords()
      where record.store == store && record.replica != superblock?.replica {
        checkLost(record, paths)
      }
    } catch { throw LogError(error) }
    report.segments = logs.reduce(0) { $0 + $1.segments.count }
  }

  private mutating func inspect(
    _ disk: any Disk, _ directory: String, _ replica: ReplicaID, _ superblock: Superblock?
  ) throws(LogError) -> [SegmentFile] {
    var files: [SegmentFile] = []
    let names: [String]
    do throws(DiskError) { names = try disk.list(directory).sorted() } catch {
      throw LogError(error)
    }
    for name in names {
      let path = "\(directory)/\(name)"
      guard let parsed = SegmentName(name) else {
        if name.hasSuffix(StorePaths.temporarySuffix) {
          temporaryFiles.append(path)
        } else {
          report.note(.foreignFile, path, "not the name of a segment; ignored")
        }
        continue
      }
      do throws(FormatError) {
        let file = try SegmentFile.inspect(
          disk, path: path, name: parsed, store: store, replica: replica)
        if store == nil { store = file.header.store }
        files.append(file)
      } catch {
        if let file = try sealed(disk, directory, parsed, listed: names, replica) {
          files.append(file)
          continue
        }
        // Its sequences may be in use: they are not given again (Q51).
        if replica == superblock?.replica { report.continuesReplica = false }
        // A reader beside a writer sees a segment get its sealed name: it lists again.
        try checkPresence(disk, path)
        try note(error, path)
      }
    }
    return files.sorted { $0.header.ordinal < $1.header.ordinal }
  }

  /// An open segment under the sealed name that a writer gave it since the directory was listed.
  private func sealed(
    _ disk: any Disk, _ directory: String, _ name: SegmentName, listed: [String],
    _ replica: ReplicaID
  ) throws(LogError) -> SegmentFile? {
    guard case .open(let ordinal) = name else { return nil }
    let names: [String]
    do throws(DiskError) {
      if try disk.status("\(directory)/\(name)") != nil { return nil }
      names = try disk.list(directory)
    } catch { throw LogError(error) }
    for new in Set(names).subtracting(listed) {
      guard let parsed = SegmentName(new), case .sealed = parsed,
        let file = try? SegmentFile.inspect(
          disk, path: "\(directory)/\(new)", name: parsed, store: store, replica: replica),
        file.header.ordinal == ordinal
      else { continue }
      return file
    }
    return nil
  }

  private func checkPresence(_ disk: any Disk, _ path: String) throws(LogError) {
    do throws(DiskError) {
      if try disk.status(path) == nil {
        throw DiskError(
          .notFound, "the file went away while it was read", path: path, call: "open")
      }
    } catch { throw LogError(error) }
  }

  /// A file that cannot take part: unreadable and newer files stop the opening, others are
  /// reported.
  private mutating func note(_ error: FormatError, _ path: String) throws(LogError) {
    switch error.code {
    case .unreadable, .unknownVersion: throw LogError(error, path: path)
    case .wrongFile:
      report.note(.foreignFile, path, "\(error.message); ignored", offset: error.offset)
    default:
      report.note(
        .corrupt, path, "the file header cannot be read: \(error.message)", offset: error.offset)
    }
  }

  private mutating func catalog(
    _ files: [SegmentFile], _ replica: ReplicaID, _ superblock: Superblock?
  ) -> CatalogLog {
    let files = withoutDoubles(files)
    var segments: [CatalogSegment] = []
    // Only a baseline can stand for segments that are gone (Q25).
    if let first = files.first, first.header.ordinal > 1, superblock?.baselineHash ?? 0 == 0 {
      report.note(
        .gap, first.path, "segments 1 to \(first.header.ordinal - 1) are missing", sequence: 1)
    }
    for (index, file) in files.enumerated() {
      let next = index + 1 < files.count ? files[index + 1] : nil
      let isOpenOne =
        superblock?.replica == replica && superblock?.openOrdinal == file.header.ordinal
      segments.append(
        CatalogSegment(
          file: file,
          successor: next?.header.ordinal == file.header.ordinal + 1 ? next?.header : nil,
          isNewest: next == nil,
          durableMark: isOpenOne ? superblock?.durableMark ?? 0 : 0))
      if let next, !areNeighbours(file, next), superblock?.replica == replica {
        // What is written behind a gap is never reached: a fresh replica writes (Q51).
        report.continuesReplica = false
      }
    }
    return CatalogLog(replica: replica, segments: segments)
  }

  /// One file for each ordinal: the one with the sealed name, else the first by name.
  private mutating func withoutDoubles(_ files: [SegmentFile]) -> [SegmentFile] {
    var kept: [SegmentFile] = []
    for file in files {
      guard let last = kept.last, last.header.ordinal == file.header.ordinal else {
        kept.append(file)
        continue
      }
      var extra = file
      if case .sealed = file.name, case .open = last.name {
        kept[kept.count - 1] = file
        extra = last
      }
      report.note(
        .foreignFile, extra.path, "another file is segment \(file.header.ordinal) too; ignored")
    }
    return kept
  }

  /// The segment that the superblock names must be there, or sequences would be given twice (Q51).
  private mutating func checkNewest(_ superblock: Superblock) {
    let newest = logs.first { $0.replica == superblock.replica }?.newest?.file
    guard superblock.openOrdinal > newest?.header.ordinal ?? 0 else { return }
    report.note(
      .gap, newest?.path ?? superblock.replica.description,
      "segment \(superblock.openOrdinal) is recorded in the superblock and missing",
      sequence: superblock.lastSequence)
    report.continuesReplica = false
    lacksNewest = true
  }

  /// What was missing when a fresh replica began to write stays missing until it is there.
  private mutating func checkLost(_ record: Superblock, _ paths: StorePaths) {
    let newest = logs.first { $0.replica == record.replica }?.newest?.file
    guard record.openOrdinal > newest?.header.ordinal ?? 0 else { return }
    let path = paths.lostRecord(record.replica)
    report.note(
      .gap, newest?.path ?? path,
      "segment \(record.openOrdinal) of replica \(record.replica) is recorded in \(path) and "
        + "missing; who cannot bring it back removes that record",
      sequence: record.lastSequence)
  }

  /// What two consecutive segments must agree on without reading their frames.
  private mutating func areNeighbours(_ file: SegmentFile, _ next: SegmentFile) -> Bool {
    if next.header.ordinal != file.header.ordinal + 1 {
      report.note(
        .gap, next.path,
        "segments \(file.header.ordinal + 1) to \(next.header.ordinal - 1) are missing",
        sequence: file.header.firstSequence)
      return false
    }
    if file.length < next.header.previousBytes {
      report.note(
        .corrupt, file.path,
        "\(file.length) bytes are there and the next segment accepted \(next.header.previousBytes)",
        offset: file.length, bytes: next.header.previousBytes - file.length,
        sequence: file.header.firstSequence)
      return false
    }
    if case .sealed = file.name, file.length != next.header.previousBytes {
      report.note(
        .corrupt, file.path,
        "sealed at \(file.length) bytes and the next segment accepted \(next.header.previousBytes)",
        offset: next.header.previousBytes, sequence: file.header.firstSequence)
      return false
    }
    return true
  }
}
