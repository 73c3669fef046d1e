// Builds a store's graph from baseline and logs. Layer: Store.

import VarveFormat

/// What loading gave.
struct LoadedStore {
  var state: GraphState
  var baseline: String?
  var rejectedBaselines: [(path: String, reason: StoreError)] = []
  var transactions: UInt64 = 0
  var problems: [StoreError] = []
  var compaction = CompactionState()
}

/// Loads graphs.
struct StoreLoading {
  let disk: any Disk
  let paths: StorePaths
  let bound: ReadBound
  /// Baselines that turned out to be damaged.
  var rejected: Set<BaselineName> = []

  init(_ disk: any Disk, _ paths: StorePaths, bound: ReadBound) {
    self.disk = disk
    self.paths = paths
    self.bound = bound
  }

  /// The newest usable baseline and the logs behind it; the logs alone when there is none.
  ///
  /// - Throws: `disk` and `tooNew` of the logs.
  func read(_ opening: LogOpening, usesBaseline: Bool = true) throws(StoreError) -> LoadedStore {
    var loaded = LoadedStore(state: GraphState())
    if usesBaseline { try adoptBaseline(opening, &loaded) }
    let result: ReplayResult
    do throws(LogError) {
      result = try Replay.run(disk, opening.catalog, bound: bound, from: loaded.state)
    } catch { throw StoreError(error) }
    loaded.state = result.state
    loaded.transactions = result.transactions
    loaded.problems = result.problems.map { StoreError($0) }
    loaded.compaction.tailBytes = result.logBytes
    return loaded
  }

  /// Opens the baseline that the superblock names, else the newest one that can be opened.
  private func adoptBaseline(_ opening: LogOpening, _ loaded: inout LoadedStore)
    throws(StoreError)
  {
    let files = BaselineFiles(disk: disk, paths: paths)
    var list: [BaselineFile]
    do throws(DiskError) { list = try files.list() } catch {
      throw StoreError(LogError(error))
    }
    let named = opening.superblock?.baselineHash ?? 0
    if let place = list.firstIndex(where: { $0.name.hash == named }) {
      list.insert(list.remove(at: place), at: 0)
    }
    for file in list where !rejected.contains(file.name) {
      do throws(StoreError) {
        let reader = try files.open(file, store: opening.store)
        do throws(GraphError) { loaded.state = try GraphState(reader) } catch {
          throw StoreError(error)
        }
        loaded.baseline = file.name.description
        loaded.compaction.baseline = file.name
        loaded.compaction.baselineBytes = file.length
        return
      } catch {
        // A cache: whatever is wrong with it, the logs have what it holds.
        loaded.rejectedBaselines.append((file.path, error))
      }
    }
  }

  /// The local index of the replica that writes.
  static func author(_ state: inout GraphState, _ log: Log) throws(StoreError) -> UInt16 {
    do throws(GraphError) { return try state.creators.intern(.replica(log.replica)) } catch {
      throw StoreError(error)
    }
  }
}
