// Builds a store's graph from baseline and logs. Layer: Store.

import VarveFormat

/// What loading gave.
package struct LoadedStore {
  package var state: GraphState
  package var baseline: String?
  var rejectedBaselines: [(path: String, reason: StoreError)] = []
  /// Transactions that were replayed.
  package var transactions: UInt64 = 0
  package var problems: [StoreError] = []
  package var replay = ReplayResult()
  /// What was retired and is in no baseline that can be read; a part of `problems`.
  var missing: [StoreError] = []
  var compaction = CompactionState()

  /// The baseline that the state starts from.
  package var usedBaseline: BaselineName? { compaction.baseline }
}

/// Loads graphs.
package struct StoreLoading {
  let disk: any Disk
  let paths: StorePaths
  let bound: ReadBound
  /// Baselines that turned out to be damaged.
  var rejected: Set<BaselineName> = []

  package init(_ disk: any Disk, _ paths: StorePaths, bound: ReadBound) {
    self.disk = disk
    self.paths = paths
    self.bound = bound
  }

  /// The newest usable baseline and the logs behind it; the logs alone when there is none.
  ///
  /// Without `usesBaseline` the logs alone. Where their beginning was retired, that is the oldest
  /// baseline that reaches them, and the logs behind it (Q25).
  ///
  /// - Throws: `disk` and `tooNew` of the logs.
  package func read(
    _ opening: LogOpening, usesBaseline: Bool = true
  ) throws(StoreError) -> LoadedStore {
    try read(
      opening.catalog, named: opening.superblock?.baselineHash ?? 0, store: opening.store,
      usesBaseline: usesBaseline)
  }

  /// The same for logs that were listed, and the baseline that a superblock names.
  package func read(
    _ catalog: LogCatalog, named: UInt64, store: StoreID?, usesBaseline: Bool
  ) throws(StoreError) -> LoadedStore {
    var loaded = LoadedStore(state: GraphState())
    let starts = LogStarts(catalog)
    if usesBaseline || starts.areRetired {
      let list = try baselines(named: named, oldest: !usesBaseline)
      adoptBaseline(list, starts, store, &loaded)
    }
    loaded.missing = starts.missing(from: loaded.state)
    let result: ReplayResult
    do throws(LogError) {
      result = try Replay.run(disk, catalog, bound: bound, from: loaded.state)
    } catch { throw StoreError(error) }
    loaded.state = result.state
    loaded.replay = result
    loaded.transactions = result.transactions
    loaded.problems = loaded.missing + result.problems.map { StoreError($0) }
    loaded.compaction.tailBytes = result.logBytes
    return loaded
  }

  /// The baselines in the order in which they are tried.
  private func baselines(named: UInt64, oldest: Bool) throws(StoreError) -> [BaselineFile] {
    var list: [BaselineFile]
    do throws(DiskError) { list = try BaselineFiles(disk: disk, paths: paths).list() } catch {
      throw StoreError(LogError(error))
    }
    if let place = list.firstIndex(where: { $0.name.hash == named }) {
      list.insert(list.remove(at: place), at: 0)
    }
    return (oldest ? list.reversed() : list).filter { !rejected.contains($0.name) }
  }

  /// Leaves a baseline out from now on.
  package mutating func reject(_ name: BaselineName) { rejected.insert(name) }

  /// The state with its digests, after every block of a baseline was read.
  ///
  /// Baselines with blocks that cannot be read are left out.
  package mutating func readAll(
    _ opening: LogOpening
  ) throws(StoreError) -> (loaded: LoadedStore, digest: StateDigest) {
    while true {
      let loaded = try read(opening)
      let digest = StateDigest(loaded.state)
      guard loaded.state.failure != nil, let name = loaded.compaction.baseline else {
        return (loaded, digest)
      }
      rejected.insert(name)
    }
  }

  /// Takes the first baseline that can be opened and reaches the logs.
  private func adoptBaseline(
    _ list: [BaselineFile], _ starts: LogStarts, _ store: StoreID?, _ loaded: inout LoadedStore
  ) {
    let files = BaselineFiles(disk: disk, paths: paths)
    var spare: LoadedStore?
    for file in list {
      do throws(StoreError) {
        let reader = try files.open(file, store: store)
        do throws(GraphError) { loaded.state = try GraphState(reader) } catch {
          throw StoreError(error)
        }
        loaded.baseline = file.name.description
        loaded.compaction.baseline = file.name
        loaded.compaction.baselineBytes = file.length
        if starts.missing(from: loaded.state).isEmpty { return }
        // Better than nothing, if no other one reaches the logs.
        spare = spare ?? loaded
      } catch {
        // A cache: whatever is wrong with it, the logs have what it holds, or another one.
        loaded.rejectedBaselines.append((file.path, error))
      }
    }
    let rejected = loaded.rejectedBaselines
    loaded = spare ?? LoadedStore(state: GraphState())
    loaded.rejectedBaselines = rejected
  }

  /// The local index of the replica that writes.
  static func author(_ state: inout GraphState, _ log: Log) throws(StoreError) -> UInt16 {
    do throws(GraphError) { return try state.creators.intern(.replica(log.replica)) } catch {
      throw StoreError(error)
    }
  }
}

/// Where the logs of a store begin (Q25).
struct LogStarts {
  /// Logs whose first transactions are not in the files, with the first that is.
  private let retired: [(replica: ReplicaID, first: UInt64, path: String)]

  init(_ catalog: LogCatalog) {
    retired = catalog.logs.compactMap { log in
      guard let file = log.segments.first?.file, file.header.firstSequence > 1 else { return nil }
      return (log.replica, file.header.firstSequence, file.path)
    }
  }

  /// Whether the logs alone do not give the state.
  var areRetired: Bool { !retired.isEmpty }

  /// What a state lacks that the files do not have either.
  func missing(from state: GraphState) -> [StoreError] {
    retired.compactMap { log in
      let known = state.head(of: log.replica)
      guard known + 1 < log.first else { return nil }
      return StoreError(
        .corrupt,
        "transactions \(known + 1) to \(log.first - 1) of replica \(log.replica) are neither in "
          + "the log nor in a readable baseline: bring the files back from a copy of the store",
        path: log.path, offset: 64)
    }
  }

  /// Whether a finding tells of a beginning that a state covers.
  func explains(_ finding: RecoveryFinding, _ state: GraphState) -> Bool {
    finding.kind == .gap
      && retired.contains { log in
        log.path == finding.path && finding.sequence == 1
          && state.head(of: log.replica) + 1 >= log.first
      }
  }
}
