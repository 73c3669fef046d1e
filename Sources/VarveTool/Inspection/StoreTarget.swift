// What a reading command is pointed at: a store directory or one file.

import Varve
import VarveFormat

/// A store directory, or one file taken from anywhere.
enum StoreTarget {
  case store(StorePaths)
  case file(String)

  /// The path as it was given.
  var path: String {
    switch self {
    case .store(let paths): paths.root
    case .file(let path): path
    }
  }

  /// The target that a word, `--store` or `VARVE_STORE` names.
  ///
  /// - Throws: `UsageError` when nothing is named, `LogError.notAStore` when nothing is there.
  static func resolve(_ word: String?, _ context: CommandContext, disk: any Disk) throws
    -> StoreTarget
  {
    guard let path = word ?? context.globals.store else {
      throw UsageError(
        .missingArgument, "which store? Name one, or set --store or VARVE_STORE",
        hint: "Try \"varve demo\" if you have none yet.")
    }
    guard let status = try disk.status(path) else {
      throw LogError(.notAStore, "nothing is at this path; check its spelling", path: path)
    }
    return status.isDirectory ? .store(StorePaths(path)) : .file(path)
  }
}
