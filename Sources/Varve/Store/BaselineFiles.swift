// The baselines in a store's directory. Layer: Store.

import VarveFormat

/// A baseline file.
package struct BaselineFile: Sendable {
  package var name: BaselineName
  package var path: String
  package var length: UInt64
  /// The largest stamp in it, as its header says.
  package var maxStamp: Stamp

  package init(name: BaselineName, path: String, length: UInt64, maxStamp: Stamp = .zero) {
    self.name = name
    self.path = path
    self.length = length
    self.maxStamp = maxStamp
  }
}

extension StorePaths {
  /// Where baselines lie.
  package var baselines: String { "\(root)/base" }
  func baseline(_ name: BaselineName) -> String { "\(baselines)/\(name)" }
}

/// Finds, reads and removes baselines.
package struct BaselineFiles: Sendable {
  let disk: any Disk
  let paths: StorePaths

  package init(disk: any Disk, paths: StorePaths) {
    self.disk = disk
    self.paths = paths
  }

  /// All baselines: by generation, then by how far they reach, the newest first.
  package func list() throws(DiskError) -> [BaselineFile] {
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

  /// How far a baseline reaches, by replica; empty when it cannot be opened.
  package func reach(_ file: BaselineFile, store: StoreID?) -> [ReplicaID: UInt64] {
    guard let reader = try? open(file, store: store) else { return [:] }
    defer { (reader.source as? FileSource)?.close() }
    return reader.directory.heads
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

extension BaselineDirectory {
  /// The last transaction of each replica that the baseline holds.
  package var heads: [ReplicaID: UInt64] {
    var heads: [ReplicaID: UInt64] = [:]
    for creator in creators {
      if case .replica(let replica) = creator.name, creator.sequence > 0 {
        heads[replica] = creator.sequence
      }
    }
    return heads
  }
}
