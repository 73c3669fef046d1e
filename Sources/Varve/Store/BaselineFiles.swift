// The baselines in a store's directory. Layer: Store.

import VarveFormat

/// A baseline file.
struct BaselineFile: Sendable {
  var name: BaselineName
  var path: String
  var length: UInt64
  /// The largest stamp in it, as its header says.
  var maxStamp: Stamp
}

extension StorePaths {
  /// Where baselines lie.
  var baselines: String { "\(root)/base" }
  func baseline(_ name: BaselineName) -> String { "\(baselines)/\(name)" }
}

/// Finds, reads and removes baselines.
struct BaselineFiles: Sendable {
  let disk: any Disk
  let paths: StorePaths

  /// All baselines: by generation, then by how far they reach, the newest first.
  func list() throws(DiskError) -> [BaselineFile] {
    guard try disk.status(paths.baselines)?.isDirectory == true else { return [] }
    var files: [BaselineFile] = []
    for entry in try disk.list(paths.baselines) {
      guard let name = BaselineName(entry),
        let status = try disk.status(paths.baseline(name)), !status.isDirectory
      else { continue }
      files.append(
        BaselineFile(
          name: name, path: paths.baseline(name), length: status.length,
          maxStamp: maxStamp(paths.baseline(name))))
    }
    return files.sorted {
      ($0.name.generation, $0.maxStamp.rawValue, $0.name.hash)
        > ($1.name.generation, $1.maxStamp.rawValue, $1.name.hash)
    }
  }

  /// What the header says; zero when it cannot be read, which opening the file will tell.
  private func maxStamp(_ path: String) -> Stamp {
    guard let source = try? FileSource(disk, path) else { return .zero }
    defer { source.close() }
    let header = try? source.read(0, FileHeader.byteCount)
    return header.flatMap { try? FileHeader($0) }?.created ?? .zero
  }

  /// Opens a baseline: header and directory are read and checked.
  ///
  /// - Throws: What is wrong with it.
  func open(_ file: BaselineFile, store: StoreID?) throws(StoreError) -> BaselineReader {
    let source: FileSource
    do throws(DiskError) { source = try FileSource(disk, file.path) } catch {
      throw StoreError(LogError(error))
    }
    do throws(FormatError) {
      return try BaselineReader(source, store: store, name: file.name)
    } catch {
      source.close()
      throw StoreError(LogError(error, path: file.path))
    }
  }

  /// Removes temporary files of compactions that a crash ended, and baselines that are not kept.
  func clean(keeping kept: Set<BaselineName>) throws(DiskError) {
    guard try disk.status(paths.baselines)?.isDirectory == true else { return }
    for entry in try disk.list(paths.baselines) {
      let isOld = BaselineName(entry).map { !kept.contains($0) } ?? false
      guard isOld || entry.hasSuffix(StorePaths.temporarySuffix) else { continue }
      try disk.remove("\(paths.baselines)/\(entry)")
    }
  }
}
