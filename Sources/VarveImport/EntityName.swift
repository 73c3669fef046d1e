// The name of an entity, from the name of a file.

/// Names for what is imported.
package enum EntityName {
  /// The last component of `path` without `.gz` and one more extension, as it is spelled: `flights`
  /// for `data/flights.csv.gz`.
  ///
  /// `table` when nothing is left.
  package static func infer(fromPath path: String) -> String {
    var name = Substring(path.split(separator: "/").last ?? "")
    if name.lowercased().hasSuffix(".gz") { name = name.dropLast(3) }
    if let dot = name.lastIndex(of: ".") { name = name[..<dot] }
    return name.isEmpty || name == "-" ? "table" : String(name)
  }
}
