// Reads transactions of the logs from a place on. Layer: Store.

import VarveFormat

/// Reads the history of a store in an order in which causes come before effects.
///
/// Of each replica one segment at a time is in memory.
struct HistoryReader {
  private let disk: any Disk
  private let paths: StorePaths
  private let own: ReplicaID?
  /// How far transactions were handed out.
  private(set) var version: VersionVector
  /// Transactions that were read and not handed out, by replica, the next one last.
  private var queues: [ReplicaID: [Transaction]] = [:]

  init(_ disk: any Disk, _ paths: StorePaths, own: ReplicaID?, after version: VersionVector) {
    self.disk = disk
    self.paths = paths
    self.own = own
    self.version = version
  }

  /// The next transaction up to `end`, nil when all of those were handed out.
  ///
  /// - Throws: `historyRetired` when it is not in the files any more, `corrupt`, `disk`.
  mutating func next(upTo end: VersionVector) throws(StoreError) -> Transaction? {
    var first: Transaction?
    for replica in end.replicas where version[replica] < end[replica] {
      if queues[replica]?.isEmpty ?? true { try fill(replica, upTo: end[replica]) }
      guard let candidate = queues[replica]?.last else { continue }
      // A stamp is above those of everything that its writer had seen (R2).
      if let known = first, (known.stamp, known.replica) < (candidate.stamp, replica) { continue }
      first = candidate
    }
    guard var transaction = first else { return nil }
    queues[transaction.replica]?.removeLast()
    version[transaction.replica] = transaction.sequence
    transaction.version = version
    return transaction
  }

  /// Notes that somebody else handed out a transaction.
  mutating func pass(_ transaction: Transaction) {
    version[transaction.replica] = transaction.sequence
    if queues[transaction.replica]?.last?.sequence == transaction.sequence {
      queues[transaction.replica]?.removeLast()
    }
  }

  /// How often the logs are listed again when a segment got another name or was retired meanwhile.
  private static let attemptsMax = 16

  /// Reads the segment that has the next transaction of a replica.
  private mutating func fill(_ replica: ReplicaID, upTo end: UInt64) throws(StoreError) {
    var attempts = 1
    while true {
      do throws(StoreError) { return try read(replica, upTo: end) } catch {
        guard error.logError?.diskError?.code == .notFound, attempts < HistoryReader.attemptsMax
        else { throw error }
        attempts += 1
      }
    }
  }

  private mutating func read(_ replica: ReplicaID, upTo end: UInt64) throws(StoreError) {
    let next = version[replica] + 1
    let catalog: LogCatalog
    do throws(LogError) {
      let superblock = try SuperblockFile(disk: disk, paths: paths).read().current
      catalog = try LogCatalog(disk, paths, superblock: superblock)
    } catch { throw StoreError(error) }
    let segments = catalog.logs.first { $0.replica == replica }?.segments ?? []
    guard let segment = segments.last(where: { $0.file.header.firstSequence <= next }) else {
      throw StoreError(
        .historyRetired,
        "transaction \(next) of replica \(replica) is not in the log any more: read the snapshot, "
          + "and go on behind its version", path: segments.first?.file.path ?? paths.log)
    }
    var reading = SegmentHistory(replica: replica, isLocal: replica == own, wanted: next...end)
    var problem: FormatError?
    do throws(LogError) {
      let result = try LogReader(disk).read(
        segment, bound: .validFrames,
        unit: { unit throws(FormatError) in try reading.take(unit) })
      problem = result.judgement.problem
    } catch { throw StoreError(error) }
    guard reading.transactions.first?.sequence == next else {
      throw StoreError(
        .corrupt, problem?.message ?? "transaction \(next) of replica \(replica) cannot be read",
        path: segment.file.path, offset: problem?.offset)
    }
    queues[replica] = reading.transactions.reversed()
  }
}

/// Gathers the wanted transactions of a segment.
private struct SegmentHistory {
  let replica: ReplicaID
  let isLocal: Bool
  let wanted: ClosedRange<UInt64>
  var dictionary: ReplicaDictionary
  var transactions: [Transaction] = []

  init(replica: ReplicaID, isLocal: Bool, wanted: ClosedRange<UInt64>) {
    self.replica = replica
    self.isLocal = isLocal
    self.wanted = wanted
    dictionary = ReplicaDictionary(own: replica)
  }

  mutating func take(_ unit: Unit) throws(FormatError) {
    for scanned in unit.transactions where scanned.sequence <= wanted.upperBound {
      let header = try scanned.decoded().header
      dictionary.declare(header.dictionary)
      guard wanted.contains(scanned.sequence) else { continue }
      var changes = TransactionChanges()
      let known = dictionary
      let transaction = try DecodedTransaction(scanned, parts: unit.parts)
      for step in transaction.steps {
        do throws(GraphError) { try changes.add(step) { known[$0] } } catch {
          throw FormatError(.badOperation, error.message, offset: unit.frame.offset)
        }
      }
      transactions.append(
        Transaction(
          replica: replica, sequence: header.sequence, stamp: header.stamp, isLocal: isLocal,
          header.metadata, changes: changes))
    }
  }
}

extension TransactionChanges {
  /// Notes what a part of a transaction does.
  ///
  /// - Throws: `corrupt` when a cell is no value of its type.
  mutating func add(_ step: DecodedTransaction.Step, _ creator: (UInt32) -> Creator?)
    throws(GraphError)
  {
    switch step {
    case .operations(let operations): add(operations, creator)
    case .columns(let columns):
      let operation = columns.operation
      guard operation.form == .create, case .run(let index, let first) = operation.identifiers
      else { return add(try columns.operations(), creator) }
      guard let creator = creator(index) else { return }
      addRun(
        entity: operation.entity, creator: creator, serials: first..<first + UInt64(operation.rows),
        tags: Set(operation.columns.map(\.attribute)).sorted())
    }
  }
}
