// Opens a store's logs for reading and finds out how writing may continue. Writes nothing (Q52).
// Layer: Log.

import VarveFormat

/// How far the log of a replica is accepted.
package struct LogHead: Sendable, Equatable {
  package var replica: ReplicaID
  package var ordinal: UInt64 = 0
  package var acceptedBytes: UInt64 = 0
  package var nextSequence: UInt64 = 1
  package var chain = Hash128.zero
  /// Whether everything before is there, as far as names and headers tell.
  package var isWhole = true
}

/// Everything that opening found.
package struct LogOpening: Sendable {
  package let paths: StorePaths
  package var superblock: Superblock?
  package var hasSuperblockFile = false
  package var catalog: LogCatalog
  package var report: RecoveryReport
  package var heads: [LogHead] = []
  package var maxStamp = Stamp.zero
  /// Schema declarations of the newest segments that were read, for the hints of the next one.
  package var schema: [SchemaOperation] = []
  /// Newest segments of which the SEAL was read and nothing else.
  package var trustedSeals = 0

  package var store: StoreID? { superblock?.store ?? catalog.store }

  /// Reads superblock, directory and, unless `readsTails` is false, the newest segments.
  ///
  /// `syncsTails` makes newest segments durable before they are trusted: what the page cache shows
  /// may not survive otherwise. `trustsSeals` is for stores with a baseline, which tells what a
  /// sealed segment holds: of such a newest segment its SEAL is enough, and opening does not depend
  /// on its size.
  package init(
    _ disk: any Disk, _ paths: StorePaths, syncsTails: Bool, readsTails: Bool = true,
    trustsSeals: Bool = false, bound: ReadBound = .validFrames
  ) throws(LogError) {
    var attempts = 1
    while true {
      do throws(LogError) {
        let opening = try LogOpening(
          once: disk, paths, syncsTails: syncsTails, readsTails: readsTails,
          trustsSeals: trustsSeals, bound: bound)
        // A listing beside a writer may miss a file that is being renamed, and a slot may be read
        // half written: what looks wrong is looked at twice.
        let isOdd = opening.report.findings.contains {
          $0.kind == .gap || ($0.kind == .superblock && !syncsTails)
        }
        if !isOdd || attempts > 1 {
          self = opening
          return
        }
      } catch {
        guard error.diskError?.code == .notFound, attempts < LogOpening.attemptsMax else {
          throw error
        }
      }
      attempts += 1
    }
  }

  /// How often a store is listed again whose files get other names meanwhile.
  private static let attemptsMax = 16

  private init(
    once disk: any Disk, _ paths: StorePaths, syncsTails: Bool, readsTails: Bool,
    trustsSeals: Bool, bound: ReadBound
  ) throws(LogError) {
    self.paths = paths
    let reading = try SuperblockFile(disk: disk, paths: paths).read()
    superblock = reading.current
    hasSuperblockFile = reading.exists
    catalog = try LogCatalog(disk, paths, superblock: reading.current)
    report = catalog.report
    for problem in reading.problems {
      report.note(.superblock, paths.superblock, "\(problem); the other slot is used")
    }
    if reading.current == nil, reading.exists || catalog.store != nil {
      report.note(
        .superblock, paths.superblock, "no slot is valid; rebuilt from what the segments say")
    }
    if let superblock, superblock.inode != reading.inode {
      report.note(
        .copied, paths.superblock,
        "the store was copied or restored; writing continues under a fresh replica")
      report.continuesReplica = false
    }
    maxStamp = superblock?.maxStamp ?? .zero
    if readsTails {
      let trustsSeals = trustsSeals && superblock?.baselineHash ?? 0 != 0
      for log in catalog.logs {
        if trustsSeals, try trustSeal(log, disk) { continue }
        try examine(log, disk, syncsTails: syncsTails, bound: bound)
      }
    }
    finish()
  }

  private mutating func finish() {
    guard let superblock else { return }
    if !superblock.isClean {
      report.note(.unclean, paths.superblock, "the store was not closed in order")
    }
    let head = heads.first { $0.replica == superblock.replica }
    report.lastSequence = (head?.nextSequence ?? 1) - 1
  }

  /// Takes the end of a log from the SEAL of its newest segment; false when it cannot tell.
  private mutating func trustSeal(_ log: CatalogLog, _ disk: any Disk) throws(LogError) -> Bool {
    guard let file = log.newest?.file, let seal = try file.seal(disk) else { return false }
    trustedSeals += 1
    heads.append(
      LogHead(
        replica: log.replica, ordinal: file.header.ordinal, acceptedBytes: file.length,
        nextSequence: seal.lastSequence + 1, chain: seal.chain, isWhole: isWhole(log)))
    maxStamp = max(maxStamp, seal.maxStamp, file.header.created)
    return true
  }

  /// Whether no segment of a log is missing, as far as names and headers tell.
  private func isWhole(_ log: CatalogLog) -> Bool {
    !catalog.report.findings.contains { finding in
      finding.kind == .gap && log.segments.contains { $0.file.path == finding.path }
    }
  }

  /// Reads the newest segment of a log, which says where the log ends.
  private mutating func examine(
    _ log: CatalogLog, _ disk: any Disk, syncsTails: Bool, bound: ReadBound
  ) throws(LogError) {
    var head = LogHead(replica: log.replica)
    defer { heads.append(head) }
    guard let newest = log.newest else { return }
    // A SEAL under an open name may be in the page cache only.
    if syncsTails, case .open = newest.file.name { try sync(newest.file.path, disk) }
    var schema: [SchemaOperation] = []
    let result = try LogReader(disk).read(
      newest, bound: bound,
      hint: { frame throws(FormatError) in schema = try SchemaHint.decode(frame) },
      unit: { unit throws(FormatError) in schema += try SchemaHint.declarations(unit) })
    let state = result.reading.state
    head.ordinal = newest.file.header.ordinal
    // A crash can leave the trailer without the SEAL in front of it, or both without the cut behind
    // them.
    let isSealed = newest.file.isSealed && result.verdict == .sealed
    head.acceptedBytes = isSealed ? newest.file.length : state.accepted
    head.nextSequence = state.nextSequence
    head.chain = state.chain
    head.isWhole = isWhole(log)
    self.schema += schema
    maxStamp = max(maxStamp, state.maxStamp, newest.file.header.created)
    if !isSealed { report.tailTransactions += state.transactions }
    judge(result, log.replica)
  }

  private func sync(_ path: String, _ disk: any Disk) throws(LogError) {
    do throws(DiskError) {
      let file = try disk.open(path, .readWrite)
      do throws(DiskError) { try file.sync(.full) } catch {
        try? file.close()
        throw error
      }
      // An earlier sync may have failed: what counts is what the device has.
      file.dropCache()
      try file.close()
    } catch { throw LogError(error) }
  }

  private mutating func judge(_ result: SegmentResult, _ replica: ReplicaID) {
    let path = result.segment.file.path
    let reading = result.reading
    let dropped = reading.droppedBytes
    switch result.verdict {
    case .sealed, .clean: return
    case .torn:
      report.note(
        .tornTail, path, "a crash cut the last write short; \(dropped) bytes are ignored",
        offset: reading.accepted, bytes: dropped, sequence: reading.state.nextSequence)
      return
    case .suspect:
      report.note(
        .suspectTail, path,
        "\(dropped) bytes cannot be read and do not look like a crash: acknowledged transactions "
          + "from sequence \(reading.state.nextSequence) on may be missing",
        offset: reading.accepted, bytes: dropped, sequence: reading.state.nextSequence)
    case .corrupt:
      report.note(
        .corrupt, path,
        result.judgement.problem?.message ?? "the segment contradicts its neighbours",
        offset: result.judgement.problem?.offset ?? reading.accepted, bytes: dropped,
        sequence: reading.state.nextSequence)
    }
    if replica == superblock?.replica { report.continuesReplica = false }
  }
}

/// Schema declarations as SCHEMA frames carry them.
extension SchemaHint {
  /// The schema operations of a unit's transactions.
  package static func declarations(_ unit: Unit) throws(FormatError) -> [SchemaOperation] {
    var list: [SchemaOperation] = []
    for transaction in unit.transactions {
      list += try OperationStream.schema(transaction, parts: unit.parts)
    }
    return list
  }

  /// Later declarations replace earlier ones of the same thing.
  package static func merged(_ schema: [SchemaOperation]) -> [SchemaOperation] {
    var order: [Key] = []
    var latest: [Key: SchemaOperation] = [:]
    for operation in schema {
      let key = Key(operation)
      if latest.updateValue(operation, forKey: key) == nil { order.append(key) }
    }
    return order.compactMap { latest[$0] }
  }

  private struct Key: Hashable {
    let kind: Int
    let entity: UInt32
    let tag: UInt64
    let list: [UInt32]

    init(_ operation: SchemaOperation) {
      switch operation {
      case .entity(let entity, _, _): (kind, self.entity, tag, list) = (1, entity, 0, [])
      case .attribute(let entity, let attribute, let type, _, _, _):
        (kind, self.entity, tag, list) =
          (2, entity, UInt64(attribute), [UInt32(type.rawValue)])
      case .relationship(let relationship):
        (kind, entity, tag, list) = (3, relationship.entity, UInt64(relationship.attribute), [])
      case .uniqueness(let entity, _, let attributes):
        (kind, self.entity, tag, list) = (4, entity, 0, attributes)
      case .group(let entity, let group, _, _):
        (kind, self.entity, tag, list) = (5, entity, UInt64(group), [])
      case .index(let entity, _, _, let attributes):
        (kind, self.entity, tag, list) = (6, entity, 0, attributes)
      case .retire(let entity, let attribute):
        (kind, self.entity, tag, list) = (7, entity, UInt64(attribute), [])
      case .version: (kind, entity, tag, list) = (8, 0, 0, [])
      }
    }
  }
}
