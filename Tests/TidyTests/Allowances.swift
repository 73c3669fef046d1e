// The only table of places where a rule gives way. An entry without a good reason has no place
// here.

/// The rules that have exceptions.
enum Rule {
  /// Byte order and raw loads and stores belong to a few folders.
  case hostOrder
  /// So do pointers.
  case unsafePointers
  /// Nothing under `Sources` imports Foundation.
  case foundation
}

/// A file or folder where a rule does not hold, and why.
struct Allowance {
  var rule: Rule
  /// A file, or a folder with a slash at the end.
  var place: String
  var reason: String

  init(_ rule: Rule, _ place: String, because reason: String) {
    self.rule = rule
    self.place = place
    self.reason = reason
  }

  static func covers(_ rule: Rule, _ path: String) -> Bool {
    allowances.contains {
      $0.rule == rule && ($0.place.hasSuffix("/") ? path.hasPrefix($0.place) : path == $0.place)
    }
  }
}

let allowances: [Allowance] = [
  Allowance(
    .hostOrder, "Sources/VarveFormat/Bytes/",
    because: "the reader and the writer of numbers are where byte order is dealt with"),
  Allowance(
    .hostOrder, "Sources/VarveFormat/Column/",
    because: "packed numbers are loaded and stored a word at a time"),
  Allowance(
    .hostOrder, "Sources/Varve/Graph/Column/",
    because: "raw numbers of chunks lie in memory as the host has them"),
  Allowance(
    .hostOrder, "Sources/VarveImport/Bytes/",
    because: "the scanner looks at eight bytes of text at once"),
  Allowance(
    .hostOrder, "Sources/Varve/System/",
    because: "the structures of system calls are in host order"),
  Allowance(
    .unsafePointers, "Sources/VarveFormat/Bytes/",
    because: "the cursors check bounds once for everything above them"),
  Allowance(
    .unsafePointers, "Sources/VarveFormat/Column/",
    because: "decoded columns are memory that the graph adopts without copying it"),
  Allowance(
    .unsafePointers, "Sources/Varve/Graph/Column/",
    because: "the column storage is memory that snapshots share"),
  Allowance(
    .unsafePointers, "Sources/VarveImport/Bytes/",
    because: "the scanner and zlib work on buffers in place"),
  Allowance(
    .unsafePointers, "Sources/Varve/System/",
    because: "system calls take pointers"),
  Allowance(
    .unsafePointers, "Sources/VarveTool/Output/",
    because: "output is gathered in one buffer and handed to the system"),
]
