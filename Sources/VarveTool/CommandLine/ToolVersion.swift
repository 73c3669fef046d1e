// Versions of the tool, of the formats that it reads and writes, and of its libraries.

import VarveFormat
import VarveImport

/// What `varve --version` prints.
enum ToolVersion {
  static let current = "0.1.0"

  private static var format: String { "\(FormatVersion.major).\(FormatVersion.minor)" }

  static var text: String {
    "varve \(current) (format \(format), lz4 \(Compression.libraryVersion), "
      + "zlib \(GzipStream.libraryVersion))"
  }

  static var json: JSONValue {
    .object([
      ("schema", "varve.version/1"), ("tool", .string(current)),
      ("format", .object([("writes", .string(format)), ("reads", .array([.string(format)]))])),
      (
        "libraries",
        .object([
          ("lz4", .string(Compression.libraryVersion)),
          ("zlib", .string(GzipStream.libraryVersion)),
        ])
      ),
    ])
  }
}
