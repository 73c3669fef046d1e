// The baselines in a store's directory. Layer: Store.

import VarveFormat

/// A baseline file.
struct BaselineFile: Sendable {
  var name: BaselineName
  var path: String
  var length: UInt64
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

  /// All baselines, the newest generation first.
  func list() throws(DiskError) -> [BaselineFile] {
    guard try disk.status(paths.baselines)?.isDirectory == true else { return [] }
    var files: [BaselineFile] = []
    for entry in try disk.list(paths.baselines) {
      guard let name = BaselineName(entry),
        let status = try disk.status(paths.baseline(name)), !status.isDirectory
      else { continue }
      files.append(BaselineFile(name: name, path: paths.baseline(name), length: status.length))
    }
    return files.sorted {
      ($0.name.generation, $0.name.hash) > ($1.name.generation, $1.name.hash)
    }
  }

  /// Opens a baseline: header and directory are read and checked.
  ///
  /// - Throws: What is wrong with it.
  func open(_ file: BaselineFile, store: StoreID?) throws(StoreError) -> BaselineReader {
    do throws(DiskError) {
      let source = try FileSource(disk, file.path)
      do throws(FormatError) {
        return try BaselineReader(source, store: store, name: file.name)
      } catch {
        source.close()
        throw DiskError(
          .other, "\(error.code): \(error.message)", path: file.path, call: "read")
      }
    } catch {
      throw StoreError(
        error.code == .other ? .corrupt : .disk, error.message, path: file.path,
        offset: error.offset)
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
