// Digests of a replayed store, for `hash`, `rebuild` and `verify`.

import Varve
import VarveFormat

/// A replay with the digests of its result.
struct DigestReport {
  var result: ReplayResult
  var digest: StateDigest
  var elapsed: Duration
  /// What is missing, and what stopped the replay of a log.
  private var problems: [StoreError]

  /// The baseline that stands for history that was retired; nil when the logs alone gave the state.
  var baseline: String?

  /// Replays the logs of a store alone, as far as they were not retired (Q25).
  init(_ disk: any Disk, _ paths: StorePaths, _ catalog: LogCatalog) throws {
    let clock = ContinuousClock()
    let start = clock.now
    let (loaded, digest) = try DigestReport.read(disk, paths, catalog)
    result = loaded.replay
    baseline = loaded.baseline
    problems = loaded.problems
    self.digest = digest
    elapsed = clock.now - start
  }

  /// Baselines with blocks that cannot be read are left out, as opening leaves them out.
  private static func read(
    _ disk: any Disk, _ paths: StorePaths, _ catalog: LogCatalog
  ) throws -> (LoadedStore, StateDigest) {
    var loading = StoreLoading(disk, paths, bound: .validFrames)
    while true {
      let loaded = try loading.read(catalog, named: 0, store: catalog.store, usesBaseline: false)
      let digest = StateDigest(loaded.state)
      guard loaded.state.failure != nil, let name = loaded.usedBaseline else {
        return (loaded, digest)
      }
      loading.reject(name)
    }
  }

  /// Problems of the replay as findings; a gap that the listing found explains a stop.
  func findings(_ listed: [Finding]) -> [Finding] {
    let hasGap = listed.contains { $0.severity == .gap }
    let torn = result.segments.filter { $0.verdict == .torn }.map { segment in
      Finding(
        "tornTail", .blemish, file: segment.path, "a crash cut the last write short; it is ignored")
    }
    return listed + torn
      + problems.map { problem in
        let cause = problem.logError?.formatError
        let isGap = hasGap && cause == nil
        return Finding(
          cause?.code.description ?? problem.code.rawValue,
          isGap ? .gap : .corruption, file: problem.path ?? "", offset: problem.offset,
          problem.message, fix: Finding.recoverFix)
      }
  }

  /// Operations that the engine does not apply yet, by name.
  var unapplied: [(name: String, count: UInt64)] {
    result.unapplied.sorted { $0.key < $1.key }.map { (NamedOperation.word($0.key), $0.value) }
  }

  private func name(_ entity: UInt32) -> String { result.state.schema.resolved.name(entity) }

  /// A table of entities and the totals.
  var text: String {
    var table = TablePrinter([
      .init("ENTITY"), .init("ROWS", .right), .init("CONTENT"), .init("STATE"),
    ])
    for entity in digest.entities {
      table.add([
        name(entity.entity), HumanText.grouped(entity.rows), entity.digest.content.description,
        entity.digest.state.description,
      ])
    }
    table.add([
      "(all)", HumanText.grouped(result.rows), digest.total.content.description,
      digest.total.state.description,
    ])
    var text = table.render()
    for (name, count) in unapplied {
      text += "not applied: \(HumanText.grouped(count)) \(name) operations\n"
    }
    return text
  }

  var members: [(String, JSONValue)] {
    let entities = digest.entities.map { entity in
      JSONValue.object([
        ("entity", .string(name(entity.entity))), ("tag", .integer(Int64(entity.entity))),
        ("rows", .integer(Int64(entity.rows))),
        ("content", .string(entity.digest.content.description)),
        ("state", .string(entity.digest.state.description)),
      ])
    }
    return [
      ("content", .string(digest.total.content.description)),
      ("state", .string(digest.total.state.description)),
      ("rows", .integer(Int64(result.rows))), ("entities", .array(entities)),
      ("transactions", .unsigned(result.transactions)),
      ("operations", .unsigned(result.operations)), ("bytes", .unsigned(result.logBytes)),
      ("unapplied", .object(unapplied.map { ($0.name, .unsigned($0.count)) })),
    ]
  }

  /// The store directory that a command needs.
  ///
  /// - Throws: `UsageError` when the target is a file.
  static func store(_ target: StoreTarget, command: String) throws(UsageError) -> StorePaths {
    guard case .store(let paths) = target else {
      throw UsageError(
        .badArgument, "\"varve \(command)\" needs a store directory; \(target.path) is a file",
        hint: "For one file try \"varve log\" or \"varve verify\".")
    }
    return paths
  }
}
