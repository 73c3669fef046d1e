// Writes: a body on a draft, the log, and the new graph for everybody (D2, Q34). Layer: Store.

import VarveFormat

extension Store {
  /// Runs a body on a draft of the graph and makes all its changes durable, or none.
  ///
  /// The body runs while no other write does. Its changes are appended to the log as one
  /// transaction, and shown to readers when the log acknowledged them. When the body throws,
  /// nothing has happened.
  ///
  /// ```swift
  /// try store.write { context in
  ///   let project = try context.insert("Project", ["name": "Home"])
  ///   let item = try context.insert("Item", ["title": "Buy milk"])
  ///   try context.link(item, "project", to: project)
  /// }
  /// ```
  ///
  /// - Throws: What the body throws; `StoreError` when the transaction was not acknowledged.
  @discardableResult
  public func write<R>(
    durability: Durability? = nil, _ body: (WriteContext) throws -> R
  ) throws -> R {
    try transact(durability: durability, origin: .local, body)
  }

  func transact<R>(
    durability: Durability?, origin: Origin, _ body: (WriteContext) throws -> R
  ) throws -> R {
    var result: Result<R, any Error>?
    let done = try writer.withLock { (writer: inout Writer) throws(StoreError) -> Appended? in
      try prepare(&writer)
      do {
        let (value, appended) = try run(&writer, durability, origin, body)
        result = .success(value)
        return appended
      } catch {
        result = .failure(error)
        return nil
      }
    }
    if let done { try acknowledge(done) }
    guard let result else {
      throw StoreError(.closed, "the write did not run")
    }
    return try result.get()
  }

  /// A transaction that has its place in the log.
  private struct Appended {
    var graph: GraphSnapshot
    var ticket: UInt64
    var pending: PendingCommit?
  }

  /// Whether a write may run now.
  private func prepare(_ writer: inout Writer) throws(StoreError) {
    guard !isReadOnly else {
      throw StoreError(.readOnly, "the store was opened for reading only", path: paths?.root)
    }
    guard !writer.isClosed else {
      throw StoreError(.closed, "the store was closed", path: paths?.root)
    }
    noteDamage(&writer)
    if writer.needsReload { try reload(&writer) }
  }

  private func run<R>(
    _ writer: inout Writer, _ durability: Durability?, _ origin: Origin,
    _ body: (WriteContext) throws -> R
  ) throws -> (R, Appended?) {
    let stamp = nextStamp(&writer)
    writer.state.adopt(graph.builtAdjacencies, from: graph)
    writer.state.adopt(graph.builtIndexes)
    let saved = writer.state.withoutMarks()
    writer.state.marks.beginDraft()
    writer.state.beginDraft()
    let integration = Integration(
      mark: WriteMark(stamp: stamp.rawValue, author: writer.author),
      sequence: (writer.state.heads[writer.author]?.sequence ?? 0) + 1,
      creators: dictionaryMap(writer.state.creators))
    var state = GraphState()
    swap(&state, &writer.state)
    let context = WriteContext(
      state, integration, dictionary: dictionary(saved.creators), declared: declared,
      random: entropy)
    context.metadata.origin = origin == .local ? nil : origin
    state = GraphState()
    do {
      try declareSchema(context)
      let value = try body(context)
      context.applyNumbers()
      context.changes.removeRewritten()
      let (changes, metadata) = (context.changes, context.metadata)
      writer.state = context.finish()
      try KeyCheck.run(context.keyChanges, &writer.state)
      guard !changes.isEmpty else {
        writer.state.rollBack(to: saved)
        return (value, nil)
      }
      let names = ChangeNames(writer.state, context.dictionary)
      let appended = try append(
        &writer, changes, names, metadata, integration, stamp, durability)
      return (value, appended)
    } catch {
      if !context.isFinished { writer.state = context.finish() }
      writer.state.rollBack(to: saved)
      throw error
    }
  }

  private func append(
    _ writer: inout Writer, _ changes: ChangeList, _ names: ChangeNames, _ metadata: Metadata,
    _ integration: Integration, _ stamp: Stamp, _ durability: Durability?
  ) throws(StoreError) -> Appended {
    var builder = TransactionBuilder(capacity: changes.count * 24 + 64)
    changes.encode(into: &builder, names)
    builder.metadata = metadata
    builder.schemaVersion = declared?.version ?? 0
    let draft: TransactionDraft
    do throws(FormatError) { draft = try builder.finish() } catch { throw StoreError(error) }
    let appended = try append(&writer, draft, integration, stamp, durability)
    if feed.hasListeners {
      announce(changes.all(names), metadata, integration.sequence, stamp)
    }
    return appended
  }

  /// Keeps a transaction for those who listen.
  private func announce(
    _ operations: [Operation], _ metadata: Metadata, _ sequence: UInt64, _ stamp: Stamp
  ) {
    let replicas = replicas
    var changes = TransactionChanges()
    changes.add(operations) { index in
      index < replicas.count ? .replica(replicas[Int(index)]) : nil
    }
    feed.note(
      Transaction(
        replica: replicas[0], sequence: sequence, stamp: stamp, isLocal: true, metadata,
        changes: changes),
      max: log == nil ? TransactionFeed.recentWithoutLogMax : TransactionFeed.recentMax)
  }

  /// Gives a draft its place in the log and ends the draft of the state.
  private func append(
    _ writer: inout Writer, _ draft: TransactionDraft, _ integration: Integration, _ stamp: Stamp,
    _ durability: Durability?
  ) throws(StoreError) -> Appended {
    var pending: PendingCommit?
    var chain = Hash128.zero
    if let log {
      do throws(LogError) {
        let commit = try log.append(
          draft, stamp: stamp, sequence: integration.sequence, durability: durability)
        pending = commit
        chain = commit.position.chain
      } catch {
        // The state may be ahead of a log that refused what it was built on.
        writer.needsReload = error.code == .diskFull
        throw StoreError(error)
      }
    }
    writer.state.heads[writer.author] = CreatorHead(
      sequence: pending?.position.sequence ?? integration.sequence, chain: chain, stamp: stamp)
    writer.state.marks.commitDraft()
    writer.ticket += 1
    return Appended(
      graph: GraphSnapshot(writer.state), ticket: writer.ticket, pending: pending)
  }

  /// Waits for the log and shows the new graph.
  private func acknowledge(_ appended: Appended) throws(StoreError) {
    guard let log, let pending = appended.pending else {
      return publish(appended.graph, ticket: appended.ticket)
    }
    do throws(LogError) { try log.wait(pending) } catch {
      writer.withLock { writer in
        writer.needsReload = true
        feed.forget()
      }
      throw StoreError(error)
    }
    publish(appended.graph, ticket: appended.ticket)
    compactWhenDue()
  }

  /// A baseline whose columns cannot be read is not used any more (Q27).
  func noteDamage(_ writer: inout Writer) {
    guard writer.state.failure != nil, let name = writer.compaction.baseline else { return }
    writer.rejectedBaselines.insert(name)
    writer.needsReload = true
  }

  /// Reads the graph again: after a write that the log refused, or without a damaged baseline.
  ///
  /// - Throws: `corrupt` when a damaged baseline held what the logs do not have any more (Q25); the
  ///   graph stays as it is then.
  func reload(_ writer: inout Writer) throws(StoreError) {
    guard let paths else { return }
    if log?.state == "poisoned" {
      throw StoreError(
        .poisoned, "an earlier write failed: close the store and open it again", path: paths.root)
    }
    var loading = StoreLoading(disk, paths, bound: isReadOnly ? .syncedOffset : .validFrames)
    loading.rejected = writer.rejectedBaselines
    let refusals = log?.refusals ?? 0
    let opening: LogOpening
    do throws(LogError) {
      // What has its place in the log must be in the files before they are read.
      try log?.sync()
      opening = try LogOpening(disk, paths, syncsTails: false)
    } catch { throw StoreError(error) }
    let loaded = try loading.read(opening)
    if let missing = loaded.missing.first, !writer.rejectedBaselines.isEmpty { throw missing }
    writer.state = loaded.state
    writer.compaction.baseline = loaded.compaction.baseline
    if let log { writer.author = try StoreLoading.author(&writer.state, log) }
    writer.needsReload = false
    writer.refusals = refusals
    feed.forget()
    writer.ticket += 1
    publish(GraphSnapshot(writer.state), ticket: writer.ticket)
  }

  // MARK: names

  private func nextStamp(_ writer: inout Writer) -> Stamp {
    if let log { return log.reserveStamp() }
    writer.clock = max(writer.clock, writer.state.maxStamp)
      .next(wallMilliseconds: SystemClock().wallMilliseconds())
    return writer.clock
  }

  /// Dictionary indices of the log by local creator index.
  private func dictionary(_ creators: CreatorTable) -> [UInt16: UInt32] {
    var map: [UInt16: UInt32] = [:]
    for (index, replica) in replicas.enumerated() {
      if let local = creators.index(of: .replica(replica)) { map[local] = UInt32(index) }
    }
    return map
  }

  private func dictionaryMap(_ creators: CreatorTable) -> CreatorMap {
    CreatorMap(
      locals: replicas.map { creators.index(of: .replica($0)) ?? .max })
  }

  /// Replicas by dictionary index of the log.
  private var replicas: [ReplicaID] {
    guard let log else { return [Store.memoryReplica] }
    return log.dictionaryReplicas
  }

  /// The replica of stores that have no log.
  static let memoryReplica = ReplicaID([UInt8](repeating: 0, count: 16))

  /// The first write of a program declares what its schema has and the log does not.
  private func declareSchema(_ context: WriteContext) throws(StoreError) {
    guard let declared else { return }
    let changes: [SchemaOperation]
    do throws(SchemaError) {
      changes = try declared.changes(against: context.state.schema.resolved)
    } catch {
      throw StoreError(.schemaConflict, error.message, path: paths?.root, schemaError: error)
    }
    if !changes.isEmpty { try context.declare(changes) }
  }
}

extension GraphState {
  /// A copy to go back to.
  func withoutMarks() -> GraphState {
    var copy = self
    copy.marks = StampBook()
    return copy
  }

  /// Gives a draft up.
  mutating func rollBack(to saved: GraphState) {
    var marks = StampBook()
    swap(&marks, &self.marks)
    marks.rollBack()
    self = saved
    self.marks = marks
  }

  /// Takes over inverses that readers of the newest graph built, if nothing was written since.
  mutating func adopt(_ built: [RelationKey: Adjacency], from graph: GraphSnapshot) {
    guard !built.isEmpty, graph.state.draft == draft else { return }
    for (relation, adjacency) in built where adjacencies[relation] == nil {
      adjacencies[relation] = adjacency
    }
  }

  /// Takes over indexes of the newest graph, and lets go of those that nobody asks for any more.
  mutating func adopt(_ built: [IndexKey: AttributeIndex]) {
    for (key, index) in built where index.draft >= indexes[key]?.draft ?? 0 {
      indexes[key] = index
    }
    // An index keeps the groups that it read: an old one costs memory and saves nothing.
    for (key, index) in indexes where draft > index.draft + GraphState.indexDraftsMax {
      indexes[key] = nil
    }
  }

  /// Drafts after which an index is forgotten that nobody asked for.
  private static let indexDraftsMax: UInt64 = 256
}
