// The baselines of a store, judged (D4, Q25). Reads only.

import Varve
import VarveFormat

/// One baseline file with what it says of itself.
struct BaselineEntry {
  /// What a store uses a baseline for.
  enum Role: String {
    /// The superblock names it: opening starts with it.
    case current
    /// The newest one beside it, which opening falls back to.
    case previous
    /// Neither: the next compaction removes it.
    case old
    /// A file that was named by itself.
    case loose
  }

  var file: BaselineFile
  var role: Role
  /// Nil when header or directory cannot be read.
  var directory: BaselineDirectory?
  var seal: BaselineSeal?
  var problem: FormatError?

  /// Objects that were created, dead ones too.
  var rows: UInt64 {
    directory?.tables.reduce(0) { $0 + $1.runs.reduce(0) { $0 + $1.rows } } ?? 0
  }

  /// How far the logs are in it, by replica.
  var heads: [(replica: ReplicaID, sequence: UInt64)] {
    (directory?.heads ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// What is wrong with it, as a finding: a baseline is a cache, so nothing is lost.
  var finding: Finding? {
    problem.map { problem in
      Finding(
        problem.code.description, problem.code == .unknownVersion ? .unknown : .blemish,
        file: file.path, offset: problem.offset, "the baseline cannot be used: \(problem.message)",
        fix: BaselineCheck.damageFix)
    }
  }
}

/// Lists and verifies baselines.
struct BaselineCheck {
  let disk: any Disk
  var entries: [BaselineEntry] = []
  /// Logs that do not begin with their first transaction.
  private var starts: [(replica: ReplicaID, first: UInt64, path: String)] = []
  /// What is wrong in the directory, apart from the files' content.
  var findings: [Finding] = []

  static let damageFix =
    "opening takes another baseline or the logs alone; write a new one with: varve compact STORE"

  /// The baselines of a store, the current one first.
  ///
  /// - Throws: `DiskError` when the directory cannot be read.
  init(_ set: LogSet, disk: any Disk) throws {
    self.disk = disk
    guard set.isStore else { return }
    starts = set.logs.compactMap { log in
      guard let place = log.places.first, place.header.firstSequence > 1 else { return nil }
      return (log.replica, place.header.firstSequence, place.path)
    }
    let paths = StorePaths(set.path)
    var files = try BaselineFiles(disk: disk, paths: paths).list()
    let named = set.superblock?.baselineHash ?? 0
    let current = files.firstIndex { $0.name.hash == named }
    if let current { files.insert(files.remove(at: current), at: 0) }
    if named != 0, current == nil {
      findings.append(
        Finding(
          "baselineMissing", .blemish, file: paths.baselines,
          "the superblock names baseline \(hexadecimal(named)), which is not here",
          fix: BaselineCheck.damageFix))
    }
    for (index, file) in files.enumerated() {
      let role: BaselineEntry.Role =
        index == 0 && current != nil
        ? .current : index == (current == nil ? 0 : 1) ? .previous : .old
      entries.append(try entry(file, role, store: set.store))
    }
    try noteOthers(paths)
  }

  /// One baseline file taken from anywhere.
  ///
  /// - Throws: `DiskError` and `unreadable` when it cannot be read; `notVarve` and `wrongFile` when
  ///   it is something else.
  init(file path: String, disk: any Disk) throws {
    self.disk = disk
    let length = try disk.status(path)?.length ?? 0
    // The name counts only where it has the form of one.
    let file = BaselineFile(
      name: BaselineName(path.lastPathComponent) ?? BaselineName(generation: 0, hash: 0),
      path: path, length: length, maxStamp: .zero)
    let entry = try entry(file, .loose, store: nil)
    // Something else is no damaged baseline, unless its name says that it should be one.
    if BaselineName(path.lastPathComponent) == nil, let problem = entry.problem {
      switch problem.code {
      case .notVarve, .wrongFile, .unreadable: throw problem
      case .truncated, .badHeader:
        throw FormatError(.notVarve, "no baseline: \(problem.message)", offset: 0, path: path)
      default: break
      }
    }
    entries = [entry]
  }

  private func entry(
    _ file: BaselineFile, _ role: BaselineEntry.Role, store: StoreID?
  ) throws -> BaselineEntry {
    var entry = BaselineEntry(file: file, role: role)
    do throws(FormatError) {
      let reader = try open(file, store)
      entry.directory = reader.directory
      entry.seal = reader.seal
      entry.file.maxStamp = reader.header.created
      (reader.source as? FileSource)?.close()
    } catch { entry.problem = error }
    return entry
  }

  private func open(_ file: BaselineFile, _ store: StoreID?) throws(FormatError) -> BaselineReader {
    let source: FileSource
    do throws(DiskError) { source = try FileSource(disk, file.path) } catch {
      throw FormatError(.unreadable, error.message, path: error.path, cause: error.call)
    }
    do throws(FormatError) {
      return try BaselineReader(
        source, store: store, name: BaselineName(file.path.lastPathComponent))
    } catch {
      source.close()
      throw error
    }
  }

  /// Files that are no baselines, and baselines that nobody uses any more.
  private mutating func noteOthers(_ paths: StorePaths) throws {
    guard try disk.status(paths.baselines)?.isDirectory == true else { return }
    for name in try disk.list(paths.baselines).sorted() where BaselineName(name) == nil {
      let isTemporary = name.hasSuffix(StorePaths.temporarySuffix)
      findings.append(
        Finding(
          isTemporary ? "unusedFile" : "foreignFile", .note, file: "\(paths.baselines)/\(name)",
          isTemporary
            ? "a compaction under way, or one that was interrupted, wrote this"
            : "this is no baseline and is never touched",
          fix: isTemporary ? "nothing to do: the next compaction removes it" : ""))
    }
    for entry in entries where entry.role == .old {
      findings.append(
        Finding(
          "unusedFile", .note, file: entry.file.path, "a baseline that is not used any more",
          fix: "nothing to do: the next compaction removes it"))
    }
  }

  /// Reads every block of every baseline.
  ///
  /// - Returns: The bytes that were read.
  mutating func verify() -> UInt64 {
    var bytes: UInt64 = 0
    for index in entries.indices where entries[index].problem == nil {
      bytes += entries[index].file.length
      do throws(FormatError) {
        let store: StoreID? = nil
        let reader = try open(entries[index].file, store)
        defer { (reader.source as? FileSource)?.close() }
        try reader.verify()
      } catch { entries[index].problem = error }
    }
    return bytes
  }

  /// Everything that is wrong.
  var allFindings: [Finding] { findings + entries.compactMap(\.finding) + losses }

  /// Beginnings of logs that were retired and are in no baseline that can be read (Q25).
  private var losses: [Finding] {
    starts.compactMap { start in
      let sound = entries.filter { $0.problem == nil }
      let reach = sound.compactMap { $0.directory?.heads[start.replica] }.max() ?? 0
      // Without any baseline the listing has said so.
      guard reach + 1 < start.first, !entries.isEmpty else { return nil }
      return Finding(
        "corrupt", .corruption, file: start.path, sequence: reach + 1,
        "sequences \(reach + 1) to \(start.first - 1) of replica \(start.replica) were retired, "
          + "and no baseline that holds their state can be read",
        fix: "bring a baseline back from a copy of the store; do not compact")
    }
  }
}

extension BaselineCheck {
  /// Compares the state that opening gives with the one that the logs alone give.
  ///
  /// - Parameters:
  ///   - set: The store.
  ///   - digest: What the logs alone gave.
  /// - Returns: A finding when a baseline changes the state.
  /// - Throws: `StoreError` and `LogError` when the files cannot be read.
  func compare(_ set: LogSet, with digest: DigestReport) throws -> Finding? {
    guard let current = entries.first(where: { $0.problem == nil }) else { return nil }
    let opened = try OpenedState(disk, StorePaths(set.path))
    // A writer may have gone on between the two.
    guard opened.baseline != nil, opened.heads == OpenedState.heads(digest.result.state),
      opened.digest != digest.digest
    else { return nil }
    return Finding(
      "baselineState", .corruption, file: current.file.path,
      "the baseline with the log behind it gives another state than the logs alone",
      fix: "keep a copy for a bug report, remove the file, then: varve compact STORE")
  }
}
