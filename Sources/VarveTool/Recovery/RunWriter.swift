// Writes a run of transactions, each of which continues the one before, into sealed segments.

import Varve
import VarveFormat

/// A run of one replica's transactions.
final class RunWriter {
  private let replica: ReplicaID
  private let directory: String?
  private let disk: PosixDisk
  private var writer: SegmentRewriter?
  private var schema: [SchemaOperation] = []
  private var source = ""
  private var ordinal: UInt64 = 0
  private var previousBytes: UInt64 = 0
  private var sources: [String: String] = [:]
  private(set) var names = NameBook()
  private(set) var segments: [RewrittenSegment] = []
  /// The sequence and chain that the next transaction continues.
  private(set) var next: UInt64
  private var chain: Hash128
  private(set) var count: UInt64 = 0

  /// A run that continues `chain` with `next`; without a directory nothing is written.
  init(
    replica: ReplicaID, directory: String?, disk: PosixDisk, next: UInt64 = 1,
    chain: Hash128 = .zero
  ) {
    self.replica = replica
    self.directory = directory
    self.disk = disk
    self.next = next
    self.chain = chain
  }

  /// Gives up the segment at hand when something else fails.
  deinit { writer?.abandon() }

  func learn(_ frame: ScannedFrame) { names.learn(frame) }

  /// Appends those transactions of a unit that continue the run.
  ///
  /// False when some are neither appended nor known already.
  func take(_ unit: Unit, _ place: SegmentPlace) throws -> Bool {
    var before = try TransactionFrame(unit.frame).previousChain
    for transaction in unit.transactions {
      if transaction.sequence == next, before == chain {
        try append(transaction, unit.parts, place)
      } else if transaction.sequence >= next {
        return false
      }
      before = transaction.chain
    }
    return true
  }

  private func append(
    _ transaction: ScannedTransaction, _ parts: [ScannedFrame], _ place: SegmentPlace
  ) throws {
    if let directory {
      // Segments begin where those of the source begin: their first transaction stands alone (Q42).
      if writer == nil || source != place.path {
        try seal()
        writer = try open(directory, place)
        source = place.path
      }
      try writer?.append(transaction, parts: parts)
    }
    next = transaction.sequence + 1
    chain = transaction.chain
    count += 1
    let declared = (try? OperationStream.schema(transaction, parts: parts)) ?? []
    for operation in declared { names.learn(operation) }
    if !declared.isEmpty { schema = SchemaHint.merged(schema + declared) }
  }

  private func open(_ directory: String, _ place: SegmentPlace) throws -> SegmentRewriter {
    let parent = StorePaths.parent(directory)
    try disk.makeDirectory(parent)
    try disk.makeDirectory(directory)
    ordinal += 1
    let header = FileHeader(
      store: place.header.store, replica: replica, ordinal: ordinal, firstSequence: next,
      salt: SystemEntropy().uint64(), previousChain: chain, created: place.header.created,
      previousBytes: previousBytes)
    return try SegmentRewriter(
      in: directory, header: header, schema: schema, source: place.path, disk: disk)
  }

  private func seal() throws {
    guard let finished = writer else { return }
    writer = nil
    let segment = try finished.finish()
    previousBytes = segment.bytes
    sources[segment.path] = finished.source
    segments.append(segment)
  }

  /// Seals what is open; all segments of the run.
  func finish() throws -> [RewrittenSegment] {
    try seal()
    return segments
  }

  /// The file that a segment was read from.
  func source(of segment: RewrittenSegment) -> String { sources[segment.path] ?? "" }
}
