// Writes the state as a baseline, beside readers and writers (D4, Q25, Q26). Layer: Store.

import Synchronization
import VarveFormat

/// What a store knows of its baseline and of the log behind it.
struct CompactionState: Sendable {
  /// The baseline that the superblock names, and the length of its file.
  var baseline: BaselineName?
  var baselineBytes: UInt64 = 0
  /// Log bytes that the baseline does not cover, as of when the log's counter stood at
  /// `countedBytes`.
  var tailBytes: UInt64 = 0
  var countedBytes: UInt64 = 0
}

/// Keeps compactions apart, and the thread of the one in the background.
final class CompactionGate: Sendable {
  private let monitor = Monitor()
  private let background = Mutex<BackgroundThread?>(nil)

  /// Runs one compaction at a time.
  func exclusively<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    try monitor.withLock(body)
  }

  /// Starts a body on a thread of its own unless one is under way.
  func start(_ body: @escaping @Sendable () -> Void) {
    background.withLock { thread in
      guard thread == nil else { return }
      thread = BackgroundThread { [self] in
        body()
        // The thread lets go of itself.
        background.withLock { $0.take() }?.join()
      }
    }
  }

  /// Waits for the compaction under way.
  func wait() { monitor.withLock {} }
}

extension Store {
  /// Writes the whole state as a baseline, so that opening need not replay the log.
  ///
  /// Runs on the calling thread; readers and writers go on meanwhile. The new baseline is read
  /// again and verified before the store relies on it. The log stays, because a baseline is a
  /// cache, unless `StoreOptions.retention` says otherwise.
  ///
  /// - Returns: What was written and retired.
  /// - Throws: `readOnly`, `closed`, `disk`, `diskFull`; the store is as before then.
  /// - Complexity: O(registers).
  @discardableResult
  public func compact() throws(StoreError) -> CompactionReport {
    guard let log, let paths, !isReadOnly else {
      throw StoreError(.readOnly, "a store without a log of its own has nothing to compact")
    }
    do throws(LogError) {
      return try compactions.exclusively { () throws(LogError) in try compacting(log, paths) }
    } catch { throw StoreError(error) }
  }

  private func compacting(_ log: Log, _ paths: StorePaths) throws(LogError) -> CompactionReport {
    var pinned = try pin(log, paths)
    while true {
      let written: WrittenBaseline
      do throws(DiskError) {
        written = try BaselineWriter(disk: disk, paths: paths, store: log.store)
          .write(pinned.state)
      } catch {
        // The baseline in use cannot be read: what is written must not come from it.
        guard pinned.state.failure != nil, repair() else { throw LogError(error) }
        pinned = try pin(log, paths)
        continue
      }
      return try adopt(written, pinned, log, paths)
    }
  }

  /// The state to write, made durable.
  private func pin(_ log: Log, _ paths: StorePaths) throws(LogError) -> Pinned {
    let pinned = try writer.withLock {
      (writer: inout Writer) throws(LogError) -> Pinned in
      guard !writer.isClosed else {
        throw LogError(.closed, "the store was closed", path: paths.root)
      }
      // A state that is ahead of its log is none (P78).
      if writer.needsReload || writer.refusals != log.refusals {
        do throws(StoreError) { try reload(&writer) } catch {
          throw error.logError ?? LogError(.corrupt, error.message, path: error.path)
        }
      }
      return Pinned(
        state: writer.state, baseline: writer.compaction.baseline,
        logBytes: log.statistics.bytes, refusals: writer.refusals)
    }
    // What the baseline covers must be durable first, and nothing of it refused meanwhile.
    try log.sync()
    guard log.refusals == pinned.refusals else {
      throw LogError(.diskFull, "a transaction was refused; compact again", path: paths.root)
    }
    return pinned
  }

  /// Lets the store rely on a baseline, and removes what it does not need any more.
  private func adopt(
    _ written: WrittenBaseline, _ pinned: Pinned, _ log: Log, _ paths: StorePaths
  ) throws(LogError) -> CompactionReport {
    try log.switchBaseline(hash: written.name.hash, bytes: written.byteCount)
    writer.withLock { writer in
      writer.compaction.baseline = written.name
      writer.compaction.baselineBytes = written.byteCount
      writer.compaction.tailBytes = 0
      writer.compaction.countedBytes = pinned.logBytes
    }
    let files = BaselineFiles(disk: disk, paths: paths)
    var kept: Set<BaselineName> = [written.name]
    // Compacting what did not change leaves the one before the current baseline in its place.
    let previous =
      pinned.baseline == written.name
      ? (try? files.list())?.first { $0.name != written.name }?.name : pinned.baseline
    if let previous { kept.insert(previous) }
    // Leftovers are no reason to fail: the next compaction tries again.
    try? files.clean(keeping: kept)
    var report = CompactionReport(
      baseline: written.name.description, baselineBytes: written.byteCount)
    let retiring = Retiring(disk: disk, paths: paths, store: log.store)
    do throws(LogError) {
      let retired = try retiring.retire(options.retention, covered: pinned.state)
      report.retiredSegments = retired.segments
      report.retiredBytes = retired.bytes
    } catch { report.problem = StoreError(error) }
    return report
  }

  /// What `compact()` would write and retire now, also of a store that is open for reading only.
  ///
  /// - Complexity: O(registers).
  package func compactionPreview(_ retention: HistoryRetention) throws(StoreError)
    -> CompactionReport
  {
    guard let paths else { throw StoreError(.readOnly, "a store in memory has no baseline") }
    do throws(LogError) {
      let superblock = try SuperblockFile(disk: disk, paths: paths).read().current
      let catalog = try LogCatalog(disk, paths, superblock: superblock)
      guard let id = catalog.store else {
        throw LogError(.notAStore, "there is no store", path: paths.root)
      }
      let state = writer.withLock { $0.state }
      let size: (name: BaselineName, byteCount: UInt64)
      do throws(FormatError) { size = try BaselineWriter.measure(state, store: id) } catch {
        throw LogError(error, path: paths.baselines)
      }
      let plan = try Retiring(disk: disk, paths: paths, store: id)
        .plan(retention, covered: state, current: size.name)
      return CompactionReport(
        baseline: size.name.description, baselineBytes: size.byteCount,
        retiredSegments: plan.segments, retiredBytes: plan.bytes)
    } catch { throw StoreError(error) }
  }

  /// What a compaction works on while writers go on.
  private struct Pinned {
    var state: GraphState
    var baseline: BaselineName?
    var logBytes: UInt64
    var refusals: Int
  }

  /// Waits for a compaction under way.
  func waitForCompaction() { compactions.wait() }

  /// Starts a compaction in the background when the log behind the baseline has grown (Q26).
  func compactWhenDue() {
    guard options.compactsAutomatically, let log else { return }
    let bytes = log.statistics.bytes
    // Nobody waits for this: another write looks again.
    let isDue = writer.withLockIfAvailable { writer in
      let tail = writer.compaction.tailBytes + bytes - writer.compaction.countedBytes
      guard tail > max(options.compactionBytes, writer.compaction.baselineBytes / 4) else {
        return false
      }
      // One that fails is tried again when the log has grown as much once more.
      writer.compaction.tailBytes = 0
      writer.compaction.countedBytes = bytes
      return true
    }
    guard isDue == true else { return }
    // A failure leaves the store as it is.
    compactions.start { [self] in _ = try? compact() }
  }
}

/// What a compaction did.
public struct CompactionReport: Sendable {
  /// The file name of the baseline that opening starts with from now on.
  public var baseline: String
  /// Its length.
  public var baselineBytes: UInt64
  /// Segments that retention removed, and their bytes.
  public var retiredSegments = 0
  /// The bytes of those segments.
  public var retiredBytes: UInt64 = 0
  /// Why history stayed that should have been retired; a later compaction tries again.
  public var problem: StoreError?
}

/// A baseline on disk.
struct WrittenBaseline: Sendable {
  var name: BaselineName
  var byteCount: UInt64
}

extension BaselineWriter {
  /// Name and length of the baseline of a state, which is written nowhere.
  ///
  /// - Complexity: O(registers).
  package static func measure(
    _ state: GraphState, store: StoreID
  ) throws(FormatError) -> (name: BaselineName, byteCount: UInt64) {
    let writing = BaselineWriting(state)
    var encoder = BaselineEncoder(store: store, cut: writing.cut)
    let directory = try writing.write(into: &encoder) {
      (encoder: inout BaselineEncoder) throws(FormatError) in encoder.output.removeAll()
    }
    let ending = try encoder.finish(directory)
    return (ending.name, ending.byteCount)
  }
}

/// Writes baseline files.
package struct BaselineWriter: Sendable {
  let disk: any Disk
  let paths: StorePaths
  let store: StoreID

  /// Bytes that are gathered before they are written.
  private static let pieceBytes = 4 << 20

  /// Writes a state: temporary file, sync, verification, rename, sync of the directory (D1, D4).
  ///
  /// A file that is there under the name is met, not replaced.
  func write(_ state: GraphState) throws(DiskError) -> WrittenBaseline {
    try disk.makeDirectory(paths.baselines)
    try disk.syncDirectory(paths.root)
    let temporary = "\(paths.baselines)/new\(StorePaths.temporarySuffix)"
    if try disk.status(temporary) != nil { try disk.remove(temporary) }
    let file = try disk.open(temporary, .create)
    let written: WrittenBaseline
    do throws(DiskError) {
      written = try encode(state, to: file)
      if let failure = state.failure {
        throw DiskError(
          .other, "the baseline in use cannot be read: \(failure.message)",
          path: failure.path ?? paths.baselines, call: "read")
      }
      try file.sync(.full)
      file.dropCache()
    } catch {
      try? file.close()
      try? disk.remove(temporary)
      throw error
    }
    try file.close()
    do throws(DiskError) {
      try verify(temporary, written)
      try disk.rename(temporary, to: paths.baseline(written.name))
      try disk.syncDirectory(paths.baselines)
    } catch {
      try? disk.remove(temporary)
      throw error
    }
    return written
  }

  private func encode(_ state: GraphState, to file: any DiskFile) throws(DiskError)
    -> WrittenBaseline
  {
    let writing = BaselineWriting(state)
    var encoder = BaselineEncoder(store: store, cut: writing.cut)
    var offset: UInt64 = 0
    let directory = try writing.write(into: &encoder) {
      (encoder: inout BaselineEncoder) throws(DiskError) in
      guard encoder.output.count >= BaselineWriter.pieceBytes else { return }
      let count = UInt64(encoder.output.count)
      try file.write(encoder.output, at: offset)
      offset += count
      encoder.output.removeAll()
    }
    let ending = try finish(encoder, directory)
    try file.write(ending.output, at: offset)
    return WrittenBaseline(name: ending.name, byteCount: ending.byteCount)
  }

  private func finish(
    _ encoder: consuming BaselineEncoder, _ directory: BaselineDirectory
  ) throws(DiskError) -> BaselineEnding {
    do throws(FormatError) { return try encoder.finish(directory) } catch {
      throw DiskError(
        .other, "the state does not fit a baseline: \(error.message)", path: paths.baselines,
        call: "encode")
    }
  }

  /// Reads everything again, as it is on the device.
  private func verify(_ path: String, _ written: WrittenBaseline) throws(DiskError) {
    let source = try FileSource(disk, path)
    defer { source.close() }
    do throws(FormatError) {
      let reader = try BaselineReader(source, store: store, name: written.name)
      try reader.verify()
    } catch {
      throw DiskError(
        .other, "the new baseline does not read back: \(error.message)", path: path,
        call: "verify")
    }
  }
}
