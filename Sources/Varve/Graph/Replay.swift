// Folds logs into a state: a function of the transactions, whatever their files. Layer: Graph.

import VarveFormat

/// What a replay did.
package struct ReplayResult: Sendable {
  package var state = GraphState()
  package var transactions: UInt64 = 0
  package var operations: UInt64 = 0
  /// Operations that do not change the state, or that this engine does not know, by opcode.
  package var unapplied: [UInt8: UInt64] = [:]
  /// Segments with the verdict on each, in the order read.
  package var segments: [(path: String, verdict: TailVerdict)] = []
  /// What stopped the replay of a log before its end.
  package var problems: [LogError] = []
  /// Transactions that wait for others which are not here (R8), by replica and sequence.
  package var waiting: [(replica: ReplicaID, sequence: UInt64)] = []
  /// Bytes of log that were read.
  package var logBytes: UInt64 = 0

  /// Objects that were created.
  package var rows: Int { state.tables.reduce(0) { $0 + $1.createdCount } }
}

/// Replays all logs of a store.
package struct Replay {
  private let disk: any Disk
  private let bound: ReadBound
  private var result: ReplayResult
  /// Transactions whose dependencies are not integrated yet, with the log they are from.
  private var waiting: [(replica: ReplicaID, transaction: DecodedTransaction)] = []
  private var dictionaries: [ReplicaID: ReplicaDictionary] = [:]

  private init(_ disk: any Disk, _ bound: ReadBound, _ state: GraphState) {
    self.disk = disk
    self.bound = bound
    result = ReplayResult()
    result.state = state
  }

  /// Integrates every accepted transaction that a state does not have yet.
  ///
  /// Damage in one log stops that log before the damage and is listed in `problems`; the others go
  /// on.
  ///
  /// - Throws: `disk` and `tooNew`.
  package static func run(
    _ disk: any Disk, _ catalog: LogCatalog, bound: ReadBound = .validFrames,
    from state: GraphState = GraphState()
  ) throws(LogError) -> ReplayResult {
    var replay = Replay(disk, bound, state)
    for log in catalog.logs { try replay.read(log) }
    replay.result.waiting = replay.waiting.map { ($0.replica, $0.transaction.header.sequence) }
    return replay.result
  }

  private mutating func read(_ log: CatalogLog) throws(LogError) {
    var chain: Hash128?
    var nextSequence: UInt64?
    dictionaries[log.replica] = ReplicaDictionary(own: log.replica)
    for segment in unread(log) {
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
      var stop: GraphError?
      let outcome = try LogReader(disk).read(
        segment, bound: bound,
        hint: { frame throws(FormatError) in
          for operation in try SchemaHint.decode(frame) {
            result.state.schema.applyHint(operation, author: log.replica, ordinal: 0)
          }
        },
        unit: { unit throws(FormatError) in
          if stop == nil { stop = try integrate(unit, of: log.replica) }
        })
      result.logBytes += outcome.reading.accepted
      result.segments.append((outcome.segment.file.path, outcome.verdict))
      if let stop {
        result.problems.append(
          LogError(.corrupt, stop.message, path: segment.file.path, offset: stop.offset))
        return
      }
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

  /// The last sequence of a replica that the state has.
  private func integrated(_ replica: ReplicaID) -> UInt64 {
    result.state.head(of: replica)
  }

  /// The segments of a log that hold something that the state does not have.
  private func unread(_ log: CatalogLog) -> ArraySlice<CatalogSegment> {
    let last = integrated(log.replica)
    var first = 0
    while first + 1 < log.segments.count,
      log.segments[first + 1].file.header.firstSequence <= last + 1
    {
      first += 1
    }
    let rest = log.segments[first...]
    if rest.count == 1, let only = rest.first, case .sealed(_, let end, _) = only.file.name,
      end <= last, last > 0
    {
      return []
    }
    return rest
  }

  /// Integrates the transactions of a unit; what an illegal one is, when there is one.
  private mutating func integrate(_ unit: Unit, of replica: ReplicaID) throws(FormatError)
    -> GraphError?
  {
    for scanned in unit.transactions {
      if scanned.sequence <= integrated(replica) {
        dictionaries[replica]?.declare(try scanned.decoded().header.dictionary)
        continue
      }
      let transaction = try DecodedTransaction(scanned, parts: unit.parts)
      dictionaries[replica]?.declare(transaction.header.dictionary)
      do throws(GraphError) {
        if try integrate(transaction, of: replica) {
          try integrateWaiting()
        } else {
          waiting.append((replica, transaction))
        }
      } catch {
        var located = error
        located.offset = unit.frame.offset
        return located
      }
    }
    return nil
  }

  /// Integrates one transaction; false when it has to wait.
  private mutating func integrate(
    _ transaction: DecodedTransaction, of replica: ReplicaID
  ) throws(GraphError) -> Bool {
    guard let dictionary = dictionaries[replica] else { return false }
    let header = transaction.header
    let last = integrated(replica)
    if header.sequence <= last { return true }
    guard header.sequence == last + 1 else { return false }
    for dependency in header.dependencies {
      guard let name = dictionary[dependency.index],
        let index = result.state.creators.index(of: name),
        let known = result.state.heads[index], known.sequence >= dependency.sequence
      else { return false }
    }
    try result.state.integrate(
      transaction.steps,
      CreatorHead(sequence: header.sequence, chain: transaction.chain, stamp: header.stamp),
      try dictionary.map(&result.state.creators))
    result.transactions += 1
    result.operations += UInt64(header.operations)
    for step in transaction.steps {
      guard case .operations(let operations) = step else { continue }
      for operation in operations {
        if let opcode = operation.unappliedOpcode { result.unapplied[opcode, default: 0] += 1 }
      }
    }
    return true
  }

  /// Looks again at what waited, until nothing moves.
  private mutating func integrateWaiting() throws(GraphError) {
    var hasMoved = !waiting.isEmpty
    while hasMoved {
      hasMoved = false
      let list = waiting
      waiting = []
      for entry in list {
        if try integrate(entry.transaction, of: entry.replica) {
          hasMoved = true
        } else {
          waiting.append(entry)
        }
      }
    }
  }
}

/// The indices that a log uses for replicas and branches.
struct ReplicaDictionary: Sendable {
  private var names: [UInt32: Creator]

  init(own: ReplicaID) { names = [0: .replica(own)] }

  mutating func declare(_ entries: [DictionaryEntry]) {
    for entry in entries {
      switch entry.name {
      case .replica(let replica): names[entry.index] = .replica(replica)
      case .branch(let parent, let fork, let prefix):
        if let replica = names[parent]?.replica {
          names[entry.index] = .branch(replica, forkSequence: fork, chainPrefix: prefix)
        }
      }
    }
  }

  subscript(index: UInt32) -> Creator? { names[index] }

  /// Local indices by dictionary index.
  func map(_ creators: inout CreatorTable) throws(GraphError) -> CreatorMap {
    let count = Int(names.keys.max() ?? 0) + 1
    var locals: [UInt16] = []
    locals.reserveCapacity(count)
    for index in 0..<count {
      // An index that was never declared is no creator: 0 stands for identities, which have none.
      locals.append(
        try names[UInt32(index)].map { name throws(GraphError) in
          try creators.intern(name)
        } ?? .max)
    }
    return CreatorMap(locals: locals)
  }
}
