// Finds and reads the files of this repository.

import Foundation

/// The files that the rules look at, without hidden folders and build products.
enum Repository {
  /// The folder that holds `Package.swift`.
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Every text file below the folders of the project, and the files at the top.
  static let files: [SourceFile] = paths.compactMap { path in
    let name = path.split(separator: "/").last ?? ""
    let ending = name.lastIndex(of: ".").map { name[name.index(after: $0)...] } ?? ""
    guard textEndings.contains(String(ending)) || path.hasPrefix("."),
      let text = try? String(contentsOf: root.appending(path: path), encoding: .utf8)
    else { return nil }
    return SourceFile(path, text)
  }

  static let swiftFiles = files.filter { $0.path.hasSuffix(".swift") }

  static let documents = files.filter { isDocument($0.path) }

  /// Every file and folder, as paths from the root; folders also with a slash at the end.
  static let names: Set<String> = Set(paths + folders + folders.map { $0 + "/" })

  /// What lies at the top, hidden names left out.
  static let topLevel = contents("").filter { !$0.hasPrefix(".") }

  /// Text files end like this, or have no ending at all; the rest is data.
  private static let textEndings: Set<String> = [
    "swift", "md", "py", "sh", "c", "h", "modulemap", "txt", "json", "",
  ]

  static let paths = walk("").filter { !$0.isFolder }.map(\.path)

  private static let folders = walk("").filter(\.isFolder).map(\.path)

  private static func isDocument(_ path: String) -> Bool {
    path.hasSuffix(".md")
      && (path == "README.md" || path.hasPrefix("Formats/")
        || path.hasPrefix("Sources/Varve/Varve.docc/"))
  }

  private static func contents(_ folder: String) -> [String] {
    let path = root.appending(path: folder).path
    return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  /// All files and folders below `folder`, in order.
  private static func walk(_ folder: String) -> [(path: String, isFolder: Bool)] {
    var found: [(path: String, isFolder: Bool)] = []
    for name in contents(folder) where isVisible(name) {
      let path = folder.isEmpty ? name : "\(folder)/\(name)"
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(
        atPath: root.appending(path: path).path, isDirectory: &isFolder)
      found.append((path, isFolder.boolValue))
      if isFolder.boolValue { found += walk(path) }
    }
    return found
  }

  private static func isVisible(_ name: String) -> Bool {
    switch name {
    case ".ci", ".swift-format", ".gitignore": true
    case "__pycache__": false
    default: !name.hasPrefix(".")
    }
  }
}
