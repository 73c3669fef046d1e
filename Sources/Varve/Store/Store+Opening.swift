// Creating and opening stores. Layer: Store.

import VarveFormat

extension Store {
  /// Creates a store in a new directory.
  ///
  /// - Throws: `exists` when a store is there, `busy`, `disk`.
  public static func create(
    at path: String, schema: Schema? = nil, options: StoreOptions = StoreOptions()
  ) throws(StoreError) -> Store {
    try create(
      at: path, schema: schema, options: options, disk: PosixDisk(), clock: SystemClock(),
      entropy: SystemEntropy(), logOptions: LogOptions(options))
  }

  /// Opens a store for reading and writing; creates it when there is none.
  ///
  /// Opening writes nothing. The schema is declared in the log by the first write; a store without
  /// a declared schema is read by what its log says.
  ///
  /// - Throws: `busy` when somebody else has it open, `tooNew`, `schemaConflict`, `disk`. Damage is
  ///   no error: `report` tells of it, and what can be read is there.
  public static func open(
    at path: String, schema: Schema? = nil, options: StoreOptions = StoreOptions()
  ) throws(StoreError) -> Store {
    let environment = (PosixDisk(), SystemClock(), SystemEntropy())
    do throws(StoreError) {
      return try open(
        at: path, schema: schema, options: options, disk: environment.0, clock: environment.1,
        entropy: environment.2, logOptions: LogOptions(options))
    } catch {
      guard error.code == .notAStore else { throw error }
      return try create(at: path, schema: schema, options: options)
    }
  }

  /// Opens a store for reading, also beside a writer and on a read-only file system.
  ///
  /// Beside a writer it shows what was durable when it was opened.
  ///
  /// - Throws: `notAStore`, `tooNew`, `disk`.
  public static func openReadOnly(at path: String) throws(StoreError) -> Store {
    try openReadOnly(at: path, disk: PosixDisk())
  }

  /// A store without files: what it holds is gone with it.
  public static func inMemory(schema: Schema? = nil) -> Store {
    var state = GraphState()
    let author = (try? state.creators.intern(.replica(memoryReplica))) ?? 1
    return Store(
      disk: PosixDisk(), entropy: SystemEntropy(), log: nil, paths: nil, options: StoreOptions(),
      declared: schema, isReadOnly: false,
      report: OpenReport(recovery: RecoveryReport()), state: state, author: author,
      compaction: CompactionState())
  }

  package static func create(
    at path: String, schema: Schema? = nil, options: StoreOptions = StoreOptions(),
    disk: any Disk, clock: any Clock, entropy: any Entropy, logOptions: LogOptions
  ) throws(StoreError) -> Store {
    let log: Log
    do throws(LogError) {
      log = try Log.create(
        at: path, disk: disk, clock: clock, entropy: entropy, options: logOptions)
    } catch { throw StoreError(error) }
    return try make(log, LoadedStore(state: GraphState()), schema, options, disk, entropy)
  }

  package static func open(
    at path: String, schema: Schema? = nil, options: StoreOptions = StoreOptions(),
    disk: any Disk, clock: any Clock, entropy: any Entropy, logOptions: LogOptions
  ) throws(StoreError) -> Store {
    let log: Log
    do throws(LogError) {
      log = try Log.open(
        at: path, disk: disk, clock: clock, entropy: entropy, options: logOptions,
        trustsSeals: true)
    } catch { throw StoreError(error) }
    do throws(StoreError) {
      let loaded = try StoreLoading(disk, log.paths, bound: .validFrames).read(log.opening)
      return try make(log, loaded, schema, options, disk, entropy)
    } catch {
      try? log.close()
      throw error
    }
  }

  package static func openReadOnly(at path: String, disk: any Disk) throws(StoreError) -> Store {
    let paths = StorePaths(path)
    let opening: LogOpening
    do throws(LogError) {
      opening = try LogOpening(
        disk, paths, syncsTails: false, trustsSeals: true, bound: .syncedOffset)
    } catch { throw StoreError(error) }
    guard opening.store != nil else {
      throw StoreError(.notAStore, "there is no store", path: path)
    }
    let loaded = try StoreLoading(disk, paths, bound: .syncedOffset).read(opening)
    return Store(
      disk: disk, entropy: SystemEntropy(), log: nil, paths: paths, options: StoreOptions(),
      declared: nil, isReadOnly: true, report: report(opening.report, opening.catalog, loaded),
      state: loaded.state, author: 0, compaction: loaded.compaction)
  }

  private static func make(
    _ log: Log, _ loaded: LoadedStore, _ schema: Schema?, _ options: StoreOptions,
    _ disk: any Disk, _ entropy: any Entropy
  ) throws(StoreError) -> Store {
    var state = loaded.state
    if let schema {
      do throws(SchemaError) { _ = try schema.changes(against: state.schema.resolved) } catch {
        throw StoreError(
          .schemaConflict, error.message, path: log.paths.root, schemaError: error)
      }
    }
    // A log that lost what a baseline still has must not use its numbers again, and what is written
    // behind a place that cannot be read would never be reached (Q51).
    let known = state.integratedHeads.first { $0.replica == log.replica }
    if known?.nextSequence ?? 1 != log.end.nextSequence { log.startFreshReplica() }
    log.setSchema(state.schema.operations)
    let author = try StoreLoading.author(&state, log)
    log.setIntegrated(state.integratedHeads, maxStamp: state.maxStamp)
    return Store(
      disk: disk, entropy: entropy, log: log, paths: log.paths, options: options,
      declared: schema, isReadOnly: false, report: report(log.report, log.opening.catalog, loaded),
      state: state,
      author: author, compaction: loaded.compaction)
  }

  private static func report(
    _ recovery: RecoveryReport, _ catalog: LogCatalog, _ loaded: LoadedStore
  ) -> OpenReport {
    var report = OpenReport(recovery: recovery)
    let starts = LogStarts(catalog)
    report.recovery.findings.removeAll { starts.explains($0, loaded.state) }
    report.baseline = loaded.baseline
    report.rejectedBaselines = loaded.rejectedBaselines
    report.replayedTransactions = loaded.transactions
    report.problems = loaded.problems
    return report
  }
}

extension LogOptions {
  init(_ options: StoreOptions) {
    self.init()
    durability = options.durability
    allowsRemote = options.allowsRemoteFileSystem
    host = HostIdentity.current
  }
}
