// Where things lie in a local store. See Formats/README.md section 5. Layer: Log.

import VarveFormat

/// The paths of a local store.
package struct StorePaths: Sendable, Equatable {
  package let root: String

  package init(_ root: String) {
    var root = root
    while root.count > 1, root.hasSuffix("/") { root.removeLast() }
    self.root = root
  }

  package var lock: String { "\(root)/lock" }
  package var superblock: String { "\(root)/super" }
  package var log: String { "\(root)/log" }
  package var quarantine: String { "\(root)/quarantine" }
  /// The superblock that recorded a segment of a replica which was missing at the next write.
  package func lostRecord(_ replica: ReplicaID) -> String {
    "\(quarantine)/\(StorePaths.lostPrefix)\(replica)"
  }
  static let lostPrefix = "super-"
  package func reserve(_ index: Int) -> String { "\(root)/reserve-\(index)" }
  package func replica(_ replica: ReplicaID) -> String { "\(log)/\(replica)" }
  package func segment(_ replica: ReplicaID, _ name: SegmentName) -> String {
    "\(log)/\(replica)/\(name)"
  }
  /// Names of files that are being made.
  package static let temporarySuffix = ".tmp"

  /// The directory that holds `path`.
  package static func parent(_ path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
