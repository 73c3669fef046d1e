// Folds logs into tables: the state as a function of the transactions. Layer: Graph.

import VarveFormat

/// What a replay did.
package struct ReplayResult: Sendable {
  package var tables = TableSet()
  package var transactions: UInt64 = 0
  package var operations: UInt64 = 0
  /// Operations that this engine does not apply yet, by opcode.
  package var unapplied: [UInt8: UInt64] = [:]
  /// Segments with the verdict on each, in the order read.
  package var segments: [(path: String, verdict: TailVerdict)] = []
  /// What stopped the replay of a log before its end.
  package var problems: [LogError] = []
  /// Bytes of log that were read.
  package var logBytes: UInt64 = 0
}

/// Replays all logs of a store.
package struct Replay {
  private let disk: any Disk
  private let bound: ReadBound
  private var result = ReplayResult()

  private init(_ disk: any Disk, _ bound: ReadBound) {
    self.disk = disk
    self.bound = bound
  }

  /// Reads every accepted transaction and adopts its columns.
  ///
  /// Damage in one log stops that log before the damage and is listed in `problems`; the others go
  /// on.
  ///
  /// - Throws: `disk` and `tooNew`.
  package static func run(_ disk: any Disk, _ catalog: LogCatalog, bound: ReadBound = .validFrames)
    throws(LogError) -> ReplayResult
  {
    var replay = Replay(disk, bound)
    for log in catalog.logs { try replay.read(log) }
    replay.result.tables.sort()
    return replay.result
  }

  private mutating func read(_ log: CatalogLog) throws(LogError) {
    var dictionary = ReplicaDictionary(own: log.replica)
    var chain: Hash128?
    var nextSequence: UInt64?
    for segment in log.segments {
      let header = segment.file.header
      if let chain, let nextSequence,
        header.previousChain != chain || header.firstSequence != nextSequence
      {
        result.problems.append(
          LogError(
            .corrupt,
            "sequence \(header.firstSequence) does not continue sequence \(nextSequence - 1)",
            path: segment.file.path, offset: 64))
        return
      }
      var pending = ReplaySegment(dictionary: dictionary)
      let outcome = try LogReader(disk).read(
        segment, bound: bound,
        hint: { frame throws(FormatError) in
          pending.schema += try SchemaHint.decode(try frame.payload())
        },
        unit: { unit throws(FormatError) in try pending.take(unit) })
      dictionary = pending.dictionary
      merge(pending, outcome)
      if outcome.verdict == .corrupt || outcome.verdict == .suspect {
        result.problems.append(
          LogError(
            .corrupt,
            outcome.judgement.problem?.message ?? "the segment contradicts its neighbours",
            path: segment.file.path,
            offset: outcome.judgement.problem?.offset ?? outcome.reading.accepted,
            formatError: outcome.judgement.problem))
        return
      }
      chain = outcome.reading.state.chain
      nextSequence = outcome.reading.state.nextSequence
    }
  }

  private mutating func merge(_ pending: ReplaySegment, _ outcome: SegmentResult) {
    for operation in pending.schema { result.tables.schema.apply(operation) }
    for (run, entity) in pending.runs { result.tables.adopt(run, entity: entity) }
    for (opcode, count) in pending.unapplied { result.unapplied[opcode, default: 0] += count }
    result.transactions += pending.transactions
    result.operations += pending.operations
    result.logBytes += outcome.reading.accepted
    result.segments.append((outcome.segment.file.path, outcome.verdict))
  }
}

/// The indices that a log uses for replicas.
struct ReplicaDictionary: Sendable {
  private var replicas: [UInt32: ReplicaID]

  init(own: ReplicaID) { replicas = [0: own] }

  mutating func declare(_ entries: [DictionaryEntry]) {
    for entry in entries {
      if case .replica(let replica) = entry.name { replicas[entry.index] = replica }
    }
  }

  subscript(index: UInt32) -> ReplicaID? { replicas[index] }
}

/// What the units of one segment amount to.
struct ReplaySegment {
  var dictionary: ReplicaDictionary
  var schema: [SchemaOperation] = []
  var runs: [(RowRun, UInt32)] = []
  var unapplied: [UInt8: UInt64] = [:]
  var transactions: UInt64 = 0
  var operations: UInt64 = 0

  init(dictionary: ReplicaDictionary) { self.dictionary = dictionary }

  mutating func take(_ unit: Unit) throws(FormatError) {
    for transaction in unit.transactions {
      try take(transaction, unit.parts)
      transactions += 1
    }
  }

  private mutating func take(_ transaction: ScannedTransaction, _ parts: [ScannedFrame])
    throws(FormatError)
  {
    var columns: [ColumnsOperation] = []
    var declared: [SchemaOperation] = []
    var others: [UInt8] = []
    try OperationStream.visit(transaction, parts: parts) { (opcode, bytes) throws(FormatError) in
      switch Opcode(rawValue: opcode) {
      case .columns: columns.append(try ColumnsOperation(&bytes))
      case .schema: declared.append(try SchemaOperation(&bytes))
      default: others.append(opcode)
      }
    }
    let (header, _) = try transaction.decoded()
    dictionary.declare(header.dictionary)
    // Decoded before anything is kept: a transaction counts entirely or not at all.
    var adopted: [(RowRun, UInt32)] = []
    for operation in columns {
      if let run = try run(operation, header, parts) {
        adopted.append((run, operation.entity))
      } else {
        others.append(Opcode.columns.rawValue)
      }
    }
    runs += adopted
    schema += declared
    for opcode in others { unapplied[opcode, default: 0] += 1 }
    operations += UInt64(header.operations)
  }

  /// Decodes the parts of a creation on all cores; nil for forms that are not applied yet.
  private func run(
    _ operation: ColumnsOperation, _ header: TransactionHeader, _ parts: [ScannedFrame]
  ) throws(FormatError) -> RowRun? {
    guard operation.form == .create, case .run(let index, let firstSerial) = operation.identifiers
    else { return nil }
    guard let creator = dictionary[index] else {
      throw FormatError(.badOperation, "replica index \(index) was never declared")
    }
    let last = operation.firstPart + operation.partCount
    guard last <= parts.count else {
      throw FormatError(.badPart, "a columns operation uses parts up to \(last) of \(parts.count)")
    }
    let columns = operation.columns
    let entries = header.parts
    let blocks = try Parallel.map(operation.partCount) { (place: Int) throws(FormatError) in
      let part = operation.firstPart + place
      return try ReplaySegment.block(
        parts[part], entries[part], operation, columns[place % columns.count],
        rows: operation.rows(ofBlock: place / columns.count))
    }
    let attributes = columns.indices.map { column in
      RowRun.AttributeColumn(
        key: AttributeKey(tag: columns[column].attribute, type: columns[column].type),
        target: columns[column].target,
        blocks: (0..<operation.blocks).map { blocks[$0 * columns.count + column] })
    }
    return RowRun(
      creator: creator, firstSerial: firstSerial, rows: operation.rows,
      blockRows: operation.blockRows, stamp: header.stamp, sequence: header.sequence,
      columns: attributes)
  }

  private static func block(
    _ part: ScannedFrame, _ entry: PartEntry, _ operation: ColumnsOperation,
    _ column: ColumnsOperation.Column, rows: Int
  ) throws(FormatError) -> ColumnBlock {
    do throws(FormatError) {
      let payload = try part.payload()
      guard Checksum.hash128(payload) == entry.hash else {
        throw FormatError(.badPart, "the hash of a column part does not match")
      }
      let block = try ColumnBlockDecoder.decode(payload)
      let header = block.header
      guard header.entity == operation.entity, header.attribute == column.attribute,
        header.type == column.type, header.rows == rows
      else { throw FormatError(.badColumn, "a column block is not the one its transaction names") }
      return block
    } catch { throw error.at(offset: part.offset) }
  }
}
